// Workers and whether they live. Each holds a session lock, so a peer that gets the lock suspects that its holder is dead.
// A machine that vanished keeps its lock until the network notices; such a worker is known by its silence.

import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { sql } from 'kysely'
import type pg from 'pg'
import { NIL } from '#kit/ids.ts'
import type { Log } from '#kit/log.ts'
import { type Db, json, type Trx } from '../database.ts'
import { keepSession } from '../kept-session.ts'
import { nextChange } from '../notify.ts'
import { type Pace, SILENT_SECONDS, usualPace } from '../pace.ts'
import type { Able } from '../tables.ts'
import { stopEntries } from './task-claims.ts'
import type { TaskRow } from './task-rows.ts'

interface Presence {
  close(): Promise<void>
}

interface PresenceUse {
  pace?: Pace
  /** Identifies the process. */
  mark: string
  /** What it can run now; said again with each sign of life. */
  able(): Able
  /** The connection that shows the worker's life while it has no lock. */
  db: Db
  /** The database answers new connections, but not this one. */
  stuck?(): void
}

/** A worker that ends waits so long for a database that does not answer. */
const GOODBYE_MS = 2_000

/** After a restart of the database its workers have this long to take their locks again. */
const GRACE_SECONDS = 5

/** Shows that this worker lives, until it is closed. Takes a new lock after the database was away. */
export async function bePresent(url: string, workerId: string, log: Log, use: PresenceUse): Promise<Presence> {
  const { pace = usualPace, mark, able, db, stuck } = use
  let lock = 0
  const show = (by: pg.Client): Promise<unknown> =>
    by.query(
      `insert into workers (worker_id, lock, host, mark, able, doing, started_at, seen_at) values ($1, $2, $3, $4, $5, '[]', now(), now())
       on conflict (worker_id) do update set seen_at = now(), lock = excluded.lock, able = excluded.able`,
      [workerId, lock, hostname(), mark, JSON.stringify(able())],
    )
  const session = await keepSession(url, log, {
    name: 'presence',
    pace,
    async begin(client) {
      // A new lock each time: the old one may still be held by a connection whose end PostgreSQL has not noticed.
      lock = randomBytes(6).readUIntBE(0, 6)
      await client.query('select pg_advisory_lock($1)', [lock])
      await show(client)
    },
    beat: show,
    missing: () => void beSeen(db, workerId).catch(error => log.debug({ err: error }, 'the worker was not seen')),
    ...(stuck && { stuck }),
  })
  return {
    async close() {
      await session
        .client()
        ?.query({
          text: 'delete from workers where worker_id = $1',
          values: [workerId],
          query_timeout: GOODBYE_MS,
        } as pg.QueryConfig)
        .catch(() => {})
      await session.close()
    },
  }
}

async function beSeen(db: Db, workerId: string): Promise<void> {
  await sql`update workers set seen_at = now() where worker_id = ${workerId}`.execute(db)
}

/** Other workers that live and say what they can run. */
export async function ableOthers(db: Db, self: string): Promise<{ worker_id: string; able: Able }[]> {
  const { rows } = await sql<{ worker_id: string; able: Able }>`
    select worker_id, able from workers where worker_id <> ${self} and able is not null
      and seen_at > now() - make_interval(secs => ${SILENT_SECONDS})`.execute(db)
  return rows
}

interface Suspect {
  worker_id: string
  mark: string | null
  /** When it was last seen, as PostgreSQL writes it. */
  seen: string
  /** It was not seen for so long that it cannot both live and reach the database. */
  silent: boolean
  /** It may be sending something that only it knows the answer to. */
  sends: boolean
}

/** A running delivery of a task `t` that has noted something. */
const sending = sql`exists (select from chains join entries using (chain_id)
  where chains.task_id = t.task_id and entries.status = 'Running' and checkpoint is not null)`

/** Other workers whose lock is free or who fell silent. Their rows stay locked, so exactly one peer recovers a dead worker. */
export async function suspectWorkers(trx: Trx, self: string): Promise<Suspect[]> {
  const { rows } = await sql<Suspect>`
    select worker_id, mark, seen_at::text as seen, silent,
      exists (select from tasks t where t.worker_id = w.worker_id and status = 'Running' and ${sending}) as sends from (
      select worker_id, mark, lock, seen_at, seen_at < now() - make_interval(secs => ${SILENT_SECONDS}) as silent from workers
      where worker_id <> ${self} order by worker_id for update skip locked) w
    where pg_postmaster_start_time() < now() - make_interval(secs => ${GRACE_SECONDS})
      and (pg_try_advisory_xact_lock(lock) or silent)`.execute(trx)
  return rows
}

