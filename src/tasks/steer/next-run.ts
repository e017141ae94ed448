// Plans a retry: in each chain, the entries that had not succeeded and those that depend on a replaced file run again.
import { isDeepStrictEqual } from 'node:util'
import { type SortedExtras, sortExtras } from '#configurations/options.ts'
import type { Trx } from '#db/database.ts'
import type { ChainInput, Snapshot } from '#db/tables.ts'
import type { ReopenedChain } from '#db/tasks/steer-rows.ts'
import type { WholeTask } from '#db/tasks/task-rows.ts'
import { Problem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'
import { reaccept } from '../accept/reaccept.ts'
import { takenFrom } from '../entry/loaded.ts'
import { isDone } from '../run/run-chain.ts'
import type { TaskServices } from '../task-services.ts'

/** What a retry changes in one chain. Retries hold them by configuration name. */
export interface Replacement {
  input?: ChainInput
  extras?: JsonObject
  extrasField: string
}

interface NextRun {
  chains: ReopenedChain[]
  warnings: string[]
  snapshots: Map<string, Snapshot>
}

export async function planNextRun(
  services: TaskServices,
  trx: Trx,
  task: WholeTask,
  replacements: ReadonlyMap<string, Replacement>,
): Promise<NextRun> {
  const next: NextRun = { chains: [], warnings: [], snapshots: new Map() }
  /** Configurations whose output is made from another file this time. */
  const renewed = new Set<string>()
  for (const chain of task.chains) {
    const {
      input = chain.input,
      extras = chain.extras,
      extrasField = 'extras',
    } = replacements.get(chain.configuration) ?? {}
    if (task.files_deleted_at && input === chain.input && 'file' in input)
      throw new Problem('gone', 'The uploaded file is past its retention. Send it again.')
    const [before, now] = [chain.extras, extras].map(each => sortExtras(each, extrasField).sorted) as [
      SortedExtras,
      SortedExtras,
    ]
    // An entry whose file was replaced runs again, and so do later chains that use its output.
    const fresh =
      task.files_deleted_at !== null ||
      input !== chain.input ||
      [before, now].flatMap(sorted => takenFrom({ input, sorted })).some(name => renewed.has(name))
    if (fresh) renewed.add(chain.configuration)
    const again = chain.entries.filter(entry => fresh || !isDone(chain, entry)).map(entry => entry.index)
    const accepted = await reaccept(services, trx, task, chain, { extras, extrasField, again })
    const { chain_id } = chain
    const { snapshot_id, assets } = accepted
    const changed =
      fresh || !isDeepStrictEqual([snapshot_id, extras, assets], [chain.snapshot_id, chain.extras, chain.assets])
    next.chains.push({ chain_id, snapshot_id, extras, lookups: now.lookups, input, assets, again, changed })
    next.warnings.push(...accepted.warnings)
    next.snapshots.set(snapshot_id, accepted.snapshot)
  }
  return next
}
