// Positions the lines of a text: by the usual line height, but with all ink inside the box.
import type { Size } from '../file/geometry.ts'

export const valigns = ['top', 'middle', 'bottom'] as const

export type Valign = (typeof valigns)[number]

/** Line height as a share of the letter size. */
export const LINE = 1.2
/** Distance from the top of a line to its baseline, as a share of the letter size; most fonts have this. */
const FOOT = 0.955

/** Extent of a line's ink in pixels; `above` and `below` the baseline. */
export interface Ink {
  width: number
  above: number
  below: number
}

interface Block {
  /** The row of each line's baseline. */
  feet: number[]
  /** Rows from the first to the last ink. */
  height: number
  fits: boolean
}

/** `inks` has null for a line without ink. The ink stays `margin` away from the edges. */
export function standing(
  inks: readonly (Ink | null)[],
  size: number,
  box: Size,
  margin: number,
  valign: Valign,
): Block {
  const pitch = Math.max(LINE, ...inks.map((ink, i) => reach(inks[i - 1] ?? null, ink) / size))
  const free = box.height - 2 * margin - ((inks.length - 1) * pitch + LINE) * size
  const start = margin + { top: 0, middle: free / 2, bottom: free }[valign]
  const feet = inks.map((_, i) => Math.round(start + (i * pitch + FOOT) * size))
  const top = Math.min(...inks.map((ink, i) => (ink ? feet[i]! - ink.above : Number.POSITIVE_INFINITY)))
  const bottom = Math.max(...inks.map((ink, i) => (ink ? feet[i]! + ink.below : Number.NEGATIVE_INFINITY)))
  if (top > bottom) return { feet, height: 0, fits: true }
  const [first, last] = [Math.floor(margin), box.height - Math.floor(margin)]
  const shift = top < first ? first - top : Math.min(0, Math.max(last - bottom, first - top))
  return { feet: feet.map(foot => foot + shift), height: bottom - top, fits: bottom + shift <= last }
}

/** High marks must not touch the low parts of the line before. */
const reach = (before: Ink | null, ink: Ink | null): number => (before && ink ? before.below + ink.above : 0)
