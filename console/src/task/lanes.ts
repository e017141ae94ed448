// Lays a chain out like a branching track: which lane each entry runs in, and which lanes pass by it.
import type { Entry } from '../api/shapes.ts'

export interface Lane {
  /** The lane of the entry itself; the uploaded file is the first row. */
  own: number
  /** Lanes that go past this row. */
  passing: number[]
  /** Lanes of what takes this row's file. */
  next: number[]
}

/** Rows: the uploaded file first, then the entries in chain order. */
export function lanes(entries: Pick<Entry, 'index' | 'input_idx'>[]): Lane[] {
  const children = new Map<number, number[]>()
  entries.forEach((entry, row) => {
    const parent = entry.input_idx === null ? 0 : entry.input_idx + 1
    children.set(parent, [...(children.get(parent) ?? []), row + 1])
  })
  /** For each lane the row it is on its way to, or undefined when it is free. */
  const target: (number | undefined)[] = [0]
  const laneOf: number[] = [0]
  const rows: Lane[] = []
  for (let row = 0; row <= entries.length; row++) {
    const own = laneOf[row] ?? 0
    target[own] = undefined
    const passing = target.flatMap((to, lane) => (to !== undefined ? [lane] : []))
    const next: number[] = []
    for (const child of children.get(row) ?? []) {
      const free = target[own] === undefined ? own : target.indexOf(undefined)
      const lane = free === -1 ? target.length : free
      target[lane] = child
      laneOf[child] = lane
      next.push(lane)
    }
    rows.push({ own, passing, next })
  }
  return rows
}

export const laneCount = (rows: Lane[]): number =>
  rows.reduce((most, { own, passing, next }) => Math.max(most, own, ...passing, ...next), 0) + 1
