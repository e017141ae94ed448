// Decides when an entry is tried again, by the fault that its Problem names.
import type { EntryRow } from '#db/tasks/task-rows.ts'
import type { Patience } from '#engine/option-roles.ts'
import type { Problem } from '#kit/errors.ts'

const HOUR = 3_600
/** Caps what a target asks for: an adapter may pass on a time that no Date can hold. */
const LONGEST = 30 * 24 * HOUR

/** Used where the adapter has no options for it, for example for an input URL. */
const usual = { attempts: 6, backoffSeconds: 5 }

/** How many attempts count: not those that were cut off because their worker ended. */
export const countedAttempts = ({ attempts, cut_off }: Pick<EntryRow, 'attempts' | 'cut_off'>): number =>
  attempts - cut_off

/** Milliseconds to wait before the next attempt, or null when there is none. `attempts`: how many count. */
export function retryAfterMs(problem: Problem, attempts: number, patience: Patience = {}): number | null {
  const asked = problem.retryAfterSeconds
  if (problem.fault === 'quota') return inMs(asked ?? HOUR)
  if (problem.fault !== 'transient') return null
  // Our own database or storage is away. The entry waits for it without end.
  if (problem.code === 'unavailable') return 5_000
  const { attempts: most, backoffSeconds: first } = { ...usual, ...patience }
  if (attempts >= most) return null
  const backoff = Math.min(first * 2 ** (attempts - 1), HOUR)
  const jitter = 0.9 + Math.random() * 0.2
  return inMs(Math.max(backoff * jitter, asked ?? 0))
}

const inMs = (seconds: number): number => Math.min(seconds, LONGEST) * 1000
