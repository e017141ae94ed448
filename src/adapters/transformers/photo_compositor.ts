// photo_compositor: a canvas with the guest's photo, pictures, text, QR codes and shapes on it.
import Type from 'typebox'
import { type AssetPlace, imageAdapter } from '#engine/adapter.ts'
import { own } from '#kit/json.ts'
import { named } from '#kit/schema.ts'
import { assetBitmap, unknownSize } from '#media/file/asked.ts'
import type { MediaFile } from '#media/file/file.ts'
import { checkPicture } from '#media/file/media-limits.ts'
import { assetLayer, assetSize } from '#media/picture/layer-cache.ts'
import { drawLayer } from '#media/pixels/blend.ts'
import { fitted } from '#media/pixels/fit.ts'
import { type Composition, canvases, layerBitmap, paintLayer, withLayer } from '../shared/compose.ts'
import { type CompositorLayer, layerSchema, templateSchema } from '../shared/compositor-options.ts'
import { remarksOn } from '../shared/compositor-remarks.ts'
import { asset, closed, quality } from '../shared/picture-options.ts'
import { contextOption, missingOption } from '../shared/placeholder-options.ts'

const options = Type.Object(
  {
    ...templateSchema.properties,
    context: contextOption,
    missing: missingOption,
    format: Type.Union([Type.Enum(['jpeg', 'png', 'webp']), Type.Null()], {
      default: null,
      description: 'The format to write; left out, that of the input.',
      role: 'format',
    }),
    quality,
    background_file_name: asset('Asset below all layers, covering the canvas.'),
    overlay_file_name: asset('Asset above all layers, stretched over the canvas.'),
    font_file_name: asset('Asset with the font (.ttf, .otf) of all text layers.'),
    template_file_name: asset('Asset with `canvas` and `layers` as JSON; what is set here comes over it.'),
    layer_assets: named(Type.String({ maxLength: 128 }), {
      default: {},
      description: 'Assets of image layers by the layer’s name; they come over the layer’s own.',
    }),
  },
  closed,
)

/** How the asset of a layer is called: by the layer's name, else by its place. */
const parameterOf = ({ name }: Pick<CompositorLayer, 'name'>, index: number): string => name ?? `layers[${index}].asset`

const defaultsOf = (properties: Record<string, object>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) => ('default' in schema ? [[name, schema.default]] : [])),
  )

const photoAlone = [{ ...defaultsOf(layerSchema.properties), type: 'photo' }] as CompositorLayer[]

export const photoCompositor = imageAdapter({
  name: 'photo_compositor',
  summary: 'Draws a photo, pictures, text, QR codes and shapes on one canvas.',
  accepts: ['image'],
  makes: 'same',
  options,
  assets: [
    { name: 'background_file_name', accepts: ['image'] },
    { name: 'overlay_file_name', accepts: ['image'] },
    { name: 'font_file_name', accepts: ['file'], isFont: true },
    { name: 'template_file_name', accepts: ['file'] },
  ],
  template: { parameter: 'template_file_name', schema: templateSchema },
  assetsIn({ layers = [], layer_assets = {} }) {
    const places = layers.flatMap((layer, i): AssetPlace[] => {
      const parameter = parameterOf(layer, i)
      const given = own(layer_assets, parameter) ?? layer.asset
      if (layer.type === 'image') return [{ parameter, name: given || null, accepts: ['image'] }]
      return layer.type === 'photo' && layer.name ? [{ parameter, name: null }] : []
    })
    // Those of layers that come with the task.
    const names = new Set(layers.map(({ name }) => name))
    const others = Object.entries(layer_assets).filter(([name]) => !names.has(name))
    const idle = others.map(([parameter, name]): AssetPlace => ({ parameter, name, accepts: ['image'], isIdle: true }))
    return [...places, ...idle]
  },
  review: ({ layers, layer_assets }, overridden) => remarksOn(layers, layer_assets, overridden),
  asks({ canvas: wanted, layers, format }, before, assets) {
    const canvas = wanted ?? before
    const [background] = assets('background_file_name')
    const count = before?.frames ?? 1
    return {
      stages: canvas ? [{ width: canvas.width, height: canvas.height, field: 'canvas' }] : [],
      bitmaps: [
        ...layers.map((layer, i) => layerBitmap(layer, i, canvas ?? unknownSize, count)),
        ...(canvas && background && background.width !== null
          ? [assetBitmap('background_file_name', fitted(assetSize(background), canvas, 'cover'))]
          : []),
        ...(canvas && assets('overlay_file_name').length > 0 ? [assetBitmap('overlay_file_name', canvas)] : []),
      ],
      letters: layers.reduce((sum, { type, text }) => sum + (type === 'text' ? text.length : 0), 0),
      still: format === 'jpeg' || format === 'png',
    }
  },
  looksForPeople: ({ layers }) =>
    layers.some(({ type, fit, gravity }) => type === 'photo' && fit === 'cover' && gravity === 'faces'),
  async image(picture, step) {
    const { canvas: wanted, layers } = step.options
    const canvas = { width: wanted?.width ?? picture.width, height: wanted?.height ?? picture.height }
    checkPicture({ ...canvas, frames: null }, picture.limits)
    const first = (parameter: string): MediaFile | null => step.assets(parameter)[0] ?? null
    const composition: Composition = {
      picture,
      canvas,
      limits: picture.limits,
      assetOf: (layer, index) => first(parameterOf(layer, index)),
      font: first('font_file_name'),
      witness: step,
    }
    const sheet = async (file: MediaFile | null, fit: 'cover' | 'stretch') =>
      file && assetLayer(file, fitted(assetSize(file), canvas, fit), picture.limits)
    const below = await sheet(first('background_file_name'), 'cover')
    let frames = canvases(canvas, wanted?.background ?? '#ffffff', below, picture.frames)
    for (const [i, layer] of (layers.length > 0 ? layers : photoAlone).entries()) {
      const painted = await paintLayer(layer, i, composition)
      if (painted) frames = withLayer(frames, painted)
      step.progress((0.8 * (i + 1)) / layers.length)
    }
    const above = await sheet(first('overlay_file_name'), 'stretch')
    if (above) frames = frames.map(frame => drawLayer(frame, above, { left: 0, top: 0 }))
    const { format, quality } = step.options
    if (picture.animation && (format === 'jpeg' || format === 'png'))
      step.warn(`${format.toUpperCase()} does not move, so only the first frame is kept.`)
    const drawn = await picture.redraw(frame => frames[frame]!)
    return drawn.convert(format ?? picture.output.format, quality)
  },
})
