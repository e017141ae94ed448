// What is still to be done to the pixels of a source, in the one order that sharp can do it: crop, resize, turn, crop again.
import type { Rect, Size } from '../file/geometry.ts'
import { after, inverse, type Orientation, turnedRect, turnedSize, upright } from '../pixels/orientation.ts'

export interface Plan {
  /** Of the source, as stored. */
  crop: Rect | null
  /** Before the turn. */
  size: Size | null
  turn: Orientation
  /** Of what has been cropped, resized and turned. */
  window: Rect | null
}

export const nothing: Plan = { crop: null, size: null, turn: upright, window: null }

/** What a plan makes of a source. */
export function sizeOf(source: Size, { crop, size, turn, window }: Plan): Size {
  const { width, height } = window ?? turnedSize(size ?? crop ?? source, turn)
  return { width, height }
}

export function withTurn(source: Size, plan: Plan, turn: Orientation): Plan {
  const whole = turnedSize(plan.size ?? plan.crop ?? source, plan.turn)
  return { ...plan, turn: after(plan.turn, turn), window: plan.window && turnedRect(plan.window, whole, turn) }
}

/** A crop moves in front of the turn where nothing was resized, so that less is decoded and turned. */
export function withCrop(source: Size, plan: Plan, rect: Rect): Plan {
  if (plan.size) return { ...plan, window: inside(plan.window, rect) }
  const stored = plan.crop ?? source
  const back = turnedRect(rect, turnedSize(stored, plan.turn), inverse(plan.turn))
  return { ...plan, crop: inside(plan.crop, back) }
}

const inside = (outer: Rect | null, rect: Rect): Rect =>
  outer ? { ...rect, left: outer.left + rect.left, top: outer.top + rect.top } : rect

/** Null when it was resized before: then the pixels must be made first. */
export function withSize(plan: Plan, { width, height }: Size): Plan | null {
  if (plan.size) return null
  return { ...plan, size: turnedSize({ width, height }, plan.turn) }
}
