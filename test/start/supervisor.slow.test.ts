// A whole Keepsake: what it prints, whom it refuses, what it restarts, and how it stops.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
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

const isZombie = (pid: number): boolean => {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return true
  }
}

test('from a first start to a stop in order, and on what is left', async t => {
  const data = join(testFolder(t), 'data')
  const first = start(t, { data })
  const url = await first.ready()
  const token = readFileSync(join(data, 'admin-token'), 'utf8').trim()

  await t.test('a second Keepsake on the same data folder says so in one line and stops', async () => {
    const second = start(t, { data })
    assert.equal(await second.exit(), 1)
    assert.deepEqual(lines(second.said()), [
      `keepsake: Another Keepsake (pid ${first.pid}) runs on this data folder (KEEPSAKE_DATA)`,
    ])
    assert.equal(await answers(url, '/readyz'), 200)
  })

  const postmaster = readPidFile(join(data, 'postgres'))?.pid
  await t.test('when the supervisor alone is killed its processes end', async () => {
    const tree = descendants(first.pid)
    assert.ok(tree.length >= 2)
    first.kill('SIGKILL')
    await first.exit()
    await until('all of its processes have ended', () =>
      tree.every(pid => !existsSync(`/proc/${pid}`) || isZombie(pid)),
    )
  })

  await t.test(
    'the next one takes the database over, shows no token, and SIGTERM stops everything in order',
    async () => {
      const second = start(t, { data })
      const there = await second.ready()
      assert.equal(await answers(there, '/readyz'), 200)
      assert.equal(readPidFile(join(data, 'postgres'))?.pid, postmaster)
      assert.ok(!second.said().includes(token))
      assert.ok(second.said().includes(join(data, 'admin-token')))
      second.kill('SIGTERM')
      assert.equal(await second.exit(), 0, second.said())
      assert.deepEqual(processesIn(join(data, 'postgres')), [])
      assert.equal(await answers(there, '/healthz'), 0)
    },
  )

  await t.test('a stop that meets a worker which just begins is in order, too', async t => {
    const third = start(t, { data })
    await third.ready()
    const worker = part(third.pid, 'worker') ?? 0
    killAnyway(worker)
    await until('a new worker begins', () => ![undefined, worker].includes(part(third.pid, 'worker')), undefined, 2)
    third.kill('SIGTERM')
    assert.equal(await third.exit(), 0, third.said())
  })

  for (const setting of ['PORT', 'KEEPSAKE_WORKER_PORT'])
    await t.test(`a ${setting} that is taken stops the start with a line that names it`, async t => {
      const server = createServer().listen(0, '127.0.0.1')
      t.after(() => server.close())
      await until('the port is taken', () => server.listening)
      const { port } = server.address() as { port: number }
      const keepsake = start(t, { data, env: { [setting]: String(port) } })
      assert.equal(await keepsake.exit(), 1)
      assert.equal(
        lines(keepsake.said()).at(-1),
        `keepsake: ${setting} ${port} on 127.0.0.1 is taken by another program`,
      )
    })
})

test('from a race to deaths of its parts, and a stop', async t => {
  const data = join(testFolder(t), 'data')
  const all = [1, 2, 3].map(() => start(t, { data, env: { KEEPSAKE_ROLE: 'all' } }))

  await t.test('of several started at the same instant one runs', async () => {
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

  const keepsake = all.find(one => one.said().includes('Keepsake is ready')) ?? assert.fail('none runs')
  const url = await keepsake.ready()

  await t.test('a worker, an API or a database that dies is started again', async () => {
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
    for (const name of ['api', 'worker'])
      await until(`there is another ${name}, and it is ready`, () =>
        keepsake.said().includes(`the ${name} is ready again`),
      )
  })

  await t.test('Ctrl+C under npm stops it in order', async () => {
    keepsake.kill('SIGINT')
    keepsake.kill('SIGINT') // It arrives from the terminal and from npm.
    assert.equal(await keepsake.exit(), 0, keepsake.said())
    assert.deepEqual(processesIn(join(data, 'postgres')), [])
  })
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
