// Tasks that wait for the next attempt of an entry.
import pg from 'pg'
import { QUEUE_CHANNEL } from '#db/notify.ts'
import { until } from './until.ts'

/** Until no worker has the task in hand any more: `retry_at` is told before that, and only then it can be hastened. */
export async function untilPutOff(databaseUrl: string, path: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const sql = `select from entries join chains using (chain_id) join tasks t using (task_id)
    where task_id = $1 and retry_at is not null and t.worker_id is null and t.job_id is not null`
  const isPutOff = async () => (await client.query(sql, [path.split('/')[3]])).rows.length > 0
  await until('it waits for its next attempt', isPutOff).finally(() => client.end())
}

/** Until no worker has the task in hand any more; then its next attempt is so far away (`1 day`), or due (`0`). */
export async function putOff(databaseUrl: string, taskId: string, interval: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  // The job goes with it: at its old time a worker would have the task in hand for a moment.
  const sql = `with put_off as (
      update entries e set retry_at = now() + $2::interval from chains c join tasks t using (task_id)
      where c.chain_id = e.chain_id and t.task_id = $1 and t.worker_id is null and e.retry_at is not null
      returning t.job_id, t.lane)
    update pgboss.job set start_after = now() + $2::interval from put_off
    where id = job_id and state < 'active' returning pg_notify($3, lane)`
  const isPutOff = async () => (await client.query(sql, [taskId, interval, QUEUE_CHANNEL])).rowCount
  await until('its next attempt is put off', isPutOff).finally(() => client.end())
}

/** Makes the job of a task due that is to come later. */
export async function bringForward(databaseUrl: string, path: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const sql = `with due as (
      update pgboss.job set start_after = now() where id = (select job_id from tasks where task_id = $1))
    select pg_notify($2, lane) from tasks where task_id = $1`
  await client.query(sql, [path.split('/')[3], QUEUE_CHANNEL]).finally(() => client.end())
}
