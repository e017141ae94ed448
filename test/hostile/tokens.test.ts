// Attacks with tokens: stronger ones out of weaker ones, guessing, and listening on after the end.
import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { after, before, test } from 'node:test'
import { buildServer } from '#http/server.ts'
import { newId } from '#kit/ids.ts'
import { type Client, newClient } from '../support/client.ts'
import { seedRows } from '../support/seed-rows.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { soon } from '../support/until.ts'

let server: TestServer
let admin: Client

before(async () => {
  // All clients of a test come from one address, so each says as a proxy for whom it asks.
  server = await startTestServer({ settings: { trustProxy: ['127.0.0.1'], maxBadTokens: 50 } })
  admin = newClient(server)
})
after(() => server.stop())

interface Made {
  token: string
  token_id: string
  limits: object | null
}

async function make(maker: Client, more: object = {}): Promise<Made> {
  const { status, body } = await maker.post('/api/token/', { name: 'made', scopes: ['admin'], ...more })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

const inHours = (hours: number): string => new Date(Date.now() + hours * 3600_000).toISOString()

test('a token that ends makes none that ends later or never, and neither does its session', async () => {
  const end = inHours(2)
  const { token } = await make(admin, { expires_at: end })
  const brief = admin.as(token)
  const signedIn = await admin.as(null).post('/api/session/', { token })
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  const bySession = (body: object) =>
    admin.as(null).send('POST', '/api/token/', {
      headers: { cookie, origin: server.url, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const wanted = { name: 'longer', scopes: ['read'] }
  for (const longer of [{}, { expires_at: null }, { expires_at: inHours(2.01) }, { expires_at: inHours(9e5) }])
    for (const ask of [bySession, (body: object) => brief.post('/api/token/', body)]) {
      const { status, body } = await ask({ ...wanted, ...longer })
      assert.equal(status, 400, JSON.stringify(longer))
      assert.equal(body.errors[0].field, 'expires_at')
    }
  await make(brief, { expires_at: end })
  await make(brief, { expires_at: inHours(1) })
})

test('no token makes one with higher limits than its own, or with none', async () => {
  const limits = { requests_per_minute: 500, waiting_tasks: 5, upload_bytes_per_day: 1000, streams: 3 }
  const limited = admin.as((await make(admin, { limits })).token)
  for (const [name, most] of Object.entries(limits)) {
    const { [name as keyof typeof limits]: _left, ...others } = limits
    for (const more of [null, {}, others, { ...limits, [name]: most + 1 }]) {
      const { status, body } = await limited.post('/api/token/', { name: 'm', scopes: ['read'], limits: more })
      assert.equal(status, 400, JSON.stringify(more))
      assert.match(body.errors[0].field, /^limits\./)
    }
  }
  assert.equal((await limited.post('/api/token/', { name: 'none', scopes: ['read'] })).status, 400)
  const { token } = await make(limited, { limits: { ...limits, waiting_tasks: 4 } })
  const again = await admin.as(token).post('/api/token/', { name: 'back', scopes: ['read'], limits })
  assert.equal(again.body.errors[0].field, 'limits.waiting_tasks')
  const plain = admin.as((await make(admin)).token)
  const streams = await plain.post('/api/token/', { name: 's', scopes: ['read'], limits: { streams: 21 } })
  assert.equal(streams.status, 400)
})

test('limits that make no sense are refused', async () => {
  const bad = [
    { requests_per_minute: 0 },
    { requests_per_minute: -1 },
    { requests_per_minute: 1.5 },
    { requests_per_minute: '5' },
    { requests_per_minute: 1e9 },
    { waiting_tasks: null },
    { upload_bytes_per_day: 2 ** 60 },
    { streams: true },
    { streams: 1e6 },
    { connections: 5 },
    [],
    'none',
    5,
  ]
  for (const limits of bad) {
    const { status, body } = await admin.post('/api/token/', { name: 'm', scopes: ['read'], limits })
    assert.equal(status, 400, JSON.stringify(limits))
    assert.match(body.errors[0].field, /^limits/)
  }
  const limits = { requests_per_minute: 60, streams: 1 }
  const { token: _token, ...made } = await make(admin, { limits })
  const { body } = await admin.get(`/api/token/${made.token_id}/`)
  assert.deepEqual(body, made)
  assert.deepEqual(body.limits, limits)
})

test('a deleted token takes along all that it made, and makes no more while it is still remembered', async () => {
  const maker = await make(admin)
  const made = await make(admin.as(maker.token), { scopes: ['admin'] })
  const further = await make(admin.as(made.token), { scopes: ['read'] })
  const other = await make(admin)
  assert.equal((await admin.get(`/api/token/${further.token_id}/`)).body.made_by, made.token_id)
  assert.equal((await admin.get(`/api/token/${other.token_id}/`)).body.made_by, null)
  // As another process does it: this one remembers the token for some seconds.
  for (const { token } of [maker, made, further]) assert.equal((await admin.as(token).get('/api/session/')).status, 200)
  await server.db.deleteFrom('tokens').where('token_id', '=', maker.token_id).execute()
  const late = await admin.as(maker.token).post('/api/token/', { name: 'late', scopes: ['admin'] })
  assert.equal(late.status, 401)
  for (const { token_id } of [maker, made, further])
    assert.equal((await admin.get(`/api/token/${token_id}/`)).status, 404)
  assert.equal((await admin.delete(`/api/token/${other.token_id}/`)).status, 204)
  for (const { token } of [maker, made, further, other])
    assert.equal((await admin.as(token).get('/api/session/')).status, 401)
})

const signInFrom = (address: string, body: object) =>
  admin.as(null).send('POST', '/api/session/', {
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify(body),
  })

test('an address signs in ten times a minute, with whatever and as whomever', async t => {
  // The minute does not end, however long the tries take.
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const tries = [{ token: 'ks_guess' }, { code: 'guess' }, {}, { token: server.token }]
  for (let n = 0; n < 10; n++)
    assert.notEqual((await signInFrom('192.0.2.1', tries[n % tries.length] as object)).status, 429)
  for (const body of tries) {
    const refused = await signInFrom('192.0.2.1', body)
    assert.equal(refused.status, 429)
    assert.equal(refused.body.code, 'too_many_requests')
    const wait = Number(refused.headers.get('retry-after'))
    assert.ok(wait >= 1 && wait <= 60, `${wait}`)
  }
  assert.equal((await signInFrom('192.0.2.2', { token: server.token })).status, 201)
  // What a client makes up stands to the left of what the proxy adds.
  assert.equal((await signInFrom('192.0.2.77, 192.0.2.1', { token: server.token })).status, 429)
  for (let n = 0; n < 10; n++) await signInFrom(`2001:db8:0:1::${n}`, { token: 'ks_guess' })
  assert.equal((await signInFrom('2001:db8:0:1:ffff::1', { token: server.token })).status, 429)
  assert.equal((await signInFrom('2001:db8:0:2::1', { token: server.token })).status, 201)
})

test('without a trusted proxy nobody signs in more often by making up addresses', async t => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const own = { ...server.services.settings, trustProxy: [] }
  const app = await buildServer({
    ...server.services,
    settings: own,
  })
  t.after(() => app.close())
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const statuses = []
  for (let n = 0; n < 12; n++) {
    const answer = await fetch(`${url}/api/session/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': `198.51.100.${n}` },
      body: '{"token": "ks_guess"}',
    })
    statuses.push(answer.status)
  }
  assert.deepEqual(statuses, [...Array(10).fill(401), 429, 429])
})

test('who guesses tokens is soon not answered any more, whoever shares the address still is', async t => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const { token } = await make(admin)
  const from = (shown: string, address = '192.0.2.9') =>
    admin.as(null).send('GET', '/api/session/', { headers: { 'x-forwarded-for': address, ...credential(shown) } })
  const credential = (shown: string): Record<string, string> =>
    shown.startsWith('cookie') ? { cookie: `keepsake_session=${shown}` } : { authorization: `Bearer ${shown}` }
  const early = await make(admin)
  assert.equal((await from(early.token)).status, 200)
  for (let n = 0; n < 50; n++) assert.equal((await from(n % 2 ? `ks_${newId()}` : `cookie${n}`)).status, 401)
  const refused = await from(`ks_${newId()}`)
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers.get('retry-after')) >= 1)
  // A right one that was never seen here is not told from a wrong one.
  assert.equal((await from(token)).status, 429)
  assert.equal((await from(early.token)).status, 200)
  assert.equal((await from(server.token)).status, 200)
  assert.equal((await from(token, '192.0.2.10')).status, 200)
})

test('a token that is limited to experiences learns nothing of the machines', async () => {
  const { db, secretBox } = server.services
  await seedRows(db, secretBox, 'park')
  const row = {
    worker_id: newId(),
    lock: 1,
    host: hostname(),
    doing: '[]',
    started_at: new Date(),
    seen_at: new Date(),
  }
  await db.insertInto('workers').values(row).execute()
  const { token } = await make(admin, { experiences: ['park'] })
  const { status, body } = await admin.as(token).get('/api/stats/')
  assert.equal(status, 200)
  assert.deepEqual([body.workers, body.disk], [null, null])
  assert.ok(!JSON.stringify(body).includes(hostname()))
  assert.ok((await admin.get('/api/stats/')).body.workers.some(({ host }: { host: string }) => host === hostname()))
  assert.equal((await admin.as(token).get('/metrics')).status, 403)
})

async function follow(path: string, headers: Record<string, string>): Promise<Response> {
  const response = await soon(`${path} is answered`, fetch(server.url + path, { headers }))
  assert.equal(response.status, 200)
  return response
}

test('event streams end soon after their token or session', async t => {
  t.mock.timers.enable({ apis: ['Date', 'setInterval'], now: Date.now() })
  const { db, secretBox } = server.services
  const { task_id } = await seedRows(db, secretBox, `streams ${newId()}`)
  await db.updateTable('tasks').set({ status: 'Running', worker_id: newId() }).where('task_id', '=', task_id).execute()
  const paths = ['/api/task/events/', '/api/taskgroup/events/', `/api/task/${task_id}/events/`]
  const bearer = ({ token }: Made) => ({ authorization: `Bearer ${token}` })
  const other = await follow('/api/task/events/', { authorization: `Bearer ${server.token}` })
  const stays = other.text().catch(() => 'cut off')
  // Deleted by another process, over by itself, and signed out.
  const deleted = await make(admin)
  const signedIn = await signInFrom('192.0.2.40', { token: server.token })
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  const expiring = await make(admin, { expires_at: new Date(Date.now() + 4_000).toISOString() })
  const streams = await Promise.all(
    paths.flatMap(path => [bearer(deleted), bearer(expiring), { cookie }].map(headers => follow(path, headers))),
  )
  await db.deleteFrom('tokens').where('token_id', '=', deleted.token_id).execute()
  await admin.as(null).send('DELETE', '/api/session/', { headers: { cookie, origin: server.url } })
  // As long as docs/api.md says that it takes at most.
  t.mock.timers.tick(5_000)
  await soon('all of them end', Promise.all(streams.map(stream => stream.text())))
  assert.equal(await Promise.race([stays, Promise.resolve('open')]), 'open')
})
