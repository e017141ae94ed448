// Arranges layers: aligning, distributing, a free place for a new one, and all of them on a canvas of another size.

import type { Json, JsonObject } from '../../api/shapes.ts'
import { isObject } from '../../form/json-text.ts'
import { t } from '../../words/t.ts'
import { around, type Box, boundsOf, boxOf, moved, overlap, placed, type Size, scaledInto, turnOf } from './geometry.ts'
import type { Item } from './state.ts'

export const layerTypes = ['photo', 'image', 'text', 'qr', 'shape'] as const
export type LayerType = (typeof layerTypes)[number]

export type Edge = 'left' | 'center' | 'right' | 'top' | 'middle' | 'bottom'

export const itemBounds = ({ layer }: Item, canvas: Size): Box => boundsOf(boxOf(layer, canvas), turnOf(layer))

const movedItem = ({ id, layer }: Item, by: { x: number; y: number }, canvas: Size): Item => ({
  id,
  layer: placed(layer, moved(boxOf(layer, canvas), by), canvas),
})

/** One layer is aligned with the canvas, several with each other. */
export function aligned(items: readonly Item[], edge: Edge, canvas: Size): Item[] {
  const frame = items.length > 1 ? around(items.map(item => itemBounds(item, canvas))) : { x: 0, y: 0, ...canvas }
  if (!frame) return []
  return items.map(item => {
    const box = itemBounds(item, canvas)
    const room = { x: frame.x - box.x, y: frame.y - box.y }
    const free = { x: frame.width - box.width, y: frame.height - box.height }
    const by = {
      left: { x: room.x, y: 0 },
      center: { x: room.x + free.x / 2, y: 0 },
      right: { x: room.x + free.x, y: 0 },
      top: { x: 0, y: room.y },
      middle: { x: 0, y: room.y + free.y / 2 },
      bottom: { x: 0, y: room.y + free.y },
    }[edge]
    return movedItem(item, by, canvas)
  })
}

/** Equal gaps between the outer two, which stay. */
export function distributed(items: readonly Item[], axis: 'x' | 'y', canvas: Size): Item[] {
  const side = axis === 'x' ? 'width' : 'height'
  const row = items
    .map(item => ({ item, box: itemBounds(item, canvas) }))
    .toSorted((a, b) => a.box[axis] + a.box[side] / 2 - (b.box[axis] + b.box[side] / 2))
  const frame = around(row.map(({ box }) => box))
  if (!frame || row.length < 3) return [...items]
  const gap = (frame[side] - row.reduce((sum, { box }) => sum + box[side], 0)) / (row.length - 1)
  let at = frame[axis]
  return row.map(({ item, box }) => {
    const by = { x: 0, y: 0, [axis]: at - box[axis] }
    at += box[side] + gap
    return movedItem(item, by, canvas)
  })
}

/** What covers most of the canvas is a ground to lie on, not something in the way. */
const isGround = (box: Box, canvas: Size): boolean => box.width * box.height > 0.5 * canvas.width * canvas.height
const ROWS = 12

/** A place where the box covers no other layer, the middle of the canvas first; else one that no other has. */
export function freePlace(size: Size, others: readonly Box[], canvas: Size): Box {
  const middle = { x: (canvas.width - size.width) / 2, y: (canvas.height - size.height) / 2 }
  const inTheWay = others.filter(box => !isGround(box, canvas))
  const steps = Array.from({ length: ROWS + 1 }, (_, step) => step / ROWS)
  const places = steps
    .flatMap(down => steps.map(across => ({ x: middle.x * 2 * across, y: middle.y * 2 * down })))
    .toSorted((a, b) => Math.hypot(a.x - middle.x, a.y - middle.y) - Math.hypot(b.x - middle.x, b.y - middle.y))
    .map(place => ({ x: Math.round(place.x), y: Math.round(place.y), ...size }))
  const free = places.find(place => !inTheWay.some(box => overlap(place, box)))
  if (free) return free
  const step = Math.max(8, Math.round(Math.min(canvas.width, canvas.height) / 30))
  const first = { x: Math.round(middle.x), y: Math.round(middle.y), ...size }
  let place = first
  for (let times = 1; times < 40 && others.some(box => isNear(box, place)); times++)
    place = moved(first, { x: step * times, y: step * times })
  return place
}

