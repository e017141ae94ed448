// photo_compositor: a canvas with the guest's photo, pictures, text, QR codes and shapes on it.
import { readFile } from 'node:fs/promises'
import Type, { type Static } from 'typebox'
import { imageAdapter, type Step } from '#engine/adapter.ts'
import { type Composition, compose, type Painted, paintLayer } from '#engine/compose.ts'
import {
  type CompositorLayer,
  type CompositorTemplate,
  layerSchema,
  templateSchema,
} from '#engine/compositor-options.ts'
import { asset, closed, quality } from '#engine/picture-options.ts'
import { fillPlaceholders } from '#engine/placeholders.ts'
import { Problem } from '#kit/errors.ts'
import { deepMerge, isObject, type JsonObject } from '#kit/json.ts'
import type { MediaFile } from '#media/file.ts'
import { fitted } from '#media/fit.ts'
import { assetLayer, assetSize } from '#media/layer-cache.ts'
import { checkPicture } from '#media/limits.ts'

const options = Type.Object(
  {
    ...templateSchema.properties,
    context: Type.Record(Type.String(), Type.Unknown(), {
      default: {},
      description: 'Values for placeholders; `additional_context` of the extras is merged over them.',
    }),
    missing: Type.Enum(['empty', 'error'], {
      default: 'empty',
      description: 'What a placeholder without a value does: it stays empty, or the entry fails.',
    }),
    format: Type.Union([Type.Enum(['jpeg', 'png', 'webp']), Type.Null()], {
      default: null,
      description: 'The format to write; left out, that of the input.',
    }),
    quality,
    background_file_name: asset('Asset below all layers, covering the canvas.'),
    overlay_file_name: asset('Asset above all layers, stretched over the canvas.'),
    font_file_name: asset('Asset with the font (.ttf, .otf) of all text layers.'),
    template_file_name: asset('Asset with `canvas` and `layers` as JSON; what is set here comes over it.'),
    layer_assets: Type.Record(Type.String(), Type.String({ maxLength: 128 }), {
      default: {},
      description: 'Assets of image layers by the layer’s name, for templates that leave them open.',
    }),
  },
  closed,
)

type Options = Static<typeof options>

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
    { name: 'font_file_name', accepts: ['file'] },
    { name: 'template_file_name', accepts: ['file'] },
  ],
  assetsIn({ layers = [], layer_assets = {} }) {
    const named = Object.entries(layer_assets).map(([parameter, name]) => ({ parameter, name }))
    const own = layers.flatMap((layer, i) =>
      layer.asset ? [{ parameter: parameterOf(layer, i), name: layer.asset }] : [],
    )
    return [...own, ...named.filter(({ parameter }) => !own.some(other => other.parameter === parameter))]
  },
  async image(picture, step) {
    const { canvas: wanted, layers } = await template(step)
    const canvas = { width: wanted?.width ?? picture.width, height: wanted?.height ?? picture.height }
    checkPicture({ ...canvas, frames: null }, picture.limits)
    const first = (parameter: string): MediaFile | null => step.assets(parameter)[0] ?? null
    const composition: Composition = {
      picture,
      canvas,
      limits: picture.limits,
      assetOf: (layer, index) => first(parameterOf(layer, index)),
      font: first('font_file_name'),
      warn: sentence => step.warn(sentence),
    }
    const painted: Painted[] = []
    for (const [i, layer] of (layers.length > 0 ? layers : photoAlone).entries()) {
      const one = await paintLayer(layer, i, composition)
      if (one) painted.push(one)
      step.progress((0.8 * (i + 1)) / layers.length)
    }
    const sheet = async (file: MediaFile | null, fit: 'cover' | 'stretch') =>
      file && assetLayer(file, fitted(assetSize(file), canvas, fit), picture.limits)
    const below = await sheet(first('background_file_name'), 'cover')
    const above = await sheet(first('overlay_file_name'), 'stretch')
    const { format, quality } = step.options
    const drawn = await picture.redraw(frame =>
      compose(canvas, wanted?.background ?? '#ffffff', below, painted, above, frame),
    )
    return drawn.convert(
      format ?? picture.output.format,
      format || picture.output.quality === null ? quality : picture.output.quality,
    )
  },
})

/** The canvas and layers, from the options over the template asset. */
async function template(step: Step<Options>): Promise<CompositorTemplate> {
  const { canvas, layers } = step.options
  const [file] = step.assets('template_file_name')
  if (!file) return { canvas, layers }
  // Only for templates: loading it takes longer than drawing.
  const { default: Value } = await import('typebox/value')
  const given = fillPlaceholders(await readTemplate(file), step.context).value
  const merged = deepMerge(given, {
    ...(canvas ? { canvas } : {}),
    ...(layers.length > 0 ? { layers } : {}),
  } as JsonObject)
  const whole = Value.Default(templateSchema, merged)
  if (Value.Check(templateSchema, whole)) return whole
  const [error] = Value.Errors(templateSchema, whole)
  throw new Problem(
    'bad_options',
    `The template is not valid at "${error?.instancePath ?? ''}": ${error?.message ?? 'it does not match'}.`,
  )
}

async function readTemplate(file: MediaFile): Promise<JsonObject> {
  try {
    const parsed: unknown = JSON.parse(await readFile(file.path, 'utf8'))
    if (isObject(parsed)) return parsed as JsonObject
  } catch {
    // The sentence below says it.
  }
  throw new Problem('bad_options', 'The template asset is not a JSON object with `canvas` and `layers`.')
}
