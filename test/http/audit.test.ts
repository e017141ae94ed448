// /api/audit/ over HTTP: every change with who made it, no secret, no person that was erased, and an end.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { clipped } from '#db/nouns/audit-rows.ts'
import { newId } from '#kit/ids.ts'
import { sweep } from '../../src/worker/sweep.ts'
import { type Answer, type Client, newClient } from '../support/client.ts'
import { flip, path, upload } from '../support/configurations.ts'
import { pattern, png } from '../support/pictures.ts'
import { seedRows } from '../support/seed-rows.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let admin: Client

before(async () => {
  server = await startTestServer({ settings: { keepAuditDays: 10 } })
  admin = newClient(server)
})
after(() => server.stop())

type Event = Answer['body']

const events = async (query: string, client = admin): Promise<Event[]> => {
  const { status, body } = await client.get(`/api/audit/?limit=500&${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.items
}
/** What was done to it, the first first. */
const story = async (objectId: string): Promise<string[]> =>
  (await events(`object_id=${encodeURIComponent(objectId)}`)).map(event => `${event.action} ${event.object}`).reverse()
const newToken = async (body: object): Promise<{ client: Client; token_id: string }> => {
  const made = await admin.post('/api/token/', body)
  assert.equal(made.status, 201)
  return { client: admin.as(made.body.token), token_id: made.body.token_id }
}
const put = async (name: string, width: number): Promise<Answer> => {
  const body = new FormData()
  body.append('experience_id', 'expo')
  body.append('file', new Blob([new Uint8Array(await png(pattern(width, 8, 3)))]))
  return admin.send('PUT', `/api/asset/${name}/`, { body })
}

test('every change of a configuration is told, with what it was and is', async () => {
  const begun = new Date().toISOString()
  const { client, token_id } = await newToken({ name: 'booth 3', scopes: ['write'] })
  await client.post('/api/configuration/', upload('told'))
  await client.patch(path('told'), { adapter_config: { auth: { secret_key: 'another secret' } } })
  await client.put(path('told'), flip('told'))
  await client.send('POST', `${path('told')}versions/1/restore/`)
  await client.delete(path('told'))
  await client.send('POST', `${path('told')}undelete/`)
  const told = await events('object_id=told')
  assert.deepEqual(
    told.map(({ action }) => action),
    ['undelete', 'delete', 'restore', 'update', 'update', 'create'],
  )
  const [undone, gone, , changed, , made] = told
  assert.deepEqual(made.actor, { kind: 'token', token_id, name: 'booth 3', address: '127.0.0.1' })
  assert.deepEqual([made.object, made.experience_id, made.before], ['configuration', 'expo', null])
  assert.deepEqual(made.after.adapter_config.auth, { access_key: '********', secret_key: '********' })
  assert.deepEqual([changed.before.adapter_name, changed.after.adapter_name], ['s3_upload', 'photo_flip'])
  assert.deepEqual([gone.after, undone.before], [null, null])
  assert.ok(made.created_at >= begun && made.created_at <= new Date().toISOString())
  assert.ok(!/canary-secret|another secret/.test(JSON.stringify(told)))
  const { rows } = await sql<{ text: string }>`select row_to_json(a)::text as text from audit_events a`.execute(
    server.db,
  )
  assert.ok(!/canary-secret|another secret/.test(JSON.stringify(rows)), 'not in the database either')
})

test('every change of assets, profiles, experiences and tokens is told', async () => {
  await put('frame', 8)
  await put('frame', 16)
  await admin.post('/api/asset/frame/versions/1/restore/')
  await admin.delete('/api/asset/frame/')
  await admin.post('/api/asset/frame/undelete/')
  assert.deepEqual(await story('frame'), [
    'create asset',
    'update asset',
    'restore asset',
    'delete asset',
    'undelete asset',
  ])
  const [, , , second] = await events('object_id=frame')
  assert.deepEqual([second.before.width, second.after.width], [8, 16])

  const profile = (await admin.post('/api/profile/', { email: 'joan@x.org', experience_id: 'expo' })).body.profile_id
  await admin.patch(`/api/profile/${profile}/`, { attributes: { first_name: 'Joan' } })
  const [patched] = await events(`object_id=${profile}`)
  assert.deepEqual([patched.before.attributes, patched.after.attributes], [{}, { first_name: 'Joan' }])
  await admin.delete(`/api/profile/${profile}/`)
  assert.deepEqual(await story(profile), ['create profile', 'update profile', 'delete profile'])
  // A name that no id can hold: ids are hexadecimal, as the letters of Ada are.
  assert.ok(!/joan/i.test(JSON.stringify(await events(`object_id=${profile}`))), 'nothing is left of who was erased')

  await admin.post('/api/experience/', { experience_id: 'fair', name: 'Fair' })
  await admin.patch('/api/experience/fair/', { archived: true })
  await admin.post('/api/experience/fair/rotate-secret/')
  assert.deepEqual(await story('fair'), ['create experience', 'update experience', 'rotate_secret experience'])
  const fair = await events('object_id=fair')
  assert.deepEqual([fair[1].before.archived, fair[1].after.archived], [false, true])
  assert.ok(!/whsec_/.test(JSON.stringify(fair)))

  const { client, token_id } = await newToken({ name: 'maker', scopes: ['admin'] })
  const { body: child } = await client.post('/api/token/', { name: 'child', scopes: ['read'] })
  assert.equal((await admin.delete(`/api/token/${token_id}/`)).status, 204)
  assert.deepEqual(await story(token_id), ['create token', 'delete token'])
  assert.deepEqual(await story(child.token_id), ['create token', 'delete token'], 'it goes with its maker')
  const [, made] = await events(`object_id=${child.token_id}`)
  assert.deepEqual([made.after.name, made.after.made_by, made.actor.name], ['child', token_id, 'maker'])
  assert.ok(!JSON.stringify(made).includes(child.token))
})

test('what is done to tasks and callbacks is told', async () => {
  const ids = await seedRows(server.db, server.services.secretBox, 'steered')
  const cancelled = await admin.post(`/api/task/${ids.task_id}/cancel/`)
  assert.ok(cancelled.status === 202 || cancelled.body.code === 'wrong_state', JSON.stringify(cancelled.body))
  const resent = await admin.post(`/api/callback/${ids.callback_id}/resend/`)
  assert.equal(resent.status, 202, JSON.stringify(resent.body))
  const [event] = await events(`object_id=${ids.callback_id}`)
  assert.deepEqual([event.action, event.object, event.experience_id], ['resend', 'callback', 'steered'])
  assert.equal(event.after.status, 'Waiting')
})

test('in the console it is a session; what is refused, dry or no change is nothing', async () => {
  const opened = await fetch(`${server.url}/api/session/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: server.token }),
  })
  const cookie = (opened.headers.get('set-cookie') ?? '').split(';', 1)[0] as string
  const headers = { 'content-type': 'application/json', cookie, origin: server.url }
  const body = JSON.stringify(flip('by hand'))
  const count = async () => (await events('')).length
  await fetch(`${server.url}/api/configuration/`, { method: 'POST', headers, body })
  const [event] = await events('object_id=by%20hand')
  assert.deepEqual(event.actor, { kind: 'session', token_id: null, name: 'operator', address: '127.0.0.1' })
  const before = await count()
  await admin.post('/api/configuration/', flip('by hand'))
  await admin.put(path('by hand'), flip('by hand'))
  await admin.put(`${path('dry')}?dry_run=true`, flip('dry'))
  await admin.patch('/api/experience/expo/', {})
  await admin.send('DELETE', path('by hand'), { headers: { 'if-match': '"x"' } })
  await admin.post('/api/token/', { name: '', scopes: ['read'] })
  await admin.delete(`/api/token/${newId()}/`)
  await fetch(`${server.url}/api/session/`, { method: 'POST', headers, body: '{"token":"ks_wrong"}' })
  assert.equal(await count(), before)
})

