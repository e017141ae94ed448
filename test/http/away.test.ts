// When the service can not answer as usual: not ready, draining, the database away, a fault of our own.
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { openDatabase } from '#db/database.ts'
import { buildServer } from '#http/server.ts'
import { newLog } from '#kit/log.ts'
import { newExposedMeters } from '#kit/telemetry/prometheus.ts'
import { newClient, statusOf } from '../support/client.ts'
import { type Overrides, startTestServer, type TestServer } from '../support/server.ts'
import { soon } from '../support/until.ts'

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
  const { body } = await newClient(away).get('/metrics')
  assert.match(body, /^keepsake_database_up 0$/m)
  assert.equal(
    (await newClient(away, 'ks_other').get('/api/profile/')).status,
    503,
    'also when the token can not be checked',
  )
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
