// A loaded task: its rows with sorted extras, adapters and configurations. These values never change.

import { type SortedExtras, sortExtras } from '#configurations/options.ts'
import type { Queries } from '#db/database.ts'
import { listKeepsakeLookups } from '#db/guests/keepsake-lookups.ts'
import { type Lookup, lookupName } from '#db/nouns/profiles-lookup.ts'
import type { Snapshot, SnapshotEntry, StoredFile } from '#db/tables.ts'
import { snapshotsOf } from '#db/tasks/snapshots.ts'
import type { ChainRow, EntryRow, WholeTask } from '#db/tasks/task-rows.ts'
import { type Adapter, type Adapters, type DestinationAdapter, isDestination } from '#engine/adapter.ts'
import type { Media } from '#engine/children/media.ts'
import type { Tracer } from '#kit/telemetry/trace.ts'
import { meant } from '#kit/text.ts'
import type { TaskServices } from '../task-services.ts'
import type { Fleet } from './fleet.ts'
import type { Guests } from './guests.ts'

export interface RunServices extends TaskServices {
  media: Media
  workerId: string
  fleet: Fleet
  tracer: Tracer
}

export type Entry = Readonly<EntryRow> & {
  /** Undefined if this process does not have the adapter. */
  readonly adapter: Adapter | undefined
  /** The configuration as it was accepted; undefined if its snapshot was not read. */
  readonly config: SnapshotEntry | undefined
}

export type Chain = Readonly<ChainRow> & { readonly sorted: SortedExtras; readonly entries: readonly Entry[] }

export type Task = Readonly<Omit<WholeTask, 'chains'>> & { readonly chains: readonly Chain[] }

/** A task with everything needed to prepare its entries. */
export interface Loaded {
  readonly services: Pick<RunServices, 'db' | 'blobs' | 'adapters' | 'secretBox' | 'outbound' | 'settings' | 'media'>
  readonly task: Task
  readonly guests: Guests
  readonly folder: string
  /** Aborted when the task is cancelled, runs out of time, or the worker must let go of it. */
  readonly signal: AbortSignal
  /** Counts the seconds of work; a preview has no such limit. */
  readonly clock?: { start(): () => void }
}

export function loadTask(adapters: Adapters, task: WholeTask, snapshots: ReadonlyMap<string, Snapshot>): Task {
  const names = task.chains.map(chain => chain.configuration)
  const chains = task.chains.map((chain): Chain => {
    const configs = snapshots.get(chain.snapshot_id)?.entries
    const entries = chain.entries.map(entry => ({
      ...entry,
      adapter: adapters.get(entry.adapter_name),
      config: configs?.[entry.index],
    }))
    return { ...chain, sorted: withOverrides(sortExtras(chain.extras, 'extras').sorted, names), entries }
  })
  return { ...task, chains }
}

/** Overrides name other configurations of the group as the request spelled them. */
const withOverrides = (sorted: SortedExtras, names: readonly string[]): SortedExtras => ({
  ...sorted,
  overrides: new Map([...sorted.overrides].map(([key, from]) => [key, from.map(name => meant(names, name) ?? name)])),
})

export async function loadStored(queries: Queries, adapters: Adapters, task: WholeTask): Promise<Task> {
  const loaded = loadTask(adapters, task, await snapshotsOf(queries, task.chains))
  return task.keepsake_id === null ? loaded : withGuestOf(loaded, await listKeepsakeLookups(queries, task.keepsake_id))
}

/** The guest of the keepsake is one of every chain, behind those that the chain names itself. */
export const withGuestOf = (task: Task, guest: readonly Lookup[]): Task => ({
  ...task,
  chains: task.chains.map(chain => {
    const { lookups } = sortExtras(chain.extras, 'extras').sorted
    const named = new Set(lookups.map(lookupName))
    const others = guest.filter(lookup => !named.has(lookupName(lookup)))
    return { ...chain, sorted: { ...chain.sorted, lookups: [...lookups, ...others] } }
  }),
})

/** Replaces one chain of the task. */
export const withChain = (task: Task, chain: Chain): Task => ({
  ...task,
  chains: task.chains.map(each => (each.chain_id === chain.chain_id ? chain : each)),
})

/** Replaces some entries of the chain. */
export function withEntries(chain: Chain, entries: readonly Entry[]): Chain {
  const changed = new Map(entries.map(entry => [entry.index, entry]))
  return { ...chain, entries: chain.entries.map(entry => changed.get(entry.index) ?? entry) }
}

export const entryOf = (chain: Chain, index: number): Entry => chain.entries[index] as Entry

export const delivers = (entry: Entry): entry is Entry & { adapter: DestinationAdapter } =>
  entry.adapter !== undefined && isDestination(entry.adapter)

/** Earlier configurations of the group whose outputs a chain takes. */
export const takenFrom = ({ input, sorted }: Pick<Chain, 'input' | 'sorted'>): string[] => [
  ...('from' in input ? [input.from] : []),
  ...[...sorted.overrides.values()].flat(),
]

/** Whether a task has ended, or an entry, which then does not run again in this run. */
export const hasEnded = ({ status }: Pick<EntryRow, 'status'>): boolean => status !== 'Waiting' && status !== 'Running'

/** Left out because guests did not agree: it handed its file on as it was. */
export const isPassedOver = ({ status, error }: Pick<EntryRow, 'status' | 'error'>): boolean =>
  status === 'Skipped' && error?.code === 'no_consent'

/** The entry ended well: it ran, or it was left out because guests did not agree. */
export const isThrough = (entry: Pick<EntryRow, 'status' | 'error'>): boolean =>
  entry.status === 'Succeeded' || isPassedOver(entry)

/** The file that a chain made: the output of its last entry. */
export function chainOutput(task: Task, configuration: string): StoredFile | null {
  const output = task.chains.find(chain => chain.configuration === configuration)?.entries.at(-1)?.output
  return output?.blob ? (output as StoredFile) : null
}

/** The file that a chain starts from, if it is there: one that was sent or downloaded, or the output of an earlier chain. */
export function chainFile(task: Task, { input }: Pick<Chain, 'input'>): StoredFile | null {
  if ('file' in input) return input.file
  return 'from' in input ? chainOutput(task, input.from) : null
}

/**
 * Identifies a delivery at its target over all attempts: a target that has the marker need not take the file again. A new generation
 * (other bytes or options) gets a new marker.
 */
export function markerOf(task: Task, chain: Chain, { index, generation }: Entry): string {
  const name = `${task.task_id}-${overallIndex(task, chain, index)}`
  return generation === 0 ? name : `${name}-${generation}`
}

/** Counts entries over the whole request, so two chains of a group never use the same name at a destination. */
export function overallIndex(task: WholeTask, chain: Pick<ChainRow, 'index'>, index: number): number {
  const before = task.chains.filter(other => other.index < chain.index)
  return before.reduce((sum, other) => sum + other.entries.length, index)
}
