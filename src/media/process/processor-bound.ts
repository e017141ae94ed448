// Ends a job whose child, with all that it started, has had more processor time than the job may take. A busy machine gives none, so it is never the reason.
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { statOf } from '#kit/process/process-stat.ts'

/** Linux counts in hundredths of a second, whatever its clock. */
const TICKS = 100
/** Time is counted from the first look on: most jobs are over before. */
const FIRST_MS = 1_000
const MOST_MS = 60_000

/** Processor seconds of a process group, with those of members that have ended; null where the system does not tell. */
export function spentBy(group: number): number | null {
  if (process.platform !== 'linux') return null
  let ticks = 0
  for (const name of readdirSync('/proc')) {
    const fields = /^\d+$/.test(name) ? statOf(Number(name)) : null
    if (fields?.[2] !== String(group)) continue
    // Its own time and that of its ended children, as a user and in the kernel.
    ticks += fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0)
  }
  return ticks / TICKS
}

/** Looks no sooner than the seconds can be over on all processors. Returns a function that ends the looks. */
export function boundProcessor(group: number, seconds: number, over: () => void, spent = spentBy): () => void {
  let before: number | null = null
  let clock = setTimeout(look, FIRST_MS)
  function look(): void {
    const now = spent(group)
    if (now === null) return
    before ??= now
    const left = seconds - (now - before)
    if (left <= 0) {
      over()
      return
    }
    const soonest = (left / availableParallelism()) * 1000
    clock = setTimeout(look, Math.min(MOST_MS, Math.max(FIRST_MS, soonest)))
  }
  return () => clearTimeout(clock)
}
