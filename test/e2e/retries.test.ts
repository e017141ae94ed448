// Running again: only what had not succeeded and what descends from a new file, for the guests of now, many at once.
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { holdLimits } from '../support/held-limits.ts'
import { type Receiver, startReceiver } from '../support/https-receiver.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { assertOneEach } from '../support/one-connection.ts'
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'

describe('retries', () => {
  let keepsake: Keepsake
  let receiver: Receiver
  let picture: Blob
  /** Paths that answer 403. */
  const refused = new Set<string>()
  const activity_config = { experience_id: 'park', activity_type: 'photo', payload: { object_id: 'gate' } }

  before(async () => {
    receiver = await startReceiver({
      answer: ({ url }, response) => void response.writeHead(refused.has(url) ? 403 : 200).end(),
    })
    keepsake = await startKeepsake()
    picture = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
    await keepsake.configure(single('flip', 'photo_flip', { method: 'ROTATE_180' }))
    await keepsake.configure(single('kept', 'photo_flip', { method: 'ROTATE_180' }, { activity_config }))
    for (const name of ['a', 'b', 'c', 'd'])
      await keepsake.configure(single(`post ${name}`, 'http_post', { url: `${receiver.url}/${name}` }))
    for (const name of ['a', 'b', 'c', 'd'])
      await keepsake.configure(
        chain(name, [
          ['flip', null],
          [`post ${name}`, 0],
        ]),
      )
    await keepsake.configure(
      chain('kept then d', [
        ['kept', null],
        ['post d', 0],
      ]),
    )
  })
  after(async () => {
    await keepsake.stop()
    await receiver.stop()
  })
  beforeEach(() => {
    refused.clear()
    receiver.received.length = 0
  })
  afterEach(assertOneEach)

  const posts = () => receiver.received.map(({ url }) => url)
  const accepted = async (path: string, parts: Record<string, string | Blob>): Promise<string> => {
    const { status, body } = await keepsake.send(path, parts)
    assert.equal(status, 202, JSON.stringify(body))
    return body.task_id
  }
  const run = async (parts: Record<string, string | Blob>) => {
    const kind = 'configuration_names' in parts ? 'taskgroup' : 'task'
    const path = `/api/${kind}/${await accepted(`/api/${kind}/`, parts)}/`
    return { ...(await keepsake.ended(path)), path }
  }
  const again = async (path: string, parts?: Record<string, string | Blob>) => {
    if (parts) await accepted(`${path}retry/`, parts)
    else assert.equal((await keepsake.client.send('POST', `${path}retry/`)).status, 202)
    return keepsake.ended(path)
  }
  const newAsset = async (name: string) => {
    const form = new FormData()
    form.append('name', name)
    form.append('experience_id', 'park')
    form.append('file', picture)
    assert.equal((await keepsake.client.send('POST', '/api/asset/', { body: form })).status, 201)
  }

  it('forty at once are all taken, and others are answered meanwhile', async t => {
    // One that waits for a connection for ever is what this is about; others may wait long on a busy machine.
    holdLimits(t, 5, 20)
    const junk = new Blob(['junk'])
    const paths = await Promise.all(
      Array.from(
        { length: 40 },
        async () => `/api/task/${await accepted('/api/task/', { configuration_name: 'flip', data: junk })}/`,
      ),
    )
    // One after the other: a token may follow only so many at once.
    for (const path of paths) assert.equal((await keepsake.ended(path)).status, 'Failed')
    /** PostgreSQL has limits of its own: who is told to try again does. */
    const asked = (method: string, path: string, status: number) =>
      until(`${path} is answered`, async () => {
        const answer = await keepsake.client.send(method, path)
        if (answer.status !== 503) assert.equal(answer.status, status, JSON.stringify(answer.body))
        return answer.status === status
      })
    await Promise.all([
      ...paths.map(path => asked('POST', `${path}retry/`, 202)),
      ...['/api/task/', '/readyz', '/api/profile/'].map(path => asked('GET', path, 200)),
    ])
    for (const path of paths) assert.equal((await keepsake.ended(path)).status, 'Failed')
  })

  it('cancelling and running again take one connection at a time', async () => {
    const { path, status } = await run({ configuration_name: 'flip', data: new Blob(['junk']) })
    assert.equal(status, 'Failed')
    await again(path, { data: picture, extras: '{"method":"ROTATE_90"}' })
    const task_id = await accepted('/api/task/', { configuration_name: 'a', data: picture })
    assert.ok([202, 409].includes((await keepsake.client.post(`/api/task/${task_id}/cancel/`)).status))
    await keepsake.ended(`/api/task/${task_id}/`)
    const { body } = await keepsake.client.post('/api/profile/', { rfid: 'passing', experience_id: 'new here' })
    await run({ configuration_name: 'kept', data: picture, extras: '{"rfid":"passing"}' })
    const profile = `/api/profile/${body.profile_id}/`
    assert.equal((await keepsake.client.patch(profile, { rfid: ['by'], experience_id: 'park' })).status, 200)
    assert.equal((await keepsake.client.delete(profile)).status, 204)
  })

  it('a new file for one configuration runs again what takes its output, and nothing else', async () => {
    refused.add('/d')
    const group = await run({
      configuration_names: '["a","b","c","d"]',
      a_data: picture,
      b_data: picture,
      c_input: 'a',
      d_input: 'b',
    })
    assert.deepEqual([group.status, posts()], ['Failed', ['/a', '/b', '/c', '/d']])
    refused.clear()
    const { status } = await again(group.path, { a_data: picture })
    assert.equal(status, 'Succeeded')
    assert.deepEqual(posts().slice(4), ['/a', '/c', '/d'])
  })

  it('an override counts as taking an output', async () => {
    await newAsset('frame')
    await keepsake.configure(single('framed', 'photo_add_overlay', { overlay_file_name: 'frame' }))
    await keepsake.configure(
      chain('framed b', [
        ['framed', null],
        ['post b', 0],
      ]),
    )
    refused.add('/d')
    const group = await run({
      configuration_names: '["flip","framed b","c","d"]',
      flip_data: picture,
      'framed b_data': picture,
      'framed b_extras': '{"overlay_file_name_override":"flip"}',
      c_input: 'framed b',
      d_data: picture,
    })
    assert.deepEqual([group.status, posts()], ['Failed', ['/b', '/c', '/d']])
    refused.clear()
    assert.equal((await again(group.path, { flip_data: picture })).status, 'Succeeded')
    assert.deepEqual(posts().slice(3), ['/b', '/c', '/d'])
  })

  it('what has run needs its assets no more', async () => {
    await newAsset('border')
    await keepsake.configure(single('bordered', 'photo_add_overlay'))
    await keepsake.configure(
      chain('bordered d', [
        ['bordered', null],
        ['post d', 0],
      ]),
    )
    const extras = '{"overlay_file_name":"border"}'
    refused.add('/d')
    const task = await run({ configuration_name: 'bordered d', data: picture, extras })
    const group = await run({
      configuration_names: '["bordered","d"]',
      bordered_data: picture,
      bordered_extras: extras,
      d_data: picture,
    })
    const before = await run({ configuration_name: 'bordered', data: new Blob(['junk']), extras })
    assert.deepEqual([task.status, group.status, before.status], ['Failed', 'Failed', 'Failed'])
    assert.equal((await keepsake.client.delete('/api/asset/border/')).status, 204)
    refused.clear()
    for (const { path } of [task, group]) assert.equal((await again(path)).status, 'Succeeded')
    const needed = await keepsake.client.send('POST', `${before.path}retry/`)
    assert.deepEqual([needed.status, needed.body.code], [400, 'unknown_asset'], 'what runs again does')
  })

  it('whom the new extras do not name gets nothing of the task', async () => {
    refused.add('/d')
    const guests = (email: string) => JSON.stringify({ email, rfid: 'same' })
    const parts = { configuration_name: 'kept then d', data: picture, extras: guests('mistyped@park.test') }
    const { path, task_id } = await run(parts)
    refused.clear()
    assert.equal((await again(path, { extras: guests('right@park.test') })).status, 'Succeeded')
    for (const [profile, count] of [
      [{ email: 'mistyped@park.test' }, 0],
      [{ email: 'right@park.test' }, 1],
      [{ rfid: 'same' }, 1],
    ] as const) {
      const { profile_id } = (await keepsake.client.post('/api/profile/', profile)).body
      const { items } = (await keepsake.client.get(`/api/activity/?owner_id=${profile_id}`)).body
      assert.equal(items.length, count, JSON.stringify(profile))
      for (const item of items) assert.equal(item.payload.task_id, task_id)
    }
  })
})
