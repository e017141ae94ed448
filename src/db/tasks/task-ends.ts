// Writes the end of a run.
import { type RawBuilder, sql } from 'kysely'
import { json, type Queries, type Trx } from '../database.ts'
import { CHANGE_CHANNEL } from '../notify.ts'
import type { SigningSecrets } from '../nouns/experience-rows.ts'
import type { Claim } from './entry-rows.ts'
import type { EntryRow, TaskRow, WholeTask } from './task-rows.ts'

export interface NewCallback {
  callback_id: string
  url: string
  receiver: string
  body: string
  job_id: string
  /** The worker that attempts it at once; null if it waits for its job. */
  worker_id: string | null
}

interface TaskEnd {
  /** The final task: its status, its chains' statuses and its warnings. */
  task: WholeTask
  spentSeconds: number
  callback: NewCallback | null
}

/** Locks the task. False if the claim was lost or the run has ended already. */
export async function lockClaimedTask(trx: Trx, { task_id, claim }: Claim): Promise<boolean> {
  const { rows } = await sql`
    select from tasks where task_id = ${task_id} and claim = ${claim} and status in ('Waiting', 'Running') for update`.execute(
    trx,
  )
  return rows.length > 0
}

/**
 * Writes the final state of a run by compare-and-set, together with its chains' statuses, activity ids in results and the frozen callback. Returns the secrets that sign the callback; undefined if the claim was lost or the run has ended already.
 */
export async function endTask(
  queries: Queries,
  end: TaskEnd,
): Promise<{ row: TaskRow; secrets: SigningSecrets } | undefined> {
  const { task, spentSeconds, callback } = end
  const { task_id, claim, status, warnings, chains } = task
  const statuses = chains.map(({ chain_id, status }) => ({ chain_id, status }))
  const results = chains
    .flatMap(chain => chain.entries)
    .filter(entry => entry.result && 'activity' in entry.result)
    .map(({ chain_id, index, result }) => ({ chain_id, index, result }))
  const codes = new Set(chains.flatMap(chain => chain.entries).flatMap(entry => errorOf(entry)))
  const { rows } = await sql<TaskRow & SigningSecrets>`
    with ended as (
      update tasks set status = ${status}, ended_at = now(), worker_id = null, claim = null, job_id = null, cancel_requested = false,
        spent_seconds = spent_seconds + ${spentSeconds}, warnings = ${json(warnings)}::json, change = nextval('changes')
      where task_id = ${task_id} and claim = ${claim} and status in ('Waiting', 'Running') returning *
    ), chains_ended as (
      update chains c set status = r.status
      from ended, json_to_recordset(${json(statuses)}::json) as r (chain_id uuid, status text) where c.chain_id = r.chain_id
    ), results_known as (
      update entries e set result = r.result, change = nextval('changes')
      from ended, json_to_recordset(${json(results)}::json) as r (chain_id uuid, index int, result json)
      where e.chain_id = r.chain_id and e.index = r.index
    )${callback ? frozen(callback) : sql``}${codes.size > 0 ? failedWith([...codes]) : sql``}
    select ended.*, webhook_secret, old_webhook_secret, old_webhook_secret_until, webhook_headers,
      pg_notify(${CHANGE_CHANNEL}, task_id::text)
    from ended left join experiences using (experience_id)`.execute(queries)
  if (!rows[0]) return undefined
  const { webhook_secret, old_webhook_secret, old_webhook_secret_until, webhook_headers, ...row } = rows[0]
  return { row, secrets: { webhook_secret, old_webhook_secret, old_webhook_secret_until, webhook_headers } }
}

const errorOf = ({ status, error }: EntryRow): string[] =>
  error && (status === 'Failed' || status === 'Cancelled') ? [error.code] : []

const failedWith = (codes: readonly string[]): RawBuilder<unknown> => sql`, errors_known as (
      insert into task_errors (task_id, code, is_group, experience_id, created_at)
      select task_id, code, is_group, experience_id, created_at from ended, json_array_elements_text(${json(codes)}::json) code
      on conflict do nothing
    )`

const frozen = (row: NewCallback): RawBuilder<unknown> => sql`, callback as (
      insert into callbacks (callback_id, job_id, worker_id, task_id, run, experience_id, event, url, receiver, body, status, next_attempt_at, created_at, updated_at)
      select ${row.callback_id}::uuid, ${row.job_id}::uuid, ${row.worker_id}::uuid, task_id, run, experience_id, case when is_group then 'taskgroup' else 'task' end, ${row.url}, ${row.receiver}, ${row.body}, 'Waiting', now(), now(), now()
      from ended
    )`
