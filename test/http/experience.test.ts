// /api/experience/ over HTTP: made by use, settings, webhook secrets.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { webhookSecrets } from '#db/nouns/experience-rows.ts'
import { type Client, newClient } from '../support/client.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let admin: Client

before(async () => {
  server = await startTestServer()
  admin = newClient(server)
  await admin.post('/api/profile/', { experience_id: 'expo 2026' })
})
after(() => server.stop())

const path = '/api/experience/expo%202026/'

test('an experience is made at the first use of its id', async () => {
  const { status, body } = await admin.get(path)
  assert.equal(status, 200)
  assert.equal(body.experience_id, 'expo 2026')
  assert.equal(body.name, null)
  assert.match(body.webhook_secret, /^whsec_/)
  assert.equal((await admin.get('/api/experience/unused/')).body.code, 'not_found')
  assert.equal((await admin.patch('/api/experience/unused/', {})).body.code, 'not_found')
})

test('only admin tokens see the webhook secret', async () => {
  for (const scope of ['read', 'tasks', 'write']) {
    const { body } = await admin.post('/api/token/', { name: scope, scopes: [scope] })
    const client = admin.as(body.token)
    assert.ok(!('webhook_secret' in (await client.get(path)).body))
    assert.ok(!('webhook_secret' in (await client.get('/api/experience/')).body.items[0]))
    assert.equal((await client.post(`${path}rotate-secret/`)).status, 403)
  }
})

test('settings are patched one by one and checked', async () => {
  const { body } = await admin.patch(path, { name: 'Expo', max_running: 3 })
  assert.deepEqual([body.name, body.max_running, body.retention_days], ['Expo', 3, null])
  const next = await admin.patch(path, { max_running: null, retention_days: 0 })
  assert.deepEqual([next.body.name, next.body.max_running, next.body.retention_days], ['Expo', null, 0])
  for (const [bad, field] of [
    [{ max_running: 0 }, 'max_running'],
    [{ max_running: 1.5 }, 'max_running'],
    [{ retention_days: '7' }, 'retention_days'],
    [{ name: '' }, 'name'],
    [{ webhook_secret: 'x' }, 'webhook_secret'],
  ] as const) {
    const answer = await admin.patch(path, bad)
    assert.equal(answer.status, 400)
    assert.equal(answer.body.errors[0].field, field)
  }
})

test('after a rotation both secrets sign for a day', async () => {
  const before = (await admin.get(path)).body.webhook_secret
  const { body } = await admin.post(`${path}rotate-secret/`)
  assert.notEqual(body.webhook_secret, before)
  const secrets = () => webhookSecrets(server.db, server.services.secretBox, 'expo 2026')
  assert.deepEqual(await secrets(), [body.webhook_secret, before])
  const stored = await server.db.selectFrom('experiences').selectAll().executeTakeFirstOrThrow()
  const until = stored.old_webhook_secret_until?.getTime() ?? 0
  assert.ok(Math.abs(until - Date.now() - 24 * 3600_000) < 60_000)
  assert.ok(!stored.webhook_secret.toString('latin1').includes(body.webhook_secret), 'sealed at rest')
  await server.db
    .updateTable('experiences')
    .set({ old_webhook_secret_until: new Date(Date.now() - 1) })
    .execute()
  assert.deepEqual(await secrets(), [body.webhook_secret])
  assert.deepEqual(await webhookSecrets(server.db, server.services.secretBox, 'nowhere'), [])
})
