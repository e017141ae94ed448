// Queries of the sweeper: what of finished tasks is past its time.
import { sql } from 'kysely'
import type { Db, Trx } from './database.ts'

/** Finished tasks whose files are past the retention of their experience (or the service's). */
export async function filesPastRetention(db: Db, keepDays: number, limit: number): Promise<string[]> {
  const { rows } = await sql<{ task_id: string }>`
    select t.task_id from tasks t left join experiences x using (experience_id)
    where t.files_deleted_at is null and t.ended_at < now() - make_interval(days => coalesce(x.retention_days, ${keepDays}))
    order by t.ended_at limit ${limit}`.execute(db)
  return rows.map(row => row.task_id)
}

/** The blobs a finished task owns; none if it runs again. Locked, so that it doesn't while they are removed. */
export async function lockFiles(trx: Trx, taskId: string): Promise<string[]> {
  const { rows } = await sql<{ blobs: string[] }>`
    select array(
      select c.input #>> '{file,blob}' from chains c where c.task_id = t.task_id and c.input #>> '{file,blob}' is not null
      union
      select e.output ->> 'blob' from chains c join entries e using (chain_id) where c.task_id = t.task_id and e.output ->> 'blob' is not null
    ) as blobs
    from tasks t where t.task_id = ${taskId} and t.ended_at is not null and t.files_deleted_at is null for update of t`.execute(
    trx,
  )
  return rows[0]?.blobs ?? []
}

export async function markFilesDeleted(trx: Trx, taskId: string): Promise<void> {
  await trx
    .updateTable('tasks')
    .set({ files_deleted_at: new Date() })
    .where('task_id', '=', taskId)
    .where('ended_at', 'is not', null)
    .execute()
}

/** Records of tasks past their time, with what hangs on them. Activities stay: they are the guest's. */
export async function deleteOldRecords(db: Db, keepDays: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with old as (
      select task_id from tasks where ended_at < now() - make_interval(days => ${keepDays}) and files_deleted_at is not null limit 1000 for update skip locked
    ), calls as (delete from callbacks where task_id in (select task_id from old) and status <> 'Waiting'
    ), gone as (delete from tasks where task_id in (select task_id from old) returning 1)
    select count(*) as count from gone`.execute(db)
  return rows[0]?.count ?? 0
}
