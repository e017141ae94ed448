// What the schema of photo_compositor can't say: layers that lack what they show, and names that lead nowhere.

import type { Remark } from '#engine/adapter.ts'
import { own } from '#kit/json.ts'
import type { CompositorLayer } from './compositor-options.ts'
import { sizeRemarks } from './text-options.ts'

export function remarksOn(
  layers: readonly CompositorLayer[],
  layerAssets: Readonly<Record<string, string>>,
  overridden: ReadonlySet<string>,
): Remark[] {
  const isGiven = (name: string): boolean => overridden.has(name) || Boolean(own(layerAssets, name))
  const images = layers.filter(({ type }) => type === 'image').flatMap(({ name }) => name ?? [])
  const shown = new Set(images)
  const noSuchLayer = `changes nothing: no image layer has that name (${images.length > 0 ? `named are ${images.join(', ')}` : 'none is named'})`
  const idle = Object.keys(layerAssets)
    .filter(name => !shown.has(name))
    .map((name): Remark => ({ kind: 'idle', field: `layer_assets.${name}`, message: noSuchLayer }))
  return [...layers.flatMap((layer, index) => remarksOnLayer(layer, `layers[${index}]`, isGiven)), ...idle]
}

function remarksOnLayer(layer: CompositorLayer, field: string, isGiven: (name: string) => boolean): Remark[] {
  const { type, name, asset, data } = layer
  switch (type) {
    case 'image':
      if (asset !== '' || (name !== undefined && isGiven(name))) return []
      // A list of layers is replaced as a whole, so only a name lets something else bring the asset.
      return name === undefined
        ? [{ kind: 'wrong', field: `${field}.asset`, message: 'is required: it is what an image layer shows' }]
        : [
            {
              kind: 'missing',
              field: `${field}.asset`,
              message: `is required, or layer_assets.${name}, or ${name}_override in a task group`,
            },
          ]
    case 'qr':
      if (data.trim() !== '') return []
      return [{ kind: 'wrong', field: `${field}.data`, message: 'is required: it is what a reader of the code gets' }]
    case 'text':
      return sizeRemarks(layer, `${field}.`)
    default:
      return []
  }
}
