// What is asked of the service for a layout: the options of the exact picture, and which layers need a cut-out.
import type { JsonObject } from '../api/shapes.ts'
import { type CutoutWish, cutoutOptions } from './cutouts.ts'
import { boxOf, type Size } from './model/geometry.ts'
import type { Item, LayoutState } from './model/state.ts'

/** Draws nothing; without any layer the service would draw the photo alone. */
const nothing: JsonObject = { type: 'text', text: '' }

/** What is on screen, over what is stored: hidden layers are left out, a sample guest fills placeholders. */
export function exactOptions(
  { layout, hidden }: LayoutState,
  unsaved: JsonObject,
  values: JsonObject,
  guest: JsonObject,
): JsonObject {
  const { canvas: _canvas, layers: _layers, ...others } = unsaved
  const shown = layout.items.filter(({ id }) => !hidden.has(id)).map(({ layer }) => layer)
  const isSet = layout.items.length > 0 || values.layers !== undefined
  const isTemplate = typeof values.template_file_name === 'string' && values.template_file_name !== ''
  return {
    ...others,
    ...(isSet && { layers: layout.items.length > 0 && shown.length === 0 ? [nothing] : shown }),
    ...(layout.canvas !== undefined ? { canvas: layout.canvas } : !isTemplate && { canvas: null }),
    ...(Object.keys(guest).length > 0 && { additional_context: guest }),
  }
}

interface Surroundings {
  canvas: Size
  version: string
  unsaved: JsonObject
  guest: JsonObject
  file: File | null
  /** What the browser can't read: the photo, or assets by name. */
  unreadable: { photo: boolean; assets: ReadonlySet<string> }
  assetOf(layer: JsonObject): string
}

/** Letters and codes are drawn by the service alone; pictures only where the browser can't read them. */
export function cutoutWish(item: Item, around: Surroundings): CutoutWish | null {
  const { layer } = item
  const isPhoto = layer.type === 'photo' && around.unreadable.photo
  const isAsset = layer.type === 'image' && around.unreadable.assets.has(around.assetOf(layer))
  const isWritten = layer.type === 'text' && typeof layer.text === 'string' && layer.text.trim() !== ''
  const isCode = layer.type === 'qr' && typeof layer.data === 'string' && layer.data.trim() !== ''
  if (!isPhoto && !isAsset && !isWritten && !isCode) return null
  const own = isAsset ? { ...layer, asset: around.assetOf(layer) } : layer
  return wishFor(item.id, own, boxOf(layer, around.canvas), around, isPhoto ? around.file : null)
}

function wishFor(id: number, layer: JsonObject, box: Size, around: Surroundings, file: File | null): CutoutWish {
  const { canvas: _canvas, layers: _layers, layer_assets: _assets, quality: _quality, ...others } = around.unsaved
  const { guest, version } = around
  const more = { ...others, ...(Object.keys(guest).length > 0 && { additional_context: guest }) }
  const options = cutoutOptions(layer, box, more)
  return { id, options, file, key: `${version} ${file?.name} ${file?.size} ${JSON.stringify(options)}` }
}

const MOST_PIXELS = 12_000_000
const MOST_WIDTH = 16_000

/** The same words with more room than they need: how large the letters would be. Only of text that shrinks. */
export function roomyWish({ id, layer }: Item, around: Surroundings): CutoutWish | null {
  if (layer.type !== 'text' || (layer.overflow ?? 'shrink') !== 'shrink' || !cutoutWish({ id, layer }, around))
    return null
  const box = boxOf(layer, around.canvas)
  const width = Math.floor(Math.min(box.width * 8, MOST_WIDTH, MOST_PIXELS / box.height))
  if (width <= box.width) return null
  return wishFor(-1 - id, layer, { width, height: box.height }, around, null)
}
