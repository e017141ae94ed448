// Decides after an attempt: the callback is delivered, given up, or tried again later. Pure but for the jitter.
import type { CallbackStatus } from '#db/tables.ts'

type Verdict = { status: Exclude<CallbackStatus, 'Waiting'> } | { status: 'Waiting'; delayMs: number }

const GONE = 410

/** `attempts`: how many were made before this one. `delays`: seconds, one per attempt that may follow. */
export function verdict(
  answer: { status_code: number | null; retryAfterSeconds: number | null },
  attempts: number,
  delays: readonly number[],
): Verdict {
  const { status_code } = answer
  if (status_code !== null && status_code >= 200 && status_code < 300) return { status: 'Delivered' }
  const delay = delays[attempts]
  if (status_code === GONE || delay === undefined) return { status: 'GivenUp' }
  const jitter = 0.9 + Math.random() * 0.2
  return {
    status: 'Waiting',
    delayMs: Math.max(delay * jitter, Math.min(answer.retryAfterSeconds ?? 0, slotAfterNext(attempts, delays))) * 1000,
  }
}

/** The longest wait that a receiver can ask for: until the slot after the next. */
const slotAfterNext = (attempts: number, delays: readonly number[]): number =>
  (delays[attempts] ?? 0) + (delays[attempts + 1] ?? 0)
