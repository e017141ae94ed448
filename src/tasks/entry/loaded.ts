// A task with all that its entries are prepared from.
import type { Snapshot, StoredFile } from '#db/tables.ts'
import type { ChainRow, EntryRow, WholeTask } from '#db/tasks/task-rows.ts'
import type { Media } from '#engine/children/media.ts'
import type { TaskServices } from '../task-services.ts'
import type { Guests } from './guests.ts'

export interface RunServices extends TaskServices {
  media: Media
  workerId: string
}

export type Chain = ChainRow & { entries: EntryRow[] }

export interface Loaded {
  services: RunServices
  task: WholeTask
  snapshots: ReadonlyMap<string, Snapshot>
  guests: Guests
  folder: string
  /** Aborted when the task is cancelled, runs out of time, or the worker must let go of it. */
  signal: AbortSignal
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
