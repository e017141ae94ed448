// Blurs and sharpens with libvips, and respects transparency.
import { fromPixels, type Pixels, toPixels } from './pixels.ts'

/** Below this sharp does not blur at all. */
const LEAST = 0.3

export async function smoothed(pixels: Pixels, blur: number, sharpen: number): Promise<Pixels> {
  const blurs = blur >= LEAST
  const sharpens = sharpen > 0
  if (!blurs && !sharpens) return pixels
  let made = fromPixels(pixels)
  if (blurs) made = made.blur(blur)
  if (sharpens) made = made.sharpen({ sigma: Math.max(sharpen, 0.01) })
  return toPixels(made, pixels.depth)
}
