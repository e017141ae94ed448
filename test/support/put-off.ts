// Tasks that wait for the next attempt of an entry.
import pg from 'pg'
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
