// Queries of the sweeper: which files and records of finished tasks are past their retention.
import { type RawBuilder, sql } from 'kysely'
import type { Db, Trx } from '../database.ts'

/** The next experiences, sorted by id. */
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
  /** For experiences without a retention of their own. */
  keepDays: number
  limit: number
}

/**
 * Finished tasks whose files are past their experience's retention; those of a keepsake stay at least as long as its page. Searched per
 * experience, because both may change at any time. The order makes PostgreSQL use the one index that fits: another might have to pass all
 * tasks of other experiences.
 */
export async function filesPastRetention(db: Db, { experiences, keepDays, limit }: PastRetention): Promise<string[]> {
  const past = (kind: RawBuilder<unknown>, days: RawBuilder<unknown>) => sql`
    (select task_id from tasks
      where experience_id = any(array[x.experience_id]) and ${kind} and files_deleted_at is null and ended_at < now() - make_interval(days => ${days})
      order by experience_id, ended_at limit ${limit})`
  const kept = sql`coalesce(x.retention_days, ${keepDays})`
  const onPage = sql`greatest(${kept}, (x.guest_page ->> 'expires_days')::int)`
  const { rows } = await sql<{ task_id: string }>`
    select t.task_id from experiences x
    cross join lateral (${past(sql`keepsake_id is null`, kept)} union all ${past(sql`keepsake_id is not null`, onPage)}) t
    where x.experience_id = any(${[...experiences]}::text[]) limit ${limit}`.execute(db)
  return rows.map(row => row.task_id)
}

/**
 * The blobs of a finished task with all that was made of them; none if it runs again. Locks the task, so that it cannot run again, nor
 * get a rendition, until the caller has written that they go. No other task has one of them: each stores its own. The files of assets belong to the assets.
 */
export async function lockFiles(trx: Trx, taskId: string): Promise<string[]> {
  const { rows } = await sql<{ blobs: string[] }>`
    select array(
      select c.input #>> '{file,blob}' from chains c where c.task_id = t.task_id and c.input #>> '{file,blob}' is not null
      union
      select f.value ->> 'blob' from chains c, json_each(c.files) p, json_array_elements(p.value) f where c.task_id = t.task_id
      union
      select e.output ->> 'blob' from chains c join entries e using (chain_id) where c.task_id = t.task_id and e.output ->> 'blob' is not null
      union
      select r.blob from renditions r where r.task_id = t.task_id
    ) as blobs
    from tasks t where t.task_id = ${taskId} and t.ended_at is not null and t.files_deleted_at is null for update of t`.execute(
    trx,
  )
  return rows[0]?.blobs ?? []
}

export async function markFilesDeleted(trx: Trx, taskId: string): Promise<void> {
  await sql`
    with marked as (update tasks set files_deleted_at = now() where task_id = ${taskId} and ended_at is not null returning task_id),
      unseen as (delete from renditions using marked where renditions.task_id = marked.task_id)
    delete from asset_pins using marked where asset_pins.task_id = marked.task_id`.execute(trx)
}

/**
 * Deletes old records of tasks and all that belongs to them. Activities stay, because they belong to the guest, and so do callbacks
 * that still wait. The tasks are locked before the delete: one that is run again in between is not old any more.
 */
export async function deleteOldRecords(db: Db, keepDays: number, limit: number): Promise<number> {
  return db.transaction().execute(async trx => {
    const { rows } = await sql<{ task_id: string }>`
      select task_id from tasks where ended_at < now() - make_interval(days => ${keepDays}) and files_deleted_at is not null and erasing is null
      order by ended_at limit ${limit} for update skip locked`.execute(trx)
    const ids = rows.map(row => row.task_id)
    if (ids.length === 0) return 0
    await sql`delete from callbacks where task_id = any(${ids}::uuid[]) and status <> 'Waiting'`.execute(trx)
    await sql`update callbacks set task_gone = true where task_id = any(${ids}::uuid[])`.execute(trx)
    await sql`delete from tasks where task_id = any(${ids}::uuid[])`.execute(trx)
    return ids.length
  })
}

/** Deletes callbacks that outlived their task and have ended now. */
export async function deleteLeftCallbacks(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from callbacks where task_gone and status <> 'Waiting' and callback_id in (
      select callback_id from callbacks where task_gone and status <> 'Waiting' order by callback_id limit ${limit})`.execute(
    db,
  )
  return Number(numAffectedRows)
}
