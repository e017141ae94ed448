// Tasks by whom they were made for.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sharp from 'sharp'
import { newId } from '#kit/ids.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'

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
