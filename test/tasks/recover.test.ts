// What vanished from the queue is put back, also behind many that only wait.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import type { TaskOwner } from '#access/limits.ts'
import { type Db, json, openDatabase } from '#db/database.ts'
import { SILENT_SECONDS } from '#db/pace.ts'
import { newId } from '#kit/ids.ts'
import { newLog } from '#kit/log.ts'
import { secretBox } from '#kit/secret/secrets.ts'
import { type Job, startQueue } from '#queue/queue.ts'
import type { Bulk } from '#tasks/steer/bulk.ts'
import { newReconciler, recoverAbandoned } from '#tasks/steer/recover.ts'
import { cancelTask } from '#tasks/steer/steer.ts'
import { steerMany } from '#tasks/steer/steer-many.ts'
import type { TaskServices } from '#tasks/task-services.ts'
import { cleanUp } from '../support/clean-up.ts'
import { testDatabase } from '../support/postgres.ts'
import { seedRows } from '../support/seed-rows.ts'
import { until } from '../support/until.ts'

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
  const services = { db, queue, log, workerId: newId() } as unknown as TaskServices & { workerId: string }
  return { db, queue, services, reconcile: newReconciler(services) }
}

/** One more row of a table, like one that is there but for these values. */
async function another(db: Db, table: string, own: Record<string, unknown>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select column_name as name from information_schema.columns where table_name = ${table} and is_generated = 'NEVER'`.execute(
    db,
  )
  const same = rows.filter(({ name }) => !Object.hasOwn(own, name)).map(({ name }) => sql.ref(name))
  await sql`
    insert into ${sql.table(table)} (${sql.join(Object.keys(own).map(name => sql.ref(name)))}, ${sql.join(same)})
    select ${sql.join(Object.values(own))}, ${sql.join(same)} from ${sql.table(table)} limit 1`.execute(db)
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

for (const [how, cancel] of [
  ['one', (services: TaskServices, id: string) => assert.rejects(cancelTask(services, id), /dies here/)],
  [
    'many',
    (services: TaskServices, id: string) =>
      steerMany({ ...services, bulk: { run: async () => 0 } as unknown as Bulk }, 'cancel', [id], {
        token: '',
        owner: {} as TaskOwner,
      }),
  ],
] as const)
  test(`a cancelled task whose canceller died does not wait for the job of its next attempt (${how})`, async t => {
    const { db, queue } = await seeded(t)
    const [task_id, chain_id, later] = [newId(), newId(), newId()]
    const idle = { ended_at: null, worker_id: null, job_id: later, claim: null, lane: 'transfer' }
    await another(db, 'tasks', { task_id, status: 'Running', ...idle })
    await another(db, 'chains', { chain_id, task_id })
    await another(db, 'entries', { chain_id, index: 0, status: 'Waiting', retry_at: new Date(Date.now() + 86_400_000) })
    const ticket = { ...(await queue.takeTicket('transfer', 'park')), id: later }
    await db
      .transaction()
      .execute(trx => queue.send(trx, ticket, { task_id }, { at: new Date(Date.now() + 86_400_000) }))
    const take = async () => {
      const claim = async (_trx: unknown, jobs: Job<'transfer'>[]) => ({
        taken: jobs.map(({ data }) => data.task_id),
        held: [],
      })
      return (await queue.take('transfer', 1, [], claim)).taken
    }
    assert.deepEqual(await take(), [], 'it is due tomorrow')
    const adapters = { get: () => assert.fail('it dies here') }
    await cancel({ db, queue, adapters } as unknown as TaskServices, task_id)
    await until('a worker can end it', async () => (await take())[0] === task_id)
  })

test('a worker whose way to the database is cut keeps the delivery that it may be sending, until it is silent for long', async t => {
  const { db, services } = await seeded(t)
  const worker_id = newId()
  await sql`insert into workers (worker_id, lock, host, mark, doing, started_at, seen_at)
    values (${worker_id}, 4711, 'elsewhere', 'elsewhere.1.1', '[]', now(), now())`.execute(db)
  const running = { status: 'Running', ended_at: null, worker_id, job_id: null, claim: newId(), lane: 'transfer' }
  const [sending, other] = [newId(), newId()]
  for (const [task_id, checkpoint] of [
    [sending, { sending: true }],
    [other, null],
  ] as const) {
    const chain_id = newId()
    await another(db, 'tasks', { task_id, ...running })
    await another(db, 'chains', { chain_id, task_id })
    await another(db, 'entries', { chain_id, index: 0, status: 'Running', checkpoint: checkpoint && json(checkpoint) })
  }
  const workerOf = async (taskId: string) =>
    (await db.selectFrom('tasks').select('worker_id').where('task_id', '=', taskId).executeTakeFirstOrThrow()).worker_id
  /** As if its lock had been free ever since it was last seen. */
  async function recover(): Promise<void> {
    const { rows } = await sql<{ seen: string }>`select seen_at::text as seen from workers`.execute(db)
    await recoverAbandoned(services, new Map(rows.map(({ seen }) => [worker_id, { since: -Infinity, seen }])))
  }
  // For a while after the start of PostgreSQL nobody is suspected.
  await until('the other task is taken over', async () => {
    await recover()
    return (await workerOf(other)) === null
  })
  assert.equal(await workerOf(sending), worker_id)
  await sql`update workers set seen_at = now() - make_interval(secs => ${SILENT_SECONDS + 1}) where worker_id = ${worker_id}`.execute(
    db,
  )
  await recover()
  assert.equal(await workerOf(sending), null)
})
