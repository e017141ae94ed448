// Turns the rows of tasks and task groups into what the API answers.
import type { FailureRow } from '#db/nouns/failure-rows.ts'
import type { ChainFiles, ChainInput } from '#db/tables.ts'
import type { EntryRow, WholeTask } from '#db/tasks/task-rows.ts'
import { timeOf } from '#kit/ids.ts'

const time = (date: Date | null): string | null => date?.toISOString() ?? null

export function taskView(task: WholeTask) {
  const chain = task.chains[0]
  return {
    task_id: task.task_id,
    chain_id: chain?.chain_id ?? '',
    flow_id: task.flow_id,
    configuration: task.configuration,
    experience_id: task.experience_id,
    keepsake_id: task.keepsake_id,
    consent: task.consent,
    token_id: task.token_id,
    status: task.status,
    extras: chain?.extras ?? {},
    files: filesView(chain?.files ?? {}),
    input: chain ? inputView(chain.input) : null,
    webhook_url: task.webhook_url,
    warnings: task.warnings,
    created_at: task.created_at.toISOString(),
    updated_at: updatedAt(task),
    started_at: time(task.started_at),
    ended_at: time(task.ended_at),
    entries: (chain?.entries ?? []).map(entryView),
  }
}

export function groupView(task: WholeTask) {
  return {
    task_id: task.task_id,
    flow_id: task.flow_id,
    status: task.status,
    configuration_names: task.chains.map(chain => chain.configuration),
    on_failure: task.on_failure,
    experience_id: task.experience_id,
    keepsake_id: task.keepsake_id,
    consent: task.consent,
    token_id: task.token_id,
    webhook_url: task.webhook_url,
    warnings: task.warnings,
    created_at: task.created_at.toISOString(),
    updated_at: updatedAt(task),
    started_at: time(task.started_at),
    ended_at: time(task.ended_at),
    tasks: task.chains.map(chain => ({
      index: chain.index,
      configuration: chain.configuration,
      chain_id: chain.chain_id,
      status: chain.status,
      extras: chain.extras,
      files: filesView(chain.files),
      input: inputView(chain.input),
      entries: chain.entries.map(entryView),
    })),
  }
}

/** The latest time of all that happened to the task. A retry clears earlier times, but the id of its new job has one. */
function updatedAt(task: WholeTask): string {
  const entries = task.chains.flatMap(chain => chain.entries)
  const times = [task, ...entries].flatMap(({ started_at, ended_at }) => [started_at, ended_at])
  const queued = task.job_id === null ? null : timeOf(task.job_id)
  const latest = [task.created_at, queued, task.files_deleted_at, ...times].map(date => date?.getTime() ?? 0)
  return new Date(Math.max(...latest)).toISOString()
}

/** The file that was sent in or downloaded; null before that, and where it is another's output. */
const inputView = (input: ChainInput) =>
  'file' in input
    ? {
        file_name: input.file_name ?? null,
        mime: input.file.mime,
        bytes: input.file.bytes,
        sha256: input.file.sha256,
      }
    : null

/** What went wrong in a task; entries are found by their chain, whose order does not change. */
export const failureView = ({ chains }: WholeTask, failure: FailureRow) => {
  const position = chains.findIndex(({ chain_id }) => chain_id === failure.chain_id)
  return {
    run: failure.run,
    position: Math.max(0, position),
    index: failure.index,
    configuration: chains[position]?.entries[failure.index]?.configuration ?? '',
    outcome: failure.outcome,
    attempt: failure.attempt,
    error: { code: failure.code, message: failure.message },
    times: failure.times,
    first_at: failure.first_at.toISOString(),
    last_at: failure.last_at.toISOString(),
  }
}

export const requestView = (task: WholeTask) => (task.is_group ? groupView(task) : taskView(task))

export function entryView(entry: EntryRow) {
  const {
    index,
    configuration,
    adapter_name,
    input_idx,
    status,
    progress,
    result,
    error,
    warnings,
    output,
    explanation,
  } = entry
  return {
    index,
    configuration,
    adapter_name,
    input_idx,
    status,
    progress,
    seconds_left: secondsLeft(entry),
    started_at: time(entry.started_at),
    ended_at: time(entry.ended_at),
    retry_at: time(entry.retry_at),
    result,
    retracted_at: time(entry.retracted_at),
    error: error && { code: error.code, message: error.message },
    warnings,
    output: output && outputView(output),
    explanation,
  }
}

/** Below this progress the pace is a guess. */
const FIRST_GUESS = 0.03

/** Estimates from the pace so far. A retried entry has no estimate: `started_at` is the start of its first attempt. */
function secondsLeft({ status, progress, attempts, started_at }: EntryRow): number | null {
  if (status !== 'Running' || !started_at || attempts > 1 || progress < FIRST_GUESS) return null
  return Math.round(((Date.now() - started_at.getTime()) / 1000) * (1 / progress - 1))
}

const filesView = (files: ChainFiles) =>
  Object.fromEntries(
    Object.entries(files).map(([parameter, list]) => [
      parameter,
      list.map(({ mime, bytes, sha256 }) => ({ mime, bytes, sha256 })),
    ]),
  )

function outputView({ mime, width, height, duration, bytes, sha256 }: NonNullable<EntryRow['output']>) {
  return { mime, width, height, duration, bytes: sha256 === null ? null : bytes, sha256 }
}
