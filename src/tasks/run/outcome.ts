// How a piece of work ended: of a segment, a chain or a whole run. The one type that tells it.
import { ClaimLost } from '#db/tasks/entry-rows.ts'
import type { Needs } from '../lane.ts'

export type Outcome =
  | { is: 'done' }
  /** It failed, was skipped or was cut off: nothing that needs it can follow. */
  | { is: 'failed' }
  | Retry
  /** The worker hands the task back: it is not the task's fault. */
  | { is: 'let go' }
  /** Another worker has the task: nothing may be written any more. */
  | { is: 'lost' }

/** It goes on later, and needs this then. Null: what it has now. */
export interface Retry {
  is: 'retry'
  at: Date
  needs: Needs | null
}

export const done: Outcome = { is: 'done' }
export const failed: Outcome = { is: 'failed' }
export const retryAt = (at: Date, needs: Needs | null): Retry => ({ is: 'retry', at, needs })

/** It can go on at once, but not here. */
export const elsewhere = (needs: Needs): Retry => retryAt(new Date(), needs)

/** The reason a run is aborted with when it is not the task's fault. */
export class LetGo extends Error {
  constructor() {
    super('the worker lets go of the task')
  }
}

/** Of an error that ends the whole run; null for all others. */
export function outcomeOf(error: unknown, { signal }: { signal: AbortSignal }): Outcome | null {
  if (error instanceof ClaimLost) return { is: 'lost' }
  return error instanceof LetGo || signal.reason instanceof LetGo ? { is: 'let go' } : null
}

const rank = ({ is }: Outcome): number => ['lost', 'let go', 'retry', 'failed', 'done'].indexOf(is)

/** Of work side by side: what ends the run comes first, then the earliest retry. */
export const together = (outcomes: readonly Outcome[]): Outcome =>
  outcomes.reduce((first, each) => {
    if (first.is === 'retry' && each.is === 'retry') return first.at <= each.at ? first : each
    return rank(each) < rank(first) ? each : first
  }, done)
