// Where the lines of a text stand: by the usual height of a line, but never with any of their ink outside the box.
import type { Size } from '../file/geometry.ts'

export const valigns = ['top', 'middle', 'bottom'] as const

export type Valign = (typeof valigns)[number]

/** Height of a line as a share of the letters' size. */
export const LINE = 1.2
/** From the top of a line to the foot of its letters, as a share of their size; what most fonts have. */
const FOOT = 0.955

/** What is drawn of a line, in pixels; `above` and `below` the foot of its letters. */
export interface Ink {
  width: number
  above: number
  below: number
}

interface Block {
  /** The row on which the letters of each line stand. */
  feet: number[]
  /** Rows from the first to the last of the ink. */
  height: number
  fits: boolean
}

/** `inks` has null for a line with nothing to see; the ink stays `margin` away from the edges. */
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

/** Marks that stand high must not touch what hangs low from the line before. */
const reach = (before: Ink | null, ink: Ink | null): number => (before && ink ? before.below + ink.above : 0)
