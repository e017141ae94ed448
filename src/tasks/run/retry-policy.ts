// When an entry is tried again: decided by whose fault the failure was, and by nothing else.
import type { Patience } from '#engine/option-roles.ts'
import type { Problem } from '#kit/errors.ts'

const HOUR = 3_600
/** Whatever a target asks for: an adapter may hand on a time that no date can hold. */
const LONGEST = 30 * 24 * HOUR

/** How patient an entry is where its adapter has no options of its own for it: an input URL, for one. */
const usual = { attempts: 6, backoffSeconds: 5 }

/** Milliseconds to wait before the next attempt, or null when there is none. `attempts`: how many were made. */
export function retryAfterMs(problem: Problem, attempts: number, patience: Patience = {}): number | null {
  const asked = problem.retryAfterSeconds
  if (problem.fault === 'quota') return inMs(asked ?? HOUR)
  if (problem.fault !== 'transient') return null
  // Our own stores being away is no reason ever to give a keepsake up.
  if (problem.code === 'unavailable') return 5_000
  const { attempts: most, backoffSeconds: first } = { ...usual, ...patience }
  if (attempts >= most) return null
  const backoff = Math.min(first * 2 ** (attempts - 1), HOUR)
  const jitter = 0.9 + Math.random() * 0.2
  return inMs(Math.max(backoff * jitter, asked ?? 0))
}

const inMs = (seconds: number): number => Math.min(seconds, LONGEST) * 1000
