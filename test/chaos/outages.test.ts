// The database or the file store is away for a while: honest refusals meanwhile, then on by itself.
import assert from 'node:assert/strict'
import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { migrate } from '#db/migrate.ts'
import { newLog } from '#kit/log.ts'
import { type Embedded, startEmbedded } from '#postgres/embedded.ts'
import { processesIn } from '#postgres/postmaster.ts'
import {
  assertNothingLeft,
  assertOutcomes,
  configure,
  type Grounds,
  newGrounds,
  sendTask,
  settled,
} from '../support/chaos.ts'
import type { Part } from '../support/chaos-process.ts'
import { cleanUp, killAnyway } from '../support/clean-up.ts'
import { pattern, png } from '../support/pictures.ts'
import { soon, until } from '../support/until.ts'

const TASKS = 8

async function sendSome(grounds: Grounds, api: Part): Promise<void> {
  const data = new Blob([new Uint8Array(await png(pattern(24, 16, 3)))])
  const sent = { configuration: 'park', data, extras: { rfid: 'r1' } }
  for (let task = 0; task < TASKS; task++) {
    const answer = await sendTask(api.url, grounds.token, sent)
    assert.equal(answer?.status, 202, JSON.stringify(answer))
  }
}

/** While it lasts every answer is a 503 that says when to come again. */
async function refusals(grounds: Grounds, api: Part, count: number): Promise<void> {
  const data = new Blob([new Uint8Array(await png(pattern(24, 16, 3)))])
  for (let round = 0; round < count; round++) {
    const answer = await sendTask(api.url, grounds.token, { configuration: 'park', data })
    assert.equal(answer?.status, 503, JSON.stringify(answer))
    assert.ok(Number(answer.retryAfter) >= 1, 'it says when to come again')
    assert.equal(answer.body.code, 'unavailable')
  }
}

async function comesBack(grounds: Grounds, api: Part, worker: Part, tasks: number): Promise<void> {
  await settled(grounds)
  assert.equal((await grounds.query('select from tasks')).length, tasks)
  assert.deepEqual(
    await grounds.query(`select status, deaths, error from entries where deaths > 0 or status <> 'Succeeded'`),
    [],
    'nothing failed, and nothing was held against a file',
  )
  worker.kill('SIGTERM')
  assert.equal(await worker.exit(), 0, worker.said())
  api.kill('SIGTERM')
  assert.equal(await api.exit(), 0, api.said())
  await assertOutcomes(grounds)
  await assertNothingLeft(grounds)
}

async function prepared(grounds: Grounds): Promise<{ api: Part; worker: Part }> {
  const [api, worker] = await Promise.all([grounds.start('api'), grounds.start('worker')])
  await configure(grounds, grounds.client(api.url))
  const { status } = await grounds.client(api.url).post('/api/profile/', { rfid: 'r1', experience_id: 'park' })
  assert.equal(status, 201)
  return { api, worker }
}

/** A PostgreSQL of the test's own, that it may do to what it likes, and grounds on it. */
async function onOwnDatabase(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-outage-'))
  const log = newLog('silent', 'test')
  let database: Embedded | undefined
  let grounds: Grounds | undefined
  const all = (signal: NodeJS.Signals): void => {
    for (const pid of processesIn(join(folder, 'postgres'))) killAnyway(pid, signal)
  }
  // Before anything can fail: what is left of it goes, in whatever state it is.
  t.after(() =>
    cleanUp(
      () => database && all('SIGCONT'),
      () => grounds?.stop(),
      () => database?.stop(),
      () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
    ),
  )
  database = await startEmbedded(folder, log)
  const { url, port } = database
  await migrate(url)
  grounds = await newGrounds({ databaseUrl: () => url, env: { DATABASE_URL: url } })
  return {
    grounds,
    /** Sends a signal to all of its processes. */
    all,
    stop: async () => database?.stop(),
    ended: () => soon('PostgreSQL has ended', database?.ended ?? Promise.resolve()),
    async startAgain() {
      database = await startEmbedded(folder, log, { port })
    },
  }
}

test('PostgreSQL away: 503 with Retry-After, then on by itself, and no task is lost', async t => {
  const database = await onOwnDatabase(t)
  const { grounds } = database
  const { api, worker } = await prepared(grounds)

  await sendSome(grounds, api)
  await database.stop()
  await refusals(grounds, api, 5)
  await database.startAgain()
  await until('it takes work again', async () => (await grounds.client(api.url).get('/api/task/')).status === 200)
  await sendSome(grounds, api)
  await settled(grounds)

  // Once more, in the middle of the work and without any warning.
  await sendSome(grounds, api)
  database.all('SIGKILL')
  await database.ended()
  await refusals(grounds, api, 3)
  await database.startAgain()
  await comesBack(grounds, api, worker, 3 * TASKS)
})

test('PostgreSQL that hangs: 503 with Retry-After, then on by itself, and no task is lost', async t => {
  const { grounds, all } = await onOwnDatabase(t)
  const { api, worker } = await prepared(grounds)
  await sendSome(grounds, api)
  all('SIGSTOP')
  const refused = refusals(grounds, api, 1)
  const { status, body } = await grounds.client(api.url).get('/api/task/')
  assert.deepEqual([status, (body as { code: string }).code], [503, 'unavailable'])
  await refused
  all('SIGCONT')
  await until('it takes work again', async () => (await grounds.client(api.url).get('/api/task/')).status === 200)
  await sendSome(grounds, api)
  await comesBack(grounds, api, worker, 2 * TASKS)
})

test('the file store away: 503 with Retry-After, then on by itself, and no task is lost', async t => {
  const grounds = await newGrounds()
  t.after(() => grounds.stop())
  const { api, worker } = await prepared(grounds)
  const blobs = join(grounds.folder, 'blobs')
  const { destination } = grounds
  destination.mood = () => 'busy'
  await sendSome(grounds, api)
  renameSync(blobs, `${blobs}.away`)
  destination.mood = () => 'fine'
  await refusals(grounds, api, 5)
  await until('the worker has missed it', async () => {
    const found = await grounds.query(`select from entries where error ->> 'code' = 'unavailable'`)
    return found.length > 0
  })
  renameSync(`${blobs}.away`, blobs)
  await sendSome(grounds, api)
  await comesBack(grounds, api, worker, 2 * TASKS)
})

test('a file store that is not mounted at a start: 503 with Retry-After, and nothing is lost when it is back', async t => {
  const grounds = await newGrounds()
  t.after(() => grounds.stop())
  const first = await prepared(grounds)
  const blobs = join(grounds.folder, 'blobs')
  first.worker.kill('SIGTERM')
  assert.equal(await first.worker.exit(), 0, first.worker.said())
  await sendSome(grounds, first.api)
  first.api.kill('SIGTERM')
  assert.equal(await first.api.exit(), 0, first.api.said())
  renameSync(blobs, `${blobs}.away`)

  const [api, worker] = await Promise.all([grounds.start('api'), grounds.start('worker')])
  await refusals(grounds, api, 3)
  await until('the worker has missed it', async () => {
    const found = await grounds.query(`select from entries where error ->> 'code' = 'unavailable'`)
    return found.length > 0
  })
  // It would fail if a new one had been made there.
  renameSync(`${blobs}.away`, blobs)
  await sendSome(grounds, api)
  await comesBack(grounds, api, worker, 2 * TASKS)
})
