// Runs a destination: delivers the file byte for byte and passes it on as the entry's output.
import { isDatabaseError } from '#db/database.ts'
import type { StoredFile } from '#db/tables.ts'
import { ClaimLost, type ForLater } from '#db/tasks/entry-rows.ts'
import type { DestinationAdapter } from '#engine/adapter.ts'
import type { RedactedStep } from '#engine/redact-step.ts'
import { isProblem, Problem } from '#kit/errors.ts'
import { failpoint } from '#kit/failpoint.ts'
import { own } from '#kit/json.ts'
import { openCheckpoint, sealCheckpoint } from '../entry/checkpoint.ts'
import { deliveryStep } from '../entry/delivery-step.ts'
import { type Chain, type Entry, markerOf } from '../entry/loaded.ts'
import { assetsOf, localFile, withFiles } from '../entry/local-files.ts'
import { makePicture } from '../entry/make-picture.ts'
import { prepareEntry } from '../entry/prepare-entry.ts'
import { usableAuth } from '../entry/resolve.ts'
import { cutOffBy } from './interrupted.ts'
import { progressOf } from './progress.ts'
import type { Run } from './run.ts'
import type { EndedEntries } from './run-segment.ts'

interface DestinationWork {
  entry: Entry
  input: StoredFile
  folder: string
  /** Stores a sealed checkpoint, or what the place takes from the guests. */
  save(saved: ForLater): Promise<void>
}

export async function runDestination(
  run: Run,
  chain: Chain,
  { entry, input, folder, save }: DestinationWork,
): Promise<EndedEntries> {
  const { services } = run
  const { index } = entry
  const file = await localFile(run, input)
  const prepared = await prepareEntry(run, chain, index, file)
  const { config, options, context, assets, warnings, placeValues } = prepared
  const adapter = prepared.adapter as DestinationAdapter
  const decisions: string[] = []
  await using progress = progressOf(run, chain)
  const limit = AbortSignal.timeout(services.settings.maxEntrySeconds * 1000)
  const place = { chain_id: chain.chain_id, index }
  const delivery = deliveryStep(services, adapter, {
    options,
    auth: usableAuth(services.secretBox, adapter, config),
    experienceId: run.task.experience_id,
    context,
    assets: parameter => own(assets, parameter) ?? [],
    marker: markerOf(run.task, chain, entry),
    checkpoint: openCheckpoint(services.secretBox, place, entry.checkpoint),
    save: checkpoint => save({ checkpoint: sealCheckpoint(services.secretBox, place, checkpoint) }),
    signal: AbortSignal.any([run.signal, limit]),
    picture: (given, steps) => makePicture(run, given, steps, folder),
    progress: fraction => progress.moved(index, fraction),
    decide: sentence => void decisions.push(sentence),
    warn: sentence => void warnings.push(sentence),
  })
  const begun = performance.now()
  try {
    if (placeValues !== null && entry.place_values === null) {
      // A name that cannot be used fails here and is not fixed: the next run takes what the profile says by then.
      adapter.aims?.(delivery.step)
      await save({ place_values: placeValues })
    }
    failpoint('deliver.before')
    const delivered = await withFiles([file, ...assetsOf({ assets })], () => adapter.deliver(file, delivery.step))
    const result = delivery.result(delivered)
    failpoint('deliver.after')
    services.meters.count('deliveredBytes', { destination: adapter.name }, file.bytes)
    const timings = { deliver: Math.round(performance.now() - begun) }
    const explanation = { decisions, command: null, versions: {}, timings }
    return { ends: [{ index, status: 'Succeeded', result, warnings, output: input, explanation }], blobs: [] }
  } catch (error) {
    if (limit.aborted && !run.signal.aborted)
      throw cutOffBy(entryTimeUp(services.settings.maxEntrySeconds), delivery.error(error))
    throw reportedError(run, index, error, delivery)
  } finally {
    services.meters.observe('deliverySeconds', { destination: adapter.name }, (performance.now() - begun) / 1000)
  }
}

const entryTimeUp = (seconds: number): Problem =>
  new Problem(
    'time_limit',
    `The delivery took longer than the ${seconds} s that one entry may take (KEEPSAKE_MAX_ENTRY_SECONDS).`,
  )

/** An unforeseen error fails the entry. Otherwise the task would start it again for ever. */
function reportedError(
  { services, task, signal }: Run,
  index: number,
  error: unknown,
  delivery: RedactedStep,
): unknown {
  if (isProblem(error, 'outcome_unknown')) return delivery.error(error)
  if (signal.aborted || error instanceof ClaimLost || isDatabaseError(error)) return error
  if (isProblem(error) && error.code !== 'internal') return delivery.error(error)
  services.log.error(
    { err: delivery.error(error), task_id: task.task_id, entry: index },
    'a delivery failed unexpectedly',
  )
  if (isProblem(error)) return delivery.error(error)
  return new Problem('internal', 'The delivery failed in a way that was not foreseen; the log of the worker has more.')
}
