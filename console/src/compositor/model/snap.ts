// Snapping: a moved box takes the edges, the middles and the gaps of what lies around it, and shows which.
import type { Box, Grip, Point, Size } from './geometry.ts'

/** A line to draw, in pixels of the canvas. */
export interface Guide {
  axis: 'x' | 'y'
  /** Where it lies across its axis. */
  at: number
  from: number
  to: number
  kind: 'line' | 'gap'
}

interface Span {
  start: number
  end: number
}

const spanOf = (box: Box, axis: 'x' | 'y'): Span =>
  axis === 'x' ? { start: box.x, end: box.x + box.width } : { start: box.y, end: box.y + box.height }
const other = (axis: 'x' | 'y'): 'x' | 'y' => (axis === 'x' ? 'y' : 'x')
const linesOf = ({ start, end }: Span): number[] => [start, (start + end) / 2, end]

const nearest = (offers: number[], reach: number): number | null => {
  const best = offers.reduce<number | null>(
    (found, offer) => (found === null || Math.abs(offer) < Math.abs(found) ? offer : found),
    null,
  )
  return best !== null && Math.abs(best) <= reach ? best : null
}

/** What the box must be moved by to lie where something else lies. `reach` is in pixels of the canvas. */
export function snapMove(box: Box, others: readonly Box[], canvas: Size, reach: number): Point & { guides: Guide[] } {
  const by = { x: along(box, others, canvas, reach, 'x'), y: along(box, others, canvas, reach, 'y') }
  const there = { ...box, x: box.x + by.x, y: box.y + by.y }
  return { ...by, guides: [...guidesOf(there, others, canvas, 'x'), ...guidesOf(there, others, canvas, 'y')] }
}

function along(box: Box, others: readonly Box[], canvas: Size, reach: number, axis: 'x' | 'y'): number {
  const own = spanOf(box, axis)
  const targets = [whole(canvas), ...others].flatMap(one => linesOf(spanOf(one, axis)))
  const lines = nearest(
    linesOf(own).flatMap(line => targets.map(target => target - line)),
    reach,
  )
  const gaps = nearest(
    gapPlaces(box, others, axis).map(({ start }) => start - own.start),
    reach,
  )
  if (lines === null) return gaps ?? 0
  return gaps !== null && Math.abs(gaps) < Math.abs(lines) ? gaps : lines
}

const whole = (canvas: Size): Box => ({ x: 0, y: 0, ...canvas })

interface GapPlace {
  start: number
  /** The equal gaps that this place makes. */
  gaps: Span[]
}

/** Places beside or between two neighbours that leave equal gaps. */
function gapPlaces(box: Box, others: readonly Box[], axis: 'x' | 'y'): GapPlace[] {
  const own = spanOf(box, axis)
  const size = own.end - own.start
  const lane = spanOf(box, other(axis))
  const row = others
    .filter(one => {
      const beside = spanOf(one, other(axis))
      return beside.start < lane.end && lane.start < beside.end
    })
    .map(one => spanOf(one, axis))
    .toSorted((a, b) => a.start - b.start)
  return row.slice(0, -1).flatMap((a, at): GapPlace[] => {
    const b = row[at + 1] as Span
    const gap = b.start - a.end
    if (gap <= 0) return []
    const free = (gap - size) / 2
    const between: GapPlace[] =
      free > 0
        ? [
            {
              start: a.end + free,
              gaps: [
                { start: a.end, end: a.end + free },
                { start: b.start - free, end: b.start },
              ],
            },
          ]
        : []
    return [
      ...between,
      {
        start: b.end + gap,
        gaps: [
          { start: a.end, end: b.start },
          { start: b.end, end: b.end + gap },
        ],
      },
      {
        start: a.start - gap - size,
        gaps: [
          { start: a.start - gap, end: a.start },
          { start: a.end, end: b.start },
        ],
      },
    ]
  })
}

const CLOSE = 0.51

function guidesOf(box: Box, others: readonly Box[], canvas: Size, axis: 'x' | 'y'): Guide[] {
  const own = spanOf(box, axis)
  const cross = spanOf(box, other(axis))
  const found = new Map<number, Guide>()
  for (const one of [whole(canvas), ...others]) {
    const beside = spanOf(one, other(axis))
    for (const target of linesOf(spanOf(one, axis))) {
      if (!linesOf(own).some(line => Math.abs(line - target) < CLOSE)) continue
      const known = found.get(target)
      const from = Math.min(cross.start, beside.start, known?.from ?? cross.start)
      const to = Math.max(cross.end, beside.end, known?.to ?? cross.end)
      found.set(target, { axis, at: target, from, to, kind: 'line' })
    }
  }
  const equal = gapPlaces(box, others, axis).find(({ start }) => Math.abs(start - own.start) < CLOSE)
  const middle = (cross.start + cross.end) / 2
  const gaps = (equal?.gaps ?? []).map(
    ({ start, end }): Guide => ({ axis, at: middle, from: start, to: end, kind: 'gap' }),
  )
  return [...found.values(), ...gaps]
}

/** The same for the sides that a grip moves; of an upright box only. */
export function snapResize(
  box: Box,
  grip: Grip,
  others: readonly Box[],
  canvas: Size,
  reach: number,
): Point & { guides: Guide[] } {
  const targets = (axis: 'x' | 'y') => [whole(canvas), ...others].flatMap(one => linesOf(spanOf(one, axis)))
  const offer = (axis: 'x' | 'y', edge: number | null) =>
    edge === null
      ? 0
      : (nearest(
          targets(axis).map(target => target - edge),
          reach,
        ) ?? 0)
  const across = grip.endsWith('e') ? box.x + box.width : grip.endsWith('w') ? box.x : null
  const down = grip.startsWith('s') ? box.y + box.height : grip.startsWith('n') ? box.y : null
  const by = { x: offer('x', across), y: offer('y', down) }
  const line = (axis: 'x' | 'y', at: number): Guide => {
    const { start, end } = spanOf(box, other(axis))
    return { axis, at, from: start, to: end, kind: 'line' }
  }
  const hits = (axis: 'x' | 'y', at: number) => targets(axis).some(target => Math.abs(target - at) < CLOSE)
  return {
    ...by,
    guides: [
      ...(across !== null && hits('x', across + by.x) ? [line('x', across + by.x)] : []),
      ...(down !== null && hits('y', down + by.y) ? [line('y', down + by.y)] : []),
    ],
  }
}
