// Finds the parts of a mostly empty overlay that show something. Laying only these over a frame costs a fraction.
import type { Rect } from '../file/geometry.ts'

const GAP = 16
const MOST = 8

/** Rectangles with even edges that hold every pixel that is not fully transparent; none for an empty picture. */
export function contentRects(frames: readonly Buffer[], width: number, height: number): Rect[] {
  const bands = runs(height, y => frames.some(data => rowHas(data, width, y, 0, width)))
  const rects = bands.flatMap(([top, bottom]) =>
    runs(width, x => frames.some(data => columnHas(data, width, x, top, bottom))).map(([left, right]) =>
      aligned(left, top, right, bottom, width, height),
    ),
  )
  return rects.length > MOST ? [bounding(rects)] : rects
}

/** Ranges that are not empty. A short gap does not split a range. */
function runs(length: number, has: (i: number) => boolean): [from: number, to: number][] {
  const found: [number, number][] = []
  for (let i = 0; i < length; i++) {
    if (!has(i)) continue
    const last = found.at(-1)
    if (last && i - last[1] < GAP) last[1] = i + 1
    else found.push([i, i + 1])
  }
  return found
}

function rowHas(data: Buffer, width: number, y: number, left: number, right: number): boolean {
  const end = (y * width + right) * 4
  for (let i = (y * width + left) * 4 + 3; i < end; i += 4) if (data[i] !== 0) return true
  return false
}

function columnHas(data: Buffer, width: number, x: number, top: number, bottom: number): boolean {
  for (let y = top; y < bottom; y++) if (data[(y * width + x) * 4 + 3] !== 0) return true
  return false
}

/** ffmpeg takes the alpha of the last two columns and rows only from the first of each, so these stay empty. */
const MARGIN = 2

/** Video stores colour for every second pixel only, so edges lie on even pixels. */
function aligned(left: number, top: number, right: number, bottom: number, width: number, height: number): Rect {
  const [x, y] = [left & ~1, top & ~1]
  return {
    left: x,
    top: y,
    width: Math.min(width, ((right + 1) & ~1) + MARGIN) - x,
    height: Math.min(height, ((bottom + 1) & ~1) + MARGIN) - y,
  }
}

function bounding(rects: readonly Rect[]): Rect {
  const left = Math.min(...rects.map(rect => rect.left))
  const top = Math.min(...rects.map(rect => rect.top))
  const right = Math.max(...rects.map(rect => rect.left + rect.width))
  const bottom = Math.max(...rects.map(rect => rect.top + rect.height))
  return { left, top, width: right - left, height: bottom - top }
}
