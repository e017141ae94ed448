// The eight ways to turn and mirror a picture: EXIF orientations, Pillow's seven transpositions, and their compositions.

import type { Rect, Size } from '../file/geometry.ts'

/** First swaps the axes (`swap`), then mirrors left to right (`x`) and top to bottom (`y`). */
export interface Orientation {
  readonly swap: boolean
  readonly x: boolean
  readonly y: boolean
}

const turn = (swap: boolean, x: boolean, y: boolean): Orientation => ({ swap, x, y })

export const upright: Orientation = turn(false, false, false)

/** Pillow's names; `ROTATE_*` turns counter-clockwise. */
export const methods = {
  FLIP_LEFT_RIGHT: turn(false, true, false),
  FLIP_TOP_BOTTOM: turn(false, false, true),
  ROTATE_90: turn(true, false, true),
  ROTATE_180: turn(false, true, true),
  ROTATE_270: turn(true, true, false),
  TRANSPOSE: turn(true, false, false),
  TRANSVERSE: turn(true, true, true),
} as const

export type Method = keyof typeof methods

/** The turn that brings an EXIF orientation upright. Values other than 1 to 8 mean upright already. */
export function fromExif(orientation: number | undefined): Orientation {
  const { FLIP_LEFT_RIGHT, ROTATE_180, FLIP_TOP_BOTTOM, TRANSPOSE, ROTATE_270, TRANSVERSE, ROTATE_90 } = methods
  const turns = [upright, FLIP_LEFT_RIGHT, ROTATE_180, FLIP_TOP_BOTTOM, TRANSPOSE, ROTATE_270, TRANSVERSE, ROTATE_90]
  return turns[(orientation ?? 1) - 1] ?? upright
}

/** One turn that equals `first`, then `second`. */
export function after(first: Orientation, second: Orientation): Orientation {
  const [x, y] = second.swap ? [first.y, first.x] : [first.x, first.y]
  return turn(first.swap !== second.swap, x !== second.x, y !== second.y)
}

export function inverse({ swap, x, y }: Orientation): Orientation {
  return swap ? turn(true, y, x) : turn(false, x, y)
}

export const isUpright = ({ swap, x, y }: Orientation): boolean => !swap && !x && !y

export const methodOf = (wanted: Orientation): Method | null =>
  (Object.keys(methods) as Method[]).find(name => {
    const { swap, x, y } = methods[name]
    return swap === wanted.swap && x === wanted.x && y === wanted.y
  }) ?? null

export const turnedSize = ({ width, height }: Size, { swap }: Orientation): Size =>
  swap ? { width: height, height: width } : { width, height }

/** Where a rectangle of a picture of `size` lies after the picture is turned. */
export function turnedRect(rect: Rect, size: Size, { swap, x, y }: Orientation): Rect {
  const swapped = swap ? { left: rect.top, top: rect.left, width: rect.height, height: rect.width } : rect
  const { width, height } = turnedSize(size, { swap, x, y })
  return {
    left: x ? width - swapped.left - swapped.width : swapped.left,
    top: y ? height - swapped.top - swapped.height : swapped.top,
    width: swapped.width,
    height: swapped.height,
  }
}
