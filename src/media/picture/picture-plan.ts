// Pending operations on the pixels of a source, in the one order that sharp supports: crop, resize, turn, crop again.
import type { Rect, Size } from '../file/geometry.ts'
import { after, inverse, type Orientation, turnedRect, turnedSize, upright } from '../pixels/orientation.ts'

export interface Plan {
  /** A rectangle of the stored source. */
  crop: Rect | null
  /** The size before the turn. */
  size: Size | null
  turn: Orientation
  /** A rectangle of the cropped, resized and turned picture. */
  window: Rect | null
}

export const nothing: Plan = { crop: null, size: null, turn: upright, window: null }

/** The size of the picture that a plan makes from a source. */
export function sizeOf(source: Size, { crop, size, turn, window }: Plan): Size {
  const { width, height } = window ?? turnedSize(size ?? crop ?? source, turn)
  return { width, height }
}

export function withTurn(source: Size, plan: Plan, turn: Orientation): Plan {
  const whole = turnedSize(plan.size ?? plan.crop ?? source, plan.turn)
  return { ...plan, turn: after(plan.turn, turn), window: plan.window && turnedRect(plan.window, whole, turn) }
}

/** When nothing was resized, the crop moves before the turn, so that less is decoded and turned. */
export function withCrop(source: Size, plan: Plan, rect: Rect): Plan {
  if (plan.size) return { ...plan, window: inside(plan.window, rect) }
  const stored = plan.crop ?? source
  const back = turnedRect(rect, turnedSize(stored, plan.turn), inverse(plan.turn))
  return { ...plan, crop: inside(plan.crop, back) }
}

const inside = (outer: Rect | null, rect: Rect): Rect =>
  outer ? { ...rect, left: outer.left + rect.left, top: outer.top + rect.top } : rect

/** Null when the picture was resized before: then the pixels must be made first. */
export function withSize(plan: Plan, { width, height }: Size): Plan | null {
  if (plan.size) return null
  return { ...plan, size: turnedSize({ width, height }, plan.turn) }
}
