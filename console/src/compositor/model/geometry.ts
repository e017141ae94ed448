// Where a layer lies on the canvas, rounded as the service rounds it, and how a drag changes what is written.
import type { Json, JsonObject } from '../../api/shapes.ts'
import { isObject } from '../../form/json-text.ts'

export interface Size {
  width: number
  height: number
}
export interface Point {
  x: number
  y: number
}
export interface Box extends Size, Point {}

const isPercent = (value: Json | undefined): value is string => typeof value === 'string' && value.trim().endsWith('%')

export function pixels(value: Json | undefined, whole: number, missing: number): number {
  if (typeof value === 'number') return value
  if (isPercent(value)) return (Number.parseFloat(value) / 100) * whole
  return missing
}

/** Left out means: as large as the input. */
export function canvasSize(canvas: Json | undefined, photo: Size): Size {
  const { width, height } = isObject(canvas) ? canvas : {}
  const side = (value: Json | undefined, missing: number) => Math.max(1, pixels(value, missing, missing))
  return { width: side(width, photo.width), height: side(height, photo.height) }
}

/** How far along its own width and height the anchor of a layer lies. */
function anchorAt(anchor: Json | undefined): [number, number] {
  const text = typeof anchor === 'string' ? anchor : 'top_left'
  const across = text.includes('left') ? 0 : text.includes('right') ? 1 : 0.5
  const down = text.includes('top') ? 0 : text.includes('bottom') ? 1 : 0.5
  return [across, down]
}

/** The very pixels that the service draws a layer on, before it is turned. */
export function boxOf(layer: JsonObject, canvas: Size): Box {
  const wide = Math.max(1, Math.round(pixels(layer.width, canvas.width, canvas.width)))
  const high = Math.max(1, Math.round(pixels(layer.height, canvas.height, canvas.height)))
  const side = layer.type === 'qr' ? Math.min(wide, high) : null
  const size = { width: side ?? wide, height: side ?? high }
  const [across, down] = anchorAt(layer.anchor)
  return {
    x: Math.round(pixels(layer.x, canvas.width, 0) - across * size.width),
    y: Math.round(pixels(layer.y, canvas.height, 0) - down * size.height),
    ...size,
  }
}

/** Pixels to the half: an anchor in the middle of an odd width lies there. Shares to a hundredth of a pixel or so. */
const written = (px: number, before: Json | undefined, whole: number): Json =>
  isPercent(before) ? `${Math.round((px / whole) * 100_000) / 1000}%` : Math.round(px * 2) / 2

/** The layer at another place: what stays as it is keeps its words, pixels stay pixels, percentages percentages. */
export function placed(layer: JsonObject, to: Box, canvas: Size): JsonObject {
  const [across, down] = anchorAt(layer.anchor)
  const before = boxOf(layer, canvas)
  const box = { x: Math.round(to.x), y: Math.round(to.y), width: Math.round(to.width), height: Math.round(to.height) }
  const next: JsonObject = { ...layer }
  if (box.width !== before.width) next.width = written(box.width, layer.width, canvas.width)
  if (box.height !== before.height) next.height = written(box.height, layer.height, canvas.height)
  if (box.x !== before.x || box.width !== before.width)
    next.x = written(box.x + across * box.width, layer.x, canvas.width)
  if (box.y !== before.y || box.height !== before.height)
    next.y = written(box.y + down * box.height, layer.y, canvas.height)
  return next
}

export const turnOf = (layer: JsonObject): number => (typeof layer.rotate === 'number' ? layer.rotate : 0)

export const middleOf = (box: Box): Point => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 })

const radians = (degrees: number): number => (degrees * Math.PI) / 180

/** A vector turned clockwise. */
function turnedBy({ x, y }: Point, degrees: number): Point {
  const [cos, sin] = [Math.cos(radians(degrees)), Math.sin(radians(degrees))]
  return { x: x * cos - y * sin, y: x * sin + y * cos }
}

