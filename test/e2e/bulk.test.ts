// Many at once: tasks that are run again or cancelled by a filter, and callbacks that are sent again.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { cleanUp } from '../support/clean-up.ts'
import type { Client } from '../support/client.ts'
import { type Receiver, startReceiver } from '../support/https-receiver.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'

describe('many at once', () => {
  let keepsake: Keepsake
  let receiver: Receiver
  let picture: Blob
  let limited: Client
  let put = 400
  let hook = 200

  before(async () => {
    receiver = await startReceiver({
      answer: ({ url }, response) => void response.writeHead(url === '/put' ? put : hook).end(),
    })
    keepsake = await startKeepsake({ settings: { callbackDelays: [] } })
    picture = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
    const webhook_url = `${receiver.url}/hook`
    for (const experience_id of ['park', 'zoo'])
      await keepsake.configure(
        single(`${experience_id}-post`, 'http_post', { url: `${receiver.url}/put` }, { experience_id, webhook_url }),
      )
    await keepsake.configure(single('broken', 'photo_flip', { method: 'ROTATE_180' }))
    const { body } = await keepsake.client.post('/api/token/', {
      name: 'zoo',
      scopes: ['tasks'],
      experiences: ['zoo'],
    })
    limited = keepsake.client.as(body.token)
  })
  after(() =>
    cleanUp(
      () => keepsake.stop(),
      () => receiver.stop(),
    ),
  )

  const run = async (configuration_name: string, data: Blob = picture): Promise<string> => {
    const { body } = await keepsake.send('/api/task/', { configuration_name, data })
    await keepsake.ended(`/api/task/${body.task_id}/`)
    return body.task_id
  }
  const statusOf = async (id: string): Promise<string> => (await keepsake.client.get(`/api/task/${id}/`)).body.status
  const all = (ids: string[], status: string) =>
    until(`all are ${status}`, async () => {
      const states = await Promise.all(ids.map(statusOf))
      return states.every(each => each === status)
    })

  it('tasks that failed are run again: by experience, error, time, ids, and of the own experiences alone', async () => {
    const since = new Date().toISOString()
    const parks = [await run('park-post'), await run('park-post')]
    const zoos = [await run('zoo-post'), await run('zoo-post')]
    const damaged = await run('broken', new Blob(['no picture']))
    const count = async (body: object, client = keepsake.client) => {
      const answer = await client.post('/api/task/retry/', { ...body, dry_run: true })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      assert.deepEqual(Object.keys(answer.body), ['count'])
      return answer.body.count
    }
    assert.equal(await count({ created_after: since }), 5)
    assert.equal(await count({ status: 'Failed' }), 5)
    assert.equal(await count({ status: 'Succeeded' }), 0, 'states that cannot be run again are skipped')
    assert.equal(await count({ experience_id: 'zoo' }), 2)
    assert.equal(await count({ configuration: 'park-post' }), 2)
    assert.equal(await count({ error_code: 'destination_refused' }), 4)
    assert.equal(await count({ error_code: 'destination_refused', configuration: 'zoo-post' }), 2)
    assert.equal(await count({ error_code: 'unsupported_format', experience_id: 'park' }), 1)
    assert.equal(await count({ error_code: 'nothing_known' }), 0)
    assert.equal(await count({ created_before: since }), 0)
    assert.equal(await count({ ids: [parks[0]?.toUpperCase(), parks[0], zoos[0], damaged] }), 3)
    assert.equal(await count({ ids: parks, experience_id: 'zoo' }), 0)
    assert.equal(await count({ ids: [...parks, ...zoos], error_code: 'destination_refused' }), 4)
    assert.equal(await count({ status: 'Failed' }, limited), 2, 'a limited token finds its own')
    assert.equal(await count({ experience_id: 'park' }, limited), 0)
    assert.equal(await count({ ids: parks }, limited), 0)
    assert.equal(await count({ error_code: 'destination_refused' }, limited), 2)
    assert.deepEqual(
      (await keepsake.client.get('/api/task/?error_code=destination_refused&experience_id=zoo')).body.items
        .map((task: { task_id: string }) => task.task_id)
        .sort(),
      [...zoos].sort(),
      'lists take the filter, too',
    )
    put = 200
    const answer = await limited.post('/api/task/retry/', { status: 'Failed' })
    assert.deepEqual([answer.status, answer.body], [202, { count: 2 }])
    await all(zoos, 'Succeeded')
    assert.deepEqual(await Promise.all(parks.map(statusOf)), ['Failed', 'Failed'])
    const rest = await keepsake.client.post('/api/task/retry/', { error_code: 'destination_refused' })
    assert.deepEqual([rest.status, rest.body], [202, { count: 2 }], 'what succeeded has no error any more')
    await all(parks, 'Succeeded')
    assert.equal(await statusOf(damaged), 'Failed')
    assert.equal(await count({ ids: [damaged] }), 1)
    assert.equal((await keepsake.client.delete(`/api/task/${damaged}/`)).status, 204)
    assert.equal(await count({ ids: [damaged] }), 0)
    put = 400
  })

  it('tasks that wait or run are cancelled, and each posts its callback', async () => {
    const hanging = await startReceiver({ raw: () => {} })
    const webhook_url = `${receiver.url}/cancelled`
    await keepsake.configure(single('hang', 'http_post', { url: hanging.url }, { webhook_url }))
    await keepsake.client.patch('/api/experience/park/', { max_running: 2 })
    const sent = await Promise.all(
      Array.from({ length: 12 }, () => keepsake.send('/api/task/', { configuration_name: 'hang', data: picture })),
    )
    const ids = sent.map(({ body }) => body.task_id as string)
    await until('some run', async () => (await Promise.all(ids.map(statusOf))).includes('Running'))
    const dry = await keepsake.client.post('/api/task/cancel/', { configuration: 'hang', dry_run: true })
    assert.deepEqual([dry.status, dry.body], [200, { count: 12 }])
    const { status, body } = await keepsake.client.post('/api/task/cancel/', { configuration: 'hang' })
    assert.deepEqual([status, body], [202, { count: 12 }])
    await all(ids, 'Cancelled')
    await until(
      'each has its callback',
      () => receiver.received.filter(({ url }) => url === '/cancelled').length === 12,
    )
    const again = await keepsake.client.post('/api/task/cancel/', { ids })
    assert.deepEqual([again.status, again.body], [202, { count: 0 }])
    const cancelled = await keepsake.client.get('/api/task/?error_code=cancelled')
    assert.equal(cancelled.body.items.length, 12)
    await keepsake.client.patch('/api/experience/park/', { max_running: null })
    await hanging.stop()
  })

  it('groups have their own', async () => {
    const { body } = await keepsake.send('/api/taskgroup/', {
      configuration_names: '["zoo-post"]',
      'zoo-post_data': picture,
    })
    const place = `/api/taskgroup/${body.task_id}/`
    assert.equal((await keepsake.ended(place)).status, 'Failed')
    const ids = [body.task_id]
    const count = async (path: string, filter: object) =>
      (await keepsake.client.post(path, { ...filter, dry_run: true })).body.count
    assert.equal(await count('/api/task/retry/', { ids }), 0, 'a group is no task')
    assert.equal(await count('/api/taskgroup/retry/', { ids }), 1)
    assert.equal(
      await count('/api/taskgroup/retry/', { configuration: 'zoo-post', error_code: 'destination_refused' }),
      1,
    )
    assert.equal(await count('/api/taskgroup/retry/', { ids, configuration: 'park-post' }), 0)
    assert.equal(await count('/api/taskgroup/cancel/', { ids }), 0)
    put = 200
    const { status, body: told } = await limited.post('/api/taskgroup/retry/', { configuration: 'zoo-post' })
    assert.deepEqual([status, told], [202, { count: 1 }])
    await until('it has succeeded', async () => (await keepsake.client.get(place)).body.status === 'Succeeded')
    put = 400
  })

  it('callbacks that were given up are sent again', async () => {
    hook = 500
    const ids = [await run('zoo-post'), await run('zoo-post'), await run('park-post')]
    const callbackOf = async (id: string) => (await keepsake.client.get(`/api/callback/?task_id=${id}`)).body.items[0]
    for (const id of ids) await until('it is given up', async () => (await callbackOf(id))?.status === 'GivenUp')
    const resend = (body: object, client = keepsake.client) => client.post('/api/callback/resend/', body)
    assert.deepEqual((await resend({ dry_run: true })).body, { count: 3 })
    assert.deepEqual((await resend({ experience_id: 'park', dry_run: true })).body, { count: 1 })
    assert.deepEqual((await resend({ experience_id: 'park', dry_run: true }, limited)).body, { count: 0 })
    const { callback_id } = await callbackOf(ids[0] as string)
    assert.deepEqual((await resend({ ids: [callback_id], dry_run: true })).body, { count: 1 })
    assert.deepEqual((await resend({ ids: [callback_id], status: 'Delivered', dry_run: true })).body, { count: 0 })
    const later = new Date(Date.now() + 60_000).toISOString()
    assert.deepEqual((await resend({ created_after: later, dry_run: true })).body, { count: 0 })
    assert.equal((await keepsake.client.get(`/api/callback/?created_after=${later}`)).body.items.length, 0)
    hook = 200
    const own = await resend({}, limited)
    assert.deepEqual([own.status, own.body], [202, { count: 2, resent: 2 }])
    for (const id of ids.slice(0, 2))
      await until('it is delivered', async () => (await callbackOf(id)).status === 'Delivered')
    const rest = await resend({ task_id: ids[2] })
    assert.deepEqual([rest.status, rest.body], [202, { count: 1, resent: 1 }])
    await until('it is delivered', async () => (await callbackOf(ids[2] as string)).status === 'Delivered')
  })

  it('what is no filter is refused, and so is a token without the scope', async () => {
    const bad = [
      {},
      { dry_run: true },
      { dry_run: 'yes', status: 'Failed' },
      { status: 'failed' },
      { status: null },
      { ids: [] },
      { ids: ['x'] },
      { ids: 'x' },
      { ids: Array.from({ length: 10_001 }, () => '019a8424-5d3e-7c31-9d0b-5a2f3e0c7b11') },
      { created_after: 'yesterday' },
      { experience_id: '' },
      { configuration: 'x'.repeat(129) },
      { error_code: '' },
      { error_code: 'x'.repeat(65) },
      { everything: true },
      [],
      'all',
    ]
    for (const path of ['/api/task/retry/', '/api/task/cancel/', '/api/taskgroup/retry/', '/api/taskgroup/cancel/'])
      for (const body of bad) {
        const answer = await keepsake.client.post(path, body as object)
        assert.equal(
          answer.status,
          400,
          `${path} ${JSON.stringify(body).slice(0, 100)}: ${JSON.stringify(answer.body)}`,
        )
      }
    const { body } = await keepsake.client.post('/api/token/', { name: 'r', scopes: ['read'] })
    const reader = keepsake.client.as(body.token)
    for (const path of ['/api/task/retry/', '/api/task/cancel/', '/api/callback/resend/'])
      assert.equal((await reader.post(path, { status: 'Failed', dry_run: true })).status, 403)
    assert.equal((await keepsake.client.get('/api/task/?error_code=')).status, 400)
  })

  it('a token with room for few waiting tasks goes on as they are worked off, and one has few such requests at once', async () => {
    const { body } = await keepsake.client.post('/api/token/', {
      name: 'small',
      scopes: ['tasks'],
      experiences: ['zoo'],
      limits: { waiting_tasks: 1 },
    })
    const ids = [await run('zoo-post'), await run('zoo-post'), await run('zoo-post')]
    put = 200
    const answer = await keepsake.client.as(body.token).post('/api/task/retry/', { ids })
    assert.deepEqual([answer.status, answer.body], [202, { count: 3 }])
    await all(ids, 'Succeeded')
    const storm = await Promise.all(
      Array.from({ length: 20 }, () => keepsake.client.post('/api/task/retry/', { ids: [ids[0]] })),
    )
    for (const { status, headers } of storm) {
      assert.ok(status === 202 || status === 429, String(status))
      if (status === 429) assert.ok(headers.get('retry-after'))
    }
  })
})
