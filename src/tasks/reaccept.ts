// A chain for its next run: on the configurations as they are now, if they are still the same steps.

import type { Trx } from '#db/database.ts'
import { configurationsBelow, keepSnapshots, snapshotId, snapshotsOf } from '#db/snapshots.ts'
import type { Snapshot, StoredFile } from '#db/tables.ts'
import type { WholeTask } from '#db/tasks.ts'
import type { JsonObject } from '#kit/json.ts'
import { accept, takeSnapshot } from './accept.ts'
import type { TaskServices } from './services.ts'

export interface Reaccepted {
  snapshot_id: string
  assets: Record<string, StoredFile>
  warnings: string[]
}

export async function reaccept(
  services: TaskServices,
  trx: Trx,
  task: WholeTask,
  chain: WholeTask['chains'][number],
  extras: JsonObject,
  extrasField: string,
): Promise<Reaccepted> {
  const before = (await snapshotsOf(trx, [chain])).get(chain.snapshot_id) as Snapshot
  const now = await currentSnapshot(services, chain.configuration, task.experience_id)
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
  })
  const snapshot_id = snapshotId(snapshot)
  await keepSnapshots(trx, new Map([[snapshot_id, snapshot]]))
  const changed = same
    ? []
    : [`"${chain.configuration}" has other steps now; this run keeps to those it was accepted with.`]
  return { snapshot_id, assets, warnings: [...warnings, ...changed] }
}

/** One that has gone to another experience is another's, with options and credentials of its own. */
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
