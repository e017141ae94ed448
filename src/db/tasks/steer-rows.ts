// Queries to steer tasks from outside: cancel one, or open the next run of one that ended.
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { json, type Queries, type Trx } from '../database.ts'
import { nextChange, notifyCancel, notifyChange } from '../notify.ts'
import { pinAssets } from '../nouns/asset-rows.ts'
import type { Lookup } from '../nouns/profiles-lookup.ts'
import { unapproveFiles } from '../nouns/wall-rows.ts'
import type { ChainFiles, ChainInput, StoredFile, TaskLane } from '../tables.ts'
import { foldedName } from './insert-task.ts'
import { forgetLookups } from './task-activities.ts'
import { type TaskRow, type WholeTask, wholeTask } from './task-rows.ts'

export async function lockTask(trx: Trx, taskId: string): Promise<WholeTask | undefined> {
  const task = trx.selectFrom('tasks').select('task_id').where('task_id', '=', taskId)
  return (await task.forUpdate().executeTakeFirst()) && wholeTask(trx, taskId)
}

/** Notifies the worker that runs the task. If none does, the caller gets the claim and must end the task. */
export async function requestCancel(trx: Trx, task: WholeTask): Promise<TaskRow> {
  const nobodys = task.worker_id === null
  const row = await trx
    .updateTable('tasks')
    .set({
      cancel_requested: true,
      change: nextChange,
      ...(nobodys ? { status: 'Running' as const, claim: randomUUID() } : {}),
    })
    .where('task_id', '=', task.task_id)
    .returningAll()
    .executeTakeFirstOrThrow()
  if (!nobodys) await notifyCancel(trx, task.task_id)
  await notifyChange(trx, task.task_id)
  return row
}

/**
 * Asks for the end of every one of these tasks that has not ended. Whoever claims one of them later ends it, also when the caller dies;
 * the caller ends those that nobody runs.
 */
export async function requestCancels(trx: Trx, taskIds: readonly string[]): Promise<TaskRow[]> {
  const { rows } = await sql<TaskRow>`
    with open as (
      select task_id from tasks where task_id = any(${[...taskIds]}::uuid[]) and status in ('Waiting', 'Running') order by task_id for update
    ) update tasks t set cancel_requested = true, change = nextval('changes') from open where t.task_id = open.task_id
    returning t.*`.execute(trx)
  for (const { task_id, worker_id } of rows) if (worker_id !== null) await notifyCancel(trx, task_id)
  return rows
}

/** Of these running tasks, those with a cancel request. */
export async function cancelRequested(queries: Queries, taskIds: readonly string[]): Promise<string[]> {
  if (taskIds.length === 0) return []
  const rows = await queries
    .selectFrom('tasks')
    .select('task_id')
    .where('task_id', 'in', [...taskIds])
    .where('cancel_requested', '=', true)
    .execute()
  return rows.map(row => row.task_id)
}

/** Nothing of the task waits for its time any more. */
export async function dueNow(trx: Trx, taskId: string): Promise<void> {
  await sql`
    update entries e set retry_at = now(), change = nextval('changes') from chains c
    where c.chain_id = e.chain_id and c.task_id = ${taskId} and e.retry_at > now()`.execute(trx)
  await notifyChange(trx, taskId)
}

export interface ReopenedChain {
  chain_id: string
  snapshot_id: string
  extras: object
  /** The guests that the extras name. */
  lookups: readonly Lookup[]
  input: ChainInput
  assets: Record<string, StoredFile>
  files: ChainFiles
  /** The entries that run again. */
  again: number[]
  /** The file or the options changed: an earlier delivery must not be continued. */
  changed: boolean
}

/** The new run's job and owner. */
interface Reopening {
  lane: TaskLane
  jobId: string
  tokenId: string | null
  limited: boolean
  warnings: readonly string[]
}

const hasName = (input: ChainInput): boolean => 'file' in input && input.file_name !== undefined

export async function reopenTask(
  trx: Trx,
  task: WholeTask,
  { lane, jobId, tokenId, limited, warnings }: Reopening,
  chains: readonly ReopenedChain[],
): Promise<void> {
  await trx
    .updateTable('tasks')
    .set(eb => ({
      status: 'Waiting',
      run: eb('run', '+', 1),
      claim: null,
      rescues: 0,
      worker_id: null,
      lane,
      job_id: jobId,
      token_id: tokenId,
      cancel_requested: false,
      spent_seconds: 0,
      ended_at: null,
      files_deleted_at: null,
      warnings: json(warnings),
      limited: task.limited || limited,
      change: nextChange,
    }))
    .where('task_id', '=', task.task_id)
    .execute()
  await trx.deleteFrom('task_errors').where('task_id', '=', task.task_id).execute()
  for (const { chain_id, again, changed, lookups, ...chain } of chains) {
    await forgetLookups(trx, chain_id, lookups)
    await trx
      .updateTable('chains')
      .set({
        snapshot_id: chain.snapshot_id,
        extras: json(chain.extras),
        input: json(chain.input),
        assets: json(chain.assets),
        file_name: foldedName(sql`${json(chain.input)}::json`),
        file_is_group: hasName(chain.input) ? task.is_group : null,
        file_experience_id: hasName(chain.input) ? task.experience_id : null,
        files: json(chain.files),
        ...(again.length > 0 ? { status: 'Waiting' as const } : {}),
      })
      .where('chain_id', '=', chain_id)
      .execute()
    const begunAnew = sql`${changed} or error->>'code' = 'outcome_unknown'`
    await sql`
      update entries set status = 'Waiting', progress = 0, attempts = 0, cut_off = 0, deaths = 0, started_at = null, ended_at = null, retry_at = null, asks_since = null, retracted_at = null,
        result = null, error = null, warnings = '[]', output = null, explanation = null,
        generation = generation + ${changed ? 1 : 0}, change = nextval('changes'),
        checkpoint = case when ${begunAnew} then null else checkpoint end, place_values = case when ${begunAnew} then null else place_values end
      where chain_id = ${chain_id} and index = any(${again}::int[])`.execute(trx)
  }
  if (task.keepsake_id !== null)
    await unapproveFiles(
      trx,
      task.keepsake_id,
      chains.filter(({ again }) => again.length > 0).map(({ chain_id }) => chain_id),
    )
  await pinAssets(trx, task.task_id)
  await notifyChange(trx, task.task_id)
}
