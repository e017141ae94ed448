// Builds the bodies of callbacks. Receivers rely on them to the byte, key order included. Pure.
import { sortExtras } from '#configurations/options.ts'
import type { EntryRow, WholeTask } from '#db/tasks/task-rows.ts'
import { isPassedOver, isThrough, takenFrom } from '../entry/loaded.ts'

type FinishedTask = WholeTask

/** The bytes that are posted when a task or task group ends. */
export const callbackBody = (task: FinishedTask): string =>
  JSON.stringify(task.is_group ? groupBody(task) : taskBody(task))

const overall = (task: FinishedTask): 'Succeeded' | 'Failed' => (task.status === 'Succeeded' ? 'Succeeded' : 'Failed')

function taskBody(task: FinishedTask): object {
  const results = task.chains.flatMap(chain => chain.entries.filter(ran).map(entryResult))
  return { task_id: task.task_id, configuration: task.configuration, status: overall(task), results }
}

/** Skipped entries and those never reached are absent; a cancelled task names the entry that was cut off. */
const ran = (entry: EntryRow): boolean =>
  entry.status === 'Succeeded' || entry.status === 'Failed' || (entry.status === 'Cancelled' && entry.error !== null)

function entryResult(entry: EntryRow): object {
  const { configuration: name, chain_id, input_idx } = entry
  return entry.status === 'Succeeded'
    ? { result: entry.result, error: false, configuration: { name, chain_id, input_idx } }
    : { result: errorText(entry), error: true, configuration: name, chain_id, input_idx }
}

const errorText = (entry: EntryRow): string => entry.error?.message ?? ''

function groupBody(task: FinishedTask): object {
  /** For each configuration that did not succeed, the one whose failure ended it: itself, or one before it. */
  const failures = new Map<string, string>()
  const results = task.chains.map(chain => {
    const { configuration } = chain
    if (chain.status === 'Succeeded') return { error: false, result: chainResult(chain.entries), configuration }
    const own = chain.entries.find(entry => entry.error !== null && !isThrough(entry))
    const waitedOn = own ? configuration : failureBefore(task, chain, failures)
    failures.set(configuration, waitedOn ?? configuration)
    return { error: true, result: own ? errorText(own) : notRun(waitedOn), configuration }
  })
  return { status: overall(task), task_id: task.task_id, results }
}

/** Where every entry was left out, the result is the reason instead of a list. */
const chainResult = (entries: readonly EntryRow[]): unknown =>
  entries.every(isPassedOver)
    ? errorText(entries[0] as EntryRow)
    : entries.map(entry => (isPassedOver(entry) ? errorText(entry) : entry.result))

/** Where the group goes on after a failure, a configuration is not run because of what it takes. */
function failureBefore(
  { on_failure }: FinishedTask,
  { input, extras }: FinishedTask['chains'][number],
  failures: ReadonlyMap<string, string>,
): string | null {
  const taken = on_failure === 'continue' ? takenFrom({ input, sorted: sortExtras(extras, '').sorted }) : []
  const cause = taken.flatMap(name => failures.get(name) ?? [])[0]
  return cause ?? [...failures.values()][0] ?? null
}

const notRun = (failed: string | null): string =>
  failed === null ? 'Cancelled before it ran' : `Not run, because ${failed} before it failed.`
