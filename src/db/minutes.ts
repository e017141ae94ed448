// Finished tasks counted by the minute they ended in: what the overview plots, whatever the number of tasks.
import { sql } from 'kysely'
import type { Db, Queries } from './database.ts'

const UP_TO = 'minutes counted up to'
const LOCK = 0x6d696e75 // 'minu'
/** A callback is usually delivered within this; what comes later counts with the end of its task. */
const SETTLE_SECONDS = 30

/** Each step of the scale is a fifth longer than the one before. */
export const STEP = 1.2

export interface MinuteRow {
  minute: Date
  succeeded: number
  failed: number
  /** Step of the scale to how many. */
  latency: Record<string, number>
}

const counted = (from: unknown, to: unknown) => sql`
  select date_trunc('minute', ended_at) as minute, experience_id, status,
    floor(ln(greatest(1, extract(epoch from coalesce(
      (select c.updated_at from callbacks c where c.task_id = t.task_id and c.run = t.run and c.status = 'Delivered'), t.ended_at) - t.created_at) * 1000))
      / ln(${STEP}::float8))::int as step
  from tasks t where ended_at >= ${from} and ended_at < ${to} and status <> 'Cancelled'`

/** Counts the minutes that are over; any number of workers may call it. */
export async function countMinutes(db: Db): Promise<void> {
  await db.transaction().execute(async trx => {
    const { rows: lock } = await sql<{ got: boolean }>`select pg_try_advisory_xact_lock(${LOCK}) as got`.execute(trx)
    if (!lock[0]?.got) return
    const { rows } = await sql<{
      to: Date
    }>`select date_trunc('minute', now() - make_interval(secs => ${SETTLE_SECONDS})) as to`.execute(trx)
    const to = rows[0]?.to as Date
    const from = (await countedUpTo(trx)) ?? new Date(0)
    if (from >= to) return
    await sql`
      with ended as (${counted(from, to)}),
      totals as (
        select minute, experience_id, count(*) filter (where status = 'Succeeded') as succeeded, count(*) filter (where status <> 'Succeeded') as failed
        from ended group by minute, experience_id
      ),
      scales as (
        select minute, experience_id, jsonb_object_agg(step, n) as latency
        from (select minute, experience_id, step, count(*) as n from ended group by minute, experience_id, step) steps group by minute, experience_id
      )
      insert into minutes (minute, experience_id, succeeded, failed, latency)
      select minute, experience_id, succeeded, failed, latency from totals join scales using (minute, experience_id)
      on conflict do nothing`.execute(trx)
    await trx
      .insertInto('deployment')
      .values({ key: UP_TO, value: Buffer.from(to.toISOString()) })
      .onConflict(conflict => conflict.column('key').doUpdateSet({ value: Buffer.from(to.toISOString()) }))
      .execute()
  })
}

async function countedUpTo(db: Queries): Promise<Date | null> {
  const row = await db.selectFrom('deployment').select('value').where('key', '=', UP_TO).executeTakeFirst()
  return row ? new Date(row.value.toString()) : null
}

/** Minutes since `from`, with those that are not over yet; null sees every experience. */
export async function minutesSince(db: Db, from: Date, experiences: readonly string[] | null): Promise<MinuteRow[]> {
  const upTo = (await countedUpTo(db)) ?? new Date(0)
  const live = upTo > from ? upTo : from
  const visible = experiences === null ? sql`true` : sql`experience_id = any(${[...experiences]}::text[])`
  const { rows } = await sql<MinuteRow>`
    select minute, succeeded, failed, latency from minutes where minute >= ${from} and ${visible}
    union all
    select minute, (status = 'Succeeded')::int, (status <> 'Succeeded')::int, jsonb_build_object(step, 1)
    from (${counted(live, sql`now() + interval '1 minute'`)}) e where ${visible}
    order by minute`.execute(db)
  return rows
}
