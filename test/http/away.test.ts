// When the service can not answer as usual: not ready, draining, the database away, a fault of our own.
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '#db/database.ts'
import { takesWrites } from '#db/ping.ts'
import { buildServer } from '#http/server.ts'
import { newLog } from '#kit/log.ts'
import { newExposedMeters } from '#kit/telemetry/prometheus.ts'
import { newClient, statusOf } from '../support/client.ts'
import { testDatabase } from '../support/postgres.ts'
import { type Overrides, startTestServer, type TestServer } from '../support/server.ts'
import { soon, until } from '../support/until.ts'

let usual: TestServer
before(async () => {
  usual = await startTestServer()
})
after(() => usual?.stop())

/** Another API on the same database. */
async function serve(t: TestContext, { settings, ...others }: Overrides): Promise<{ url: string; token: string }> {
  const { services, token } = usual
  const meters = newExposedMeters({ part: 'api', version: '0.1.0', known: {} })
  const app = await buildServer({ ...services, meters, ...others, settings: { ...services.settings, ...settings } })
  t.after(() => app.close())
  return { url: await app.listen({ host: '127.0.0.1', port: 0 }), token }
}

test('readyz is 503 before it is ready and tells the version and what is off', async t => {
  let ready = false
  const server = await serve(t, {
    ready: () => ready,
    off: () => ['ffmpeg is missing: the video adapters are off'],
  })
  const get = async () => {
    const response = await fetch(`${server.url}/readyz`)
    return { status: response.status, body: (await response.json()) as object }
  }
  const off = ['ffmpeg is missing: the video adapters are off']
  assert.deepEqual(await get(), { status: 503, body: { status: 'not_ready', version: '0.0.0-test', off } })
  ready = true
  assert.deepEqual(await get(), { status: 200, body: { status: 'ready', version: '0.0.0-test', off } })
  assert.equal(await statusOf(`${server.url}/healthz`), 200)
})

test('while the database is away answers are 503 with Retry-After', async t => {
  const gone = openDatabase('postgres://nobody:nothing@127.0.0.1:1/nowhere', newLog('silent', 'test'))
  t.after(() => gone.close())
  const away = await serve(t, { db: gone.db })
  for (const [method, path, body] of [
    ['GET', '/api/profile/'],
    ['GET', '/api/configuration/x/'],
    ['POST', '/api/profile/', '{}'],
  ] as const) {
    const answer = await newClient(away).send(
      method,
      path,
      body ? { body, headers: { 'content-type': 'application/json' } } : {},
    )
    assert.equal(answer.body.code, 'unavailable', path)
    assert.equal(answer.headers.get('retry-after'), '2')
  }
  const page = await fetch(`${away.url}/k/Zm9vYmFyLWNvZGUtb2YtYQ`, { headers: { accept: 'text/html' } })
  const { headers } = page
  assert.deepEqual([page.status, headers.get('retry-after'), headers.get('refresh')], [503, '2', '2'])
  const { body } = await newClient(away).get('/metrics')
  assert.match(body, /^keepsake_database_up 0$/m)
  assert.equal(
    (await newClient(away, 'ks_other').get('/api/profile/')).status,
    503,
    'also when the token can not be checked',
  )
})

/** An API whose database stops to take writes, and takes them again. */
async function writable(t: TestContext) {
  const { url } = await testDatabase(t)
  const { db, close } = openDatabase(url, newLog('silent', 'test'))
  t.after(() => close())
  const server = await serve(t, { db, ready: () => takesWrites(db, 60_000) })
  const client = newClient(server)
  const ready = () => fetch(`${server.url}/readyz`)
  return { db, ready, write: () => client.post('/api/profile/', {}) }
}

test('a database that takes no writes is answered as one that is away, also by readyz', async t => {
  const { db, ready, write } = await writable(t)
  assert.equal((await ready()).status, 200)
  const { rows } = await sql<{ name: string }>`select quote_ident(current_database()) as name`.execute(db)
  const name = sql.raw(rows[0]?.name ?? '')
  await sql`alter database ${name} set default_transaction_read_only = on`.execute(db)
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`.execute(
    db,
  )
  await sql`set default_transaction_read_only = on`.execute(db)
  for (const _ of [1, 2]) {
    const answer = await write()
    assert.deepEqual([answer.status, answer.body.code, answer.headers.get('retry-after')], [503, 'unavailable', '2'])
  }
  const { status, headers } = await ready()
  assert.deepEqual([status, headers.get('retry-after')], [503, '1'])
  await db.transaction().execute(async trx => {
    await sql`set transaction read write`.execute(trx)
    await sql`alter database ${name} reset default_transaction_read_only`.execute(trx)
  })
  await until('it is ready again', async () => (await ready()).status === 200)
  assert.equal((await write()).status, 201)
})

test('so is one that has no room left', async t => {
  const { db, ready, write } = await writable(t)
  await sql`create function full_disk() returns trigger language plpgsql as
    $$ begin raise 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$`.execute(db)
  for (const table of ['snapshots', 'profiles'])
    await sql`create trigger full_disk before insert on ${sql.table(table)} execute function full_disk()`.execute(db)
  const answer = await write()
  assert.deepEqual([answer.status, answer.body.code, answer.headers.get('retry-after')], [503, 'unavailable', '2'])
  assert.equal((await ready()).status, 503)
})

test('a fault of our own is a 500 that says nothing but its request id', async t => {
  const lines: string[] = []
  const server = await serve(t, {
    log: newLog('error', 'test', { write: line => void lines.push(line) }),
    off: () => {
      throw new Error('canary: /etc/passwd')
    },
  })
  const { status, body, headers } = await newClient(server).get('/readyz')
  assert.equal(status, 500)
  assert.deepEqual(body, {
    type: '/docs#internal',
    title: 'Something went wrong on our side',
    status: 500,
    detail: 'Something went wrong on our side. The request id leads to the log.',
    code: 'internal',
    request_id: headers.get('x-request-id'),
  })
  const line = JSON.parse(lines[0] ?? '{}')
  assert.equal(line.request_id, body.request_id)
  assert.match(line.err.stack, /canary/)
})

test('metrics can be opened by a setting', async t => {
  const server = await serve(t, { settings: { openMetrics: true } })
  assert.equal(await statusOf(`${server.url}/metrics`), 200)
})

test('a request that comes while the service stops is refused with Retry-After, one under way is answered', async t => {
  let release = () => {}
  const held = new Promise<boolean>(resolve => {
    release = () => resolve(true)
  })
  let asked = () => {}
  const arrived = new Promise<void>(resolve => {
    asked = resolve
  })
  const server = await startTestServer({
    ready: () => {
      asked()
      return held
    },
  })
  t.after(() => release())
  const slow = fetch(`${server.url}/readyz`)
  await soon('it is asked', arrived)
  const idle = newClient(server)
  const stopped = server.stop()
  const late = await idle.get('/api/profile/').catch((error: Error) => error)
  assert.ok(late instanceof Error || late.body.code === 'unavailable')
  release()
  assert.equal((await soon('it is answered', slow)).status, 200)
  await soon('the server has stopped', stopped)
})
