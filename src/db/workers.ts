// Workers and what became of them: each holds a session lock, so a peer that gets the lock knows that its holder is dead.
// A machine that vanished keeps its lock until the network notices; such a worker is known by its silence.
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { sql } from 'kysely'
import pg from 'pg'
import type { Log } from '#kit/log.ts'
import { nextChange, notifyChange } from './changes.ts'
import { type Db, json, type Trx } from './database.ts'
import type { TaskRow } from './tasks.ts'

export interface Presence {
  close(): Promise<void>
}

const RECONNECT_MS = 100
const BEAT_MS = 5_000
const SILENT_SECONDS = 30
/** After a restart of the database its workers have this long to take their locks again. */
const GRACE_SECONDS = 5

/** Shows that this worker lives for as long as it does; takes the lock again when the database was away. */
export async function bePresent(url: string, workerId: string, log: Log): Promise<Presence> {
  const lock = randomBytes(6).readUIntBE(0, 6)
  let closed = false
  let client: pg.Client | null = null
  let retry: NodeJS.Timeout | null = null

  async function connect(): Promise<void> {
    const next = new pg.Client({ connectionString: url, keepAlive: true })
    next.on('error', error => log.warn({ err: error }, 'the presence connection broke'))
    next.on('end', () => again())
    await next.connect()
    await next.query('select pg_advisory_lock($1)', [lock])
    await show(next)
    client = next
  }

  async function show(by: pg.Client): Promise<void> {
    await by.query(
      `insert into workers (worker_id, lock, host, doing, started_at, seen_at) values ($1, $2, $3, '[]', now(), now())
       on conflict (worker_id) do update set seen_at = now()`,
      [workerId, lock, hostname()],
    )
  }

  /** A connection that can't be made both ends and fails: one retry follows, not two. */
  function again(): void {
    client = null
    if (closed || retry) return
    retry = setTimeout(() => {
      retry = null
      connect().catch(() => again())
    }, RECONNECT_MS)
  }

  await connect()
  const beat = setInterval(() => {
    if (client) void show(client).catch(error => log.debug({ err: error }, 'the worker could not show itself'))
  }, BEAT_MS)
  return {
    async close() {
      closed = true
      clearInterval(beat)
      if (retry) clearTimeout(retry)
      await client?.query('delete from workers where worker_id = $1', [workerId]).catch(() => {})
      await client?.end().catch(() => {})
    },
  }
}

/** Workers whose lock is free, or who fell silent; they stay locked for this transaction, so one peer buries each. */
export async function deadWorkers(trx: Trx): Promise<string[]> {
  const { rows } = await sql<{ worker_id: string }>`
    select worker_id from (select worker_id, lock, seen_at from workers order by worker_id for update skip locked) w
    where pg_postmaster_start_time() < now() - make_interval(secs => ${GRACE_SECONDS})
      and (pg_try_advisory_xact_lock(lock) or seen_at < now() - make_interval(secs => ${SILENT_SECONDS}))`.execute(trx)
  return rows.map(row => row.worker_id)
}

/** Whether there is a task or callback that says of itself that nobody runs it. */
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

/** Running tasks of a dead worker, and of one that nobody remembers. */
export async function abandonedTasks(trx: Trx): Promise<TaskRow[]> {
  const { rows } = await sql<TaskRow>`
    select * from tasks t where status = 'Running' and worker_id is not null
      and not exists (select from workers w where w.worker_id = t.worker_id) for update skip locked`.execute(trx)
  return rows
}

/** Takes a task from its dead worker: what was under way waits again. That says nothing of the files it worked on. */
export async function takeFromDead(trx: Trx, taskId: string, jobId: string): Promise<void> {
  await trx
    .updateTable('tasks')
    .set(eb => ({ worker_id: null, job_id: jobId, claim: null, rescues: eb('rescues', '+', 1), change: nextChange }))
    .where('task_id', '=', taskId)
    .execute()
  await sql`update entries set status = 'Waiting', change = nextval('changes') from chains
    where chains.chain_id = entries.chain_id and task_id = ${taskId} and entries.status = 'Running'`.execute(trx)
  await notifyChange(trx, taskId)
}

export async function saveDoing(db: Db, workerId: string, doing: object): Promise<void> {
  await db
    .updateTable('workers')
    .set({ doing: json(doing) })
    .where('worker_id', '=', workerId)
    .execute()
}

/** Running tasks that name this worker as theirs. */
export async function tasksOf(db: Db, workerId: string): Promise<TaskRow[]> {
  // The status is part of the text: only then the index of running tasks is known to be enough.
  const { rows } = await sql<TaskRow>`select * from tasks where worker_id = ${workerId} and status = 'Running'`.execute(
    db,
  )
  return rows
}

export type Unclaimed = Pick<TaskRow, 'task_id' | 'experience_id' | 'lane' | 'job_id' | 'status'>

/** Tasks that nobody works on and that wait in the queue, or should; so many after the one named, in the order of their ids. */
export async function unclaimedTasks(db: Db, after: string | null, limit: number): Promise<Unclaimed[]> {
  const { rows } = await sql<Unclaimed>`
    select task_id, experience_id, lane, job_id, status from tasks t
    where status in ('Waiting', 'Running') and worker_id is null and task_id > ${after ?? NIL}
    order by task_id limit ${limit}`.execute(db)
  return rows
}

const NIL = '00000000-0000-0000-0000-000000000000'

const parked = sql`tasks where job_id is null and worker_id is null and status in ('Waiting', 'Running')`

/** Tasks without a job of an experience that could run another one; found experience by experience, so that those that are full cost one step. */
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
