// Accepts a chain for its next run, with the current configurations if they still have the same steps.
import { extrasFor, mergeOptions, type SortedExtras, sortExtras } from '#configurations/options.ts'
import type { Trx } from '#db/database.ts'
import type { ChainFiles, Snapshot } from '#db/tables.ts'
import { configurationsBelow, snapshotId, snapshotsOf } from '#db/tasks/snapshots.ts'
import type { WholeTask } from '#db/tasks/task-rows.ts'
import type { JsonObject } from '#kit/json.ts'
import type { TaskServices } from '../task-services.ts'
import { type AcceptedChain, accept, openParameters, takeSnapshot } from './accept.ts'
import { declinedFiles } from './file-errors.ts'

interface Reaccepted extends AcceptedChain {
  snapshot_id: string
}

interface ChainAgain {
  extras: JsonObject
  extrasField: string
  /** The entries that run again. */
  again: readonly number[]
  /** All of its files in place of assets, and which of them are new. */
  files: ChainFiles
  sent: ReadonlySet<string>
  anyFile: boolean
}

/** Reads only through the caller's transaction: code that holds one connection and waits for another may wait for ever. */
export async function reaccept(
  { db: _pool, ...others }: TaskServices,
  trx: Trx,
  task: WholeTask,
  chain: WholeTask['chains'][number],
  { extras, extrasField, again, files: given, sent, anyFile }: ChainAgain,
): Promise<Reaccepted> {
  const services = { ...others, db: trx }
  const before = (await snapshotsOf(trx, [chain])).get(chain.snapshot_id) as Snapshot
  const { snapshot_id, files: old } = chain
  if (again.length === 0 && extras === chain.extras && sent.size === 0) {
    const { sorted } = sortExtras(extras, extrasField)
    const entries = withOptions(services, before, sorted)
    return {
      snapshot_id,
      snapshot: before,
      assets: chain.assets,
      files: old,
      takes: new Set(),
      parameters: openParameters(entries),
      declined: declinedFiles(entries, sorted, extrasField),
      warnings: [],
    }
  }
  const now = again.length > 0 ? await currentSnapshot(services, chain.configuration, task.experience_id) : before
  const same = now !== null && shape(now) === shape(before)
  /** What has run keeps the options and credentials that it ran with: a delivery is taken back from where it lies. */
  const entries = before.entries.map((kept, index) => (again.includes(index) ? now?.entries[index] : kept) ?? kept)
  const earlier = task.is_group ? task.chains.slice(0, chain.index).map(each => each.configuration) : null
  const field = task.is_group ? 'configuration_names' : 'configuration_name'
  const accepted = await accept(services, {
    snapshot: same ? { entries } : before,
    experienceId: task.experience_id,
    extras,
    extrasField,
    field,
    earlier,
    running: new Set(again),
    files: given,
    sent,
    anyFile,
  })
  const { snapshot, assets, files, warnings } = accepted
  const changed = same
    ? []
    : [`"${chain.configuration}" has other steps now; this run keeps to those it was accepted with.`]
  return {
    ...accepted,
    snapshot_id: snapshotId(snapshot),
    // Entries that have run keep their assets: the output of a melted one may be rendered again on request.
    assets: again.length < chain.entries.length ? { ...chain.assets, ...assets } : assets,
    // What the chain has no use for in this run it may have in the next one.
    files: { ...old, ...files },
    warnings: [...warnings, ...changed],
  }
}

const withOptions = ({ adapters }: TaskServices, { entries }: Snapshot, extras: SortedExtras) =>
  entries.flatMap(entry => {
    const adapter = adapters.get(entry.adapter_name)
    if (!adapter) return []
    return [{ ...entry, adapter, options: mergeOptions(adapter, entry.defaults, extrasFor(extras, entry, adapter)) }]
  })

/** Null if the configuration moved to another experience: it then has that experience's options and credentials. */
async function currentSnapshot(
  { db, settings }: TaskServices,
  name: string,
  experienceId: string,
): Promise<Snapshot | null> {
  const configurations = await configurationsBelow(db, [name])
  const root = configurations.get(name)
  if (!root || (root.experience_id ?? experienceId) !== experienceId) return null
  return takeSnapshot(root, each => configurations.get(each), settings.maxChain)
}

const shape = ({ entries }: Snapshot): string =>
  JSON.stringify(entries.map(({ configuration, adapter_name, input_idx }) => [configuration, adapter_name, input_idx]))
