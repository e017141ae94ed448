// What vanished from the queue is put back, also behind many that only wait.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '#db/database.ts'
import { newId } from '#kit/ids.ts'
import { newLog } from '#kit/log.ts'
import { secretBox } from '#kit/secret/secrets.ts'
import { type Job, startQueue } from '#queue/queue.ts'
import { newReconciler } from '#tasks/steer/recover.ts'
import type { TaskServices } from '#tasks/task-services.ts'
import { cleanUp } from '../support/clean-up.ts'
import { testDatabase } from '../support/postgres.ts'
import { seedRows } from '../support/seed-rows.ts'

const FORGOTTEN = 620

/** A task of everything in a database of its own, and who looks for what vanished. */
async function seeded(t: TestContext) {
  const log = newLog('silent', 'test')
  const { url } = await testDatabase(t)
  const database = openDatabase(url, log, { max: 4 })
  const queue = await startQueue(database, log, false)
  t.after(() =>
    cleanUp(
      () => queue.stop(),
      () => database.close(),
    ),
  )
  const { db } = database
  await seedRows(db, secretBox([randomBytes(32)]), 'park')
  return { db, queue, reconcile: newReconciler({ db, queue, log } as unknown as TaskServices) }
}

test('forgotten callbacks get their jobs back round by round, however many are overdue', async t => {
  const { db, reconcile } = await seeded(t)
  const { rows: names } = await sql<{ name: string }>`
    select column_name as name from information_schema.columns where table_name = 'callbacks' and is_generated = 'NEVER'`.execute(
    db,
  )
  const own = ['callback_id', 'run', 'status', 'next_attempt_at', 'worker_id', 'job_id']
  const same = sql.join(names.filter(({ name }) => !own.includes(name)).map(({ name }) => sql.ref(name)))
  // Many are due at the same moment: the place in the list is that moment and the id.
  await sql`
    insert into callbacks (callback_id, run, status, next_attempt_at, worker_id, job_id, ${same})
    select gen_random_uuid(), run + n, 'Waiting', now() - make_interval(hours => n % 2 + 1), null, gen_random_uuid(), ${same}
    from callbacks, generate_series(1, ${FORGOTTEN}::int) n`.execute(db)
  assert.equal(await reconcile(), 500)
  assert.equal(await reconcile(), FORGOTTEN - 500)
  assert.equal(await reconcile(), 0, 'it begins anew, and all have a job')
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from callbacks c join pgboss.job j on j.id = c.job_id where c.status = 'Waiting'`.execute(
    db,
  )
  assert.equal(rows[0]?.count, FORGOTTEN)
})

test('a cancelled task whose canceller died does not wait for the job of its next attempt', async t => {
  const { db, queue, reconcile } = await seeded(t)
  const [task_id, chain_id, later] = [newId(), newId(), newId()]
  /** One more row of a table, like one that is there but for these values. */
  async function another(table: string, own: Record<string, unknown>): Promise<void> {
    const { rows } = await sql<{ name: string }>`
      select column_name as name from information_schema.columns where table_name = ${table} and is_generated = 'NEVER'`.execute(
      db,
    )
    const same = rows.filter(({ name }) => !Object.hasOwn(own, name)).map(({ name }) => sql.ref(name))
    await sql`
      insert into ${sql.table(table)} (${sql.join(Object.keys(own).map(name => sql.ref(name)))}, ${sql.join(same)})
      select ${sql.join(Object.values(own))}, ${sql.join(same)} from ${sql.table(table)} limit 1`.execute(db)
  }
  const idle = { ended_at: null, worker_id: null, job_id: later, claim: null, cancel_requested: true, lane: 'transfer' }
  await another('tasks', { task_id, status: 'Running', ...idle })
  await another('chains', { chain_id, task_id })
  await another('entries', { chain_id, index: 0, status: 'Waiting', retry_at: new Date(Date.now() + 86_400_000) })
  const ticket = { ...(await queue.takeTicket('transfer', 'park')), id: later }
  await db.transaction().execute(trx => queue.send(trx, ticket, { task_id }, { at: new Date(Date.now() + 86_400_000) }))
  const take = async () => {
    const claim = async (_trx: unknown, jobs: Job<'transfer'>[]) => ({
      taken: jobs.map(({ data }) => data.task_id),
      held: [],
    })
    return (await queue.take('transfer', 1, [], claim)).taken
  }
  assert.deepEqual(await take(), [], 'it is due tomorrow')
  assert.equal(await reconcile(), 1)
  assert.deepEqual(await take(), [task_id], 'a worker can end it now')
})
