// Judges photos of a burst against each other: faces, eyes, sharpness, exposure. A ranking, never a verdict on one photo.
import type { Picture } from '#media/picture/picture.ts'
import { clipped } from '#media/pixels/fit.ts'
import type { Pixels } from '#media/pixels/pixels.ts'
import { eyesOpen } from './eyes.ts'
import { type Face, findFaces, preview, scaledBy } from './faces.ts'

export interface Judged {
  /** Variance of the Laplacian: about 6 strongly blurred, 30 slightly, 170 sharp. */
  sharpness: number
  /** 0 to 1: neither too dark nor too bright, little of it without any detail. */
  exposure: number
  /** Null where faces were not looked for. */
  faces: Face[] | null
  /** How far eyes are open; null where no face is large enough to tell. */
  eyes: number | null
}

/** What counts most where photos differ. */
type Preference = 'balanced' | 'faces' | 'sharp'

const weights: Record<Preference, { faces: number; sure: number; eyes: number; sharp: number; exposure: number }> = {
  balanced: { faces: 3, sure: 1, eyes: 2, sharp: 2, exposure: 1 },
  faces: { faces: 6, sure: 2, eyes: 3, sharp: 1, exposure: 0.5 },
  sharp: { faces: 1, sure: 0.5, eyes: 0.5, sharp: 4, exposure: 1 },
}

/** The side at which blur is measured: the same for every photo, whatever its megapixels. */
const SIDE = 1024

export async function judge(picture: Picture, looks: boolean): Promise<Judged> {
  const faces = looks ? await findFaces(picture) : null
  const { pixels, factor } = await preview(picture, SIDE)
  const grey = greyOf(pixels)
  const parts = (faces ?? []).map(face => ({
    left: Math.floor(face.left * factor),
    top: Math.floor(face.top * factor),
    width: Math.ceil(face.width * factor),
    height: Math.ceil(face.height * factor),
  }))
  const whole = { left: 0, top: 0, width: pixels.width, height: pixels.height }
  // A sharp wall behind blurred guests is no sharp photo.
  const looked = parts.length > 0 ? parts.flatMap(part => clipped(part, pixels) ?? []) : [whole]
  const shares = looked.map(part => laplacianVariance(grey, pixels.width, part))
  return {
    sharpness: shares.reduce((sum, each) => sum + each, 0) / shares.length,
    exposure: exposureOf(grey),
    faces,
    eyes: faces
      ? await eyesOpen(
          pixels,
          faces.map(face => scaledBy(face, factor)),
        )
      : null,
  }
}

function greyOf({ data, width, height, channels }: Pixels): Uint8Array {
  const grey = new Uint8Array(width * height)
  for (let i = 0, at = 0; i < grey.length; i++, at += channels)
    grey[i] = (data[at]! * 77 + data[at + 1]! * 150 + data[at + 2]! * 29) >> 8
  return grey
}

function laplacianVariance(
  grey: Uint8Array,
  width: number,
  part: { left: number; top: number; width: number; height: number },
): number {
  let [sum, squares, count] = [0, 0, 0]
  for (let y = part.top + 1; y < part.top + part.height - 1; y++)
    for (let x = part.left + 1, at = y * width + x; x < part.left + part.width - 1; x++, at++) {
      const value = grey[at - 1]! + grey[at + 1]! + grey[at - width]! + grey[at + width]! - 4 * grey[at]!
      sum += value
      squares += value * value
      count++
    }
  return count === 0 ? 0 : squares / count - (sum / count) ** 2
}

function exposureOf(grey: Uint8Array): number {
  let [sum, lost] = [0, 0]
  for (const value of grey) {
    sum += value
    if (value < 4 || value > 251) lost++
  }
  const mean = sum / grey.length / 255
  return Math.max(0, 1 - 1.6 * Math.abs(mean - 0.46) - (1.5 * lost) / grey.length)
}

/** A number for each; the highest is the best. */
export function scores(all: readonly Judged[], preference: Preference): number[] {
  const weight = weights[preference]
  const sharpest = Math.max(1e-6, ...all.map(({ sharpness }) => sharpness))
  const most = Math.max(1, ...all.map(({ faces }) => faces?.length ?? 0))
  const widest = Math.max(1e-6, ...all.map(({ eyes }) => eyes ?? 0))
  return all.map(({ sharpness, exposure, faces, eyes }) => {
    const sure = faces && faces.length > 0 ? faces.reduce((sum, { score }) => sum + score, 0) / faces.length : 0
    return (
      (weight.faces * (faces?.length ?? 0)) / most +
      weight.sure * sure +
      (weight.eyes * (eyes ?? 0)) / widest +
      weight.sharp * Math.sqrt(sharpness / sharpest) +
      weight.exposure * exposure
    )
  })
}
