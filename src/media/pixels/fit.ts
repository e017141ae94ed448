// Fits one rectangle into another, and positions it there.
import type { Rect, Size } from '../file/geometry.ts'

type Fit = 'cover' | 'contain' | 'stretch' | 'none'

export const positions = [
  'center',
  'top',
  'bottom',
  'left',
  'right',
  'top_left',
  'top_right',
  'bottom_left',
  'bottom_right',
] as const

export type Position = (typeof positions)[number]

const whole = (value: number): number => Math.max(1, Math.round(value))

/** The size at which a picture fits a box: `contain` stays inside the box, `cover` fills all of it. */
export function fitted(inner: Size, box: Size, fit: Fit): Size {
  if (fit === 'stretch') return { width: whole(box.width), height: whole(box.height) }
  if (fit === 'none') return { width: inner.width, height: inner.height }
  const across = box.width / inner.width
  const down = box.height / inner.height
  return scaled(inner, fit === 'cover' ? Math.max(across, down) : Math.min(across, down))
}

export const scaled = ({ width, height }: Size, factor: number): Size => ({
  width: whole(width * factor),
  height: whole(height * factor),
})

/** The offset in a box for one of nine positions; negative when the content is larger than the box. */
export function placed(inner: Size, box: Size, position: Position): { left: number; top: number } {
  const [fx, fy] = share(position)
  return { left: Math.round((box.width - inner.width) * fx), top: Math.round((box.height - inner.height) * fy) }
}

/** The share of the free space before the content, across and down: 0, 0.5 or 1. */
export function share(position: Position): [across: number, down: number] {
  const across = position.endsWith('left') ? 0 : position.endsWith('right') ? 1 : 0.5
  const down = position.startsWith('top') ? 0 : position.startsWith('bottom') ? 1 : 0.5
  return [across, down]
}

/** The part of a rectangle that lies inside a size, or null. */
export function clipped({ left, top, width, height }: Rect, size: Size): Rect | null {
  const [x0, y0] = [Math.max(0, left), Math.max(0, top)]
  const [x1, y1] = [Math.min(size.width, left + width), Math.min(size.height, top + height)]
  return x1 > x0 && y1 > y0 ? { left: x0, top: y0, width: x1 - x0, height: y1 - y0 } : null
}

/** The largest rectangle with an aspect ratio (width by height) inside a size. */
export function shaped({ width, height }: Size, shape: number): Size {
  return width / height > shape ? { width: whole(height * shape), height } : { width, height: whole(width / shape) }
}

/** A length in pixels, or a percentage of a whole such as "50%". */
export type Length = number | string

export const lengthPattern = '^-?[0-9]+(\\.[0-9]+)?%$'

export const pixelsOf = (length: Length, of: number): number =>
  typeof length === 'number' ? length : (Number.parseFloat(length) / 100) * of
