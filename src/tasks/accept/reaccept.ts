// Accepts a chain for its next run, with the current configurations if they still have the same steps.
import type { Trx } from '#db/database.ts'
import type { Snapshot, StoredFile } from '#db/tables.ts'
import { configurationsBelow, snapshotId, snapshotsOf } from '#db/tasks/snapshots.ts'
import type { WholeTask } from '#db/tasks/task-rows.ts'
import type { JsonObject } from '#kit/json.ts'
import type { TaskServices } from '../task-services.ts'
import { accept, takeSnapshot } from './accept.ts'

interface Reaccepted {
  snapshot_id: string
  snapshot: Snapshot
  assets: Record<string, StoredFile>
  warnings: string[]
}

interface ChainAgain {
  extras: JsonObject
  extrasField: string
  /** The entries that run again. */
  again: readonly number[]
}

/** Reads only through the caller's transaction: code that holds one connection and waits for another may wait for ever. */
export async function reaccept(
  { db: _pool, ...others }: TaskServices,
  trx: Trx,
  task: WholeTask,
  chain: WholeTask['chains'][number],
  { extras, extrasField, again }: ChainAgain,
): Promise<Reaccepted> {
  const services = { ...others, db: trx }
  const before = (await snapshotsOf(trx, [chain])).get(chain.snapshot_id) as Snapshot
  const kept = { snapshot_id: chain.snapshot_id, snapshot: before, assets: chain.assets, warnings: [] }
  if (again.length === 0 && extras === chain.extras) return kept
  const now = again.length > 0 ? await currentSnapshot(services, chain.configuration, task.experience_id) : before
  const same = now !== null && shape(now) === shape(before)
  const earlier = task.is_group ? task.chains.slice(0, chain.index).map(each => each.configuration) : null
  const field = task.is_group ? 'configuration_names' : 'configuration_name'
  const { snapshot, assets, warnings } = await accept(services, {
    snapshot: same ? now : before,
    experienceId: task.experience_id,
    extras,
    extrasField,
    field,
    earlier,
    running: new Set(again),
  })
  const changed = same
    ? []
    : [`"${chain.configuration}" has other steps now; this run keeps to those it was accepted with.`]
  return {
    snapshot_id: snapshotId(snapshot),
    snapshot,
    // Entries that have run keep their assets: the output of a melted one may be rendered again on request.
    assets: again.length < chain.entries.length ? { ...chain.assets, ...assets } : assets,
    warnings: [...warnings, ...changed],
  }
}

/** Null if the configuration moved to another experience: it then has that experience's options and credentials. */
async function currentSnapshot(
  { db, settings }: TaskServices,
  name: string,
  experienceId: string,
): Promise<Snapshot | null> {
  const configurations = await configurationsBelow(db, [name])
  const root = configurations.get(name)
  if (root?.experience_id !== experienceId) return null
  return takeSnapshot(root, each => configurations.get(each), settings.maxChain)
}

const shape = ({ entries }: Snapshot): string =>
  JSON.stringify(entries.map(({ configuration, adapter_name, input_idx }) => [configuration, adapter_name, input_idx]))
