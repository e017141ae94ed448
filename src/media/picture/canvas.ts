// Draws pictures on a background, in every frame.

import type { Size } from '../file/geometry.ts'
import { checkPicture } from '../file/media-limits.ts'
import { drawLayer, layerOf } from '../pixels/blend.ts'
import type { Colour } from '../pixels/colour.ts'
import { type Position, placed } from '../pixels/fit.ts'
import { newBitmap } from '../pixels/pixel-memory.ts'
import { type Pixels, withAlpha, words } from '../pixels/pixels.ts'
import type { Picture } from './picture.ts'

/** A canvas of one colour; it has no alpha when the colour is opaque. */
export function canvasOf({ width, height }: Size, [r, g, b, a]: Colour, depth: 8 | 16 = 8): Pixels {
  const channels = a === 255 ? 3 : 4
  const data = newBitmap({ width, height }, channels * (depth / 8))
  const colour = channels === 4 ? [r, g, b, a] : [r, g, b]
  if (depth === 8) data.fill(Buffer.from(colour))
  else data.fill(Buffer.from(new Uint16Array(colour.map(value => value * 257)).buffer))
  return { data, width, height, channels, depth }
}

/** Puts a picture on a larger canvas. */
export function pad(picture: Picture, size: Size, position: Position, background: Colour): Picture | Promise<Picture> {
  if (picture.width === size.width && picture.height === size.height) return picture
  checkPicture({ ...size, frames: picture.animation ? picture.frames : null }, picture.limits)
  const { left, top } = placed(picture, size, position)
  return picture.draw(pixels => paste(canvasOf(size, background, pixels.depth), pixels, left, top))
}

/** Draws a picture on a canvas of the same depth, clipped to it. */
export function paste(canvas: Pixels, pixels: Pixels, left: number, top: number): Pixels {
  if (pixels.channels === 4 && pixels.depth === 8) return drawLayer(canvas, layerOf(pixels), { left, top })
  if (pixels.channels === 4) return pasteDeep(canvas, pixels, left, top)
  const base = canvas.channels === 4 ? withAlpha(pixels) : pixels
  const size = base.channels * (base.depth / 8)
  const [x0, x1] = [Math.max(0, -left), Math.min(base.width, canvas.width - left)]
  if (x1 <= x0) return canvas
  for (let y = Math.max(0, -top); y < Math.min(base.height, canvas.height - top); y++) {
    base.data.copy(
      canvas.data,
      ((y + top) * canvas.width + x0 + left) * size,
      (y * base.width + x0) * size,
      (y * base.width + x1) * size,
    )
  }
  return canvas
}

/** Source-over for 16 bits with alpha. */
function pasteDeep(canvas: Pixels, pixels: Pixels, left: number, top: number): Pixels {
  const base = canvas.channels === 4 ? canvas : withAlpha(canvas)
  const [to, from] = [words(base), words(pixels)]
  for (let y = Math.max(0, -top); y < Math.min(pixels.height, base.height - top); y++) {
    for (let x = Math.max(0, -left); x < Math.min(pixels.width, base.width - left); x++) {
      const i = (y * pixels.width + x) * 4
      const j = ((y + top) * base.width + x + left) * 4
      const above = from[i + 3]! / 65535
      const under = (to[j + 3]! / 65535) * (1 - above)
      const sum = above + under
      if (sum === 0) continue
      for (let c = 0; c < 3; c++) to[j + c] = Math.round((from[i + c]! * above + to[j + c]! * under) / sum)
      to[j + 3] = Math.round(sum * 65535)
    }
  }
  return base
}
