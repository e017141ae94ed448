// /api/experience/ over HTTP: made by use, settings, webhook secrets.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openSecrets, readSigningSecrets } from '#db/nouns/experience-rows.ts'
import { plainGuestPage } from '#kit/guest/guest-page.ts'
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
  const begun = Date.now()
  const { body } = await admin.post(`${path}rotate-secret/`)
  const dayLater = [begun, Date.now()].map(at => at + 24 * 3600_000) as [number, number]
  assert.notEqual(body.webhook_secret, before)
  const secrets = async (id = 'expo 2026') =>
    openSecrets(server.services.secretBox, id, await readSigningSecrets(server.db, id))
  assert.deepEqual(await secrets(), [body.webhook_secret, before])
  const stored = await server.db.selectFrom('experiences').selectAll().executeTakeFirstOrThrow()
  const until = stored.old_webhook_secret_until?.getTime() ?? 0
  assert.ok(until >= dayLater[0] && until <= dayLater[1], 'a day later')
  assert.ok(!stored.webhook_secret.toString('latin1').includes(body.webhook_secret), 'sealed at rest')
  await server.db
    .updateTable('experiences')
    .set({ old_webhook_secret_until: new Date(Date.now() - 1) })
    .execute()
  assert.deepEqual(await secrets(), [body.webhook_secret])
  assert.deepEqual(await secrets('nowhere'), [])
})

test('an experience can be made before it is used, with all its settings', async () => {
  const settings = {
    name: 'Plan',
    max_running: 2,
    retention_days: 3,
    time_zone: 'Europe/Berlin',
    starts_at: '2027-01-01T10:00:00.000Z',
    ends_at: '2027-01-02T10:00:00.000Z',
    archived: false,
  }
  const made = await admin.post('/api/experience/', { experience_id: 'plan ✓', ...settings })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  assert.equal(made.headers.get('location'), '/api/experience/plan%20%E2%9C%93/')
  const { experience_id, webhook_secret, created_at, updated_at, guest_page, ...rest } = made.body
  assert.deepEqual(guest_page, plainGuestPage)
  assert.deepEqual([experience_id, rest], ['plan ✓', { ...settings, webhook_headers: [] }])
  assert.match(webhook_secret, /^whsec_/)
  assert.equal(created_at, updated_at)
  assert.deepEqual((await admin.get(made.headers.get('location') as string)).body, made.body)
  const twice = await admin.post('/api/experience/', { experience_id: 'plan ✓' })
  assert.deepEqual([twice.status, twice.body.code], [409, 'name_taken'])
  const plain = await admin.post('/api/experience/', { experience_id: 'plain' })
  assert.deepEqual(
    [plain.body.time_zone, plain.body.starts_at, plain.body.ends_at, plain.body.archived],
    [null, null, null, false],
  )
  const racers = await Promise.all(
    Array.from({ length: 5 }, () => admin.post('/api/experience/', { experience_id: 'raced' })),
  )
  assert.deepEqual(racers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409])
})

test('time zone, beginning and end are checked, also against what is stored', async () => {
  await admin.post('/api/experience/', { experience_id: 'times', starts_at: '2027-01-01T10:00:00Z' })
  const place = '/api/experience/times/'
  for (const zone of ['UTC', 'Asia/Kolkata', 'America/Argentina/Buenos_Aires', 'Etc/GMT+3'])
    assert.equal((await admin.patch(place, { time_zone: zone })).body.time_zone, zone)
  for (const [bad, field] of [
    [{ time_zone: 'Berlin' }, 'time_zone'],
    [{ time_zone: '+02:00' }, 'time_zone'],
    [{ time_zone: '' }, 'time_zone'],
    [{ time_zone: 'Europe/Berlin ' }, 'time_zone'],
    [{ time_zone: 'x'.repeat(65) }, 'time_zone'],
    [{ time_zone: 3 }, 'time_zone'],
    [{ ends_at: '2027-01-01T10:00:00Z' }, 'ends_at'],
    [{ ends_at: '2026-01-01T10:00:00Z' }, 'ends_at'],
    [{ ends_at: '2027-01-01' }, 'ends_at'],
    [{ ends_at: 'tomorrow' }, 'ends_at'],
    [{ starts_at: '0000-01-01T00:00:00Z' }, 'starts_at'],
    [{ starts_at: '2026-12-31T23:59:60Z' }, 'starts_at'],
    [{ archived: 'true' }, 'archived'],
    [{ archived: null }, 'archived'],
  ] as const) {
    const answer = await admin.patch(place, bad)
    assert.deepEqual([answer.status, answer.body.errors?.[0].field], [400, field], JSON.stringify(bad))
    const made = await admin.post('/api/experience/', {
      experience_id: 'bad',
      starts_at: '2027-01-01T10:00:00Z',
      ...bad,
    })
    assert.equal(made.status, 400, JSON.stringify(bad))
  }
  const ends = await admin.patch(place, { ends_at: '2027-01-01T12:00:00+01:00' })
  assert.equal(ends.body.ends_at, '2027-01-01T11:00:00.000Z')
  assert.equal((await admin.patch(place, { starts_at: '2027-01-01T11:00:00Z' })).body.errors[0].field, 'ends_at')
  const cleared = await admin.patch(place, { starts_at: null, time_zone: null })
  assert.deepEqual([cleared.body.starts_at, cleared.body.time_zone], [null, null])
})

test('archived ones are listed apart', async () => {
  await admin.post('/api/experience/', { experience_id: 'over', archived: true })
  const listed = async (query: string): Promise<string[]> =>
    (await admin.get(`/api/experience/?limit=500${query}`)).body.items.map(
      (one: { experience_id: string }) => one.experience_id,
    )
  assert.deepEqual(await listed('&archived=true'), ['over'])
  assert.ok(!(await listed('&archived=false')).includes('over'))
  assert.equal((await listed('')).length, (await listed('&archived=false')).length + 1)
  assert.equal((await admin.get('/api/experience/?archived=1')).status, 400)
})

test('a limited token makes only experiences that it may see', async () => {
  const { body } = await admin.post('/api/token/', { name: 'l', scopes: ['write'], experiences: ['mine'] })
  const limited = admin.as(body.token)
  assert.equal((await limited.post('/api/experience/', { experience_id: 'theirs' })).body.code, 'forbidden')
  assert.equal((await limited.post('/api/experience/', { experience_id: 'over' })).body.code, 'forbidden')
  const made = await limited.post('/api/experience/', { experience_id: 'mine' })
  assert.equal(made.status, 201)
  assert.ok(!('webhook_secret' in made.body))
})
