// Machines differ in what time it is: what is compared with the database's clock is written by it.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { attemptIfThere } from '#callbacks/attempt.ts'
import { type Db, openDatabase } from '#db/database.ts'
import { recordAttempt, reopenCallback } from '#db/nouns/callback-rows.ts'
import { databaseTime } from '#db/ping.ts'
import { refreshKey, takeKey } from '#db/tasks/idempotency-keys.ts'
import { refreshUploads, rememberUpload } from '#db/tasks/upload-rows.ts'
import { newId } from '#kit/ids.ts'
import { newLog } from '#kit/log.ts'
import { noTracer } from '#kit/telemetry/trace.ts'
import { type Queue, startQueue } from '#queue/queue.ts'
import type { Blobs } from '#storage/blobs.ts'
import { takeIdempotencyKey } from '#tasks/accept/idempotency.ts'
import { sweepUploads } from '#uploads/uploads.ts'
import { cleanUp } from '../support/clean-up.ts'
import { testDatabase } from '../support/postgres.ts'

const HOUR_MS = 3_600_000

async function opened(t: TestContext): Promise<Db> {
  return (await openedWithQueue(t)).db
}

async function openedWithQueue(t: TestContext): Promise<{ db: Db; queue: Queue }> {
  const { url, drop } = await testDatabase()
  const log = newLog('silent', 'test')
  const database = openDatabase(url, log, { max: 4 })
  const queue = await startQueue(database, log, false)
  t.after(() => cleanUp(queue.stop, database.close, drop))
  return { db: database.db, queue }
}

/** Seconds from the database's now to the one time that a statement finds. */
async function secondsUntil(db: Db, what: string): Promise<number> {
  const { rows } = await sql<{
    seconds: number
  }>`select extract(epoch from (${sql.raw(what)}) - now())::float8 as seconds`.execute(db)
  return rows[0]?.seconds ?? Number.NaN
}

/** A few minutes may pass on the way; the clocks are an hour apart. */
const near = (seconds: number, wanted: number): void =>
  assert.ok(Math.abs(seconds - wanted) < 300, `${seconds} s instead of ${wanted}`)

async function insertCallback(db: Db, jobId: string): Promise<string> {
  const callback_id = newId()
  const task_id = newId()
  await sql`insert into tasks (task_id, flow_id, run, is_group, configuration, experience_id, lane, status, warnings, created_at)
    values (${task_id}, ${newId()}, 1, false, 'c', 'park', 'picture', 'Succeeded', '[]', now())`.execute(db)
  await sql`insert into callbacks (callback_id, job_id, task_id, run, experience_id, url, receiver, body, status, attempt_count, next_attempt_at, created_at, updated_at)
    values (${callback_id}, ${jobId}, ${task_id}, 1, 'park', 'https://x.example/', 'x', '{}', 'Waiting', 0, now(), now(), now())`.execute(
    db,
  )
  return callback_id
}

for (const [words, offMs] of [
  ['an hour behind', -HOUR_MS],
  ['an hour ahead', HOUR_MS],
] as const) {
  test(`a machine whose clock is ${words} notes times as the database has them`, async t => {
    const db = await opened(t)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + offMs })
    assert.equal(await takeKey(db, 'token', 'key'), null)
    await refreshKey(db, 'token', 'key')
    near(await secondsUntil(db, 'select created_at from idempotency_keys'), 0)

    const later = new Date(Date.now() + 600_000)
    const attemptedBy = newId()
    const callback_id = await insertCallback(db, attemptedBy)
    const attempt = { at: new Date(), status_code: 503, error: 'busy', duration_ms: 7 }
    await recordAttempt(
      db,
      { callback_id, attemptedBy, status: 'Waiting', next: { at: later, job_id: newId() } },
      attempt,
    )
    near(await secondsUntil(db, 'select next_attempt_at from callbacks'), 600)
    await db.transaction().execute(trx => reopenCallback(trx, callback_id, newId()))
    near(await secondsUntil(db, 'select next_attempt_at from callbacks'), 0)

    await rememberUpload(db, 'blob')
    near(await secondsUntil(db, 'select created_at from uploads'), 0)
    await refreshUploads(db, ['blob'])
    near(await secondsUntil(db, 'select created_at from uploads'), 0)
    const anHourAgo = new Date((await databaseTime(db)).getTime() - HOUR_MS)
    assert.deepEqual((await sweepUploads(db, { delete: async () => {} } as unknown as Blobs, anHourAgo, 10)).gone, [])
  })
}

test('a clock that is set back while a failed attempt is noted puts the next one off by no hour', async t => {
  const { db, queue } = await openedWithQueue(t)
  const job_id = newId()
  const callback_id = await insertCallback(db, job_id)
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + HOUR_MS })
  const takeTicket: Queue['takeTicket'] = (...wanted) => {
    t.mock.timers.reset()
    return queue.takeTicket(...wanted)
  }
  const services = {
    ...{ db, queue: { ...queue, takeTicket }, log: newLog('silent', 'test'), tracer: noTracer, workerId: newId() },
    ...{ settings: { callbackDelays: [600] }, meters: { count() {}, observe() {} }, outbound: {}, secretBox: {} },
  }
  await attemptIfThere(services as unknown as Parameters<typeof attemptIfThere>[0], callback_id, job_id)
  near(await secondsUntil(db, 'select next_attempt_at from callbacks'), 600)
  near(
    await secondsUntil(db, `select start_after from pgboss.job where data ->> 'callback_id' = '${callback_id}'`),
    600,
  )
})

test('an attempt whose answer was lost is listed once', async t => {
  const db = await opened(t)
  const attemptedBy = newId()
  const callback_id = await insertCallback(db, attemptedBy)
  const attempt = { at: new Date(), status_code: 200, error: null, duration_ms: 7 }
  for (let time = 0; time < 2; time++)
    await recordAttempt(db, { callback_id, attemptedBy, status: 'Delivered', next: null }, attempt)
  const { rows } =
    await sql`select status, attempt_count, (select count(*)::int from callback_attempts) as listed from callbacks`.execute(
      db,
    )
  assert.deepEqual(rows, [{ status: 'Delivered', attempt_count: 1, listed: 1 }])
})

test('a key whose transaction failed at its very end may be used again at once', async t => {
  const db = await opened(t)
  const parts = { fields: new Map(), files: new Map(), lists: new Map() }
  const first = await takeIdempotencyKey(db, 'token', 'task', 'key')
  assert.equal(await first.earlier(parts), null)
  const failed = db.transaction().execute(async trx => {
    await first.keep?.(trx, newId())
    throw new Error('the commit failed')
  })
  await assert.rejects(failed, /the commit failed/)
  await first.release()
  const second = await takeIdempotencyKey(db, 'token', 'task', 'key')
  assert.equal(second.isReplay, false)
  await second.earlier(parts)
  await db.transaction().execute(trx => second.keep?.(trx, newId()) as Promise<void>)
  await second.release()
  const third = await takeIdempotencyKey(db, 'token', 'task', 'key')
  assert.equal(third.isReplay, true, 'what was kept stays')
})
