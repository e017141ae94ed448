// The current state for the overview: what waits, what runs, what keeps failing.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'
import { isSeen, newestOf, type Visible } from '../visible.ts'

interface Worker {
  worker_id: string
  host: string
  started_at: Date
  doing: { task_id: string; lane: string; since: string }[]
}

interface Now {
  waiting: { picture: number; video: number; transfer: number; callback: number }
  running: number
  /** Null for callers limited to experiences: they may not see machines or the work for others. */
  workers: Worker[] | null
  destinations: { configuration: string; failed: number; last_error: string }[]
  receivers: FailingReceiver[]
}

interface FailingReceiver {
  receiver: string
  waiting: number
  last_error: string | null
  /** Of its newest callback. */
  next_at: Date | null
}

/** Above this the exact number is of no use, and counting on would take longer the more there are. */
const COUNTED_UP_TO = 10_000
/** Failures are read from this many of the newest failed tasks of the last hour. */
const FAILED_TASKS = 300
/** How many receivers are examined, and callbacks of each. */
const RECEIVERS = 100
const OF_EACH_RECEIVER = 100

/** `machines`: the caller may see those. */
export async function readNow(db: Db, visible: Visible, machines: boolean): Promise<Now> {
  const [waiting, workers, destinations, receivers] = await Promise.all([
    countOpen(db, visible),
    machines ? readWorkers(db) : null,
    failingDestinations(db, visible),
    failingReceivers(db, visible),
  ])
  const { running, ...lanes } = waiting
  return { waiting: lanes, running, workers, destinations, receivers }
}

export async function countOpen(db: Db, visible: Visible): Promise<Now['waiting'] & { running: number }> {
  const count = (from: RawBuilder<unknown>) =>
    sql`(select count(*) from (select from ${from} and ${isSeen(visible)} limit ${COUNTED_UP_TO}::int) counted)`
  const { rows } = await sql<Now['waiting'] & { running: number }>`
    select ${count(sql`tasks where status = 'Waiting' and lane = 'picture'`)} as picture,
      ${count(sql`tasks where status = 'Waiting' and lane = 'video'`)} as video,
      ${count(sql`tasks where status = 'Waiting' and lane = 'transfer'`)} as transfer,
      ${count(sql`callbacks where status = 'Waiting'`)} as callback,
      ${count(sql`tasks where status = 'Running'`)} as running`.execute(db)
  return rows[0] as Now['waiting'] & { running: number }
}

async function failingDestinations(db: Db, visible: Visible): Promise<Now['destinations']> {
  const newest = (of: RawBuilder<unknown>) => sql`
    (select task_id, ended_at from tasks where status = 'Failed' and ended_at > now() - interval '1 hour' and ${of} order by ended_at desc limit ${FAILED_TASKS}::int)`
  const failed = newestOf(visible, newest, sql`order by ended_at desc limit ${FAILED_TASKS}::int`)
  const { rows } = await sql<Now['destinations'][number]>`
    select e.configuration, count(*) as failed, (array_agg(e.error ->> 'message' order by e.ended_at desc))[1] as last_error
    from (${failed}) t cross join lateral (
      select e.* from chains c join entries e using (chain_id) where c.task_id = t.task_id and e.status = 'Failed' offset 0
    ) e group by e.configuration order by 2 desc limit 20`.execute(db)
  return rows
}

/** Walks from receiver to receiver in an index: a receiver with a hundred thousand callbacks costs one step, like any other. */
export async function failingReceivers(db: Db, visible: Visible): Promise<Now['receivers']> {
  const failing = sql`from callbacks where status = 'Waiting' and attempt_count > 0`
  const walk = (first: RawBuilder<unknown>, further: RawBuilder<unknown>) => sql`
    with recursive found (experience_id, receiver, place) as (
      (select experience_id, receiver, 1 ${failing} and ${first} order by experience_id, receiver limit 1)
      union all
      select n.experience_id, n.receiver, place + 1 from found f cross join lateral (
        select experience_id, receiver ${failing} and (experience_id, receiver) > (f.experience_id, f.receiver) and ${further} order by experience_id, receiver limit 1
      ) n where place < ${RECEIVERS}::int
    ) select experience_id, receiver from found`
  const own = sql`experience_id = v.experience`
  const found =
    visible === null
      ? walk(sql`true`, sql`true`)
      : sql`select w.* from unnest(${[...visible]}::text[]) v (experience) cross join lateral (${walk(own, own)}) w limit ${RECEIVERS}::int`
  const { rows } = await sql<Now['receivers'][number]>`
    select f.receiver, sum(c.waiting)::int as waiting, (array_agg(c.last_error))[1] as last_error, min(c.next_at) as next_at
    from (${found}) f cross join lateral (
      select count(*) as waiting, (select next_attempt_at from callbacks n where n.callback_id = (array_agg(s.callback_id))[1]) as next_at, (select error from callback_attempts a where a.callback_id = (array_agg(s.callback_id))[1] order by at desc limit 1) as last_error
      from (select callback_id ${failing} and experience_id = f.experience_id and receiver = f.receiver order by callback_id desc limit ${OF_EACH_RECEIVER}::int) s
    ) c group by f.receiver order by 2 desc limit 20`.execute(db)
  return rows
}

async function readWorkers(db: Db): Promise<Worker[]> {
  const { rows } =
    await sql<Worker>`select worker_id, host, started_at, doing from workers order by started_at`.execute(db)
  return rows
}
