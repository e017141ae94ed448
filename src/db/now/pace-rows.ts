// How fast work goes now, lane by lane: what waits, what is in hand, how long it takes.
import { type RawBuilder, sql } from 'kysely'
import { timeOf } from '#kit/ids.ts'
import type { Db } from '../database.ts'
import type { TaskLane } from '../tables.ts'
import { isSeen, newestOf, type Visible } from '../visible.ts'

interface LanePace {
  lane: TaskLane
  /** Tasks that workers have in hand. */
  held: number
  /** How long a task of the last minutes ran, the middle one; null if none ended. */
  seconds: number | null
  /** Tasks that ended within the last minute. */
  ended: number
}

/** Times are measured on this many of the newest tasks that ended within the last quarter of an hour. */
const MEASURED = 600
/** Held tasks that are looked at: more than all workers have. */
const HELD = 1_000

export async function lanePaces(db: Db, visible: Visible): Promise<LanePace[]> {
  const some = (which: RawBuilder<unknown>) => sql`
    (select lane, started_at, ended_at from tasks where ended_at > now() - interval '15 minutes' and ${which}
      order by ended_at desc limit ${MEASURED}::int)`
  // What ended lately has its files: so PostgreSQL can use the indexes of files by experience.
  const ofKind = (kind: RawBuilder<unknown>, of: RawBuilder<unknown>) =>
    some(sql`files_deleted_at is null and ${kind} and ${of}`)
  const newest = (of: RawBuilder<unknown>) =>
    visible === null
      ? some(of)
      : sql`(${ofKind(sql`keepsake_id is null`, of)} union all ${ofKind(sql`keepsake_id is not null`, of)})`
  const ended = newestOf(visible, newest, sql`order by ended_at desc limit ${MEASURED}::int`)
  const { rows } = await sql<LanePace>`
    with measured as materialized (
      select lane, percentile_cont(0.5) within group (order by extract(epoch from ended_at - started_at)) as seconds,
        count(*) filter (where ended_at > now() - interval '1 minute')::int as ended
      from (${ended}) t where started_at is not null group by lane
    ), held as materialized (
      select lane, count(*)::int as held
      from (select lane from tasks where status = 'Running' and worker_id is not null and ${isSeen(visible)} limit ${HELD}::int) r group by lane
    )
    select l.lane, coalesce(held, 0) as held, seconds::float8 as seconds, coalesce(ended, 0) as ended
    from (values ('picture'), ('video'), ('transfer')) l (lane) left join measured using (lane) left join held using (lane)`.execute(
    db,
  )
  return rows
}

/** When the task that waits longest in a lane was put there, of some of them; null if none waits. */
export async function waitingSince(db: Db, visible: Visible, lane: TaskLane): Promise<Date | null> {
  const { rows } = await sql<{ since: Date | null }>`
    select min(created_at) as since from (
      select created_at from tasks where status = 'Waiting' and lane = ${lane} and ${isSeen(visible)} limit 500) w`.execute(
    db,
  )
  return rows[0]?.since ?? null
}

/** Since when the job that waits longest has been due, lane by lane. Ids of jobs are made in the order of time. */
export async function readWaitingSince(db: Db): Promise<Record<TaskLane | 'callback', Date | null>> {
  const oldest = (lane: TaskLane) =>
    sql`(select job_id from tasks where status = 'Waiting' and lane = ${lane} and job_id is not null order by job_id limit 1)`
  const { rows } = await sql<Record<TaskLane, string | null> & { callback: Date | null }>`
    select ${oldest('picture')} as picture, ${oldest('video')} as video, ${oldest('transfer')} as transfer,
      (select min(next_attempt_at) from callbacks where status = 'Waiting') as callback`.execute(db)
  const [{ picture = null, video = null, transfer = null, callback = null } = {}] = rows
  const since = (jobId: string | null): Date | null => (jobId === null ? null : timeOf(jobId))
  return { picture: since(picture), video: since(video), transfer: since(transfer), callback }
}
