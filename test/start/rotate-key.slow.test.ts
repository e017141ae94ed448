// A secret key is changed while the service runs, and the old one is thrown away.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import pg from 'pg'
import { newId } from '#kit/ids.ts'
import { sealedFor, secretBox } from '#kit/secret/secrets.ts'
import { newClient } from '../support/client.ts'
import { type Receiver, startReceiver } from '../support/https-receiver.ts'
import { single } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { testDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { startCommandHost } from './command-host.ts'
import { start, testFolder } from './keepsake.ts'

const host = startCommandHost()
after(() => host.stop())

const token = `ks_${randomBytes(32).toString('base64url')}`

/** Two keys, and what can be done with them on one database. */
async function newGround(t: TestContext) {
  const folder = testFolder(t)
  const database = await testDatabase(t)
  const client = new pg.Client(database.url)
  client.on('error', () => {})
  t.after(() => client.end())
  await client.connect()
  const [first, second] = [randomBytes(32), randomBytes(32)]
  const data = join(folder, 'data')
  const envOf = (keys: Buffer[]) => ({
    DATABASE_URL: database.url,
    KEEPSAKE_SECRET_KEY: keys.map(key => key.toString('base64')).join(','),
    KEEPSAKE_ADMIN_TOKEN: token,
    KEEPSAKE_ALLOW_HOSTS: '127.0.0.1',
  })
  const run = (keys: Buffer[], ...args: string[]) => start(t, { data, args, env: envOf(keys) })
  /** A command; answers its exit code and what it said. */
  const command = async (keys: Buffer[], ...args: string[]): Promise<[code: unknown, said: string]> => {
    const ran = run(keys, ...args)
    const code = await ran.exit()
    return [code, ran.said()]
  }
  /** For a command that another case here runs in a process of its own. */
  const inHost: typeof command = async (keys, ...args) => {
    const env = { ...envOf(keys), KEEPSAKE_DATA: data }
    const { code, out, err } = await host.run({ url: '', token: '' }, folder, args, env)
    return [code, out + err]
  }

  /** Every row of every table that holds something sealed with that key: its bytes, or those in base64, begin with the id of the key. */
  async function sealedWith(key: Buffer): Promise<string[]> {
    const id = Buffer.from(secretBox([key]).keyIds[0] as string, 'hex')
    const tables = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'pgboss')`,
    )
    const found: string[] = []
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`)
      const seals = [`x${id.toString('hex')}`, `"${id.toString('base64').slice(0, 5)}`]
      found.push(...rows.filter(({ row }) => seals.some(seal => row.includes(seal))).map(() => name))
    }
    return found.sort()
  }
  return { client, first, second, run, command, inHost, sealedWith }
}

const post = (name: string, bearer: string, receiver: Receiver) => ({
  ...single(name, 'http_post'),
  adapter_config: { auth: { bearer }, defaults: { url: `${receiver.url}/in` } },
})

test('everything is sealed anew while the service runs; then the old key can be thrown away', async t => {
  const { client, first, second, run, command, inHost, sealedWith } = await newGround(t)
  const receiver = await startReceiver()
  t.after(() => receiver.stop())
  const picture = new Blob([new Uint8Array(await png(pattern(8, 8, 3)))])
  const started = async (...keys: Buffer[]) => {
    const service = run(keys)
    const url = (await service.ready()).replace(/\/$/, '')
    const api = newClient({ url, token })
    const stop = async () => {
      service.kill('SIGTERM')
      assert.equal(await service.exit(), 0, service.said())
    }
    /** What the receiver was shown. */
    const delivered = async (configuration_name: string) => {
      const body = new FormData()
      body.append('configuration_name', configuration_name)
      body.append('data', picture)
      const { body: task } = await api.send('POST', '/api/task/', { body })
      await until('it has ended', async () =>
        /Succeeded|Failed/.test((await api.get(`/api/task/${task.task_id}/`)).body.status),
      )
      return receiver.received.at(-1)?.headers.authorization
    }
    return { api, stop, delivered }
  }

  const old = await started(first)
  assert.equal((await old.api.post('/api/configuration/', post('mine', 'one', receiver))).status, 201)
  assert.equal(await old.delivered('mine'), 'Bearer one')
  assert.equal((await old.api.post('/api/experience/park/rotate-secret/')).status, 200)
  const webhook_headers = [{ origin: 'https://hooks.example.com', headers: { authorization: 'three' } }]
  assert.equal((await old.api.patch('/api/experience/park/', { webhook_headers })).status, 200)
  const { rows } = await client.query('select chain_id from entries')
  const checkpoint = secretBox([first]).seal('{"upload":1}', sealedFor.checkpoint(rows[0].chain_id, 0))
  await client.query('update entries set checkpoint = $1', [JSON.stringify({ sealed: checkpoint.toString('base64') })])
  const all = ['configuration_versions', 'configurations', 'deployment', 'entries', 'experiences', 'snapshots'].map(
    name => `public.${name}`,
  )
  assert.deepEqual(await sealedWith(first), all)

  // Nobody's secrets are sealed with a key that he does not know.
  const [refused, who] = await inHost([second, first], 'rotate-key')
  assert.equal(refused, 1, who)
  assert.match(who, /^api \d+@\S+ does not know the newest key: restart it/m)
  assert.match(who, /^worker \d+@\S+ does not know the newest key: restart it/m)
  assert.deepEqual([await sealedWith(first), await sealedWith(second)], [all, []])
  await old.stop()

  // One that knows it, and still seals with the old one.
  const between = await started(first, second)
  const [told, warned] = await command([second, first], 'doctor')
  assert.ok(told === 0 || told === 1)
  assert.match(warned, /warn +secrets +7 of 7 are sealed with an earlier key: `keepsake rotate-key`/)
  const [half, said] = await inHost([second, first], 'rotate-key')
  assert.equal(half, 1, said)
  assert.match(said, /^credentials: 1 sealed anew$/m)
  assert.match(said, /^webhook headers: 1 sealed anew$/m)
  assert.match(said, /^worker \d+@\S+ still seals with an earlier key: restart it/m)
  assert.deepEqual(await sealedWith(first), [])
  assert.equal(await between.delivered('mine'), 'Bearer one')
  assert.equal((await between.api.post('/api/configuration/', post('late', 'two', receiver))).status, 201)
  assert.deepEqual(
    await sealedWith(first),
    ['configuration_versions', 'configurations', 'entries'].map(name => `public.${name}`),
  )
  await between.stop()
  const [early, why] = await command([second])
  assert.equal(early, 1)
  assert.match(why, /Some secrets are still sealed with an earlier key: put it behind the new one/)

  const both = await started(second, first)
  const [ended, done] = await command([second, first], 'rotate-key')
  assert.equal(ended, 0, done)
  assert.match(done, /^credentials: 1 sealed anew$/m)
  assert.match(done, /^done: all 11 secrets are sealed with the newest key/m)
  assert.deepEqual(await sealedWith(first), [])
  assert.deepEqual(new Set(await sealedWith(second)), new Set(all))
  const [again, nothing] = await inHost([second, first], 'rotate-key')
  assert.equal(again, 0)
  assert.match(nothing, /^snapshots: 0 sealed anew$/m)
  assert.match((await inHost([second, first], 'doctor'))[1], /ok +secrets +all 11 are sealed with the newest key/)
  await both.stop()

  const alone = await started(second)
  assert.equal(await alone.delivered('mine'), 'Bearer one')
  assert.equal(await alone.delivered('late'), 'Bearer two')
  const { rows: kept } = await client.query('select webhook_headers from experiences')
  const opened = secretBox([second]).open(kept[0].webhook_headers, sealedFor.webhookHeaders('park'))
  assert.deepEqual(JSON.parse(opened), webhook_headers)
  await alone.stop()
  const [gone, line] = await command([first])
  assert.equal(gone, 1)
  assert.match(line, /KEEPSAKE_SECRET_KEY .* is not the key that this database’s secrets were sealed with/)
})

