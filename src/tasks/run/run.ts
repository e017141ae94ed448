// One run of a task in a worker: what all its parts share while it lasts.
import type { Claim, EntryEnd, EntryEnds } from '#db/tasks/entry-rows.ts'
import type { EntryRow, WholeTask } from '#db/tasks/task-rows.ts'
import type { Chain, Loaded } from '../entry/loaded.ts'
import type { Place } from './place.ts'
import type { Clock } from './work-clock.ts'

export interface Run extends Loaded {
  claim: Claim
  /** Counts what the run works. */
  clock: Clock
  place: Place
  /** How the very last of its files was made, which no other entry needs: written together with the end of the task. */
  unwritten?: EntryEnds
}

/** How an entry ended, as the database now has it too. */
export function applyEnd(chain: Chain, { index, ...end }: EntryEnd): void {
  const blank = { result: null, error: null, warnings: [], output: null, explanation: null, retry_at: null }
  Object.assign(chain.entries[index] as EntryRow, blank, end)
}

/** It came to its end in this run, in this leg or an earlier one, and is not run again. */
export const hasEnded = ({ status }: EntryRow): boolean => status !== 'Waiting' && status !== 'Running'

export const nothingLeftBut = (entries: readonly EntryRow[], { chains }: WholeTask): boolean =>
  chains.every(chain => chain.entries.every(entry => hasEnded(entry) || entries.includes(entry)))

/** The reason a run is aborted with when it is not the task's fault: it goes back into the queue. */
export class LetGo extends Error {
  constructor() {
    super('the worker lets go of the task')
  }
}