test('the list goes by filters and pages, newest first', async () => {
  const { client, token_id } = await newToken({ name: 'filtered', scopes: ['write'] })
  const from = new Date(Date.now() - 1).toISOString()
  for (let n = 1; n <= 5; n++)
    await client.put(path(`filtered ${n}`), flip(`filtered ${n}`, { experience_id: `f${n}` }))
  await client.delete(path('filtered 1'))
  assert.equal((await events(`token_id=${token_id}`)).length, 6)
  assert.equal((await events('actor=filtered')).length, 6)
  assert.equal((await events('actor=filtered&action=delete')).length, 1)
  assert.equal((await events(`actor=filtered&created_after=${from}`)).length, 6)
  assert.equal((await events(`actor=filtered&created_before=${from}`)).length, 0)
  assert.equal((await events('experience_id=f1')).length, 2)
  assert.ok((await events('object=configuration')).every(({ object }) => object === 'configuration'))
  const seen: string[] = []
  let cursor = ''
  do {
    const { body } = await admin.get(`/api/audit/?token_id=${token_id}&limit=2${cursor && `&cursor=${cursor}`}`)
    seen.push(...body.items.map((event: Event) => `${event.action} ${event.object_id}`))
    cursor = body.next_cursor ?? ''
  } while (cursor)
  assert.deepEqual(seen, ['delete filtered 1', ...[5, 4, 3, 2, 1].map(n => `create filtered ${n}`)])
  for (const bad of [
    'object=thing',
    'action=x',
    'token_id=x',
    'created_after=yesterday',
    'created_after=0000-01-01T00:00:00Z',
    'cursor=x',
    'unknown=1',
  ])
    assert.equal((await admin.get(`/api/audit/?${bad}`)).status, 400, bad)
})

