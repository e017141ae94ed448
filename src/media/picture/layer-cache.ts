// Decoded overlays by content and size, so that the frame of an event is decoded once and not for every guest.
import { Problem } from '#kit/errors.ts'
import { digestOf } from '../file/digest-of.ts'
import type { Facts, MediaFile } from '../file/file.ts'
import type { Size } from '../file/geometry.ts'
import { watched } from '../file/looking.ts'
import type { MediaLimits } from '../file/media-limits.ts'
import { ofAsset } from '../file/of-asset.ts'
import { type Layer, layerOf } from '../pixels/blend.ts'
import { to8 } from '../pixels/pixels.ts'
import { Picture } from './picture.ts'

const MOST_BYTES = 64 * 1024 ** 2

/** In the order of their last use. */
const kept = new Map<string, Layer>()
let bytes = 0

/** The first frame of an asset, at exactly this size. */
export async function assetLayer(file: MediaFile, size: Size, limits: MediaLimits): Promise<Layer> {
  const key = `${await digestOf(file.path)} ${size.width}x${size.height}`
  const known = kept.get(key)
  const layer = known ?? (await decode(file, size, limits))
  if (known) kept.delete(key)
  else bytes += layer.pixels.data.length
  kept.set(key, layer)
  for (const [oldest, { pixels }] of kept) {
    if (bytes <= MOST_BYTES) break
    kept.delete(oldest)
    bytes -= pixels.data.length
  }
  return layer
}

const decode = (file: MediaFile, size: Size, limits: MediaLimits): Promise<Layer> =>
  ofAsset(file, async () => {
    const picture = await Picture.open(file, limits)
    const drawn = async () => (await picture.firstFrame().resize(size)).pixels()
    // A drawing of a few bytes can be made to take hours.
    const [pixels] = await (file.mime === 'image/svg+xml' ? watched(file.path, drawn) : drawn())
    return layerOf(to8(pixels!))
  })

export function assetSize({ width, height, medium, mime, label = 'The asset' }: Facts & { label?: string }): Size {
  if (medium !== 'image' || width === null || height === null)
    throw new Problem('unsupported_format', `${label} is not a picture, but ${mime}.`)
  return { width, height }
}
