// Deleting a task: the record, its callbacks and its files go; what belongs to guests, assets and other tasks stays.
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type CallbackReceiver, startCallbackReceiver } from '../support/callbacks.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startReceiver } from '../support/https-receiver.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'

describe('deleting tasks', () => {
  let keepsake: Keepsake
  let receiver: CallbackReceiver
  let picture: Blob
  let answer = 200

  before(async () => {
    receiver = await startCallbackReceiver((_request, response) => void response.writeHead(answer).end())
    keepsake = await startKeepsake({ settings: { callbackDelays: [600] } })
    picture = new Blob([new Uint8Array(await png(pattern(24, 16, 4)))])
    const activity_config = { experience_id: 'park', activity_type: 'photo', payload: { object_id: 'gate' } }
    const asset = { name: 'frame', experience_id: 'park', file: picture }
    assert.equal((await keepsake.send('/api/asset/', asset)).status, 201)
    await keepsake.configure(
      single('flip', 'photo_flip', { method: 'ROTATE_180' }, { activity_config, webhook_url: receiver.url }),
    )
    await keepsake.configure(single('framed', 'photo_add_overlay', { overlay_file_name: 'frame' }))
    await keepsake.configure(
      chain('both', [
        ['flip', null],
        ['framed', 0],
      ]),
    )
    assert.equal((await keepsake.client.post('/api/profile/', { rfid: 'A' })).status, 201)
  })
  after(() =>
    cleanUp(
      () => keepsake.stop(),
      () => receiver.stop(),
    ),
  )

  const files = async (): Promise<string[]> => {
    const folder = join(keepsake.settings.data, 'blobs')
    const all = await readdir(folder, { recursive: true, withFileTypes: true })
    return all
      .filter(each => each.isFile() && /^[0-9a-f-]{36}$/.test(each.name))
      .map(({ name }) => name)
      .sort()
  }
  const task = async (configuration_name: string, headers: Record<string, string> = {}) => {
    const extras = JSON.stringify({ rfid: 'A' })
    const { body, status } = await keepsake.send('/api/task/', { configuration_name, data: picture, extras }, headers)
    assert.equal(status, 202, JSON.stringify(body))
    const place = `/api/task/${body.task_id}/`
    assert.equal((await keepsake.ended(place)).status, 'Succeeded')
    return { place, task_id: body.task_id as string }
  }
  const callbackOf = async (taskId: string) =>
    (await keepsake.client.get(`/api/callback/?task_id=${taskId}`)).body.items[0]
  const settled = (taskId: string) =>
    until('the callback is delivered', async () => (await callbackOf(taskId))?.status === 'Delivered')

  it('takes the record, its callbacks and its files, and leaves the rest', async () => {
    const other = await task('both')
    const before = await files()
    const { place, task_id } = await task('flip', { 'idempotency-key': 'k1' })
    assert.ok((await files()).length > before.length)
    await settled(task_id)
    const { callback_id } = await callbackOf(task_id)
    const [activity] = (await keepsake.client.get(`/api/activity/?task_id=${task_id}`)).body.items
    const { status, body } = await keepsake.client.delete(place)
    assert.deepEqual([status, body], [204, ''])
    assert.deepEqual(await files(), before, 'only its own files are gone')
    for (const path of [
      place,
      `${place}output/0/`,
      `${place}input/`,
      `${place}events/`,
      `/api/callback/${callback_id}/`,
    ])
      assert.equal((await keepsake.client.get(path)).status, 404, path)
    for (const path of [
      `${place}retry/`,
      `${place}cancel/`,
      `${place}retract/`,
      `/api/callback/${callback_id}/resend/`,
    ])
      assert.equal((await keepsake.client.post(path)).status, 404, path)
    assert.equal((await keepsake.client.delete(place)).status, 404)
    const kept = (await keepsake.client.get(`/api/activity/?task_id=${task_id}`)).body.items
    assert.deepEqual(kept, [activity])
    assert.equal((await keepsake.client.get(`/api/activity/${activity.activity_id}/`)).status, 200)
    assert.equal((await keepsake.client.get(`${other.place}output/1/`)).status, 200)
    const replay = await keepsake.send(
      '/api/task/',
      { configuration_name: 'flip', data: picture, extras: JSON.stringify({ rfid: 'A' }) },
      { 'idempotency-key': 'k1' },
    )
    assert.deepEqual([replay.status, replay.body.code], [410, 'gone'])
    assert.equal((await keepsake.client.delete(other.place)).status, 204)
    assert.equal((await keepsake.client.get('/api/asset/frame/file/')).status, 200, 'files of assets stay')
  })

  it('a group goes with all its chains, and neither kind under the path of the other', async () => {
    const before = await files()
    const { body } = await keepsake.send('/api/taskgroup/', {
      configuration_names: '["flip","framed"]',
      flip_data: picture,
      framed_input: 'flip',
    })
    const place = `/api/taskgroup/${body.task_id}/`
    assert.equal((await keepsake.ended(place)).status, 'Succeeded')
    assert.equal((await keepsake.client.delete(`/api/task/${body.task_id}/`)).status, 404)
    assert.equal((await keepsake.client.get(place)).status, 200)
    assert.equal((await keepsake.client.delete(place)).status, 204)
    assert.equal((await keepsake.client.get(place)).status, 404)
    assert.deepEqual(await files(), before)
  })

  it('what has not ended, or has a callback that waits, is refused', async () => {
    answer = 503
    const { place, task_id } = await task('flip')
    await until('the first attempt was made', async () => (await callbackOf(task_id)).attempts.length === 1)
    const refused = await keepsake.client.delete(place)
    assert.deepEqual([refused.status, refused.body.code], [409, 'wrong_state'])
    assert.match(refused.body.detail, /callback .* is Waiting/)
    answer = 200
    await keepsake.client.post(`/api/callback/${(await callbackOf(task_id)).callback_id}/resend/`)
    await settled(task_id)
    assert.equal((await keepsake.client.delete(place)).status, 204)
    const silent = await startReceiver({ raw: () => {} })
    const { body } = await keepsake.send('/api/task/', { configuration_name: 'flip', data_url: silent.url })
    const open = await keepsake.client.delete(`/api/task/${body.task_id}/`)
    assert.deepEqual([open.status, open.body.code], [409, 'wrong_state'])
    assert.equal((await keepsake.client.post(`/api/task/${body.task_id}/cancel/`)).status, 202)
    await silent.stop()
  })

  it('takes the scope write and the experience; ids that are none are unknown', async () => {
    const { place } = await task('both')
    const token = async (more: object) =>
      keepsake.client.as((await keepsake.client.post('/api/token/', { name: 't', ...more })).body.token)
    assert.equal((await (await token({ scopes: ['tasks'] })).delete(place)).status, 403)
    assert.equal((await (await token({ scopes: ['write'], experiences: ['x'] })).delete(place)).status, 404)
    for (const id of ['x', '%00', '00000000-0000-0000-0000-000000000000', 'a'.repeat(300)])
      assert.ok([400, 404].includes((await keepsake.client.delete(`/api/task/${id}/`)).status), id)
    const own = await token({ scopes: ['write'], experiences: ['park'] })
    const answers = await Promise.all(Array.from({ length: 5 }, () => own.delete(place)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404, 404, 404, 404])
  })
})
