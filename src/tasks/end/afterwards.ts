// What a destination is given when its delivery is over: to take it back, or to take away what was left unfinished.
import { sortExtras } from '#configurations/options.ts'
import type { Snapshot } from '#db/tables.ts'
import type { EntryRow } from '#db/tasks/task-rows.ts'
import { type DestinationAdapter, isDestination } from '#engine/adapter.ts'
import { type Discreet, discreet } from '#engine/discreet.ts'
import { openCheckpoint } from '../entry/checkpoint.ts'
import { type Chain, type Loaded, markerOf } from '../entry/loaded.ts'
import { placesOf } from '../entry/places.ts'
import { known } from '../entry/prepare-entry.ts'
import { entryAuth, resolveOptions } from '../entry/resolve.ts'
import type { TaskServices } from '../task-services.ts'

const LIMIT_MS = 60_000

export interface Afterwards extends Pick<Discreet, 'step' | 'error'> {
  adapter: DestinationAdapter
}

/** Null where the adapter or its configuration is not there any more. */
export function afterwards(
  services: TaskServices,
  run: Pick<Loaded, 'task' | 'guests'>,
  chain: Chain,
  index: number,
  snapshots: ReadonlyMap<string, Snapshot>,
  limitMs = LIMIT_MS,
): Afterwards | null {
  const entry = chain.entries[index] as EntryRow
  const adapter = services.adapters.get(entry.adapter_name)
  const config = snapshots.get(chain.snapshot_id)?.entries[index]
  if (!adapter || !config || !isDestination(adapter)) return null
  const { options } = resolveOptions(
    adapter,
    config,
    sortExtras(chain.extras, 'extras').sorted,
    known(run, chain, entry, entry.output?.ext ?? ''),
  )
  const { step, error } = discreet(adapter, {
    options,
    auth: entryAuth(services.secretBox, config),
    experienceId: run.task.experience_id,
    places: placesOf(services.db, run.task.experience_id),
    context: {},
    assets: () => [],
    outbound: services.outbound,
    marker: markerOf(run.task, chain, entry),
    checkpoint: openCheckpoint(services.secretBox, { chain_id: chain.chain_id, index }, entry.checkpoint),
    save: async () => {},
    signal: AbortSignal.timeout(limitMs),
    progress: () => {},
    decide: () => {},
    warn: () => {},
  })
  return { adapter, step, error }
}
