// Plans a retry: in each chain, the entries that had not succeeded and those that depend on a replaced file run again.
import { isDeepStrictEqual } from 'node:util'
import { extrasFor, mayOverride, mergeOptions, type SortedExtras, sortExtras } from '#configurations/options.ts'
import type { Trx } from '#db/database.ts'
import type { ChainFiles, ChainInput, Snapshot } from '#db/tables.ts'
import { snapshotsOf } from '#db/tasks/snapshots.ts'
import type { ReopenedChain } from '#db/tasks/steer-rows.ts'
import type { WholeTask } from '#db/tasks/task-rows.ts'
import { isDestination } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'
import type { AcceptedChain } from '../accept/accept.ts'
import { reviewUntaken, takesFiles } from '../accept/file-errors.ts'
import { reaccept } from '../accept/reaccept.ts'
import { isPassedOver, takenFrom } from '../entry/loaded.ts'
import { isDone } from '../run/run-chain.ts'
import type { TaskServices } from '../task-services.ts'
import { idleExtras } from './idle-extras.ts'

/** What a retry changes in one chain. Retries hold them by configuration name. */
export interface Replacement {
  input?: ChainInput
  extras?: JsonObject
  extrasField: string
}

/** What a retry changes. */
export interface Changes {
  replacements: ReadonlyMap<string, Replacement>
  /** Files in place of assets, by parameter: for every entry that has it. */
  files?: ChainFiles
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
  { replacements, files: given = {} }: Changes,
  anyFile: boolean,
): Promise<NextRun> {
  const next: NextRun = { chains: [], warnings: [], snapshots: new Map() }
  /** Configurations whose output is made from another file this time. */
  const renewed = new Set<string>()
  const all: AcceptedChain[] = []
  for (const chain of task.chains) {
    const {
      input = chain.input,
      extras = chain.extras,
      extrasField = 'extras',
    } = replacements.get(chain.configuration) ?? {}
    const kept = Object.keys(chain.files).filter(parameter => !Object.hasOwn(given, parameter))
    if (task.files_deleted_at && ((input === chain.input && 'file' in input) || kept.length > 0))
      throw new Problem('gone', 'The uploaded files are past their retention. Send them again.')
    const [before, now] = [chain.extras, extras].map(each => sortExtras(each, extrasField).sorted) as [
      SortedExtras,
      SortedExtras,
    ]
    // An entry whose file was replaced runs again, and so do later chains that use its output.
    const fresh =
      task.files_deleted_at !== null ||
      input !== chain.input ||
      [before, now].flatMap(sorted => takenFrom({ input, sorted })).some(name => renewed.has(name))
    const { takers, sent } = await takersIn(services, trx, chain, now, Object.keys(given))
    const leftOut = chain.entries.filter(entry => isPassedOver(entry) && !isDoneWithout(services, task, chain, entry))
    const renewing = leftOut.filter(entry => !hasDestination(services, entry)).map(({ index }) => index)
    const remade = fresh
      ? new Set(chain.entries.map(({ index }) => index))
      : withRelatives(chain.entries, new Set([...takers, ...renewing]))
    if (remade.has(chain.entries.length - 1)) renewed.add(chain.configuration)
    const again = chain.entries
      .filter(entry => remade.has(entry.index) || leftOut.includes(entry) || !isDone(chain, entry))
      .map(each => each.index)
    const own = Object.fromEntries(Object.entries(given).filter(([parameter]) => sent.has(parameter)))
    const files = { ...chain.files, ...own }
    const accepted = await reaccept(services, trx, task, chain, { extras, extrasField, again, files, sent, anyFile })
    all.push(accepted)
    const { chain_id } = chain
    const { snapshot_id, assets } = accepted
    const changed =
      fresh ||
      renewing.length > 0 ||
      !isDeepStrictEqual(
        [snapshot_id, extras, assets, accepted.files],
        [chain.snapshot_id, chain.extras, chain.assets, chain.files],
      )
    next.chains.push({
      chain_id,
      snapshot_id,
      extras,
      lookups: now.lookups,
      input,
      assets,
      files: accepted.files,
      again,
      changed,
    })
    next.warnings.push(...accepted.warnings)
    if (extras !== chain.extras) {
      const kept = chain.entries.filter(({ index, status }) => status === 'Succeeded' && !again.includes(index))
      const indexes = new Set(kept.map(({ index }) => index))
      next.warnings.push(...idleExtras(services, accepted.snapshot, indexes, { before, now, extrasField }))
    }
    next.snapshots.set(snapshot_id, accepted.snapshot)
  }
  next.warnings.push(...reviewUntaken(Object.keys(given), all, task.is_group))
  return next
}

type WholeChain = WholeTask['chains'][number]

/** The entries that take new files in place of assets, and the parameters that these are for. */
async function takersIn(
  { adapters }: TaskServices,
  trx: Trx,
  chain: WholeChain,
  extras: SortedExtras,
  parameters: readonly string[],
): Promise<{ takers: Set<number>; sent: Set<string> }> {
  const takers = new Set<number>()
  const sent = new Set<string>()
  if (parameters.length === 0) return { takers, sent }
  const configs = (await snapshotsOf(trx, [chain])).get(chain.snapshot_id)?.entries ?? []
  for (const [index, config] of configs.entries()) {
    const adapter = adapters.get(config.adapter_name)
    if (!adapter) continue
    const options = mergeOptions(adapter, config.defaults, extrasFor(extras, config, adapter))
    for (const parameter of parameters) {
      if (extras.overrides.has(parameter) || !takesFiles(adapter, options, parameter)) continue
      if (!mayOverride(config, parameter)) continue
      takers.add(index)
      sent.add(parameter)
    }
  }
  return { takers, sent }
}

const hasDestination = ({ adapters }: TaskServices, { adapter_name }: WholeChain['entries'][number]): boolean => {
  const adapter = adapters.get(adapter_name)
  return adapter !== undefined && isDestination(adapter)
}

/** Whether something was made without an entry that was left out: that is not made anew when its guests agree later. */
function isDoneWithout(
  services: TaskServices,
  task: WholeTask,
  chain: WholeChain,
  entry: WholeChain['entries'][number],
): boolean {
  if (hasDestination(services, entry)) return false
  const isUsed = (index: number): boolean =>
    chain.entries.some(
      other =>
        other.input_idx === index && (other.status === 'Succeeded' || (isPassedOver(other) && isUsed(other.index))),
    )
  const takes = ({ input, extras }: WholeChain): boolean =>
    takenFrom({ input, sorted: sortExtras(extras, '').sorted }).includes(chain.configuration)
  const isOutput = entry.index === chain.entries.length - 1
  const hasMade = (other: WholeChain): boolean => other.entries.some(({ status }) => status === 'Succeeded')
  return isUsed(entry.index) || (isOutput && task.chains.some(other => takes(other) && hasMade(other)))
}

/** With all that descends from these entries, and what melted into them: that left no file to begin with. */
function withRelatives(entries: WholeChain['entries'], some: ReadonlySet<number>): Set<number> {
  const all = new Set(some)
  for (const { index, input_idx } of entries) if (input_idx !== null && all.has(input_idx)) all.add(index)
  for (const { index, input_idx } of entries.toReversed())
    if (input_idx !== null && all.has(index) && !entries[input_idx]?.output?.blob) all.add(input_idx)
  return all
}
