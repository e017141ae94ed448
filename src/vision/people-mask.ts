// Tells people from what is behind them: one look at the whole frame and one at each face with its body, joined into one mask.
import type { Rect, Size } from '#media/file/geometry.ts'
import { clipped } from '#media/pixels/fit.ts'
import type { Pixels } from '#media/pixels/pixels.ts'
import { rowReader, sampled } from './fields.ts'
import { runModel } from './runtime.ts'

/** One byte for each pixel: 255 is a person, 0 is not. */
export interface Mask extends Size {
  alpha: Uint8Array
}

interface PeopleMask extends Mask {
  /** How much of each face is covered, 0 to 1, in their order. */
  covered: number[]
  /** The share of the frame that is people, 0 to 1. */
  share: number
}

/** Side of the model's input and output. */
const SIDE = 256

/** A face that is covered less than this is looked at again, and in doubt if it stays so. */
export const COVERED = 0.85

/** Bodies that are looked at one by one; a crowd of more is left to the whole frame and the check of each face. */
const MOST_BODIES = 12

/** What the model makes of these pixels as a whole, as large as it answers. */
export async function peopleIn(pixels: Pixels): Promise<Mask> {
  const shares = await sharesIn(pixels, { left: 0, top: 0, width: pixels.width, height: pixels.height })
  return { alpha: Uint8Array.from(shares, share => share * 255 + 0.5), width: SIDE, height: SIDE }
}

/** The same for a part of them: 1 is a person, 0 is not. */
async function sharesIn(pixels: Pixels, part: Rect): Promise<Float32Array> {
  const [shares] = await runModel('people', sampled(pixels, part, { side: SIDE, factor: 1 / 255, offset: 0 }))
  return shares!
}

/** A mask as large as the pixels. The largest faces come first. */
export async function maskPeople(pixels: Pixels, faces: readonly Rect[]): Promise<PeopleMask> {
  const mask = await maskOf(pixels, faces)
  for (const face of faces) if (coverage(mask, face) < COVERED) await lookAt(pixels, around(face, HEAD), mask)
  return { ...mask, covered: faces.map(face => coverage(mask, face)), share: shareOf(mask) }
}

/** The same without a second look: the whole frame, and the bodies of these faces. */
export async function maskOf(pixels: Pixels, faces: readonly Rect[]): Promise<Mask> {
  const { width, height } = pixels
  const mask: Mask = { width, height, alpha: new Uint8Array(width * height) }
  await lookAt(pixels, { left: 0, top: 0, width, height }, mask)
  for (const face of faces.slice(0, MOST_BODIES)) await lookAt(pixels, bodyOf(face), mask)
  return mask
}

/** Shares of a face: what of a body the model knows best, and the head alone. */
const BODY = { left: 2.2, top: 1.1, right: 2.2, bottom: 4.2 }
const HEAD = { left: 0.9, top: 0.9, right: 0.9, bottom: 1.1 }

const bodyOf = (face: Rect): Rect => around(face, BODY)

function around({ left, top, width, height }: Rect, by: typeof BODY): Rect {
  return {
    left: Math.floor(left - width * by.left),
    top: Math.floor(top - height * by.top),
    width: Math.ceil(width * (1 + by.left + by.right)),
    height: Math.ceil(height * (1 + by.top + by.bottom)),
  }
}

async function lookAt(pixels: Pixels, wanted: Rect, mask: Mask): Promise<void> {
  const part = clipped(wanted, pixels)
  if (part) join(mask, await sharesIn(pixels, part), part)
}

/** Edges of a look inside of the frame fade: there the model knows one side only. */
const FADE = 0.08

/** Lays a mask over a part of another one; the higher value stays. */
function join(mask: Mask, over: Float32Array, part: Rect): void {
  const isEdge = {
    left: part.left > 0,
    top: part.top > 0,
    right: part.left + part.width < mask.width,
    bottom: part.top + part.height < mask.height,
  }
  const read = rowReader(over, { width: SIDE, height: SIDE }, part)
  const columns = Float32Array.from({ length: part.width }, (_, x) => ramp(x, part.width, isEdge.left, isEdge.right))
  const line = new Float32Array(part.width)
  for (let y = 0; y < part.height; y++) {
    const row = ramp(y, part.height, isEdge.top, isEdge.bottom)
    read(y, line)
    for (let x = 0, at = (part.top + y) * mask.width + part.left; x < part.width; x++, at++) {
      const value = line[x]! * 255 * (row < columns[x]! ? row : columns[x]!)
      if (value > mask.alpha[at]!) mask.alpha[at] = value + 0.5
    }
  }
}

function ramp(at: number, length: number, fromStart: boolean, fromEnd: boolean): number {
  const fade = Math.max(1, length * FADE)
  const start = fromStart ? (at + 0.5) / fade : 1
  const end = fromEnd ? (length - at - 0.5) / fade : 1
  return Math.min(1, start, end)
}

/** How much of the ellipse inside a face's box is people. */
export function coverage(mask: Mask, { left, top, width, height }: Rect): number {
  let [sum, count] = [0, 0]
  for (let y = Math.max(0, Math.floor(top)); y < Math.min(mask.height, top + height); y++)
    for (let x = Math.max(0, Math.floor(left)); x < Math.min(mask.width, left + width); x++) {
      const across = (x + 0.5 - left) / width - 0.5
      const down = (y + 0.5 - top) / height - 0.5
      if (across * across + down * down > 0.16) continue
      sum += mask.alpha[y * mask.width + x]!
      count++
    }
  return count === 0 ? 0 : sum / count / 255
}

/** The share of the frame that is people, 0 to 1. */
export function shareOf({ alpha }: Mask): number {
  let sum = 0
  // By its index: an iterator would make a new object for each pixel.
  for (let i = 0; i < alpha.length; i++) sum += alpha[i]!
  return sum / alpha.length / 255
}