test('killed in the middle it goes on where it was', async t => {
  const { client, first, second, inHost, run, sealedWith } = await newGround(t)
  const [earlier, newest] = [secretBox([first]), secretBox([second])]
  const [proof, task] = ['secret key proof', newId()]
  await client.query('insert into deployment (key, value) values ($1, $2)', [proof, earlier.seal('keepsake', proof)])
  await client.query(
    `insert into tasks (task_id, flow_id, is_group, configuration, experience_id, status, lane, created_at) values ($1, $1, false, 'c', 'park', 'Waiting', 'picture', now())`,
    [task],
  )
  await client.query(
    `insert into chains (chain_id, task_id, index, configuration, snapshot_id, status, extras, input, assets) values ($1, $1, 0, 'c', 's', 'Waiting', '{}', '{}', '{}')`,
    [task],
  )
  const COUNT = 4_000
  const sealed = Array.from({ length: COUNT }, (_, index) => {
    const value = earlier.seal(`{"n":${index}}`, sealedFor.checkpoint(task, index))
    return JSON.stringify({ sealed: value.toString('base64') })
  })
  await client.query(
    `insert into entries (chain_id, index, configuration, adapter_name, status, checkpoint) select $1, n - 1, 'c', 'a', 'Waiting', c from unnest($2::json[]) with ordinality x (c, n)`,
    [task, sealed],
  )
  const left = async () => (await sealedWith(first)).length
  // Asked again and again: the server counts, and sends no row.
  const seal = Buffer.from(earlier.keyIds[0] as string, 'hex')
    .toString('base64')
    .slice(0, 5)
  const counting = `select count(*)::int as count from entries where starts_with(checkpoint ->> 'sealed', $1)`
  const leftNow = async () => (await client.query<{ count: number }>(counting, [seal])).rows[0]?.count ?? 0
  assert.equal(await leftNow(), COUNT)
  // A row in the middle is held, so that it gets so far and no further.
  await client.query('begin')
  await client.query('select from entries where index = $1 for update', [COUNT / 2])
  const victim = run([second, first], 'rotate-key')
  await until('it is in the middle', async () => (await leftNow()) === COUNT / 2)
  victim.kill('SIGKILL')
  assert.equal(await victim.exit(), 'SIGKILL')
  // Its connection would write that row even now.
  await client.query(
    `select pg_terminate_backend(pid, 60000) from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
  )
  await client.query('rollback')
  const some = await left()
  assert.equal(some, COUNT / 2)
  const [early, why] = await inHost([second], 'rotate-key')
  assert.equal(early, 1)
  assert.match(why, /still sealed with an earlier key/)
  const [code, said] = await inHost([second, first], 'rotate-key')
  assert.equal(code, 0, said)
  assert.match(said, new RegExp(`^checkpoints: ${some} sealed anew$`, 'm'))
  assert.deepEqual(await sealedWith(first), [])
  const { rows } = await client.query('select index, checkpoint from entries order by index')
  for (const { index, checkpoint } of rows)
    assert.equal(
      newest.open(Buffer.from(checkpoint.sealed, 'base64'), sealedFor.checkpoint(task, index)),
      `{"n":${index}}`,
    )
})
