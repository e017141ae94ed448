// Crops a picture at a position, where people look, or around faces, and says what decided.
import type { Rect, Size } from '#media/file/geometry.ts'
import { cropTo, gravities as plainGravities } from '#media/picture/attention.ts'
import type { Picture } from '#media/picture/picture.ts'
import type { Position } from '#media/pixels/fit.ts'
import { faceWindow } from './face-window.ts'
import { type Face, findFaces, overlap } from './faces.ts'
import { visionOff } from './runtime.ts'

export const gravities = [...plainGravities, 'faces'] as const

export type Gravity = (typeof gravities)[number]

/** Where all of a picture is put that nothing is cut off from. */
export const positionOf = (gravity: Gravity): Position =>
  gravity === 'attention' || gravity === 'entropy' || gravity === 'faces' ? 'center' : gravity

/** Where what was found is told; the step of an adapter is one. */
export interface Witness {
  decide(sentence: string): void
  warn(sentence: string): void
  saw(size: Size, faces: readonly Face[]): void
}

/** The same as `coverAround` for a picture that keeps its scale. What is kept lies in `part`. */
export async function cropAround(
  picture: Picture,
  part: Rect,
  size: Size,
  gravity: Gravity,
  witness: Witness,
): Promise<Picture> {
  const left = picture.crop(part)
  const isCut = size.width < part.width || size.height < part.height
  if (left === picture || gravity !== 'faces' || !isCut) return coverAround(left, left, size, gravity, witness)
  const faces = await facesOf(picture, witness)
  const inPart = faces.filter(face => overlap(face, part) > 0)
  if (faces.length > 0 && inPart.length === 0)
    witness.decide('No face lies in the part that can be kept, so `attention` decided.')
  if (inPart.length === 0) return cropTo(left, size, 'attention')
  const moved = inPart.map(face => ({ ...face, left: face.left - part.left, top: face.top - part.top }))
  return left.crop({ ...faceWindow(moved, left, size), ...size })
}

/** Resizes a picture and cuts a box out of it. Faces are looked for in the picture as it came, which is cheap to make small. */
export async function coverAround(
  picture: Picture,
  size: Size,
  wanted: Size,
  gravity: Gravity,
  witness: Witness,
): Promise<Picture> {
  const box = { width: Math.min(wanted.width, size.width), height: Math.min(wanted.height, size.height) }
  const isCut = box.width < size.width || box.height < size.height
  const faces = gravity === 'faces' && isCut ? await facesOf(picture, witness) : []
  const resized = await picture.resize({ width: size.width, height: size.height })
  if (!isCut) return resized
  if (faces.length === 0) return cropTo(resized, box, gravity === 'faces' ? 'attention' : gravity)
  const [across, down] = [size.width / picture.width, size.height / picture.height]
  const scaled = faces.map(({ left, top, width, height }) => ({
    left: left * across,
    top: top * down,
    width: width * across,
    height: height * down,
  }))
  return resized.crop({ ...faceWindow(scaled, size, box), ...box })
}

/** Empty where there are none, or where they cannot be looked for: `attention` decides then, which is told. */
async function facesOf(picture: Picture, witness: Witness): Promise<Face[]> {
  const off = visionOff()
  if (off !== null) {
    witness.warn(`${off}; \`attention\` decided what is kept.`)
    return []
  }
  const faces = await findFaces(picture)
  witness.saw(picture, faces)
  witness.decide(
    faces.length === 0 ? 'No face was found, so `attention` decided what is kept.' : `Found ${counted(faces.length)}.`,
  )
  return faces
}

export const counted = (faces: number): string => (faces === 1 ? 'one face' : `${faces} faces`)
