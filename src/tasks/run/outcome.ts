// How a segment, a chain or a whole run ended, as one union.
import { ClaimLost } from '#db/tasks/entry-rows.ts'
import type { Needs } from '../lane.ts'

export type Outcome =
  | { is: 'done' }
  /** It failed, was skipped or was cut off: no entry that needs its file can run. */
  | { is: 'failed' }
  | Retry
  /** The worker hands the task back for a reason outside the task. */
  | { is: 'let go' }
  /** Another worker has the task: this one may write nothing more. */
  | { is: 'lost' }

/** The work goes on at `at`. `needs`: the kind of lane it needs then; null keeps the task's lane. */
export interface Retry {
  is: 'retry'
  at: Date
  needs: Needs | null
  /** What it waits for: a worker that has all of this. */
  lacking?: readonly string[]
}

export const done: Outcome = { is: 'done' }
export const failed: Outcome = { is: 'failed' }
export const retryAt = (at: Date, needs: Needs | null): Retry => ({ is: 'retry', at, needs })

/** The work can go on at once, but not in this lane. */
export const elsewhere = (needs: Needs): Retry => retryAt(new Date(), needs)

/** The abort reason of a run that the worker gives up for a reason outside the task. */
export class LetGo extends Error {
  constructor() {
    super('the worker lets go of the task')
  }
}

/** The outcome of an error that ends the whole run; null for all others. */
export function outcomeOf(error: unknown, { signal }: { signal: AbortSignal }): Outcome | null {
  if (error instanceof ClaimLost) return { is: 'lost' }
  return error instanceof LetGo || signal.reason instanceof LetGo ? { is: 'let go' } : null
}

const rank = ({ is }: Outcome): number => ['lost', 'let go', 'retry', 'failed', 'done'].indexOf(is)

/** Combines parallel outcomes: one that ends the run comes first, then the earliest retry. */
export const together = (outcomes: readonly Outcome[]): Outcome =>
  outcomes.reduce((first, each) => {
    if (first.is === 'retry' && each.is === 'retry') return first.at <= each.at ? first : each
    return rank(each) < rank(first) ? each : first
  }, done)
