// A whole Keepsake: what it prints, whom it refuses, what it restarts, and how it stops.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { processesIn, readPidFile } from '#postgres/postmaster.ts'
import { killAnyway } from '../support/clean-up.ts'
import { testDatabase } from '../support/postgres.ts'
import { descendants } from '../support/processes.ts'
import { until } from '../support/until.ts'
import { answers, part, start, testFolder } from './keepsake.ts'

const lines = (said: string): string[] => said.split('\n').filter(line => line !== '')

test('the first start shows the admin token once, and SIGTERM stops everything in order', async t => {
  const data = join(testFolder(t), 'data')
  const first = start(t, { data })
  const url = await first.ready()
  assert.equal(await answers(url, '/readyz'), 200)
  const token = readFileSync(join(data, 'admin-token'), 'utf8').trim()
  assert.ok(first.said().includes(token))
  assert.ok(first.said().includes(data))
  for (const name of ['admin-token', 'secret-key', 'postgres-password'])
    assert.equal(statSync(join(data, name)).mode & 0o777, 0o600)
  assert.equal(statSync(data).mode & 0o777, 0o700)
  first.kill('SIGTERM')
  assert.equal(await first.exit(), 0, first.said())
  assert.deepEqual(processesIn(join(data, 'postgres')), [])
  assert.equal(await answers(url, '/healthz'), 0)

  const second = start(t, { data })
  await second.ready()
  assert.ok(!second.said().includes(token))
  assert.ok(second.said().includes(join(data, 'admin-token')))
  second.kill('SIGINT')
  second.kill('SIGINT') // As Ctrl+C under npm arrives: from the terminal and from npm.
  assert.equal(await second.exit(), 0, second.said())
})

test('a second Keepsake on the same data folder says so in one line and stops', async t => {
  const data = join(testFolder(t), 'data')
  const first = start(t, { data })
  const url = await first.ready()
  const second = start(t, { data })
  assert.equal(await second.exit(), 1)
  assert.deepEqual(lines(second.said()), [
    `keepsake: Another Keepsake (pid ${first.pid}) runs on this data folder (KEEPSAKE_DATA)`,
  ])
  assert.equal(await answers(url, '/readyz'), 200)
})

test('of several started at the same instant one runs', async t => {
  const data = join(testFolder(t), 'data')
  const all = [1, 2, 3].map(() => start(t, { data, env: { KEEPSAKE_ROLE: 'all' } }))
  const outcomes = await Promise.all(
    all.map(one =>
      one.ready().then(
        () => 'ready',
        () => one.exit(),
      ),
    ),
  )
  assert.deepEqual(outcomes.sort(), [1, 1, 'ready'], all.map(one => one.said()).join('\n'))
})

test('after kill -9 of the whole tree it heals by itself', async t => {
  const data = join(testFolder(t), 'data')
  const first = start(t, { data })
  await first.ready()
  const postmaster = readPidFile(join(data, 'postgres'))?.pid ?? 0
  for (const pid of [first.pid, ...descendants(first.pid), postmaster]) killAnyway(pid)
  await first.exit()
  const second = start(t, { data })
  assert.equal(await answers(await second.ready(), '/readyz'), 200)
  second.kill('SIGTERM')
  assert.equal(await second.exit(), 0, second.said())
})

test('when the supervisor alone is killed its processes end, and the next one takes the database over', async t => {
  const data = join(testFolder(t), 'data')
  const first = start(t, { data })
  await first.ready()
  const tree = descendants(first.pid)
  const postmaster = readPidFile(join(data, 'postgres'))?.pid
  assert.ok(tree.length >= 2)
  first.kill('SIGKILL')
  await first.exit()
  await until('all of its processes have ended', () => tree.every(pid => !existsSync(`/proc/${pid}`) || isZombie(pid)))
  const second = start(t, { data })
  assert.equal(await answers(await second.ready(), '/readyz'), 200)
  assert.equal(readPidFile(join(data, 'postgres'))?.pid, postmaster)
  second.kill('SIGTERM')
  assert.equal(await second.exit(), 0, second.said())
  assert.deepEqual(processesIn(join(data, 'postgres')), [])
})

const isZombie = (pid: number): boolean => {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return true
  }
}

