// Counts finished tasks per minute, so that the overview's plots cost the same for any number of tasks.
import { sql } from 'kysely'
import type { Db, Queries, Trx } from '../database.ts'
import { isSeen, type Visible } from '../visible.ts'

const UP_TO = 'minutes counted up to'
const LOCK = 0x6d696e75 // 'minu'
/** A callback is usually delivered within this time. For a later one the latency ends with its task. */
const SETTLE_SECONDS = 30

/** Each step of the latency scale is a fifth longer than the one before. */
export const STEP = 1.2

export interface MinuteRow {
  minute: Date
  succeeded: number
  failed: number
  /** From a step of the scale to the number of tasks. */
  latency: Record<string, number>
}

/** In minutes: the points of the plots of an hour, a day and a week. */
type Width = 1 | 15 | 120
const WIDTHS: readonly Width[] = [1, 15, 120]
/** A day more than the longest plot. */
const KEPT_DAYS = 8
/** Limit per call, if nothing was counted for long. */
const MOST_MINUTES = 500

/** The experience id of the sum over all experiences. */
const ALL = ''

const counted = (from: unknown, to: unknown) => sql`
  select date_trunc('minute', ended_at) as minute, experience_id, status,
    floor(ln(greatest(1, extract(epoch from coalesce(
      (select c.updated_at from callbacks c where c.task_id = t.task_id and c.run = t.run and c.status = 'Delivered'), t.ended_at) - t.created_at) * 1000))
      / ln(${STEP}::float8))::int as step
  from tasks t where ended_at >= ${from} and ended_at < ${to} and status <> 'Cancelled'`

/** Counts the minutes that are over. Any number of workers may call it. */
export async function countMinutes(db: Db): Promise<void> {
  for (let minute = 0; minute < MOST_MINUTES; minute++) if (!(await countNext(db))) return
}

/** Counts one minute in which a task ended. False if all are counted, or another worker counts. */
async function countNext(db: Db): Promise<boolean> {
  return db.transaction().execute(async trx => {
    const { rows: lock } = await sql<{ got: boolean }>`select pg_try_advisory_xact_lock(${LOCK}) as got`.execute(trx)
    if (!lock[0]?.got) return false
    const from = (await countedUpTo(trx)) ?? new Date(0)
    const { rows } = await sql<{ minute: Date | null; over: Date }>`
      select date_trunc('minute', (select min(ended_at) from tasks where ended_at >= ${from})) as minute,
        date_trunc('minute', now() - make_interval(secs => ${SETTLE_SECONDS})) as over`.execute(trx)
    const { minute, over } = rows[0] as { minute: Date | null; over: Date }
    if (minute === null || minute >= over) {
      if (from < over) await setCountedUpTo(trx, over)
      return false
    }
    const to = new Date(minute.getTime() + 60_000)
    await addUp(trx, minute, to)
    await setCountedUpTo(trx, to)
    return true
  })
}

async function addUp(trx: Trx, from: Date, to: Date): Promise<void> {
  await sql`
    with ended as (${counted(from, to)}),
    wide as (
      select w.width, x.experience_id, to_timestamp(floor(extract(epoch from minute) / (w.width * 60)) * w.width * 60) as minute, status, step
      from ended e, unnest(${[...WIDTHS]}::int[]) as w (width), lateral (values (e.experience_id), (${ALL})) x (experience_id)
    ),
    totals as (
      select width, experience_id, minute, count(*) filter (where status = 'Succeeded') as succeeded, count(*) filter (where status <> 'Succeeded') as failed
      from wide group by width, experience_id, minute
    ),
    scales as (
      select width, experience_id, minute, jsonb_object_agg(step, n) as latency
      from (select width, experience_id, minute, step, count(*) as n from wide group by width, experience_id, minute, step) steps
      group by width, experience_id, minute
    )
    insert into minutes as m (width, experience_id, minute, succeeded, failed, latency)
    select width, experience_id, minute, succeeded, failed, latency from totals join scales using (width, experience_id, minute)
    on conflict (width, experience_id, minute) do update set succeeded = m.succeeded + excluded.succeeded, failed = m.failed + excluded.failed,
      latency = (select jsonb_object_agg(key, n) from (
        select key, sum(value::int) as n from (select * from jsonb_each_text(m.latency) union all select * from jsonb_each_text(excluded.latency)) both_of
        group by key) summed)`.execute(trx)
}

async function setCountedUpTo(trx: Trx, to: Date): Promise<void> {
  const value = Buffer.from(to.toISOString())
  await trx
    .insertInto('deployment')
    .values({ key: UP_TO, value })
    .onConflict(conflict => conflict.column('key').doUpdateSet({ value }))
    .execute()
}

async function countedUpTo(db: Queries): Promise<Date | null> {
  const row = await db.selectFrom('deployment').select('value').where('key', '=', UP_TO).executeTakeFirst()
  return row ? new Date(row.value.toString()) : null
}

/** Counts since `from`, with the minutes that are not over yet. */
export async function minutesSince(db: Db, from: Date, width: Width, visible: Visible): Promise<MinuteRow[]> {
  const upTo = (await countedUpTo(db)) ?? new Date(0)
  const live = upTo > from ? upTo : from
  const { rows } = await sql<MinuteRow>`
    select minute, succeeded, failed, latency from minutes
    where width = ${width}::int and experience_id = any(${[...(visible ?? [ALL])]}::text[]) and minute >= ${from}
    union all
    select minute, (status = 'Succeeded')::int, (status <> 'Succeeded')::int, jsonb_build_object(step, 1)
    from (${counted(live, sql`now() + interval '1 minute'`)}) e where ${isSeen(visible)}
    order by minute`.execute(db)
  return rows
}

/** Deletes counts that no plot reaches back to. */
export async function forgetOldMinutes(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from minutes where (width, experience_id, minute) in (
      select width, experience_id, minute from minutes where minute < now() - make_interval(days => ${KEPT_DAYS}) order by minute limit ${limit})`.execute(
    db,
  )
  return Number(numAffectedRows)
}
