// A worker whose lock is free is not dead for that: its connection was ended, and a new one takes its time.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openDatabase } from '#db/database.ts'
import { usualPace } from '#db/pace.ts'
import { bePresent } from '#db/tasks/workers.ts'
import { newId } from '#kit/ids.ts'
import { newLog } from '#kit/log.ts'
import { runWorker } from '../../src/app.ts'
import { newGrounds } from '../support/chaos.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startProxy } from '../support/flaky-proxy.ts'
import { startReceiver } from '../support/https-receiver.ts'
import { single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { testDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'

/** One worker that reaches its database through a proxy, with a delivery under way that is not answered yet. */
async function underWay(t: TestContext) {
  const clean: (() => unknown)[] = []
  t.after(() => cleanUp(...clean.reverse()))
  let answer = (): void => {}
  let late = 503
  const receiver = await startReceiver({
    answer: ({ url }, response) => {
      if (url === '/late') response.writeHead(late).end('{}')
      else answer = () => void response.end('{}')
    },
  })
  clean.push(receiver.stop)
  const keepsake = await startKeepsake({ worker: false })
  clean.push(keepsake.stop)
  await keepsake.configure(single('post', 'http_post', { url: `${receiver.url}/in` }))
  const patient = { url: `${receiver.url}/late`, delivery_attempts: 2, delivery_backoff: 3600 }
  await keepsake.configure(single('late', 'http_post', patient))
  const url = new URL(keepsake.databaseUrl)
  const proxy = await startProxy({ port: Number(url.port) })
  clean.push(proxy.stop)
  url.searchParams.delete('host')
  url.port = String(proxy.port)
  const worker = await runWorker({ ...keepsake.settings, databaseUrl: url.href })
  clean.push(() => worker.drain())
  const client = new pg.Client(keepsake.databaseUrl)
  clean.push(() => client.end())
  await client.connect()
  const data = new Blob([new Uint8Array(await png(pattern(24, 16, 3)))])
  const send = async (configuration_name: string): Promise<string> =>
    (await keepsake.send('/api/task/', { configuration_name, data })).body.task_id
  const taskId = await send('post')
  await until('the delivery is under way', () => receiver.received.length === 1)
  const endPresence = async (): Promise<void> => {
    const { rowCount } = await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'keepsake presence' and datname = current_database()`,
    )
    assert.equal(rowCount, 1)
  }
  /** A task that nobody will run for an hour. */
  async function putOff(): Promise<string> {
    const taskId = await send('late')
    await until('it is put off', async () => {
      const { rowCount } = await client.query(
        `select from tasks where task_id = $1 and status = 'Running' and worker_id is null`,
        [taskId],
      )
      return rowCount === 1
    })
    late = 200
    return taskId
  }
  async function succeeds(): Promise<void> {
    answer()
    assert.equal((await keepsake.ended(`/api/task/${taskId}/`)).status, 'Succeeded')
    const { rows } = await client.query(`select deaths from entries where status <> 'Succeeded' or deaths > 0`)
    assert.deepEqual(rows, [])
    assert.equal(receiver.received.filter(({ url }) => url === '/in').length, 1)
  }
  return { keepsake, proxy, client, clean, putOff, endPresence, succeeds }
}

test('a worker does not bury itself while it connects anew', async t => {
  const { proxy, endPresence, succeeds } = await underWay(t)
  proxy.delayMs = 4_500
  await endPresence()
  await sleep(4_000) // Nothing shall happen meanwhile.
  await succeeds()
})

test('a worker that gets no new connection is seen by the others as long as it has an old one', async t => {
  const { keepsake, proxy, client, clean, endPresence, succeeds } = await underWay(t)
  // As long as it takes to be refused: the server has no room left.
  proxy.delayMs = 60_000
  await endPresence()
  const other = await runWorker(keepsake.settings)
  clean.push(() => other.drain())
  await sleep(8_000) // Nothing shall happen meanwhile.
  assert.equal((await client.query('select from workers')).rowCount, 2)
  proxy.delayMs = 0
  await until('it has a lock again', async () => {
    const { rowCount } = await client.query(
      `select from pg_stat_activity where application_name = 'keepsake presence' and datname = current_database()`,
    )
    return rowCount === 2
  })
  await succeeds()
})

test('a worker of another machine is buried once its lock was free for some seconds and nothing was seen of it', async t => {
  const { client, keepsake, putOff, succeeds } = await underWay(t)
  const taskId = await putOff()
  const dead = newId()
  const begun = performance.now()
  await client.query(
    `insert into workers (worker_id, lock, host, mark, doing, started_at, seen_at) values ($1, 1, 'gone', 'far.1.1', '[]', now(), now())`,
    [dead],
  )
  await client.query('update entries set retry_at = null where retry_at is not null')
  await client.query('update tasks set worker_id = $1 where task_id = $2', [dead, taskId])
  await until('it is buried', async () => {
    const { rowCount } = await client.query('select from workers where worker_id = $1', [dead])
    return rowCount === 0
  })
  const tookMs = performance.now() - begun
  assert.ok(tookMs > 2_900, `it took ${tookMs} ms`)
  assert.equal((await keepsake.ended(`/api/task/${taskId}/`)).status, 'Succeeded', 'its work is taken over')
  await succeeds()
})

test('beats that go unanswered although the database answers others are told of', async t => {
  const { url, drop } = await testDatabase()
  const log = newLog('silent', 'test')
  const { db, close } = openDatabase(url, log, { max: 4 })
  const pace = { ...usualPace, beatMs: 100, beatAnswerMs: 1_000, stuckMs: 4_000 }
  let stuck = 0
  const presence = await bePresent(url, newId(), log, {
    db,
    pace,
    mark: 'here.1.1',
    able: () => ({ has: [], lacks: {}, off: [] }),
    stuck: () => void stuck++,
  })
  const client = new pg.Client(url)
  t.after(() => cleanUp(() => client.end(), presence.close, close, drop))
  await client.connect()
  await sleep(5_000) // Nothing shall happen meanwhile.
  assert.equal(stuck, 0)
  await client.query('begin; lock table workers in access exclusive mode')
  await until('it is stuck', () => stuck > 0)
  await client.query('rollback')
})

test('a worker process whose beats go unanswered for half a minute ends with one line that says why', async t => {
  const grounds = await newGrounds()
  const client = new pg.Client(grounds.databaseUrl())
  t.after(() => cleanUp(() => client.end(), grounds.stop))
  const worker = await grounds.start('worker')
  await client.connect()
  await client.query('begin; lock table workers in access exclusive mode')
  assert.equal(await worker.exit(), 1)
  assert.equal(worker.said().split('answers others but not this worker').length, 2, worker.said())
})

for (const seconds of [5, 8])
  test(`a worker that cannot reach the database for ${seconds} s brings back what its post was answered meanwhile`, async t => {
    const { keepsake, proxy, clean, succeeds } = await underWay(t)
    const peer = await runWorker(keepsake.settings)
    clean.push(() => peer.drain())
    await proxy.down()
    await sleep(seconds * 1000)
    const succeeded = succeeds()
    await sleep(500)
    await proxy.up()
    await succeeded
  })
