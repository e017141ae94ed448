// Tasks by whom they were made for.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sharp from 'sharp'
import { newId } from '#kit/ids.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { until } from '../support/until.ts'

let keepsake: Keepsake
let photo: Blob

before(async () => {
  keepsake = await startKeepsake()
  await keepsake.configure(single('turn', 'photo_flip', { method: 'ROTATE_90' }))
  const png = await sharp({ create: { width: 30, height: 20, channels: 3, background: '#c06020' } })
    .png()
    .toBuffer()
  photo = new Blob([new Uint8Array(png)])
})
after(() => keepsake.stop())

async function ran(path: '/api/task/' | '/api/taskgroup/', parts: Record<string, string | Blob>): Promise<string> {
  const { body } = await keepsake.send(path, parts)
  await keepsake.ended(`${path}${body.task_id}/`)
  return body.task_id
}

test('a guest’s tasks are found, failed ones too, and nobody else’s', async () => {
  const { client } = keepsake
  const { profile_id } = (await client.post('/api/profile/', { rfid: 'A1', experience_id: 'park' })).body
  const extras = '{"rfid": "A1"}'
  const made = await ran('/api/task/', { configuration_name: 'turn', data: photo, extras })
  const failed = await ran('/api/task/', { configuration_name: 'turn', data: new Blob(['no picture']), extras })
  await ran('/api/task/', { configuration_name: 'turn', data: photo, extras: '{"rfid": "B2"}' })
  const group = await ran('/api/taskgroup/', { configuration_names: '["turn"]', turn_data: photo, turn_extras: extras })
  const ids = async (path: string, as = client) =>
    (await as.get(path)).body.items.map(({ task_id }: { task_id: string }) => task_id)
  assert.deepEqual(await ids(`/api/task/?profile_id=${profile_id}`), [failed, made])
  assert.deepEqual(await ids(`/api/task/?profile_id=${profile_id}&status=Failed`), [failed])
  assert.deepEqual(await ids(`/api/taskgroup/?profile_id=${profile_id}`), [group])
  assert.deepEqual(await ids(`/api/task/?profile_id=${newId()}`), [])
  assert.equal((await client.get('/api/task/?profile_id=A1')).status, 400)
  const other = await client.post('/api/token/', { name: 'other', scopes: ['read'], experiences: ['elsewhere'] })
  assert.deepEqual(await ids(`/api/task/?profile_id=${profile_id}`, client.as(other.body.token)), [])
})

const tasksOf = async (profile_id: string): Promise<string[]> =>
  (await keepsake.client.get(`/api/task/?profile_id=${profile_id}`)).body.items.map(
    ({ task_id }: { task_id: string }) => task_id,
  )
const newProfile = async (lookups: Record<string, string>): Promise<string> =>
  (await keepsake.client.post('/api/profile/', { ...lookups, experience_id: 'park' })).body.profile_id

test('who gets a profile after the task is its guest, also where no activity is recorded, and is erased with it', async () => {
  const { client } = keepsake
  const task = await ran('/api/task/', { configuration_name: 'turn', data: photo, extras: '{"email": "Late@x.org"}' })
  const elsewhere = await client.post('/api/profile/', { email: 'late@x.org', experience_id: 'other' })
  assert.deepEqual(await tasksOf(elsewhere.body.profile_id), [], 'a guest of another event')
  const profile = await newProfile({ email: 'late@x.org' })
  assert.deepEqual(await tasksOf(profile), [task])
  const { status, body } = await client.delete(`/api/profile/${profile}/?media=retract`)
  assert.deepEqual([status, body.counts.tasks], [202, 1], JSON.stringify(body))
  await until('the task is gone', async () => (await client.get(`/api/task/${task}/`)).status === 404)
})

test('who was named by mistake is no guest any more once another is named by a retry', async () => {
  const { client } = keepsake
  const [wrong, right] = [await newProfile({ rfid: 'wrong' }), await newProfile({ rfid: 'right' })]
  const broken = new Blob(['no picture'])
  const extras = '{"rfid": ["wrong", "not yet"]}'
  const task = await ran('/api/task/', { configuration_name: 'turn', data: broken, extras })
  assert.deepEqual([await tasksOf(wrong), await tasksOf(right)], [[task], []])
  const parts = { data: photo, extras: '{"rfid": "right"}' }
  assert.equal((await keepsake.send(`/api/task/${task}/retry/`, parts)).status, 202)
  await keepsake.ended(`/api/task/${task}/`)
  assert.deepEqual([await tasksOf(wrong), await tasksOf(right)], [[], [task]])
  assert.deepEqual(await tasksOf(await newProfile({ rfid: 'not yet' })), [])
  assert.equal((await client.get(`/api/task/${task}/`)).body.status, 'Succeeded')
})

test('a keepsake that was claimed for the wrong guest belongs to the right one alone afterwards', async () => {
  const { client } = keepsake
  await client.patch('/api/experience/park/', { guest_page: { enabled: true } })
  const [wrong, right, both] = await Promise.all(['K1', 'K2', 'K3'].map(rfid => newProfile({ rfid })))
  const { code, keepsake_id } = (await client.post('/api/keepsake/', { experience_id: 'park' })).body
  const extras = '{"rfid": "K3"}'
  const task = await ran('/api/task/', { configuration_name: 'turn', data: photo, keepsake: code, extras })
  const claim = async (lookups: object | null) =>
    assert.equal((await client.patch(`/api/keepsake/${keepsake_id}/`, { lookups })).status, 200)
  const guests = () => Promise.all([wrong, right, both].map(each => tasksOf(each ?? '')))
  await claim({ rfid: ['K1', 'K3', 'nobody yet'] })
  assert.deepEqual(await guests(), [[task], [], [task]])
  await claim({ rfid: 'K2' })
  assert.deepEqual(await guests(), [[], [task], [task]], 'whom the task itself names stays')
  assert.deepEqual(await tasksOf(await newProfile({ rfid: 'nobody yet' })), [])
  const listed = (await client.get(`/api/keepsake/?profile_id=${wrong}`)).body.items
  assert.deepEqual(listed, [])
  await claim(null)
  assert.deepEqual(await guests(), [[], [], [task]])
  const { status, body } = await client.delete(`/api/profile/${both}/?media=retract`)
  assert.deepEqual([status, body.counts.tasks], [202, 1], 'it is nobody else’s')
})