test('a worker, an API or a database that dies is started again', async t => {
  const data = join(testFolder(t), 'data')
  const keepsake = start(t, { data, env: { PORT: '0' } })
  const url = await keepsake.ready()
  const worker = part(keepsake.pid, 'worker') ?? 0
  killAnyway(worker)
  await until('there is another worker', () => (part(keepsake.pid, 'worker') ?? worker) !== worker)

  const postmaster = readPidFile(join(data, 'postgres'))
  killAnyway(postmaster?.pid ?? 0)
  await until('there is another postmaster', () => {
    const now = readPidFile(join(data, 'postgres'))
    return now !== null && now.pid !== postmaster?.pid && now.status === 'ready'
  })
  assert.equal(readPidFile(join(data, 'postgres'))?.port, postmaster?.port)
  await until('the API is ready again', async () => (await answers(url, '/readyz')) === 200)

  const api = part(keepsake.pid, 'api') ?? 0
  killAnyway(api)
  await until('there is another API', () => keepsake.said().includes('the api is ready again'))
  keepsake.kill('SIGTERM')
  assert.equal(await keepsake.exit(), 0, keepsake.said())
})

for (const [what, env, says] of [
  ['a bad setting', { PORT: 'eighty' }, 'keepsake: PORT must be a whole number from 0 to 65535, not "eighty"'],
  [
    'a worker without a database',
    { KEEPSAKE_ROLE: 'worker' },
    'keepsake: DATABASE_URL must be set when KEEPSAKE_ROLE is worker: every process of a deployment shares one database',
  ],
] as const) {
  test(`${what} stops the start with one line`, async t => {
    const data = join(testFolder(t), 'data')
    const keepsake = start(t, { data, env })
    assert.equal(await keepsake.exit(), 1)
    assert.deepEqual(lines(keepsake.said()), [says])
    assert.ok(!existsSync(data))
  })
}

for (const setting of ['PORT', 'KEEPSAKE_WORKER_PORT'])
  test(`a ${setting} that is taken stops the start with a line that names it`, async t => {
    const server = createServer().listen(0, '127.0.0.1')
    t.after(() => server.close())
    await until('the port is taken', () => server.listening)
    const { port } = server.address() as { port: number }
    const keepsake = start(t, { data: join(testFolder(t), 'data'), env: { [setting]: String(port) } })
    assert.equal(await keepsake.exit(), 1)
    assert.equal(lines(keepsake.said()).at(-1), `keepsake: ${setting} ${port} on 127.0.0.1 is taken by another program`)
  })

test('on an external database the API and the worker run apart, and no database is embedded', async t => {
  const folder = testFolder(t)
  const { url: database } = await testDatabase(t)
  const shared = {
    DATABASE_URL: database,
    KEEPSAKE_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    KEEPSAKE_ADMIN_TOKEN: 'ks_of_the_operator_alone',
    KEEPSAKE_BLOBS: `file:${join(folder, 'blobs')}`,
  }
  const api = start(t, { data: join(folder, 'api'), env: { ...shared, KEEPSAKE_ROLE: 'api' } })
  const worker = start(t, { data: join(folder, 'worker'), env: { ...shared, KEEPSAKE_ROLE: 'worker' } })
  const [url] = await Promise.all([api.ready(), worker.ready()])
  assert.equal(await answers(url, '/readyz'), 200)
  assert.equal(part(api.pid, 'worker'), undefined)
  assert.equal(part(worker.pid, 'api'), undefined)
  for (const name of ['api', 'worker']) assert.ok(!existsSync(join(folder, name, 'postgres')))
  assert.ok(!existsSync(join(folder, 'api', 'admin-token')))
  assert.ok(!existsSync(join(folder, 'api', 'secret-key')))
  assert.ok(!api.said().includes('ks_of_the_operator'))
  for (const one of [api, worker]) one.kill('SIGTERM')
  assert.deepEqual(await Promise.all([api.exit(), worker.exit()]), [0, 0], api.said() + worker.said())
})

test('an external database that refuses us is named in one line', async t => {
  const { url } = await testDatabase(t)
  const wrong = new URL(url)
  wrong.password = 'wrong'
  const keepsake = start(t, { data: join(testFolder(t), 'data'), env: { DATABASE_URL: wrong.href } })
  assert.equal(await keepsake.exit(), 1)
  assert.equal(lines(keepsake.said()).length, 1, keepsake.said())
  assert.match(keepsake.said(), /^keepsake: DATABASE_URL cannot be used: password authentication failed/)
})
