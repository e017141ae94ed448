// One run of a task in a worker: what all its parts share while it lasts.

import type { Snapshot, StoredFile } from '#db/tables.ts'
import type { Claim, EntryEnd, EntryEnds } from '#db/tasks/entry-rows.ts'
import type { ChainRow, EntryRow, WholeTask } from '#db/tasks/task-rows.ts'
import type { Media } from '#engine/children/media.ts'
import type { TaskServices } from '../services.ts'
import type { Guests } from './guests.ts'
import type { Place } from './place.ts'
import type { Clock } from './work-clock.ts'

export interface RunServices extends TaskServices {
  media: Media
  workerId: string
}

export type Chain = ChainRow & { entries: EntryRow[] }

/** A task with all that its entries are prepared from. */
export interface Loaded {
  services: RunServices
  task: WholeTask
  snapshots: ReadonlyMap<string, Snapshot>
  guests: Guests
  folder: string
  /** Aborted when the task is cancelled, runs out of time, or the worker must let go of it. */
  signal: AbortSignal
}

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

/** The file a chain handed on: its last entry's. */
export function chainOutput(task: WholeTask, configuration: string): StoredFile | null {
  const output = task.chains.find(chain => chain.configuration === configuration)?.entries.at(-1)?.output
  return output?.blob ? (output as StoredFile) : null
}

/**
 * What a delivery is known by at its target, however often it is attempted: the same again means that it need not be taken again.
 * With other bytes or options it is another one.
 */
export function markerOf(task: WholeTask, chain: ChainRow, { index, generation }: EntryRow): string {
  const name = `${task.task_id}-${overallIndex(task, chain, index)}`
  return generation === 0 ? name : `${name}-${generation}`
}

/** Counts entries over the whole request, so that two chains of a group never share a name at a destination. */
export function overallIndex(task: WholeTask, chain: ChainRow, index: number): number {
  const before = task.chains.filter(other => other.index < chain.index)
  return before.reduce((sum, other) => sum + other.entries.length, index)
}