/** Whether a task or callback names a worker that does not exist. */
export async function anyAbandoned(db: Db): Promise<boolean> {
  const { rows } = await sql<{ any: boolean }>`
    select exists (select from tasks t where status = 'Running' and worker_id is not null
        and not exists (select from workers w where w.worker_id = t.worker_id))
      or exists (select from callbacks c where status = 'Waiting' and worker_id is not null
        and not exists (select from workers w where w.worker_id = c.worker_id)) as any`.execute(db)
  return rows[0]?.any ?? false
}

export async function forgetWorker(trx: Trx, workerId: string): Promise<void> {
  await trx.deleteFrom('workers').where('worker_id', '=', workerId).execute()
}

/** Running tasks whose worker is dead or unknown, and those of a worker that is `lost`, but for what it may be sending. */
export async function abandonedTasks(trx: Trx, lost: readonly string[]): Promise<TaskRow[]> {
  const { rows } = await sql<TaskRow>`
    select * from tasks t where status = 'Running' and worker_id is not null
      and (not exists (select from workers w where w.worker_id = t.worker_id)
        or worker_id = any(${[...lost]}::uuid[]) and not ${sending})
    for update skip locked`.execute(trx)
  return rows
}

/** Takes a task from its dead worker: its running entries wait again. The death is not counted against the files. */
export async function takeFromDead(trx: Trx, taskId: string, jobId: string): Promise<void> {
  await trx
    .updateTable('tasks')
    .set(eb => ({ worker_id: null, job_id: jobId, claim: null, rescues: eb('rescues', '+', 1), change: nextChange }))
    .where('task_id', '=', taskId)
    .execute()
  await stopEntries(trx, taskId)
}

export async function saveDoing(db: Db, workerId: string, doing: object): Promise<void> {
  await db
    .updateTable('workers')
    .set({ doing: json(doing) })
    .where('worker_id', '=', workerId)
    .execute()
}

/** Running tasks that name this worker. */
export async function tasksOf(db: Db, workerId: string): Promise<TaskRow[]> {
  // The status is a literal in the SQL text: only then PostgreSQL uses the partial index of running tasks.
  const { rows } = await sql<TaskRow>`select * from tasks where worker_id = ${workerId} and status = 'Running'`.execute(
    db,
  )
  return rows
}

export type Unclaimed = Pick<TaskRow, 'task_id' | 'experience_id' | 'lane' | 'job_id' | 'status'>

/** The next tasks without a worker that wait in the queue, or should. Sorted by id, after `after`. */
export async function unclaimedTasks(db: Db, after: string | null, limit: number): Promise<Unclaimed[]> {
  const { rows } = await sql<Unclaimed>`
    select task_id, experience_id, lane, job_id, status from tasks
    where status in ('Waiting', 'Running') and worker_id is null and task_id > ${after ?? NIL}
    order by task_id limit ${limit}`.execute(db)
  return rows
}

const parked = sql`tasks where job_id is null and worker_id is null and status in ('Waiting', 'Running')`

/** Parked tasks of experiences that could run another one. Walks from experience to experience, so a full one costs one step. */
export async function parkedInVain(db: Db, limit: number): Promise<Unclaimed[]> {
  const { rows } = await sql<Unclaimed>`
    with recursive waiting (experience_id, place) as (
      (select experience_id, 1 from ${parked} order by experience_id limit 1)
      union all
      select n.experience_id, place + 1 from waiting w cross join lateral (
        select experience_id from ${parked} and experience_id > w.experience_id order by experience_id limit 1
      ) n where place < ${limit}::int
    )
    select t.task_id, t.experience_id, t.lane, t.job_id, t.status from waiting w left join experiences e using (experience_id)
    cross join lateral (
      select count(*) as count from (
        select from tasks r where r.experience_id = w.experience_id and r.status = 'Running' and r.worker_id is not null limit e.max_running) r
    ) running
    cross join lateral (
      select task_id, experience_id, lane, job_id, status from ${parked} and experience_id = w.experience_id
      order by created_at limit greatest(0, coalesce(e.max_running, ${limit}::int) - running.count)
    ) t limit ${limit}`.execute(db)
  return rows
}
