// Crops a picture to a size, at one of nine positions or where people look.

import type { Size } from '../file/geometry.ts'
import { clipped, type Position, placed, positions } from '../pixels/fit.ts'
import { fromPixels, type Pixels, to8 } from '../pixels/pixels.ts'
import { reading } from '../pixels/vips.ts'
import type { Picture } from './picture.ts'

export const gravities = [...positions, 'attention', 'entropy'] as const

type Gravity = (typeof gravities)[number]

/** Size of the preview that is analysed; a larger one would not change the position. */
const PREVIEW = 320

export async function cropTo(picture: Picture, size: Size, gravity: Gravity): Promise<Picture> {
  const box = { width: Math.min(size.width, picture.width), height: Math.min(size.height, picture.height) }
  if (box.width === picture.width && box.height === picture.height) return picture
  const { left, top } =
    gravity === 'attention' || gravity === 'entropy'
      ? await found(picture, box, gravity)
      : placed(box, picture, gravity as Position)
  const inside = { left: Math.min(left, picture.width - box.width), top: Math.min(top, picture.height - box.height) }
  return picture.crop(clipped({ ...inside, ...box }, picture) ?? { left: 0, top: 0, ...box })
}

async function found(
  picture: Picture,
  box: Size,
  gravity: 'attention' | 'entropy',
): Promise<{ left: number; top: number }> {
  const factor = Math.min(1, PREVIEW / Math.min(picture.width, picture.height))
  const small = {
    width: Math.max(1, Math.round(picture.width * factor)),
    height: Math.max(1, Math.round(picture.height * factor)),
  }
  const [pixels] = await (await picture.firstFrame().resize(small)).pixels()
  const window = {
    width: Math.min(small.width, Math.max(1, Math.round(box.width * factor))),
    height: Math.min(small.height, Math.max(1, Math.round(box.height * factor))),
  }
  const { left, top } = await lookedAt(to8(pixels!), window, gravity)
  return { left: Math.round(left / factor), top: Math.round(top / factor) }
}

/** Where a window of this size lies in pixels of 8 bits, so that it shows what people look at. */
export async function lookedAt(
  pixels: Pixels,
  window: Size,
  gravity: 'attention' | 'entropy',
): Promise<{ left: number; top: number }> {
  const { info } = await reading(() =>
    fromPixels(pixels)
      .resize({ ...window, fit: 'cover', position: gravity, withoutReduction: true })
      .raw()
      .toBuffer({ resolveWithObject: true }),
  )
  // sharp reports the offset of the picture relative to the crop, which is negative.
  return { left: Math.abs(info.cropOffsetLeft ?? 0), top: Math.abs(info.cropOffsetTop ?? 0) }
}
