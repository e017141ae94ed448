// Builds the bodies of callbacks. Receivers rely on them to the byte, key order included. Pure.
import type { EntryRow, WholeTask } from '#db/tasks/task-rows.ts'

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
  let failed: string | null = null
  const results = task.chains.map(chain => {
    const { configuration } = chain
    if (chain.status === 'Succeeded')
      return { error: false, result: chain.entries.map(entry => entry.result), configuration }
    const own = chain.entries.find(entry => entry.error !== null && entry.status !== 'Succeeded')
    const result = own ? errorText(own) : notRun(failed)
    failed ??= configuration
    return { error: true, result, configuration }
  })
  return { status: overall(task), task_id: task.task_id, results }
}

const notRun = (failed: string | null): string =>
  failed === null ? 'Cancelled before it ran' : `Not run, because ${failed} before it failed.`
