// Where a layer lies on the canvas, and how a drag changes what is written: pixels stay pixels, percentages stay percentages.
import type { Json, JsonObject } from '../api/shapes.ts'
import { isObject } from '../form/json-text.ts'

export interface Size {
  width: number
  height: number
}
export interface Box extends Size {
  x: number
  y: number
}

const isPercent = (value: Json | undefined): value is string => typeof value === 'string' && value.trim().endsWith('%')

function pixels(value: Json | undefined, whole: number, missing: number): number {
  if (typeof value === 'number') return value
  if (isPercent(value)) return (Number.parseFloat(value) / 100) * whole
  return missing
}

/** Left out means: as large as the input. */
export function canvasSize(values: JsonObject, photo: Size): Size {
  const canvas = isObject(values.canvas) ? values.canvas : {}
  return {
    width: pixels(canvas.width, photo.width, photo.width),
    height: pixels(canvas.height, photo.height, photo.height),
  }
}

/** How far along its own width and height the anchor of a layer lies. */
function anchorAt(anchor: Json | undefined): [number, number] {
  const text = typeof anchor === 'string' ? anchor : 'top_left'
  const across = text.includes('left') ? 0 : text.includes('right') ? 1 : 0.5
  const down = text.includes('top') ? 0 : text.includes('bottom') ? 1 : 0.5
  return [across, down]
}

export function boxOf(layer: JsonObject, canvas: Size): Box {
  const width = pixels(layer.width, canvas.width, canvas.width)
  const height = pixels(layer.height, canvas.height, layer.type === 'qr' ? width : canvas.height)
  const [across, down] = anchorAt(layer.anchor)
  return {
    x: pixels(layer.x, canvas.width, across * canvas.width) - across * width,
    y: pixels(layer.y, canvas.height, down * canvas.height) - down * height,
    width,
    height,
  }
}

const written = (px: number, before: Json | undefined, whole: number): Json =>
  isPercent(before) ? `${Math.round((px / whole) * 1000) / 10}%` : Math.round(px)

export function placed(layer: JsonObject, box: Box, canvas: Size): JsonObject {
  const [across, down] = anchorAt(layer.anchor)
  return {
    ...layer,
    x: written(box.x + across * box.width, layer.x, canvas.width),
    y: written(box.y + down * box.height, layer.y, canvas.height),
    width: written(box.width, layer.width, canvas.width),
    height: written(box.height, layer.height, canvas.height),
  }
}

export type Corner = 'nw' | 'ne' | 'sw' | 'se'
const LEAST = 8

export function dragged(box: Box, grip: Corner | 'move', dx: number, dy: number): Box {
  if (grip === 'move') return { ...box, x: box.x + dx, y: box.y + dy }
  const left = grip.endsWith('w')
  const top = grip.startsWith('n')
  const width = Math.max(LEAST, box.width + (left ? -dx : dx))
  const height = Math.max(LEAST, box.height + (top ? -dy : dy))
  return { x: left ? box.x + box.width - width : box.x, y: top ? box.y + box.height - height : box.y, width, height }
}

export const layersOf = (values: JsonObject): JsonObject[] =>
  Array.isArray(values.layers) ? values.layers.filter(isObject) : []
export const layerTitle = (layer: JsonObject, index: number): string =>
  typeof layer.name === 'string' && layer.name ? layer.name : `${String(layer.type ?? 'layer')} ${index + 1}`
