// Following, stopping and repeating tasks; keys that make a request run once.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type CallbackReceiver, startCallbackReceiver } from '../support/callbacks.ts'
import { cleanUp } from '../support/clean-up.ts'
import { type Received, startReceiver } from '../support/https-receiver.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { soon } from '../support/until.ts'

const blob = (bytes: Buffer): Blob => new Blob([new Uint8Array(bytes)])

describe('steering tasks', () => {
  let keepsake: Keepsake
  let receiver: CallbackReceiver
  let picture: Blob
  /** A destination that answers when it is told to. */
  let held: {
    url: string
    waiting: () => Promise<void>
    release: (status: number) => void
    stop: () => Promise<void>
    received: Received[]
  }

  before(async () => {
    ;[keepsake, receiver, held] = await Promise.all([startKeepsake(), startCallbackReceiver(), heldServer()])
    picture = blob(await png(pattern(9, 5, 3)))
    const webhook_url = receiver.url
    await keepsake.configure(single('flip', 'photo_flip', { method: 'ROTATE_180' }, { webhook_url }))
    await keepsake.configure(single('post', 'http_post', { url: held.url, delivery_attempts: 1 }))
    await keepsake.configure(
      chain(
        'deliver',
        [
          ['flip', null],
          ['post', 0],
        ],
        { webhook_url },
      ),
    )
  })
  after(() =>
    cleanUp(
      () => keepsake.stop(),
      () => receiver.stop(),
      () => held.stop(),
    ),
  )

  const start = async (
    configuration_name: string,
    more: Record<string, string | Blob> = {},
    headers: Record<string, string> = {},
  ) => {
    const { status, body } = await keepsake.send('/api/task/', { configuration_name, data: picture, ...more }, headers)
    assert.equal(status, 202, JSON.stringify(body))
    return body
  }

  it('cancelling a running task stops it, and its callback says which entry was cut off', async () => {
    const { task_id } = await start('deliver')
    await held.waiting()
    const { status } = await keepsake.client.post(`/api/task/${task_id}/cancel/`)
    assert.equal(status, 202)
    const task = await keepsake.ended(`/api/task/${task_id}/`)
    assert.equal(task.status, 'Cancelled')
    assert.deepEqual(
      task.entries.map((entry: { status: string }) => entry.status),
      ['Succeeded', 'Cancelled'],
    )
    const body = JSON.parse(await receiver.bodyFor(task_id))
    assert.equal(body.status, 'Failed')
    assert.deepEqual(
      body.results.map((result: { error: boolean; result: unknown }) => [result.error, result.result]),
      [
        [false, { success: true }],
        [
          true,
          `Cancelled while it ran. The connection to ${new URL(held.url).host} ended before it confirmed the delivery, so it may or may not have arrived. Look there, then retry the task if it is missing.`,
        ],
      ],
    )
    assert.deepEqual(task.entries[1].error, { code: 'cancelled', message: body.results[1].result })
    held.release(200)
    const again = await keepsake.client.post(`/api/task/${task_id}/cancel/`)
    assert.deepEqual([again.status, again.body.code], [409, 'wrong_state'])
    const audit = (await keepsake.client.get(`/api/audit/?object_id=${task_id}`)).body.items
    assert.deepEqual([audit.length, audit[0].action, audit[0].before], [1, 'cancel', { status: 'Running', run: 1 }])
  })

  it('what was cancelled in the middle of a delivery is delivered by the first retry: whoever asks for it was told', async () => {
    const { task_id } = await start('deliver')
    await held.waiting()
    assert.equal((await keepsake.client.post(`/api/task/${task_id}/cancel/`)).status, 202)
    assert.equal((await keepsake.ended(`/api/task/${task_id}/`)).status, 'Cancelled')
    const before = held.received.length
    assert.equal((await keepsake.client.send('POST', `/api/task/${task_id}/retry/`)).status, 202)
    await held.waiting()
    held.release(200)
    const task = await keepsake.ended(`/api/task/${task_id}/`)
    assert.deepEqual([task.status, held.received.length - before], ['Succeeded', 1], JSON.stringify(task.entries[1]))
  })

  it('a retry runs only what had not succeeded, and a new callback follows', async () => {
    const { task_id } = await start('deliver')
    await held.waiting()
    held.release(403)
    const failed = await keepsake.ended(`/api/task/${task_id}/`)
    assert.equal(failed.status, 'Failed')
    assert.equal(failed.updated_at, failed.ended_at)
    const before = failed.entries[0].ended_at
    const { status, body } = await keepsake.client.send('POST', `/api/task/${task_id}/retry/`)
    assert.equal(status, 202)
    assert.ok(['Waiting', 'Running'].includes(body.status))
    assert.equal(body.entries[1].error, null)
    assert.ok(body.updated_at >= failed.updated_at, 'the retry is a change, though the old end is forgotten')
    await held.waiting()
    held.release(200)
    const task = await keepsake.ended(`/api/task/${task_id}/`)
    assert.equal(task.status, 'Succeeded')
    assert.ok(task.updated_at === task.ended_at && task.updated_at > body.updated_at)
    assert.equal(task.entries[0].ended_at, before, 'the first entry did not run again')
    const { items } = (await keepsake.client.get(`/api/callback/?task_id=${task_id}`)).body
    assert.equal(items.length, 2)
    assert.deepEqual(new Set(items.map((each: { callback_id: string }) => each.callback_id)).size, 2)
    assert.equal((await keepsake.client.send('POST', `/api/task/${task_id}/retry/`)).status, 409)
    const audit = (await keepsake.client.get(`/api/audit/?object_id=${task_id}`)).body.items
    assert.deepEqual([audit.length, audit[0].action, audit[0].after], [1, 'retry', { status: 'Waiting', run: 2 }])
  })

  it('a retry whose new extras are for entries that had succeeded says that these keep what they made', async () => {
    await keepsake.configure(single('size', 'photo_resize', { width: 8 }))
    await keepsake.configure(
      chain('sized', [
        ['size', null],
        ['post', 0],
        ['flip', 1],
      ]),
    )
    const warning = (what: string, field = 'extras') =>
      `The new ${field} change ${what} (entry 0, "size"), but that entry had succeeded and keeps what it made; send a new task to change it.`
    const cases: [first: object, next: object | null, warnings: string[]][] = [
      [{}, { width: 4 }, [warning('width')]],
      [{ width: 7 }, {}, [warning('width')]],
      [{}, { per_configuration: { size: { width: 4, fit: 'inside' } } }, [warning('fit, width')]],
      [{ width: 7 }, { width: 7, per_configuration: { flip: { method: 'ROTATE_90' } } }, []],
      [{ width: 7 }, null, []],
    ]
    for (const [first, next, warnings] of cases) {
      const { task_id } = await start('sized', { extras: JSON.stringify(first) })
      await held.waiting()
      held.release(403)
      const { entries } = await keepsake.ended(`/api/task/${task_id}/`)
      const path = `/api/task/${task_id}/retry/`
      const { status, body } = next
        ? await keepsake.send(path, { extras: JSON.stringify(next) })
        : await keepsake.client.send('POST', path)
      assert.deepEqual([status, body.warnings], [202, warnings])
      await held.waiting()
      held.release(200)
      const task = await keepsake.ended(`/api/task/${task_id}/`)
      assert.deepEqual([task.status, task.warnings], ['Succeeded', warnings])
      assert.deepEqual(task.entries[0], entries[0], 'it did not run again')
    }
    const members = { configuration_names: '["size", "post"]', size_data: picture, post_input: 'size' }
    const { body: group } = await keepsake.send('/api/taskgroup/', members)
    await held.waiting()
    held.release(403)
    const path = `/api/taskgroup/${group.task_id}/`
    await keepsake.ended(path)
    const again = await keepsake.send(`${path}retry/`, { size_extras: '{"width": 4}' })
    assert.deepEqual([again.status, again.body.warnings], [202, [warning('width', 'size_extras')]])
    await held.waiting()
    held.release(200)
    await keepsake.ended(path)
  })

  it('a retry may bring a new file and new extras', async () => {
    const { task_id } = await start('flip', { data: new Blob(['junk']) })
    assert.equal((await keepsake.ended(`/api/task/${task_id}/`)).status, 'Failed')
    const bad = await keepsake.send(`/api/task/${task_id}/retry/`, { data: picture, extras: '{"method":"UP"}' })
    assert.deepEqual([bad.status, bad.body.errors[0].field], [400, 'extras.method'])
    const { status } = await keepsake.send(`/api/task/${task_id}/retry/`, {
      data: picture,
      extras: '{"method":"ROTATE_90"}',
    })
    assert.equal(status, 202)
    const task = await keepsake.ended(`/api/task/${task_id}/`)
    assert.equal(task.status, 'Succeeded', JSON.stringify(task))
    assert.equal(task.entries[0].output.width, 5)
    assert.deepEqual(task.extras, { method: 'ROTATE_90' })
  })

  it('events tell of the task and every entry, end with the end, and go on from Last-Event-ID', async () => {
    const { task_id } = await start('flip')
    const headers = { authorization: `Bearer ${keepsake.token}` }
    const stream = await fetch(`${keepsake.url}/api/task/${task_id}/events/`, { headers })
    const events = parse(await soon('the events are over', stream.text()))
    assert.equal(events.at(-1)?.event, 'end')
    assert.deepEqual(events.at(-1)?.data, { status: 'Succeeded' })
    assert.ok(events.some(({ event, data }) => event === 'entry' && data.status === 'Succeeded'))
    assert.ok(events.some(({ event, data }) => event === 'task' && data.status === 'Succeeded'))
    const last = events.at(-1)?.id ?? ''
    const resumed = parse(
      await (
        await fetch(`${keepsake.url}/api/task/${task_id}/events/`, { headers: { ...headers, 'last-event-id': last } })
      ).text(),
    )
    assert.deepEqual(
      resumed.map(({ event }) => event),
      ['end'],
      'nothing is told twice',
    )
  })

  it('the same Idempotency-Key runs once; with another request it is a conflict', async () => {
    const headers = { 'idempotency-key': 'abc-1' }
    const first = await start('flip', {}, headers)
    const second = await start('flip', {}, headers)
    assert.equal(second.task_id, first.task_id)
    const other = await keepsake.send(
      '/api/task/',
      { configuration_name: 'flip', data: picture, extras: '{"method":"ROTATE_90"}' },
      headers,
    )
    assert.deepEqual([other.status, other.body.code], [409, 'idempotency_conflict'])
    const group = await keepsake.send(
      '/api/taskgroup/',
      { configuration_names: '["flip"]', flip_data: picture },
      headers,
    )
    assert.deepEqual([group.status, group.body.code], [409, 'idempotency_conflict'], 'a group is another request')
    const bad = { 'idempotency-key': 'abc-2' }
    assert.equal((await keepsake.send('/api/task/', { configuration_name: 'nope', data: picture }, bad)).status, 400)
    assert.notEqual((await start('flip', {}, bad)).task_id, first.task_id, 'a refused request leaves its key free')
  })

  it('while the first request with a key is still being received, the second is told so', async () => {
    const body = new TransformStream<Uint8Array>()
    const writer = body.writable.getWriter()
    const text = (part: string) => new TextEncoder().encode(part)
    const first = fetch(`${keepsake.url}/api/task/`, {
      method: 'POST',
      body: body.readable,
      duplex: 'half',
      headers: {
        authorization: `Bearer ${keepsake.token}`,
        'content-type': 'multipart/form-data; boundary=zz',
        'idempotency-key': 'slow',
      },
    } as RequestInit)
    await writer.write(text('--zz\r\ncontent-disposition: form-data; name="configuration_name"\r\n\r\nflip\r\n'))
    let second = await keepsake.send(
      '/api/task/',
      { configuration_name: 'flip', data: picture },
      { 'idempotency-key': 'slow' },
    )
    // The first one may not have been taken up yet: then ours was the first, and it is tried again with the next key.
    assert.ok([409, 202].includes(second.status))
    if (second.status === 202)
      second = await keepsake.send(
        '/api/task/',
        { configuration_name: 'flip', data: picture },
        { 'idempotency-key': 'slow' },
      )
    else assert.deepEqual([second.body.code, second.headers.get('retry-after')], ['idempotency_in_progress', '2'])
    await writer.close().catch(() => {})
    assert.ok([400, 409].includes((await first).status))
  })
})

interface SentEvent {
  event: string
  id: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever was sent
  data: any
}

function parse(text: string): SentEvent[] {
  return text
    .split('\n\n')
    .filter(block => block.startsWith('event:'))
    .map(block => {
      const lines = Object.fromEntries(
        block.split('\n').map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      )
      return { event: lines.event ?? '', id: lines.id ?? '', data: JSON.parse(lines.data ?? 'null') }
    })
}

async function heldServer() {
  let arrived = Promise.withResolvers<void>()
  let answer = Promise.withResolvers<number>()
  const server = await startReceiver({
    answer: async (_request, response) => {
      arrived.resolve()
      const status = await answer.promise
      answer = Promise.withResolvers()
      response.writeHead(status).end()
    },
  })
  return {
    url: server.url,
    received: server.received,
    async waiting() {
      await soon('a delivery has come', arrived.promise)
      arrived = Promise.withResolvers()
    },
    release: (status: number) => answer.resolve(status),
    stop: () => server.stop(),
  }
}
