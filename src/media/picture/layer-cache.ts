// Caches decoded overlays by content and size, so that the frame of an event is decoded once and not for every guest.
import { LRUCache } from 'lru-cache'
import { Problem } from '#kit/errors.ts'
import type { FileFacts } from '#kit/file-facts.ts'
import { digestOf } from '../file/digest-of.ts'
import type { MediaFile } from '../file/file.ts'
import type { Size } from '../file/geometry.ts'
import type { MediaLimits } from '../file/media-limits.ts'
import { ofAsset } from '../file/of-asset.ts'
import { type Layer, layerOf } from '../pixels/blend.ts'
import { to8 } from '../pixels/pixels.ts'
import { Picture } from './picture.ts'

const cache = new LRUCache<string, Layer>({
  maxSize: 64 * 1024 ** 2,
  sizeCalculation: ({ pixels }) => pixels.data.length,
})

/** The first frame of an asset at exactly this size. */
export async function assetLayer(file: MediaFile, size: Size, limits: MediaLimits): Promise<Layer> {
  const key = `${await digestOf(file.path)} ${size.width}x${size.height}`
  const known = cache.get(key)
  const layer = known ?? (await decode(file, size, limits))
  if (!known) cache.set(key, layer)
  return layer
}

const decode = (file: MediaFile, size: Size, limits: MediaLimits): Promise<Layer> =>
  ofAsset(file, async () => {
    const picture = await Picture.open(file, limits)
    const [pixels] = await (await picture.firstFrame().resize(size)).pixels()
    return layerOf(to8(pixels!))
  })

export function assetSize({ width, height, medium, mime, label = 'The asset' }: FileFacts & { label?: string }): Size {
  if (medium !== 'image' || width === null || height === null)
    throw new Problem('unsupported_format', `${label} is not a picture, but ${mime}.`)
  return { width, height }
}
