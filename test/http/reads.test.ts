// /api/adapter/, /api/activity/ and /api/callback/ over HTTP: what can be read and filtered.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '#kit/ids.ts'
import { faceOf } from '#media/text/fonts.ts'
import { someCallbackBody } from '../support/callbacks.ts'
import { type Client, newClient } from '../support/client.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let clock = Date.now()
/** Later with every call, so that the order of a list is certain. */
const later = () => new Date(clock++)
let admin: Client

before(async () => {
  server = await startTestServer()
  admin = newClient(server)
})
after(() => server.stop())

test('adapters tell what they are and how they are configured', async () => {
  const { items, next_cursor } = (await admin.get('/api/adapter/')).body
  assert.deepEqual(
    items.map((item: { adapter_name: string }) => item.adapter_name),
    ['photo_add_overlay', 'photo_flip', 's3_upload'],
  )
  assert.equal(next_cursor, null)
  const overlay = (await admin.get('/api/adapter/photo_add_overlay/')).body
  assert.deepEqual(overlay, items[0])
  assert.equal(overlay.kind, 'transformer')
  assert.deepEqual(overlay.asset_parameters, [{ name: 'overlay_file_name', accepts: ['image'], list: false }])
  assert.equal(overlay.defaults_schema.properties.opacity.maximum, 1)
  assert.deepEqual(overlay.auth_schema.properties, {})
  const upload = (await admin.get('/api/adapter/s3_upload')).body
  assert.equal(upload.kind, 'destination')
  assert.deepEqual(upload.auth_schema.required, ['access_key', 'secret_key'])
  const { opacity } = overlay.defaults_schema.properties
  assert.ok('default' in opacity && !overlay.defaults_schema.required?.includes('opacity'), 'it need not be given')
  assert.equal((await admin.get('/api/adapter/nothing/')).body.code, 'not_found')
})

test('fonts are those that text can be set in', async () => {
  const { items, next_cursor } = (await admin.get('/api/font/')).body as {
    items: { family: string; shipped: boolean }[]
    next_cursor: null
  }
  assert.equal(next_cursor, null)
  assert.deepEqual(
    items.filter(({ shipped }) => shipped),
    [{ family: 'Inter', shipped: true }],
  )
  const families = items.map(({ family }) => family)
  assert.deepEqual(families, [...new Set(families)].sort())
  for (const family of families) assert.equal((await faceOf(family)).missing, null, family)
})

test('activities are read and filtered by owner, experience, type and task', async () => {
  const owner_id = (await admin.post('/api/profile/', {})).body.profile_id
  const add = async (experience_id: string, activity_type: string, task_id: string) => {
    const row = {
      activity_id: newId(),
      task_id,
      chain_id: newId(),
      entry: 0,
      owner_id,
      experience_id,
      activity_type,
      flow_id: newId(),
    }
    await server.db
      .insertInto('activities')
      .values({ ...row, payload: '{"object_id":"o"}', created_at: later() })
      .execute()
    return row.activity_id
  }
  const task = newId()
  const first = await add('a', 'photo', task)
  const second = await add('a', 'video', task)
  const third = await add('b', 'photo', newId())
  const ids = async (query: string) =>
    (await admin.get(`/api/activity/?${query}`)).body.items.map((item: { activity_id: string }) => item.activity_id)
  assert.deepEqual(await ids(`owner_id=${owner_id}`), [third, second, first])
  assert.deepEqual(await ids('experience_id=a'), [second, first])
  assert.deepEqual(await ids('activity_type=photo'), [third, first])
  assert.deepEqual(await ids(`task_id=${task}&activity_type=photo`), [first])
  const { body } = await admin.get(`/api/activity/${first}/`)
  assert.deepEqual(Object.keys(body), [
    'activity_id',
    'owner_id',
    'experience_id',
    'activity_type',
    'flow_id',
    'payload',
    'retracted_at',
    'created_at',
  ])
  assert.deepEqual(body.payload, { object_id: 'o' })
  assert.equal((await admin.get('/api/activity/?owner_id=nonsense')).body.errors[0].field, 'owner_id')
  for (const id of [newId(), 'nonsense']) assert.equal((await admin.get(`/api/activity/${id}/`)).status, 404)
})

test('callbacks are read with their attempts and filtered by task and status', async () => {
  const add = async (status: 'Waiting' | 'GivenUp', task_id: string) => {
    const callback_id = newId()
    const now = later()
    await server.db
      .insertInto('callbacks')
      .values({
        callback_id,
        task_id,
        run: 1,
        experience_id: 'a',
        url: 'https://r.test/',
        receiver: 'r.test',
        body: someCallbackBody,
        status,
        next_attempt_at: null,
        created_at: now,
        updated_at: now,
      })
      .execute()
    return callback_id
  }
  const task = newId()
  const waiting = await add('Waiting', task)
  const givenUp = await add('GivenUp', newId())
  const attempt = (at: number, status_code: number | null, error: string | null) =>
    server.db
      .insertInto('callback_attempts')
      .values({ callback_id: givenUp, at: new Date(at), status_code, error, duration_ms: 12 })
      .execute()
  await attempt(2000, null, 'no answer')
  await attempt(1000, 500, null)
  const ids = async (query: string) =>
    (await admin.get(`/api/callback/?${query}`)).body.items.map((item: { callback_id: string }) => item.callback_id)
  assert.deepEqual(await ids(''), [givenUp, waiting])
  assert.deepEqual(await ids(`task_id=${task}`), [waiting])
  assert.deepEqual(await ids('status=GivenUp'), [givenUp])
  const { body } = await admin.get(`/api/callback/${givenUp}/`)
  assert.deepEqual(body.body, JSON.parse(someCallbackBody))
  assert.deepEqual(body.attempts, [
    { at: '1970-01-01T00:00:01.000Z', status_code: 500, error: null, duration_ms: 12 },
    { at: '1970-01-01T00:00:02.000Z', status_code: null, error: 'no answer', duration_ms: 12 },
  ])
  assert.equal((await admin.get('/api/callback/?status=Lost')).body.errors[0].field, 'status')
  assert.equal((await admin.get(`/api/callback/${newId()}/`)).status, 404)
})
