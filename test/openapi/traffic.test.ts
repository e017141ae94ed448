// What a deployment really answers, held against its document: status, headers and body of good and bad requests of every kind.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import sharp from 'sharp'
import { seen } from '../support/client.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'

let keepsake: Keepsake
let photo: Blob

before(async () => {
  keepsake = await startKeepsake()
  const picture = sharp({ create: { width: 64, height: 48, channels: 3, background: '#a1c' } })
  photo = new Blob([await picture.jpeg().toBuffer()])
})
after(() => keepsake.stop())

const form = (parts: Record<string, string | Blob>): FormData => {
  const data = new FormData()
  for (const [name, value] of Object.entries(parts)) data.append(name, value)
  return data
}

/** The client throws where an answer is not as described; here is only told what must have been seen. */
function assertSeen(expected: Record<string, number[]>): void {
  const operations = seen.get(keepsake.url)
  const missing = Object.entries(expected).flatMap(([operation, statuses]) =>
    statuses.filter(status => !operations?.get(operation)?.has(status)).map(status => `${operation} ${status}`),
  )
  assert.deepEqual(missing, [])
}

test('configurations, assets, profiles, experiences and tokens', async () => {
  const { client } = keepsake
  const flip = single('flip', 'photo_flip', { method: 'ROTATE_180' })
  await keepsake.configure(flip)
  await keepsake.configure(chain('chained', [['flip', null]]))
  await client.post('/api/configuration/?dry_run=true', { ...flip, configuration_name: 'other' })
  await client.post('/api/configuration/', flip)
  await client.post('/api/configuration/', { nonsense: true })
  await client.get('/api/configuration/?limit=1')
  await client.get('/api/configuration/flip/')
  await client.put('/api/configuration/flip/', flip)
  await client.patch('/api/configuration/flip/', { webhook_url: null })
  await client.delete('/api/configuration/flip/')
  await client.post('/api/configuration/flip/check/')
  const preview = { body: form({ data: photo }) }
  await client.send('POST', '/api/configuration/flip/preview/', preview)
  await client.send('POST', '/api/picture/', { body: form({ data: photo }) })
  await client.send('POST', '/api/asset/', { body: form({ name: 'a.jpg', experience_id: 'park', file: photo }) })
  await client.send('PUT', '/api/asset/a.jpg/', { body: form({ file: photo }) })
  await client.get('/api/asset/')
  const { headers } = await client.get('/api/asset/a.jpg/file/')
  await client.send('GET', '/api/asset/a.jpg/file/', { headers: { range: 'bytes=0-9' } })
  await client.send('GET', '/api/asset/a.jpg/file/', { headers: { range: 'bytes=999999-' } })
  await client.send('GET', '/api/asset/a.jpg/file/', { headers: { 'if-none-match': headers.get('etag') ?? '' } })
  await client.delete('/api/asset/a.jpg/')
  const profile = (await client.post('/api/profile/', { email: 'ada@example.org', experience_id: 'park' })).body
  await client.post('/api/profile/', { email: 'ada@example.org', experience_id: 'park' })
  await client.patch(`/api/profile/${profile.profile_id}/`, { rfid: '7' })
  await client.get('/api/profile/?email=ada@example.org')
  await client.get('/api/experience/park/')
  await client.patch('/api/experience/park/', { name: 'Park' })
  await client.post('/api/experience/park/rotate-secret/')
  const token = (await client.post('/api/token/', { name: 't', scopes: ['read'], limits: { requests_per_minute: 2 } }))
    .body
  const limited = client.as(token.token)
  await limited.post('/api/configuration/', flip)
  await limited.get('/api/token/')
  await limited.get('/api/session/')
  await client.as('ks_nobody').get('/api/session/')
  await client.as(null).post('/api/session/', { token: keepsake.token })
  await client.as(null).delete('/api/session/')
  await client.delete(`/api/token/${token.token_id}/`)
  await client.get('/api/stats/')
  await client.get('/api/trouble/')
  await client.get('/api/adapter/photo_flip/')
  assertSeen({
    createConfiguration: [200, 201, 400, 403, 409],
    listConfigurations: [200],
    readConfiguration: [200],
    replaceConfiguration: [200],
    updateConfiguration: [200],
    deleteConfiguration: [409],
    checkConfiguration: [200],
    previewConfiguration: [200],
    drawPicture: [200],
    createAsset: [201],
    replaceAsset: [200],
    downloadAsset: [200, 206, 304, 416],
    deleteAsset: [204],
    createProfile: [201, 409],
    updateProfile: [200],
    rotateExperienceSecret: [200],
    createToken: [201],
    deleteToken: [204],
    readSession: [401, 429],
    createSession: [201],
    deleteSession: [204],
    readStats: [200],
    readAdapter: [200],
  })
})

test('tasks and task groups from their acceptance to the files', async () => {
  const { client } = keepsake
  const key = { 'idempotency-key': randomUUID() }
  const parts = { configuration_name: 'chained', extras: '{"rfid": "7"}' }
  const task = (await keepsake.send('/api/task/', { ...parts, data: photo }, key)).body
  await keepsake.send('/api/task/', { ...parts, data: photo }, key)
  await keepsake.send('/api/task/', parts, key)
  await keepsake.send('/api/task/', { configuration_name: 'nothing', data: photo })
  await client.send('POST', '/api/task/', { body: '{}', headers: { 'content-type': 'application/json' } })
  await keepsake.ended(`/api/task/${task.task_id}/`)
  for (const path of ['', 'output/0/', 'output/7/', 'output/x/', 'input/', 'thumbnail/0/'])
    await client.get(`/api/task/${task.task_id}/${path}`)
  await client.post(`/api/task/${task.task_id}/cancel/`)
  await client.post(`/api/task/${task.task_id}/retry/`)
  await client.post(`/api/task/${task.task_id}/retract/`)
  await client.get('/api/task/?status=Succeeded')
  await client.get('/api/task/?cursor=none')
  const group = (
    await keepsake.send('/api/taskgroup/', {
      configuration_names: '["flip", "chained"]',
      flip_data: photo,
      chained_input: 'flip',
    })
  ).body
  await keepsake.send('/api/taskgroup/', { configuration_names: '["flip"]' })
  await keepsake.ended(`/api/taskgroup/${group.task_id}/`)
  for (const path of ['', 'output/1/', 'output/0/0/', 'input/0/', 'thumbnail/0/input/'])
    await client.get(`/api/taskgroup/${group.task_id}/${path}`)
  await client.get('/api/callback/')
  await client.get('/api/activity/')
  assertSeen({
    createTask: [202, 400, 409, 415],
    readTask: [200],
    listTasks: [200, 400],
    downloadTaskOutput: [200, 404],
    downloadTaskInput: [200],
    readTaskThumbnail: [200],
    cancelTask: [409],
    retryTask: [409],
    retractTask: [200],
    createTaskGroup: [202, 400],
    readTaskGroup: [200],
    downloadTaskGroupOutput: [200],
    downloadTaskGroupEntryOutput: [200],
    downloadTaskGroupInput: [200],
    readTaskGroupThumbnail: [200],
    listCallbacks: [200],
    listActivities: [200],
  })
})
