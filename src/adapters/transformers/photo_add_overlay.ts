// photo_add_overlay: a frame or a logo over a picture.
import Type from 'typebox'
import { imageAdapter } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import { assetBitmap } from '#media/file/asked.ts'
import type { Size } from '#media/file/geometry.ts'
import { assetLayer, assetSize } from '#media/picture/layer-cache.ts'
import { drawLayer } from '#media/pixels/blend.ts'
import { fitted, placed } from '#media/pixels/fit.ts'
import { asset, blend, closed, opacity, position } from '../shared/picture-options.ts'

const options = Type.Object(
  {
    overlay_file_name: asset('Asset that is laid over the picture: PNG, WebP, SVG or any other picture.'),
    overlay_portrait_file_name: asset('Asset for pictures that are higher than wide; left out, the other one is used.'),
    fit: Type.Enum(['stretch', 'contain', 'cover', 'none'], {
      default: 'stretch',
      description:
        '`stretch` brings it to exactly the picture’s size, `contain` and `cover` keep its shape, `none` keeps its own size.',
    }),
    position: position('Where it lies when it does not fill the picture.'),
    opacity,
    blend,
  },
  closed,
)

export const photoAddOverlay = imageAdapter({
  name: 'photo_add_overlay',
  summary: 'Lays a frame or a logo over a picture.',
  accepts: ['image'],
  makes: 'same',
  options,
  assets: [
    { name: 'overlay_file_name', accepts: ['image'] },
    { name: 'overlay_portrait_file_name', accepts: ['image'] },
  ],
  oneOf: ['overlay_file_name', 'overlay_portrait_file_name'],
  asks({ fit }, before, assets) {
    const file = before && overlayFor(before, assets)
    if (!file || file.width === null || file.height === null) return {}
    return { bitmaps: [assetBitmap('overlay_file_name', fitted(assetSize(file), before, fit))] }
  },
  async image(picture, step) {
    const { fit, position, opacity, blend } = step.options
    const file = overlayFor(picture, step.assets)
    if (!file) throw new Problem('asset_missing', 'photo_add_overlay needs an asset in `overlay_file_name`.')
    const size = fitted(assetSize(file), picture, fit)
    const layer = await assetLayer(file, size, picture.limits)
    const place = placed(size, picture, position)
    return picture.draw(pixels => drawLayer(pixels, layer, { ...place, opacity, blend }))
  },
})

function overlayFor<T>({ width, height }: Size, assets: (parameter: string) => readonly T[]): T | undefined {
  const [usual] = assets('overlay_file_name')
  const [upright] = assets('overlay_portrait_file_name')
  return height > width ? (upright ?? usual) : (usual ?? upright)
}
