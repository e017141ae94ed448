// The end of a run, as it is written.
import { sql } from 'kysely'
import { CHANGE_CHANNEL } from './changes.ts'
import { json, type Trx } from './database.ts'
import type { TaskStatus } from './tables.ts'
import type { EntryRow, TaskRow } from './tasks.ts'

export interface TaskEnd {
  task_id: string
  lease: number
  status: TaskStatus
  spentSeconds: number
  chains: readonly { chain_id: string; status: TaskStatus }[]
}

/** The one final state of a run, by compare-and-set; undefined when the lease is another's or the run has ended already. */
export async function endTask(
  trx: Trx,
  { task_id, lease, status, spentSeconds, chains }: TaskEnd,
): Promise<TaskRow | undefined> {
  const { rows } = await sql<TaskRow>`
    with ended as (
      update tasks set status = ${status}, ended_at = now(), worker_id = null, job_id = null, cancel_requested = false,
        spent_seconds = spent_seconds + ${spentSeconds}, change = nextval('changes')
      where task_id = ${task_id} and lease = ${lease} and status in ('Waiting', 'Running') returning *
    ), chains_ended as (
      update chains c set status = r.status
      from ended, json_to_recordset(${json(chains.map(({ chain_id, status }) => ({ chain_id, status })))}::json) as r (chain_id uuid, status text)
      where c.chain_id = r.chain_id
    ) select ended.*, pg_notify(${CHANGE_CHANNEL}, task_id::text) from ended`.execute(trx)
  return rows[0]
}

/** Results that gained the ids of activities, and warnings that the end brought. */
export async function saveResults(
  trx: Trx,
  taskId: string,
  entries: readonly EntryRow[],
  warnings: readonly string[],
): Promise<void> {
  const rows = entries
    .filter(entry => entry.result && 'activity' in entry.result)
    .map(({ chain_id, index, result }) => ({ chain_id, index, result }))
  if (rows.length > 0) {
    await sql`
      update entries e set result = r.result, change = nextval('changes')
      from json_to_recordset(${json(rows)}::json) as r (chain_id uuid, index int, result json)
      where e.chain_id = r.chain_id and e.index = r.index`.execute(trx)
  }
  if (warnings.length > 0)
    await trx
      .updateTable('tasks')
      .set({ warnings: json(warnings) })
      .where('task_id', '=', taskId)
      .execute()
}
