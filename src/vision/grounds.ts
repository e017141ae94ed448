// Makes what lies behind people who were cut out: the old ground without them, blurred, or a gradient.
import type { Size } from '#media/file/geometry.ts'
import type { Colour } from '#media/pixels/colour.ts'
import { claim, newBitmap } from '#media/pixels/pixel-memory.ts'
import { fromPixels, type Pixels, toPixels } from '#media/pixels/pixels.ts'
import { boxMean } from './fields.ts'
import { alphaReader, type Matte } from './matte.ts'

/**
 * The old ground, blurred. Only what is no person counts, so that nobody has a halo of their own colours; where there is none near, the
 * ground from farther away fills the hole.
 */
export async function blurredGround(small: Pixels, matte: Matte, size: Size, share: number): Promise<Pixels> {
  const { width, height, channels, data } = small
  const rest = new Float32Array(width * height)
  const read = alphaReader(matte, small, 1)
  const row = new Float32Array(width)
  for (let y = 0; y < height; y++) {
    read(y, row)
    for (let x = 0; x < width; x++) rest[y * width + x] = Math.max(0.0005, 1 - row[x]! * 1.05)
  }
  const radius = Math.max(1, Math.round(Math.max(width, height) * share))
  const far = Math.max(radius, Math.round(Math.max(width, height) * 0.08))
  const out = Buffer.alloc(width * height * 3)
  /** Two boxes are as round as a lens that is out of focus. */
  const twice = (values: Float32Array, around: number, out?: Float32Array): Float32Array => {
    const once = boxMean(values, small, around, out)
    return boxMean(once, small, around, once)
  }
  const [near, wide] = [twice(rest, radius), twice(rest, far)]
  const weighted = new Float32Array(rest.length)
  for (let c = 0; c < 3; c++) {
    for (let i = 0; i < rest.length; i++) weighted[i] = data[i * channels + c]! * rest[i]!
    const nearMean = twice(weighted, radius)
    const wideMean = twice(weighted, far, weighted)
    for (let i = 0; i < rest.length; i++) {
      const known = Math.min(1, near[i]! * 8)
      out[i * 3 + c] = (nearMean[i]! / near[i]!) * known + (wideMean[i]! / wide[i]!) * (1 - known) + 0.5
    }
  }
  claim(size, 3)
  const blurred: Pixels = { data: out, width, height, channels: 3, depth: 8 }
  return toPixels(fromPixels(blurred).resize({ ...size, fit: 'fill', kernel: 'cubic' }), 8)
}

/** From one colour to another along an angle: 0 leads up, 90 to the right. It has no alpha where both are opaque. */
export function gradientGround(size: Size, from: Colour, to: Colour, angle: number): Pixels {
  const { width, height } = size
  const isOpaque = from[3] === 255 && to[3] === 255
  const channels = isOpaque ? 3 : 4
  const data = newBitmap(size, channels)
  const [across, down] = [Math.sin((angle * Math.PI) / 180), -Math.cos((angle * Math.PI) / 180)]
  // From corner to corner, as CSS does it.
  const length = Math.abs(width * across) + Math.abs(height * down)
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at += channels) {
      const share = ((x + 0.5 - width / 2) * across + (y + 0.5 - height / 2) * down) / length + 0.5
      if (isOpaque) for (let c = 0; c < 3; c++) data[at + c] = from[c]! + (to[c]! - from[c]!) * share + 0.5
      else mixInto(data, at, from, to, share)
    }
  return { data, width, height, channels, depth: 8 }
}

/** Colours weigh as much as they are seen, so that one that is clear does not tint the other. */
function mixInto(data: Buffer, at: number, from: Colour, to: Colour, share: number): void {
  const [a, b] = [from[3] * (1 - share), to[3] * share]
  const alpha = a + b
  for (let c = 0; c < 3; c++) data[at + c] = alpha > 0 ? (from[c]! * a + to[c]! * b) / alpha + 0.5 : 0
  data[at + 3] = alpha + 0.5
}
