// What vanished from the queue is put back, also behind many that only wait.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '#db/database.ts'
import { newLog } from '#kit/log.ts'
import { secretBox } from '#kit/secret/secrets.ts'
import { startQueue } from '#queue/queue.ts'
import { newReconciler } from '#tasks/steer/recover.ts'
import type { TaskServices } from '#tasks/task-services.ts'
import { cleanUp } from '../support/clean-up.ts'
import { testDatabase } from '../support/postgres.ts'
import { seedRows } from '../support/seed-rows.ts'

const FORGOTTEN = 620

test('forgotten callbacks get their jobs back round by round, however many are overdue', async t => {
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
  const reconcile = newReconciler({ db, queue, log } as unknown as TaskServices)
  assert.equal(await reconcile(), 500)
  assert.equal(await reconcile(), FORGOTTEN - 500)
  assert.equal(await reconcile(), 0, 'it begins anew, and all have a job')
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from callbacks c join pgboss.job j on j.id = c.job_id where c.status = 'Waiting'`.execute(
    db,
  )
  assert.equal(rows[0]?.count, FORGOTTEN)
})
