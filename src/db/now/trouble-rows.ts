// What needs a hand now: tasks that failed, entries that are tried again, callbacks that were given up.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'
import { SILENT_SECONDS } from '../pace.ts'
import type { Able } from '../tables.ts'
import { newestOf, type Visible } from '../visible.ts'

/** Failures are read from this many of the newest failed tasks. */
const FAILED_TASKS = 300
/** How many running tasks are looked through for entries that are tried again. */
const RUNNING_TASKS = 500
const GIVEN_UP = 500
/** Causes that are listed of each kind. */
const CAUSES = 20

interface FailedCause {
  error_code: string
  configuration: string
  is_group: boolean
  count: number
  message: string | null
  first_created_at: Date
  last_at: Date
  task_id: string
}

interface RetriedCause {
  error_code: string
  configuration: string
  adapter_name: string
  is_group: boolean
  count: number
  message: string | null
  next_at: Date | null
  task_id: string
  /** The configurations that the tasks were made with, for filters. */
  chains: string[]
}

interface GivenUpCause {
  receiver: string
  count: number
  last_error: string | null
  status_code: number | null
  first_created_at: Date
  last_at: Date
}

/** Of the last day, by what went wrong and in which configuration. The first failed entry of a task is its cause. */
export async function failedCauses(db: Db, visible: Visible): Promise<FailedCause[]> {
  const newest = (of: RawBuilder<unknown>) => sql`
    (select task_id, is_group, created_at, ended_at from tasks where status = 'Failed' and ended_at > now() - interval '1 day' and ${of}
      order by ended_at desc limit ${FAILED_TASKS}::int)`
  const { rows } = await sql<FailedCause>`
    select coalesce(e.error ->> 'code', 'unknown') as error_code, e.listed as configuration, t.is_group, count(*)::int as count,
      (array_agg(e.error ->> 'message' order by t.ended_at desc))[1] as message, min(t.created_at) as first_created_at,
      max(t.ended_at) as last_at, (array_agg(t.task_id order by t.ended_at desc))[1] as task_id
    from (${newestOf(visible, newest, sql`order by ended_at desc limit ${FAILED_TASKS}::int`)}) t cross join lateral (
      select e.error, c.configuration as listed from chains c join entries e using (chain_id)
      where c.task_id = t.task_id and e.status = 'Failed' order by c.index, e.index limit 1
    ) e group by 1, 2, 3 order by count(*) desc, max(t.ended_at) desc limit ${CAUSES}::int`.execute(db)
  return rows
}

/** Entries that went wrong and are not given up, from the first attempt on. Who waits for a consent is not in trouble. */
export async function retriedCauses(db: Db, visible: Visible): Promise<RetriedCause[]> {
  const some = (of: RawBuilder<unknown>) => sql`
    (select task_id, is_group, configuration from tasks where status = 'Running' and ${of} limit ${RUNNING_TASKS}::int)`
  const { rows } = await sql<RetriedCause>`
    select e.error ->> 'code' as error_code, e.configuration, e.adapter_name, t.is_group, count(*)::int as count,
      (array_agg(e.error ->> 'message' order by e.retry_at desc nulls last))[1] as message, min(e.retry_at) as next_at,
      (array_agg(t.task_id order by t.task_id desc))[1] as task_id, array_agg(distinct e.listed) as chains
    from (${newestOf(visible, some, sql`limit ${RUNNING_TASKS}::int`)}) t cross join lateral (
      select e.*, c.configuration as listed from chains c join entries e using (chain_id)
      where c.task_id = t.task_id and e.status in ('Waiting', 'Running') and e.error is not null and e.error ->> 'code' <> 'needs_consent' offset 0
    ) e group by 1, 2, 3, 4 order by count(*) desc limit ${CAUSES}::int`.execute(db)
  return rows
}