test('only admin tokens read it, and limited ones only their experiences', async () => {
  for (const scope of ['read', 'tasks', 'write'])
    assert.equal((await (await newToken({ name: scope, scopes: [scope] })).client.get('/api/audit/')).status, 403)
  await admin.put(path('mine'), flip('mine', { experience_id: 'mine' }))
  await admin.put(path('theirs'), flip('theirs', { experience_id: 'theirs' }))
  const { client } = await newToken({ name: 'limited', scopes: ['admin'], experiences: ['mine'] })
  const seen = await events('', client)
  assert.deepEqual(
    seen.map(({ object_id }) => object_id),
    ['mine'],
  )
  assert.deepEqual(await events('object_id=theirs', client), [])
  assert.deepEqual(await events('experience_id=theirs', client), [])
})

test('an event is written with its change, or neither is', async () => {
  await sql`alter table audit_events add constraint refused check (object_id <> 'refused')`.execute(server.db)
  const failed = await admin.put(path('refused'), flip('refused'))
  assert.equal(failed.status, 500)
  assert.equal((await admin.get(path('refused'))).status, 404)
  await sql`alter table audit_events drop constraint refused`.execute(server.db)
})

test('what is very long is clipped, and old events go', async () => {
  const short = { a: 'x', b: [1, 2] }
  assert.deepEqual(JSON.parse(clipped(short) as string), short)
  const long = JSON.parse(clipped({ a: 'x', b: 'y'.repeat(100_000), c: 'z'.repeat(20_000) }) as string)
  assert.deepEqual(long, { a: 'x', b: { left_out_characters: 100_002 }, c: { left_out_characters: 20_002 } })
  await admin.put(
    path('long'),
    upload('long', {
      adapter_config: {
        auth: { access_key: 'AK', secret_key: 'canary-secret' },
        defaults: { bucket_name: 'b', metadata: { note: 'n'.repeat(200_000) } },
      },
    }),
  )
  const [event] = await events('object_id=long')
  assert.ok(event.after.adapter_config.left_out_characters > 200_000)
  assert.equal(event.after.configuration_name, 'long')
  await sql`update audit_events set created_at = now() - interval '9 days' where object_id = 'mine'`.execute(server.db)
  await sql`update audit_events set created_at = now() - interval '11 days' where object_id = 'long'`.execute(server.db)
  await sweep(server.services)
  assert.deepEqual([(await events('object_id=mine')).length, (await events('object_id=long')).length], [1, 0])
})
