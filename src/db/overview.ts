// What the overview shows of this very moment: who waits, who works, what keeps failing.
import { sql } from 'kysely'
import type { Db } from './database.ts'

interface Worker {
  worker_id: string
  host: string
  started_at: Date
  doing: { task_id: string; lane: string; since: string }[]
}

export interface Now {
  waiting: { picture: number; video: number; transfer: number; callback: number }
  running: number
  /** Null for callers limited to experiences: machines, and what they do for others, are not theirs to see. */
  workers: Worker[] | null
  destinations: { configuration: string; failed: number; last_error: string }[]
  receivers: { receiver: string; waiting: number; last_error: string | null }[]
}

export async function readNow(db: Db, experiences: readonly string[] | null): Promise<Now> {
  const visible = experiences === null ? sql`true` : sql`experience_id = any(${[...experiences]}::text[])`
  const [tasks, callbacks, workers, destinations, receivers] = await Promise.all([
    sql<{ lane: string; status: string; count: number }>`
      select lane, status, count(*) as count from tasks where status in ('Waiting', 'Running') and ${visible} group by lane, status`.execute(
      db,
    ),
    sql<{ count: number }>`select count(*) as count from callbacks where status = 'Waiting' and ${visible}`.execute(db),
    experiences === null ? readWorkers(db) : null,
    sql<Now['destinations'][number]>`
      select e.configuration, count(*) as failed, (array_agg(e.error ->> 'message' order by e.ended_at desc))[1] as last_error
      from tasks t join chains c using (task_id) join entries e using (chain_id)
      where t.status = 'Failed' and t.ended_at > now() - interval '1 hour' and e.status = 'Failed' and ${visible} group by e.configuration order by 2 desc limit 20`.execute(
      db,
    ),
    sql<Now['receivers'][number]>`
      select receiver, count(*) as waiting, (array_agg(a.error order by a.at desc))[1] as last_error
      from callbacks c left join lateral (select error, at from callback_attempts x where x.callback_id = c.callback_id order by at desc limit 1) a on true
      where c.status = 'Waiting' and c.attempt_count > 0 and ${visible} group by receiver order by 2 desc limit 20`.execute(
      db,
    ),
  ])
  const count = (lane: string): number =>
    tasks.rows.filter(row => row.lane === lane && row.status === 'Waiting').reduce((sum, row) => sum + row.count, 0)
  return {
    waiting: {
      picture: count('picture'),
      video: count('video'),
      transfer: count('transfer'),
      callback: callbacks.rows[0]?.count ?? 0,
    },
    running: tasks.rows.filter(row => row.status === 'Running').reduce((sum, row) => sum + row.count, 0),
    workers,
    destinations: destinations.rows,
    receivers: receivers.rows,
  }
}

async function readWorkers(db: Db): Promise<Worker[]> {
  const { rows } =
    await sql<Worker>`select worker_id, host, started_at, doing from workers order by started_at`.execute(db)
  return rows
}
