// /api/token/ and /api/session/ over HTTP: made, shown once, listed, limited, expired, deleted; the console's cookie, one-time codes, and requests from other pages.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { newGate } from '#access/gate.ts'
import { issueCode } from '#access/sessions.ts'
import { type Client, newClient } from '../support/client.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

let server: TestServer
let admin: Client

before(async () => {
  server = await startTestServer({ settings: { maxSignIns: 1_000 } })
  admin = newClient(server)
})
after(() => server.stop())

test('a new token is shown once and works until it is deleted', async () => {
  const made = await admin.post('/api/token/', { name: 'booth', scopes: ['read'] })
  assert.equal(made.status, 201)
  assert.match(made.body.token, /^ks_[\w-]{43}$/)
  const { token, ...rest } = made.body
  const read = await admin.get(`/api/token/${made.body.token_id}/`)
  assert.deepEqual(read.body, rest)
  const booth = admin.as(token)
  assert.equal((await booth.get('/api/session/')).body.scope, 'read')
  assert.equal((await admin.delete(`/api/token/${rest.token_id}/`)).status, 204)
  assert.equal((await booth.get('/api/session/')).status, 401)
  assert.equal((await admin.delete(`/api/token/${rest.token_id}/`)).body.code, 'not_found')
})

test('only the digest of a token is kept', async () => {
  const { body } = await admin.post('/api/token/', { name: 'digest', scopes: ['read'] })
  const rows = await server.db.selectFrom('tokens').selectAll().execute()
  assert.ok(!JSON.stringify(rows).includes(body.token))
  assert.ok(!JSON.stringify(rows).includes(Buffer.from(body.token).toString('hex')))
})

test('a token past its time is refused', async t => {
  const end = new Date(Date.now() + 3600_000)
  const { body } = await admin.post('/api/token/', { name: 'short', scopes: ['read'], expires_at: end.toISOString() })
  const short = admin.as(body.token)
  assert.equal((await short.get('/api/session/')).status, 200)
  t.mock.timers.enable({ apis: ['Date'], now: end.getTime() - 1 })
  assert.equal((await short.get('/api/session/')).status, 200)
  t.mock.timers.setTime(end.getTime())
  assert.equal((await short.get('/api/session/')).status, 401)
  t.mock.timers.reset()
  const past = await admin.post('/api/token/', { name: 'x', scopes: ['read'], expires_at: '2020-01-01T00:00:00Z' })
  assert.equal(past.status, 400)
  assert.equal(past.body.errors[0].field, 'expires_at')
})

test('a token limited to experiences makes and sees only tokens with some of the same', async () => {
  const { body } = await admin.post('/api/token/', { name: 'a+b', scopes: ['admin'], experiences: ['a', 'b'] })
  const limited = admin.as(body.token)
  assert.equal((await limited.post('/api/token/', { name: 'all', scopes: ['read'] })).status, 400)
  const foreign = await limited.post('/api/token/', { name: 'c', scopes: ['read'], experiences: ['a', 'c'] })
  assert.equal(foreign.status, 403)
  assert.equal(foreign.body.errors[0].field, 'experiences[1]')
  const inner = await limited.post('/api/token/', { name: 'b', scopes: ['read'], experiences: ['b'] })
  assert.equal(inner.status, 201)
  const { items } = (await limited.get('/api/token/')).body
  assert.deepEqual(items.map((item: { name: string }) => item.name).sort(), ['a+b', 'b'])
})

test('tokens are listed newest first, page by page', async () => {
  for (let i = 0; i < 5; i++) await admin.post('/api/token/', { name: `page ${i}`, scopes: ['read'] })
  const first = await admin.get('/api/token/?limit=3')
  assert.deepEqual(
    first.body.items.map((item: { name: string }) => item.name),
    ['page 4', 'page 3', 'page 2'],
  )
  const next = await admin.get(`/api/token/?limit=2&cursor=${first.body.next_cursor}`)
  assert.deepEqual(
    next.body.items.map((item: { name: string }) => item.name),
    ['page 1', 'page 0'],
  )
  for (const cursor of ['nonsense', 'bnVsbA', Buffer.from('["profiles",1,"x"]').toString('base64url')]) {
    const bad = await admin.get(`/api/token/?cursor=${cursor}`)
    assert.equal(bad.body.code, 'bad_cursor')
  }
})

test('the last use of a token is noted', async () => {
  const { body } = await admin.post('/api/token/', { name: 'used', scopes: ['read'] })
  assert.deepEqual([body.last_used_at, body.updated_at], [null, body.created_at])
  const begun = new Date().toISOString()
  await admin.as(body.token).get('/api/session/')
  const now = await until('it is noted', async () => {
    const { body: token } = await admin.get(`/api/token/${body.token_id}/`)
    return token.last_used_at !== null && token
  })
  assert.ok(now.last_used_at >= begun)
  assert.equal(now.updated_at, now.last_used_at)
})

