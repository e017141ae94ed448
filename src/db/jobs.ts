// Jobs as our own statements write them into pg-boss's table: put in and taken out together with the rows they are for.
import { type RawBuilder, sql } from 'kysely'
import type { Queries } from './database.ts'

/** Notified with a lane's name when a job that may run at once was put into it. */
export const QUEUE_CHANNEL = 'keepsake_queue'

export interface NewJob {
  id: string
  lane: string
  share: string
  turn: number
  data: object
}

/** The statement that puts a job in. How long jobs live and how often they are tried is the lane's to say. */
export const putJob = ({ id, lane, share, turn, data }: NewJob, startAfter?: Date): RawBuilder<unknown> => sql`
  insert into pgboss.job (id, name, data, priority, group_id, start_after, keep_until, policy, retry_limit, expire_seconds, deletion_seconds)
  select ${id}::uuid, name, ${JSON.stringify({ ...data, turn })}::jsonb, ${-turn}::int, ${share}, due, due + retention_seconds * interval '1 second',
    policy, retry_limit, expire_seconds, deletion_seconds
  from pgboss.queue, coalesce(${startAfter ?? null}::timestamptz, now()) as due where name = ${lane}`

/** The statement that takes a job out, whoever holds it. */
export const takeJob = (lane: string, id: string | null): RawBuilder<unknown> =>
  sql`delete from pgboss.job where name = ${lane} and id = ${id}::uuid`

/** To be selected with the commit of a job: wakes the workers. */
export const told = (lane: string): RawBuilder<unknown> => sql`pg_notify(${QUEUE_CHANNEL}, ${lane})`

export async function insertJob(queries: Queries, job: NewJob, startAfter?: Date): Promise<void> {
  await putJob(job, startAfter).execute(queries)
  if (!startAfter) await sql`select ${told(job.lane)}`.execute(queries)
}

export async function hurryJob(queries: Queries, lane: string, id: string): Promise<void> {
  await sql`update pgboss.job set start_after = now() where name = ${lane} and id = ${id}::uuid`.execute(queries)
  await sql`select ${told(lane)}`.execute(queries)
}

export async function deleteJob(queries: Queries, lane: string, id: string): Promise<void> {
  await takeJob(lane, id).execute(queries)
}
