// Turns a coarse mask into the alpha of every pixel: a guided filter lets edges follow the picture, at its full size.
import type { Size } from '#media/file/geometry.ts'
import { newCopy } from '#media/pixels/pixel-memory.ts'
import type { Pixels } from '#media/pixels/pixels.ts'
import { boxMean, mixRows, placesOf } from './fields.ts'
import type { Mask } from './people-mask.ts'

/** Alpha as a linear function of brightness, for each pixel of the small picture (He, Sun, Tang: Fast Guided Filter). */
export interface Matte extends Size {
  slope: Float32Array
  offset: Float32Array
}

/** Radius in shares of the longer side, and the contrast below which an edge is none. */
const RADIUS = 0.009
const FLAT = 0.0009

/** `small`: the picture at the size of the mask, 8 bits. */
export function matteOf(small: Pixels, mask: Mask): Matte {
  const { width, height } = mask
  const guide = brightness(small)
  const alpha = new Float32Array(guide.length)
  const squared = new Float32Array(guide.length)
  const product = new Float32Array(guide.length)
  for (let i = 0; i < guide.length; i++) {
    const value = guide[i]!
    alpha[i] = mask.alpha[i]! / 255
    squared[i] = value * value
    product[i] = value * alpha[i]!
  }
  const radius = Math.max(1, Math.round(Math.max(width, height) * RADIUS))
  for (const field of [guide, alpha, squared, product]) boxMean(field, mask, radius, field)
  const [slope, offset] = [product, alpha]
  for (let i = 0; i < guide.length; i++) {
    const variance = squared[i]! - guide[i]! * guide[i]!
    slope[i] = (product[i]! - guide[i]! * alpha[i]!) / (variance + FLAT)
    offset[i] = alpha[i]! - slope[i]! * guide[i]!
  }
  return { width, height, slope: boxMean(slope, mask, radius, slope), offset: boxMean(offset, mask, radius, offset) }
}

function brightness({ data, width, height, channels }: Pixels): Float32Array {
  const out = new Float32Array(width * height)
  for (let i = 0, at = 0; i < out.length; i++, at += channels)
    out[i] = (0.299 * data[at]! + 0.587 * data[at + 1]! + 0.114 * data[at + 2]!) / 255
  return out
}

/** Alpha of one row of the picture, 0 to 1. `softness`: 0 cuts hard, 1 fades over all that the model is unsure of. */
export function alphaReader(matte: Matte, pixels: Pixels, softness: number): (y: number, out: Float32Array) => void {
  const { data, width, height, channels } = pixels
  const half = 0.06 + 0.44 * softness
  const certain = certainties(matte, half)
  const columns = placesOf(width, matte.width)
  const rows = placesOf(height, matte.height)
  const [slope, offset] = [new Float32Array(matte.width + 1), new Float32Array(matte.width + 1)]
  const cells = new Uint8Array(matte.width)
  const ends = endsOf(columns.first, matte.width)
  const scale = 1 / (2 * half)
  const [red, green, blue] = [0.299 / 255, 0.587 / 255, 0.114 / 255]
  /** Alpha of the pixel whose bytes begin at `at`. */
  const mixed = (x: number, at: number, left: number): number => {
    const near = columns.share[x]!
    const guide = red * data[at]! + green * data[at + 1]! + blue * data[at + 2]!
    const steep = slope[left]! + (slope[left + 1]! - slope[left]!) * near
    const base = offset[left]! + (offset[left + 1]! - offset[left]!) * near
    const share = (steep * guide + base - 0.5 + half) * scale
    return share <= 0 ? 0 : share >= 1 ? 1 : share * share * (3 - 2 * share)
  }
  return (y, out) => {
    const first = rows.first[y]!
    mixRows(matte.slope, matte, first, rows.share[y]!, slope)
    mixRows(matte.offset, matte, first, rows.share[y]!, offset)
    cellsOf(certain, matte, first, cells)
    for (let x = 0; x < width; ) {
      const left = columns.first[x]!
      const cell = cells[left]!
      let last = left
      while (cell !== UNSURE && last + 1 < matte.width && cells[last + 1] === cell) last++
      const end = ends[last]!
      if (cell === UNSURE) for (; x < end; x++) out[x] = mixed(x, (y * width + x) * channels, left)
      else out.fill(cell, x, end)
      x = end
    }
  }
}

/** For each sample of a short line: the place of a long one behind the last that lies at or after it. */
function endsOf(first: Uint32Array, count: number): Uint32Array {
  const ends = new Uint32Array(count)
  for (let x = 0; x < first.length; x++) ends[first[x]!] = x + 1
  // One that no place lies at ends where the one before it does.
  for (let i = 1; i < count; i++) ends[i] = Math.max(ends[i]!, ends[i - 1]!)
  return ends
}

const UNSURE = 2

/** Where alpha is 0 or 1 whatever the brightness: most of a picture, which then needs no second look. */
function certainties({ slope, offset }: Matte, half: number): Uint8Array {
  const out = new Uint8Array(slope.length)
  for (let i = 0; i < out.length; i++) {
    const dark = offset[i]!
    const light = dark + slope[i]!
    out[i] = dark <= 0.5 - half && light <= 0.5 - half ? 0 : dark >= 0.5 + half && light >= 0.5 + half ? 1 : UNSURE
  }
  return out
}

/** The same for the square between four samples. */
function cellsOf(certain: Uint8Array, { width, height }: Size, first: number, out: Uint8Array): void {
  const [above, below] = [first * width, Math.min(first + 1, height - 1) * width]
  for (let x = 0; x < width; x++) {
    const next = x + 1 < width ? x + 1 : x
    const state = certain[above + x]!
    const isEven = certain[above + next] === state && certain[below + x] === state && certain[below + next] === state
    out[x] = isEven ? state : UNSURE
  }
}

/** The matte to look at: people white, the rest black. */
export function maskPicture(pixels: Pixels, matte: Matte, softness: number): Pixels {
  const { width, height } = pixels
  const alphas = alphaReader(matte, pixels, softness)
  const alpha = new Float32Array(width)
  const out = newCopy({ width, height }, 3)
  for (let y = 0, to = 0; y < height; y++) {
    alphas(y, alpha)
    for (let x = 0; x < width; x++, to += 3) out.fill(Math.round(alpha[x]! * 255), to, to + 3)
  }
  return { data: out, width, height, channels: 3, depth: 8 }
}
