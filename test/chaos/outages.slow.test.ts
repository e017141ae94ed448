// The database or the file store is away for a while: honest refusals meanwhile, then on by itself.
import assert from 'node:assert/strict'
import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
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

/** `tasks`: how many there are by then. */
async function comesBack(grounds: Grounds, tasks: number): Promise<void> {
  await settled(grounds)
  assert.equal((await grounds.query('select from tasks')).length, tasks)
  assert.deepEqual(
    await grounds.query(`select status, deaths, error from entries where deaths > 0 or status <> 'Succeeded'`),
    [],
    'nothing failed, and nothing was held against a file',
  )
  await assertOutcomes(grounds)
}

async function stop(part: Part): Promise<void> {
  part.kill('SIGTERM')
  assert.equal(await part.exit(), 0, part.said())
}

async function stopInOrder(grounds: Grounds, api: Part, worker: Part): Promise<void> {
  await stop(worker)
  await stop(api)
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

describe('a PostgreSQL of its own, to which anything may be done', { concurrency: 1 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-outage-'))
  const log = newLog('silent', 'test')
  let database: Embedded | undefined
  let grounds: Grounds
  let api: Part
  let worker: Part
  /** Sends a signal to all of its processes. */
  const all = (signal: NodeJS.Signals): void => {
    for (const pid of processesIn(join(folder, 'postgres'))) killAnyway(pid, signal)
  }
  const takesWork = () =>
    until('it takes work again', async () => (await grounds.client(api.url).get('/api/task/')).status === 200)

  before(async () => {
    database = await startEmbedded(folder, log)
    const { url } = database
    await migrate(url)
    grounds = await newGrounds({ databaseUrl: () => url, env: { DATABASE_URL: url } })
    ;({ api, worker } = await prepared(grounds))
  })
  // Whatever failed: what is left of it goes, in whatever state it is.
  after(() =>
    cleanUp(
      () => database && all('SIGCONT'),
      () => grounds?.stop(),
      () => database?.stop(),
      () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
    ),
  )

  it('is away: 503 with Retry-After, then on by itself, and no task is lost', async () => {
    const startAgain = async () => {
      database = await startEmbedded(folder, log, { port: database?.port ?? 0 })
    }
    await sendSome(grounds, api)
    await database?.stop()
    await refusals(grounds, api, 5)
    await startAgain()
    await takesWork()
    await sendSome(grounds, api)
    await settled(grounds)

    // Once more, in the middle of the work and without any warning.
    await sendSome(grounds, api)
    all('SIGKILL')
    await soon('PostgreSQL has ended', database?.ended ?? Promise.resolve())
    await refusals(grounds, api, 3)
    await startAgain()
    await comesBack(grounds, 3 * TASKS)
  })

  it('hangs: 503 with Retry-After, then on by itself, and no task is lost', async () => {
    await sendSome(grounds, api)
    all('SIGSTOP')
    const refused = refusals(grounds, api, 1)
    const { status, body } = await grounds.client(api.url).get('/api/task/')
    assert.deepEqual([status, (body as { code: string }).code], [503, 'unavailable'])
    await refused
    all('SIGCONT')
    await takesWork()
    await sendSome(grounds, api)
    await comesBack(grounds, 5 * TASKS)
  })

  it('was all of that, and both processes stop in order', () => stopInOrder(grounds, api, worker))
})

describe('a file store', { concurrency: 1 }, () => {
  let grounds: Grounds
  let api: Part
  let worker: Part
  let blobs: string
  const isMissed = () =>
    until('the worker has missed it', async () => {
      const found = await grounds.query(
        `select from entries where error ->> 'code' = 'unavailable' and status <> 'Succeeded'`,
      )
      return found.length > 0
    })

  before(async () => {
    grounds = await newGrounds()
    blobs = join(grounds.folder, 'blobs')
    ;({ api, worker } = await prepared(grounds))
  })
  after(() => grounds?.stop())

  it('is away: 503 with Retry-After, then on by itself, and no task is lost', async () => {
    const { destination } = grounds
    destination.mood = () => 'busy'
    await sendSome(grounds, api)
    renameSync(blobs, `${blobs}.away`)
    destination.mood = () => 'fine'
    await refusals(grounds, api, 5)
    await isMissed()
    renameSync(`${blobs}.away`, blobs)
    await sendSome(grounds, api)
    await comesBack(grounds, 2 * TASKS)
    await stop(worker)
    await assertOutcomes(grounds)
    await assertNothingLeft(grounds)
  })

  it('is not mounted at a start: 503 with Retry-After, and nothing is lost when it is back', async () => {
    await sendSome(grounds, api)
    await stop(api)
    renameSync(blobs, `${blobs}.away`)

    ;[api, worker] = await Promise.all([grounds.start('api'), grounds.start('worker')])
    await refusals(grounds, api, 3)
    await isMissed()
    // It would fail if a new one had been made there.
    renameSync(`${blobs}.away`, blobs)
    await sendSome(grounds, api)
    await comesBack(grounds, 4 * TASKS)
    await stopInOrder(grounds, api, worker)
  })
})