describe('a session', () => {
  async function signIn(body: object): Promise<string> {
    const answer = await admin.as(null).post('/api/session/', body)
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? ''
  }

  const withCookie = (
    cookie: string,
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string,
  ) => admin.as(null).send(method, path, { headers: { cookie, ...headers }, ...(body === undefined ? {} : { body }) })

  test('a token opens a session that stands for it, until it signs out', async () => {
    const { body } = await admin.post('/api/token/', { name: 'console', scopes: ['write'], experiences: ['a'] })
    const answer = await admin.as(null).post('/api/session/', { token: body.token })
    const header = answer.headers.get('set-cookie') ?? ''
    assert.match(header, /^keepsake_session=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/)
    assert.deepEqual(
      [answer.body.scope, answer.body.experiences, answer.body.token_id],
      ['write', ['a'], body.token_id],
    )
    const cookie = header.split(';', 1)[0] ?? ''
    const who = await withCookie(cookie, 'GET', '/api/session/')
    assert.deepEqual([who.status, who.body.scope, who.body.name], [200, 'write', 'console'])
    const origin = { origin: server.url }
    assert.equal((await withCookie(cookie, 'DELETE', '/api/session/', origin)).status, 204)
    assert.equal((await withCookie(cookie, 'GET', '/api/session/')).status, 401)
  })

  test('deleting the token ends its sessions', async () => {
    const { body } = await admin.post('/api/token/', { name: 'gone', scopes: ['read'] })
    const cookie = await signIn({ token: body.token })
    assert.equal((await withCookie(cookie, 'GET', '/api/session/')).status, 200)
    await admin.delete(`/api/token/${body.token_id}/`)
    assert.equal((await withCookie(cookie, 'GET', '/api/session/')).status, 401)
  })

  test('a code signs in once, as the operator', async () => {
    const code = await issueCode(server.db)
    const cookie = await signIn({ code })
    const who = await withCookie(cookie, 'GET', '/api/session/')
    assert.deepEqual([who.body.scope, who.body.token_id, who.body.name], ['admin', null, 'operator'])
    assert.equal((await admin.as(null).post('/api/session/', { code })).status, 401)
    const stored = await server.db.selectFrom('sessions').selectAll().execute()
    assert.ok(!JSON.stringify(stored).includes(cookie.split('=')[1] ?? ''))
  })

  test('of many sign-ins with one code exactly one wins', async () => {
    const code = await issueCode(server.db)
    const answers = await Promise.all(Array.from({ length: 8 }, () => admin.as(null).post('/api/session/', { code })))
    assert.deepEqual(answers.map(answer => answer.status).sort(), [201, ...Array(7).fill(401)])
  })

  test('an expired code is refused', async () => {
    const code = await issueCode(server.db)
    await server.db
      .updateTable('deployment')
      .set({ value: Buffer.from('1') })
      .where('key', 'like', 'sign-in code %')
      .execute()
    assert.equal((await admin.as(null).post('/api/session/', { code })).status, 401)
  })

  test('wrong and missing credentials are 401 or 400', async () => {
    const nobody = admin.as(null)
    assert.equal((await nobody.post('/api/session/', { token: 'ks_wrong' })).status, 401)
    assert.equal((await nobody.post('/api/session/', { code: 'wrong' })).status, 401)
    assert.equal((await nobody.post('/api/session/', {})).status, 400)
    assert.equal((await nobody.post('/api/session/', { token: 'a', code: 'b' })).status, 400)
  })

  test('with the cookie, only the console’s own pages may change anything', async () => {
    const cookie = await signIn({ token: server.token })
    const json = { 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'from elsewhere', scopes: ['read'] })
    for (const headers of [{}, { origin: 'https://evil.example' }, { origin: 'null' }, { origin: `${server.url}0` }])
      assert.equal((await withCookie(cookie, 'POST', '/api/token/', { ...json, ...headers }, body)).status, 403)
    const own = { ...json, origin: server.url }
    assert.equal((await withCookie(cookie, 'POST', '/api/token/', own, body)).status, 201)
    const proxied = { ...json, origin: 'https://keepsake.example', 'x-forwarded-host': 'keepsake.example' }
    assert.equal((await withCookie(cookie, 'POST', '/api/token/', proxied, body)).status, 201)
    const foreign = await admin.as(null).send('POST', '/api/session/', {
      headers: { ...json, origin: 'https://evil.example' },
      body: JSON.stringify({ token: server.token }),
    })
    assert.equal(foreign.status, 403)
  })

  test('behind HTTPS the cookie is Secure', async () => {
    const answer = await admin.as(null).send('POST', '/api/session/', {
      headers: { 'content-type': 'application/json', 'x-forwarded-proto': 'https' },
      body: JSON.stringify({ token: server.token }),
    })
    assert.match(answer.headers.get('set-cookie') ?? '', /; Secure$/)
  })

  test('changing the admin token signs everybody out', async () => {
    const cookie = await signIn({ token: server.token })
    const secret = cookie.split('=')[1] ?? ''
    const { db, log } = server.services
    assert.ok(await newGate(db, server.token, log).session(secret))
    assert.equal(await newGate(db, 'another', log).session(secret), null)
  })
})