/** Callbacks that nobody sends any more, of those made within the last week, by their receiver. */
export async function givenUpCauses(db: Db, visible: Visible): Promise<GivenUpCause[]> {
  const newest = (of: RawBuilder<unknown>) => sql`
    (select callback_id, receiver, created_at, updated_at from callbacks
      where status = 'GivenUp' and created_at > now() - interval '7 days' and ${of} order by created_at desc limit ${GIVEN_UP}::int)`
  const { rows } = await sql<GivenUpCause>`
    select g.receiver, g.count, g.first_created_at, g.last_at, a.error as last_error, a.status_code from (
      select receiver, count(*)::int as count, min(created_at) as first_created_at, max(updated_at) as last_at,
        (array_agg(callback_id order by updated_at desc))[1] as newest
      from (${newestOf(visible, newest, sql`order by created_at desc limit ${GIVEN_UP}::int`)}) c group by receiver
      order by count(*) desc limit ${CAUSES}::int
    ) g left join lateral (
      select error, status_code from callback_attempts where callback_id = g.newest order by at desc limit 1
    ) a on true order by g.count desc`.execute(db)
  return rows
}

/** A step fails in a row when its newest entries, of several tasks of the last hour, all failed with one code. */
const IN_A_ROW = 5
const OF_TASKS = 3
/** How many of the newest ended tasks are looked through for one where the step succeeded. */
const ENDED_TASKS = 2_000

interface FailingStep {
  adapter_name: string
  error_code: string
  message: string | null
  first_at: Date
  last_at: Date
  task_id: string
}

/** Adapters whose newest entries all failed with the same code, on different inputs. */
export async function listFailingSteps(db: Db, visible: Visible): Promise<FailingStep[]> {
  const newest = (of: RawBuilder<unknown>) => sql`
    (select task_id, ended_at from tasks where status = 'Failed' and ended_at > now() - interval '1 hour' and ${of}
      order by ended_at desc limit ${FAILED_TASKS}::int)`
  const { rows } = await sql<FailingStep>`
    with failed as (
      select e.adapter_name, e.error ->> 'code' as code, e.error ->> 'message' as message, e.ended_at, t.task_id,
        row_number() over (partition by e.adapter_name order by e.ended_at desc) as nth
      from (${newestOf(visible, newest, sql`order by ended_at desc limit ${FAILED_TASKS}::int`)}) t
      cross join lateral (select e.* from chains c join entries e using (chain_id) where c.task_id = t.task_id and e.status = 'Failed') e
    ), steps as (
      select adapter_name, min(code) as error_code, (array_agg(message order by nth))[1] as message, min(ended_at) as first_at,
        max(ended_at) as last_at, (array_agg(task_id order by nth))[1] as task_id
      from failed where nth <= ${IN_A_ROW}::int group by adapter_name
      having count(*) = ${IN_A_ROW}::int and count(distinct task_id) >= ${OF_TASKS}::int and count(distinct code) = 1
    )
    select * from steps s where not exists (
      select from (select task_id from tasks where ended_at >= s.first_at order by ended_at desc limit ${ENDED_TASKS}::int) t
      cross join lateral (
        select from chains c join entries e using (chain_id)
        where c.task_id = t.task_id and e.adapter_name = s.adapter_name and e.status = 'Succeeded' and e.ended_at >= s.first_at limit 1
      ) e
    ) order by last_at desc limit ${CAUSES}::int`.execute(db)
  return rows
}

interface SeenWorker {
  worker_id: string
  host: string
  able: Able | null
  seen_at: Date
  silent: boolean
}

export const listLivingWorkers = async (db: Db): Promise<SeenWorker[]> =>
  (await seenWorkers(db)).filter(({ silent }) => !silent)

export async function seenWorkers(db: Db): Promise<SeenWorker[]> {
  const { rows } = await sql<SeenWorker>`
    select worker_id, host, able, seen_at, seen_at < now() - make_interval(secs => ${SILENT_SECONDS}) as silent
    from workers order by host, started_at`.execute(db)
  return rows
}