const isNear = (a: Box, b: Box): boolean => Math.abs(a.x - b.x) < 6 && Math.abs(a.y - b.y) < 6

function sizeOf(type: LayerType, { width, height }: Size): Size {
  const short = Math.min(width, height)
  const whole = (value: number) => Math.max(4, Math.round(value))
  if (type === 'text') return { width: whole(width * 0.6), height: whole(short * 0.12) }
  if (type === 'qr') return { width: whole(short * 0.22), height: whole(short * 0.22) }
  if (type === 'photo') return { width: whole(width * 0.6), height: whole(height * 0.5) }
  return { width: whole(short * 0.35), height: whole(short * 0.35) }
}

/** A layer that can be seen at once. `shape` is the size of its picture, `at` the middle it is dropped on. */
export function newLayer(
  type: LayerType,
  canvas: Size,
  others: readonly Box[],
  { fields = {}, shape, at }: { fields?: JsonObject; shape?: Size; at?: { x: number; y: number } } = {},
): JsonObject {
  const room = sizeOf(type, canvas)
  const factor = shape ? Math.min(room.width / shape.width, room.height / shape.height) : 1
  const size = shape
    ? { width: Math.max(4, Math.round(shape.width * factor)), height: Math.max(4, Math.round(shape.height * factor)) }
    : room
  const place = at
    ? { x: Math.round(at.x - size.width / 2), y: Math.round(at.y - size.height / 2), ...size }
    : freePlace(size, others, canvas)
  const own: JsonObject =
    type === 'text'
      ? { text: t('Your words'), color: '#15171c' }
      : type === 'qr'
        ? { data: 'https://example.com' }
        : type === 'shape'
          ? { color: '#ffd84d' }
          : type === 'photo'
            ? { gravity: 'faces' }
            : {}
  return { type, ...place, ...own, ...fields }
}

/** A copy a little beside the original. */
export function beside(layer: JsonObject, canvas: Size): JsonObject {
  const step = Math.max(8, Math.round(Math.min(canvas.width, canvas.height) / 40))
  return placed(layer, moved(boxOf(layer, canvas), { x: step, y: step }), canvas)
}

const times = (value: Json | undefined, factor: number): Json | undefined =>
  typeof value === 'number' ? Math.round(value * factor * 100) / 100 : value

/** The same design on a canvas of another size: as large as it fits, in the middle. Letters and corners grow along. */
export function fittedTo(items: readonly Item[], from: Size, to: Size): Item[] {
  const factor = Math.min(to.width / from.width, to.height / from.height)
  const room = { width: from.width * factor, height: from.height * factor }
  const target = { x: (to.width - room.width) / 2, y: (to.height - room.height) / 2, ...room }
  return items.map(({ id, layer }) => {
    const before = boxOf(layer, from)
    const isWhole =
      before.x <= 0 && before.y <= 0 && before.x + before.width >= from.width && before.y + before.height >= from.height
    // A ground stays a ground, whatever the shape of the canvas.
    const box = isWhole
      ? scaledInto(before, { x: 0, y: 0, ...from }, { x: 0, y: 0, ...to })
      : scaledInto(before, { x: 0, y: 0, ...from }, target)
    const scaled: JsonObject = { ...placed(layer, box, to) }
    for (const name of ['size_max', 'size_min', 'radius'] as const) {
      const value = times(scaled[name], factor)
      if (value !== undefined && value !== 0) scaled[name] = name === 'radius' ? value : atLeastOne(value)
    }
    if (isObject(scaled.stroke) && typeof scaled.stroke.width === 'number')
      scaled.stroke = { ...scaled.stroke, width: Math.min(200, times(scaled.stroke.width, factor) as number) }
    return { id, layer: scaled }
  })
}

const atLeastOne = (value: Json): Json => (typeof value === 'number' ? Math.min(5000, Math.max(1, value)) : value)
