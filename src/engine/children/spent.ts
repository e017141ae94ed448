// How much of the processor a media child and what it started have had.
import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts in hundredths of a second, whatever its clock. */
const TICK_MS = 10

/** Milliseconds of a process and all below it; null where the system does not tell. */
export function spentMs(pid: number): number | null {
  if (process.platform !== 'linux') return null
  try {
    const all = new Map(
      readdirSync('/proc')
        .filter(name => /^\d+$/.test(name))
        .map(name => [Number(name), timesOf(name)]),
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

/** The name of the program stands in brackets and may hold anything; the numbers begin behind the last of them. */
function timesOf(pid: string): { parent: number; ms: number } {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return { parent: 0, ms: 0 } // It has ended meanwhile.
  }
  const numbers = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  // Its own time and that of its ended children, as a user and in the kernel.
  const ticks = numbers.slice(11, 15).reduce((sum, each) => sum + each, 0)
  return { parent: numbers[1] ?? 0, ms: ticks * TICK_MS }
}
