// When an entry is tried again: decided by whose fault the failure was, and by nothing else.
import type { EntryRow } from '#db/tasks.ts'
import type { Problem } from '#kit/errors.ts'
import type { Settings } from '#kit/settings.ts'

const HOUR = 3_600_000

/** Milliseconds to wait before the next attempt, or null when there is none. */
export function retryAfterMs(
  problem: Problem,
  entry: Pick<EntryRow, 'attempts'>,
  { deliveryDelays }: Settings,
): number | null {
  if (problem.fault === 'quota') return problem.retryAfterSeconds ? problem.retryAfterSeconds * 1000 : HOUR
  if (problem.fault !== 'transient') return null
  // Our own stores being away is no reason ever to give a keepsake up.
  if (problem.code === 'unavailable') return 5_000
  const delay = deliveryDelays[entry.attempts - 1]
  if (delay === undefined) return null
  const jitter = 0.9 + Math.random() * 0.2
  return Math.max(delay * jitter, problem.retryAfterSeconds ?? 0) * 1000
}
