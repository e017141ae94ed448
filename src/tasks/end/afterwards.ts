// Builds the step a destination gets after its delivery: to take it back, or to remove what is unfinished.
import { extrasFor } from '#configurations/options.ts'
import type { DestinationAdapter } from '#engine/adapter.ts'
import type { Discreet } from '#engine/discreet.ts'
import { openCheckpoint } from '../entry/checkpoint.ts'
import { deliveryStep } from '../entry/delivery-step.ts'
import { type Chain, delivers, type Entry, type Loaded, markerOf } from '../entry/loaded.ts'
import { known } from '../entry/prepare-entry.ts'
import { entryAuth, resolveOptions } from '../entry/resolve.ts'
import type { TaskServices } from '../task-services.ts'

const LIMIT_MS = 60_000

interface Afterwards extends Pick<Discreet, 'step' | 'error'> {
  adapter: DestinationAdapter
}

/** Null if the adapter or its configuration is gone. */
export function afterwards(
  services: TaskServices,
  { task, guests }: Pick<Loaded, 'task' | 'guests'>,
  chain: Chain,
  entry: Entry,
  limitMs = LIMIT_MS,
): Afterwards | null {
  if (!delivers(entry) || !entry.config) return null
  const { adapter, config, index } = entry
  const values = known({ task, guests }, chain, entry, entry.output?.ext ?? '')
  const { step, error } = deliveryStep(services, adapter, {
    options: resolveOptions(adapter, config, extrasFor(chain.sorted, config, adapter), values).options,
    auth: entryAuth(services.secretBox, config),
    experienceId: task.experience_id,
    marker: markerOf(task, chain, entry),
    checkpoint: openCheckpoint(services.secretBox, { chain_id: chain.chain_id, index }, entry.checkpoint),
    signal: AbortSignal.timeout(limitMs),
  })
  return { adapter, step, error }
}
