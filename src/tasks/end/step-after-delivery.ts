// Builds the step a destination gets after its delivery: to take it back, or to remove what is unfinished.
import { extrasFor } from '#configurations/options.ts'
import type { DeliveryStep, DestinationAdapter } from '#engine/adapter.ts'
import type { RedactedStep } from '#engine/redact-step.ts'
import type { FileFacts } from '#kit/file-facts.ts'
import { openCheckpoint } from '../entry/checkpoint.ts'
import { deliveryStep } from '../entry/delivery-step.ts'
import { type Chain, chainFile, delivers, type Entry, type Loaded, markerOf, type Task } from '../entry/loaded.ts'
import { placeholderValues } from '../entry/prepare-entry.ts'
import { entryAuth, resolveOptions } from '../entry/resolve.ts'
import type { TaskServices } from '../task-services.ts'

const LIMIT_MS = 60_000

interface Afterwards extends Pick<RedactedStep, 'step' | 'error'> {
  adapter: DestinationAdapter
}

/** Null if the adapter or its configuration is gone. */
export function stepAfterDelivery(
  services: TaskServices,
  { task, guests }: Pick<Loaded, 'task' | 'guests'>,
  chain: Chain,
  entry: Entry,
  {
    signal = AbortSignal.timeout(LIMIT_MS),
    save = async () => {},
  }: Partial<Pick<DeliveryStep, 'signal' | 'save'>> = {},
): Afterwards | null {
  if (!delivers(entry) || !entry.config) return null
  const { adapter, config, index } = entry
  const values = placeholderValues(
    { task, guests },
    chain,
    entry,
    (entry.output ?? inputOf(task, chain, entry))?.ext ?? '',
  )
  const { step, error } = deliveryStep(services, adapter, {
    options: resolveOptions(adapter, config, extrasFor(chain.sorted, config, adapter), values, {
      fixed: entry.place_values,
    }).options,
    auth: entryAuth(services.secretBox, config),
    experienceId: task.experience_id,
    marker: markerOf(task, chain, entry),
    checkpoint: openCheckpoint(services.secretBox, { chain_id: chain.chain_id, index }, entry.checkpoint),
    signal,
    save,
  })
  return { adapter, step, error }
}

/** The file that an entry was to deliver, as far as it is known: one that was cut off has no output. */
const inputOf = (task: Task, chain: Chain, { input_idx }: Entry): Pick<FileFacts, 'ext'> | null =>
  input_idx === null ? chainFile(task, chain) : (chain.entries[input_idx]?.output ?? null)
