// How much of the processor a media child and what it started have had.
import { readdirSync } from 'node:fs'
import { statOf } from '#kit/process/process-stat.ts'

/** Linux counts in hundredths of a second, whatever its clock. */
const TICK_MS = 10

/** Milliseconds of a process and all below it; null where the system does not tell. */
export function spentMs(pid: number): number | null {
  if (process.platform !== 'linux') return null
  try {
    const all = new Map(
      readdirSync('/proc')
        .filter(name => /^\d+$/.test(name))
        .map(name => [Number(name), timesOf(Number(name))]),
    )
    let sum = all.get(pid)?.ms ?? null
    if (sum === null) return null
    const below = new Set([pid])
    // A parent may stand behind its child, so it is gone through until nothing is added.
    for (let before = 0; before !== below.size; ) {
      before = below.size
      for (const [id, { parent, ms }] of all)
        if (below.has(parent) && !below.has(id)) {
          below.add(id)
          sum += ms
        }
    }
    return sum
  } catch {
    return null
  }
}

function timesOf(pid: number): { parent: number; ms: number } {
  const numbers = statOf(pid)?.map(Number)
  if (!numbers) return { parent: 0, ms: 0 } // It has ended meanwhile.
  // Its own time and that of its ended children, as a user and in the kernel.
  const ticks = numbers.slice(11, 15).reduce((sum, each) => sum + each, 0)
  return { parent: numbers[1] ?? 0, ms: ticks * TICK_MS }
}
