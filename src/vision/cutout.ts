// Finds the people of a picture and makes the matte that cuts them out; says what is in doubt.
import type { Size } from '#media/file/geometry.ts'
import type { Picture } from '#media/picture/picture.ts'
import type { Pixels } from '#media/pixels/pixels.ts'
import { type Face, findFaces, preview } from './faces.ts'
import { type Matte, matteOf } from './matte.ts'
import { COVERED, maskPeople } from './people-mask.ts'

export interface Cutout {
  faces: Face[]
  matte: Matte
  /** The picture at the size of the matte. */
  small: Pixels
  /** What speaks against this frame by itself, as the end of a sentence; null where nothing does. */
  doubt: string | null
}

/** The longest side of a matte. Those of a moving picture are all held at once. */
const STILL = 704
const MOVING = 384

/** Less of a frame than this is nobody. */
export const NOBODY = 0.01

/** The model masks birds, cats and flowers too, as large and as sure as people: a mask alone proves nothing. */
export const NO_FACE = 'no face was found'

export async function cutPeople(picture: Picture, isMoving: boolean): Promise<Cutout> {
  const shown = await preview(picture, isMoving ? MOVING : STILL)
  const { pixels: small, factor } = shown
  const faces = await findFaces(picture, 'usual', shown)
  const mask = await maskPeople(
    small,
    faces.map(face => scaledTo(face, factor)),
  )
  const open = mask.covered.filter(share => share < COVERED).length
  return { faces, matte: matteOf(small, mask), small, doubt: doubtOf(faces.length, open, mask.share) }
}

function doubtOf(faces: number, open: number, share: number): string | null {
  if (faces === 0 && share < NOBODY) return 'no person was found'
  if (open === 0) return null
  return faces === 1 ? 'the face is not covered as a whole' : `${open} of ${faces} faces are not covered as a whole`
}

/** Why a cut-out may be wrong, over all its frames: somebody who looks away in one shows a face in another. */
export const doubtIn = (cuts: readonly Cutout[]): string | null =>
  cuts.find(cut => cut.doubt !== null)?.doubt ?? (cuts.some(cut => cut.faces.length > 0) ? null : NO_FACE)

const scaledTo = ({ left, top, width, height }: Face, factor: number): Size & { left: number; top: number } => ({
  left: left * factor,
  top: top * factor,
  width: width * factor,
  height: height * factor,
})
