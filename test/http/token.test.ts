// /api/token/ over HTTP: made, shown once, listed, limited, expired, deleted.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Client, newClient } from '../support/client.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

let server: TestServer
let admin: Client

before(async () => {
  server = await startTestServer()
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
