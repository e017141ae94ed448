// Queries of the sweeper: what of finished tasks is past its time.
import { sql } from 'kysely'
import type { Db, Trx } from '../database.ts'

/** Some experiences, in the order of their ids. */
export async function experiencesAfter(db: Db, after: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('experiences')
    .select('experience_id')
    .where('experience_id', '>', after)
    .orderBy('experience_id')
    .limit(limit)
    .execute()
  return rows.map(row => row.experience_id)
}

interface PastRetention {
  experiences: readonly string[]
  /** Where an experience says nothing. */
  keepDays: number
  /** Tasks that were tried in vain. */
  except: readonly string[]
  limit: number
}

/** Finished tasks whose files are past the retention of their experience, looked for in each of them: it may be changed at any time. In the order of the one index that fits: another may have to pass all tasks of others. */
export async function filesPastRetention(
  db: Db,
  { experiences, keepDays, except, limit }: PastRetention,
): Promise<string[]> {
  const { rows } = await sql<{ task_id: string }>`
    select t.task_id from experiences x cross join lateral (
      select task_id from tasks
      where experience_id = any(array[x.experience_id]) and files_deleted_at is null and ended_at < now() - make_interval(days => coalesce(x.retention_days, ${keepDays}))
        and task_id <> all(${[...except]}::uuid[])
      order by experience_id, ended_at limit ${limit}
    ) t where x.experience_id = any(${[...experiences]}::text[]) limit ${limit}`.execute(db)
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
  await sql`
    with marked as (update tasks set files_deleted_at = now() where task_id = ${taskId} and ended_at is not null returning task_id)
    delete from asset_pins using marked where asset_pins.task_id = marked.task_id`.execute(trx)
}

/**
 * Records of tasks past their time, with what hangs on them. Activities stay: they are the guest's; and so do callbacks that still wait.
 * First locked, then deleted: one that is run again in between is not old any more.
 */
export async function deleteOldRecords(db: Db, keepDays: number, limit: number): Promise<number> {
  return db.transaction().execute(async trx => {
    const { rows } = await sql<{ task_id: string }>`
      select task_id from tasks where ended_at < now() - make_interval(days => ${keepDays}) and files_deleted_at is not null
      order by ended_at limit ${limit} for update skip locked`.execute(trx)
    const ids = rows.map(row => row.task_id)
    if (ids.length === 0) return 0
    await sql`delete from callbacks where task_id = any(${ids}::uuid[]) and status <> 'Waiting'`.execute(trx)
    await sql`update callbacks set task_gone = true where task_id = any(${ids}::uuid[])`.execute(trx)
    await sql`delete from tasks where task_id = any(${ids}::uuid[])`.execute(trx)
    return ids.length
  })
}

/** Callbacks that outlived their task, now that they have ended too. */
export async function deleteLeftCallbacks(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from callbacks where task_gone and status <> 'Waiting' and callback_id in (
      select callback_id from callbacks where task_gone and status <> 'Waiting' order by callback_id limit ${limit})`.execute(
    db,
  )
  return Number(numAffectedRows)
}