/** The upright box around a turned one. */
export function boundsOf(box: Box, turn: number): Box {
  if (turn % 360 === 0) return box
  const [cos, sin] = [Math.abs(Math.cos(radians(turn))), Math.abs(Math.sin(radians(turn)))]
  const width = box.width * cos + box.height * sin
  const height = box.width * sin + box.height * cos
  const { x, y } = middleOf(box)
  return { x: x - width / 2, y: y - height / 2, width, height }
}

export function around(boxes: readonly Box[]): Box | null {
  if (boxes.length === 0) return null
  const x = Math.min(...boxes.map(box => box.x))
  const y = Math.min(...boxes.map(box => box.y))
  return {
    x,
    y,
    width: Math.max(...boxes.map(box => box.x + box.width)) - x,
    height: Math.max(...boxes.map(box => box.y + box.height)) - y,
  }
}

export function holds(box: Box, turn: number, point: Point): boolean {
  const { x, y } = middleOf(box)
  const inside = turnedBy({ x: point.x - x, y: point.y - y }, -turn)
  return Math.abs(inside.x) <= box.width / 2 && Math.abs(inside.y) <= box.height / 2
}

export const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

export const grips = ['nw', 'n', 'ne', 'e', 'se', 's', 'sw', 'w'] as const
export type Grip = (typeof grips)[number]
const LEAST = 4

const sideOf = (grip: Grip): [number, number] => [
  grip.endsWith('e') ? 1 : grip.endsWith('w') ? -1 : 0,
  grip.startsWith('s') ? 1 : grip.startsWith('n') ? -1 : 0,
]

/** Draws one grip of a turned box by a distance on the canvas; the opposite side stays where it is. */
export function resized(box: Box, turn: number, grip: Grip, by: Point, keepShape = false): Box {
  const [across, down] = sideOf(grip)
  const own = turnedBy(by, -turn)
  let width = Math.max(LEAST, box.width + across * own.x)
  let height = Math.max(LEAST, box.height + down * own.y)
  if (keepShape) {
    const [wide, high] = [width / box.width, height / box.height]
    const factor = across === 0 ? high : down === 0 ? wide : Math.abs(wide - 1) > Math.abs(high - 1) ? wide : high
    const least = LEAST / Math.min(box.width, box.height)
    width = box.width * Math.max(factor, least)
    height = box.height * Math.max(factor, least)
  }
  const shift = turnedBy({ x: (across * (width - box.width)) / 2, y: (down * (height - box.height)) / 2 }, turn)
  const middle = middleOf(box)
  return { x: middle.x + shift.x - width / 2, y: middle.y + shift.y - height / 2, width, height }
}

export const moved = (box: Box, by: Point): Box => ({ ...box, x: box.x + by.x, y: box.y + by.y })

/** A box inside `from`, as it lies when `from` becomes `to`. */
export function scaledInto(box: Box, from: Box, to: Box): Box {
  const [wide, high] = [to.width / from.width, to.height / from.height]
  return {
    x: to.x + (box.x - from.x) * wide,
    y: to.y + (box.y - from.y) * high,
    width: Math.max(1, box.width * wide),
    height: Math.max(1, box.height * high),
  }
}

const STEP = 15
const NEAR = 3

/** The turn whose top points at the pointer: near a multiple of 15 degrees it is that one, with `hard` always. */
export function turnTowards(box: Box, pointer: Point, hold: 'soft' | 'hard' | 'free'): number {
  const { x, y } = middleOf(box)
  const degrees = (Math.atan2(pointer.x - x, y - pointer.y) * 180) / Math.PI
  const step = Math.round(degrees / STEP) * STEP
  const snaps = hold === 'hard' || (hold === 'soft' && Math.abs(degrees - step) <= NEAR)
  const turn = snaps ? step : Math.round(degrees * 10) / 10
  return turn === -180 ? 180 : turn + 0
}

export const layersOf = (layers: Json | undefined): JsonObject[] =>
  Array.isArray(layers) ? layers.filter(isObject) : []

export const layerTitle = (layer: JsonObject, index: number): string =>
  typeof layer.name === 'string' && layer.name ? layer.name : `${String(layer.type ?? 'layer')} ${index + 1}`
