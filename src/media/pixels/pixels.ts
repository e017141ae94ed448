// Decoded pixels: sRGB, three or four channels of 8 or 16 bits, row by row from the top left.
import { Problem } from '#kit/errors.ts'
import type { Rect, Size } from '../file/geometry.ts'
import type { Orientation } from './orientation.ts'
import { newCopy } from './pixel-memory.ts'
import { reading, type Sharp, vips } from './vips.ts'

export interface Pixels extends Size {
  data: Buffer
  channels: 3 | 4
  depth: 8 | 16
}

/** The same memory, seen as 16-bit numbers. */
export const words = ({ data }: { data: Buffer }): Uint16Array =>
  new Uint16Array(data.buffer, data.byteOffset, data.byteLength >> 1)

/** sharp over raw pixels. The frames of an animation lie below each other, `pageHeight` each. */
export function fromPixels(pixels: Pixels, pageHeight?: number): Sharp {
  const { data, width, height, channels, depth } = pixels
  const raw = { width, height, channels, ...(pageHeight ? { pageHeight } : {}) }
  return vips(depth === 16 ? words(pixels) : data, { raw }).toColourspace(depth === 16 ? 'rgb16' : 'srgb')
}

/** Runs a pipeline and returns its pixels. */
export async function toPixels(pipeline: Sharp, depth: 8 | 16): Promise<Pixels> {
  const { data, info } = await reading(() =>
    pipeline.raw({ depth: depth === 16 ? 'ushort' : 'uchar' }).toBuffer({ resolveWithObject: true }),
  )
  if (info.channels !== 3 && info.channels !== 4)
    throw new Problem('unsupported_format', `A picture with ${info.channels} colour channels is not taken.`)
  return { data: aligned(data), width: info.width, height: info.height, channels: info.channels, depth }
}

/** 16-bit and 32-bit views need an aligned offset. */
const aligned = (data: Buffer): Buffer => (data.byteOffset % 4 === 0 ? data : Buffer.from(data))

export const release = ({ data }: Pixels): void => giveBack(data)

/**
 * Frees memory at once. The garbage collector sees such blocks grow but does not know what they hold; leaving them to it would cost
 * a fifth of a photo's time (`npm run bench -- tricks`).
 */
export function giveBack(data: Buffer): void {
  const block = data.buffer as ArrayBuffer
  // Not shared memory: Node's pool of small buffers, or the other frames of an animation.
  if (!block.detached && data.byteLength === block.byteLength) block.transfer(0)
}

export function copied(pixels: Pixels): Pixels {
  const data = newCopy(pixels, pixels.channels * (pixels.depth / 8))
  pixels.data.copy(data)
  return { ...pixels, data }
}

/** A copy with opaque alpha. Pixels that have alpha are returned as they are. */
export function withAlpha(pixels: Pixels): Pixels {
  if (pixels.channels === 4) return pixels
  const { width, height, depth } = pixels
  const out = newCopy({ width, height }, 4 * (depth / 8))
  const [from, to] = depth === 16 ? [words(pixels), words({ data: out })] : [pixels.data, out]
  const opaque = depth === 16 ? 65535 : 255
  for (let i = 0, j = 0; j < to.length; i += 3, j += 4) {
    to[j] = from[i]!
    to[j + 1] = from[i + 1]!
    to[j + 2] = from[i + 2]!
    to[j + 3] = opaque
  }
  return { ...pixels, data: out, channels: 4 }
}

/** A copy without alpha. Colours are not blended with any background. */
export function withoutAlpha(pixels: Pixels): Pixels {
  if (pixels.channels === 3) return pixels
  const { width, height, depth } = pixels
  const out = newCopy({ width, height }, 3 * (depth / 8))
  const [from, to] = depth === 16 ? [words(pixels), words({ data: out })] : [pixels.data, out]
  for (let i = 0, j = 0; j < to.length; i += 4, j += 3) {
    to[j] = from[i]!
    to[j + 1] = from[i + 1]!
    to[j + 2] = from[i + 2]!
  }
  return { ...pixels, data: out, channels: 3 }
}

/** Blends with white and drops alpha. */
export function flattened(pixels: Pixels): Pixels {
  if (pixels.channels === 3) return pixels
  const most = pixels.depth === 16 ? 65535 : 255
  const from = pixels.depth === 16 ? words(pixels) : pixels.data
  const out = withoutAlpha(pixels)
  const to = out.depth === 16 ? words(out) : out.data
  for (let i = 3, j = 0; i < from.length; i += 4, j += 3) {
    const alpha = from[i]!
    if (alpha === most) continue
    for (let c = 0; c < 3; c++) to[j + c] = Math.round((to[j + c]! * alpha + most * (most - alpha)) / most)
  }
  return out
}

/** A copy of a rectangle, which must lie inside. */
export function cut(pixels: Pixels, { left, top, width, height }: Rect): Pixels {
  const size = pixels.channels * (pixels.depth / 8)
  const data = newCopy({ width, height }, size)
  for (let y = 0; y < height; y++) {
    const from = ((top + y) * pixels.width + left) * size
    pixels.data.copy(data, y * width * size, from, from + width * size)
  }
  return { ...pixels, data, width, height }
}

/** sharp always flips, flops and then rotates, whatever the order of the calls. */
export function turning(pipeline: Sharp, { swap, x, y }: Orientation): Sharp {
  return swap ? pipeline.flip(!x).flop(y).rotate(90) : pipeline.flip(y).flop(x)
}

/** Converts 16 bits to 8, rounded. */
export function to8(pixels: Pixels): Pixels {
  if (pixels.depth === 8) return pixels
  const from = words(pixels)
  const data = newCopy(pixels, pixels.channels)
  for (let i = 0; i < from.length; i++) data[i] = (from[i]! * 255 + 32895) >>> 16
  return { ...pixels, data, depth: 8 }
}
