// Every statement that the API and the worker send, on a database that holds a hundred thousand of everything: none reads more than it needs.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { openDatabase } from '#db/database.ts'
import { newLog } from '#kit/log.ts'
import { secretBox } from '#kit/secret/secrets.ts'
import { startQueue } from '#queue/queue.ts'
import { type Body, operationsOf } from '../support/api-walk.ts'
import type { Answer, Client } from '../support/client.ts'
import { type Received, type Receiver, startReceiver } from '../support/https-receiver.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { fillWithMany, someOf } from '../support/many-rows.ts'
import { pattern, png } from '../support/pictures.ts'
import { type Statement, watchStatements } from '../support/statements.ts'
import { idOf, newTus } from '../support/tus.ts'
import { said } from '../support/until.ts'

const MOST_ROWS = 2_000
/** Finding one row by an index takes about four. */
const MOST_BUFFERS = 8_000

/** Statements that may read more, by how they begin. */
const exceptions = [
  // The overview counts up to 10,000 of each lane and state, most of it in an index alone.
  { begin: 'select (select count(*) from (select from tasks', rows: 40_000, buffers: 8_000 },
  // It looks at up to 100 callbacks of up to 100 receivers that fail.
  { begin: 'select f.receiver, sum(c.waiting)', rows: 12_000, buffers: 14_000 },
  // As many rows as there are experiences and receivers with work under way; an index of their turns would make every turn dearer.
  { begin: 'delete from turns t using turns served', rows: 30_000, buffers: 8_000 },
  // Tokens are made by hand: the operator's are found by an index, those that a limited token sees are picked out of all.
  {
    begin:
      'select t.*, (extract(epoch from t.created_at) * 1000000)::bigint::text as position from "tokens" t where true and t.experiences <@',
    rows: 30_000,
    buffers: 8_000,
  },
  // Each task and callback that is worked on is read once: here about one in ten of all.
  { begin: 'select t.task_id from tasks t where t.is_group', rows: 45_000, buffers: 45_000 },
  { begin: 'select t.callback_id, t.receiver, t.status from callbacks t', rows: 110_000, buffers: 8_000 },
  // Once a minute pg-boss goes through its own jobs.
  { begin: 'BEGIN; SET LOCAL lock_timeout', rows: 30_000, buffers: 8_000 },
  // The list of a piece that is in every text is read whole, hundreds of rows to a page, and of those at most 1,000 are looked at.
  { begin: 'with candidates as materialized', rows: 9_000, buffers: 3_000 },
]

/** Of filters, where one does not stand for all. */
const values: Record<string, string[]> = {
  status: ['Waiting', 'Running', 'Succeeded', 'Failed', 'Delivered', 'GivenUp'],
  experience_id: ['often', 'seldom', 'limited', 'e5'],
  window: ['hour', 'day', 'week'],
  // Frequent and rare, short and long, in pieces that are frequent side by side and apart.
  q: [
    'x.',
    '50001@x',
    '.or',
    'guest 5',
    'GUEST',
    '5x',
    'asset7',
    'c5',
    'zz',
    'img_5',
    'im',
    'a1',
    'a10',
    'nobody',
    '00000',
    'gro.x',
  ],
  error_code: ['x', 'nothing_known'],
  wall: ['waiting', 'approved', 'hidden'],
}

describe('statements on large tables', () => {
  let keepsake: Keepsake
  let receiver: Receiver
  let picture: Blob
  let watched: { seen: Statement[]; stop(): void }
  let fails = true

  before(async () => {
    const key = randomBytes(32)
    receiver = await startReceiver({
      answer: async ({ url }: Received, response) => {
        response.statusCode = url.startsWith('/put') && fails ? 400 : 200
        response.end()
      },
    })
    picture = new Blob([new Uint8Array(await png(pattern(40, 30, 3)))])
    keepsake = await startKeepsake({
      settings: { maxWaiting: 1_000_000, secretKeys: [key] },
      async fill(url) {
        const log = newLog('silent', 'test')
        const database = openDatabase(url, log, { max: 2 })
        await (await startQueue(database, log, false)).stop()
        await database.close()
        await fillWithMany(url, secretBox([key]))
        watched = await watchStatements(url)
      },
    })
  })
  after(async () => {
    watched.stop()
    await keepsake.stop()
    await receiver.stop()
  })

  const made = async (path: string, body: object): Promise<{ [key: string]: string }> => {
    const answer = await keepsake.client.post(path, body)
    assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  const pinsOf = async (taskId: string): Promise<number> => {
    const { db, close } = openDatabase(keepsake.databaseUrl, newLog('silent', 'test'), { max: 1 })
    const pins = await db.selectFrom('asset_pins').select('blob').where('task_id', '=', taskId).execute()
    await close()
    return pins.length
  }

  it('a season goes on', async () => {
    const { client, configure, send, ended } = keepsake
    const webhook_url = `${receiver.url}/hook`
    const activity_config = { experience_id: 'park', activity_type: 'photo', payload: { object_id: 'gate' } }
    const asset = { name: 'frame', experience_id: 'park', file: picture }
    const kept = await send('/api/asset/', asset)
    assert.equal(kept.status, 201, JSON.stringify(kept.body))
    await configure(single('flip', 'photo_flip', { method: 'ROTATE_180' }, { activity_config, webhook_url }))
    await configure(single('framed', 'photo_add_overlay', { overlay_file_name: 'frame' }))
    await configure(
      single(
        'sent',
        'http_post',
        { url: `${receiver.url}/put` },
        { adapter_config: { auth: {}, defaults: { url: `${receiver.url}/put` } } },
      ),
    )
    await configure(
      chain(
        'all',
        [
          ['flip', null],
          ['framed', 0],
          ['sent', 1],
        ],
        { webhook_url },
      ),
    )
    const guest = await made('/api/profile/', { experience_id: 'park', email: 'new@x.org', rfid: 'A' })
    const extras = JSON.stringify({ email: 'new@x.org', rfid: 'nobody' })
    const task = (
      await send('/api/task/', { configuration_name: 'all', data: picture, extras }, { 'idempotency-key': 'one' })
    ).body
    const place = `/api/task/${task.task_id}/`
    assert.equal((await ended(place)).status, 'Failed')
    fails = false
    const again = await send(`${place}retry/`, {})
    assert.equal(again.status, 202, JSON.stringify(again.body))
    assert.equal((await ended(place)).status, 'Succeeded')
    assert.equal(await pinsOf(task.task_id), 1, 'the frame stays for the task, which ran twice')
    const late = await made('/api/profile/', { experience_id: 'park', rfid: 'nobody' })
    const parts = { configuration_names: '["flip","framed"]', flip_data: picture, framed_input: 'flip' }
    const group = (await send('/api/taskgroup/', parts)).body
    assert.equal((await ended(`/api/taskgroup/${group.task_id}/`)).status, 'Succeeded', JSON.stringify(group))
    const tus = newTus(() => keepsake.url, keepsake.token)
    const bytes = Buffer.from(await picture.arrayBuffer())
    const path = await tus.begin(bytes.length)
    assert.equal((await tus.append(path, 0, bytes)).status, 204)
    assert.equal(await tus.offset(path), bytes.length)
    const uploaded = await send('/api/task/', { configuration_name: 'flip', data_upload: idOf(path) })
    assert.equal(uploaded.status, 202, JSON.stringify(uploaded.body))
    assert.equal((await tus.send('DELETE', await tus.begin(1))).status, 204)
    await client.get(`${place}output/0/`)
    await client.get(`${place}output/1/`)
    await client.patch(`/api/profile/${late.profile_id}/`, { rfid: 'else' })
    await client.delete(`/api/profile/${guest.profile_id}/`)
    await client.delete(`/api/profile/${late.profile_id}/?media=retract`)
    assert.ok((await send('/api/asset/', asset)).status < 500)
  })

  it('many are found at once', async () => {
    const { client } = keepsake
    const limited = await made('/api/token/', {
      name: 'm',
      scopes: ['tasks'],
      experiences: ['seldom', 'limited', 'often'],
    })
    const times = { created_after: '2020-01-01T00:00:00Z', created_before: '2100-01-01T00:00:00Z' }
    const ids = Array.from({ length: 1_000 }, (_, n) => someOf.task_id.replace(/\d{5}$/, String(50_000 + n)))
    const filters = [
      { status: 'Failed' },
      { status: 'Waiting' },
      { experience_id: 'seldom' },
      { experience_id: 'archive' },
      { configuration: 'c555' },
      { error_code: 'x', experience_id: 'often' },
      { error_code: 'x' },
      { error_code: 'x', configuration: 'c555' },
      { profile_id: someOf.profile_id },
      times,
      { ids },
      { ids, error_code: 'x', configuration: 'c555', ...times },
    ]
    for (const caller of [client, client.as(limited.token as string)]) {
      for (const path of ['retry', 'cancel', 'try-now'].flatMap(how => [`/api/task/${how}/`, `/api/taskgroup/${how}/`]))
        for (const filter of filters) {
          const { status, body } = await caller.post(path, { ...filter, dry_run: true })
          assert.equal(status, 200, JSON.stringify([path, filter, body]))
        }
      for (const filter of [
        { status: 'Waiting' },
        { status: 'Delivered' },
        {},
        { status: 'Delivered', ...times },
        { ids },
        { status: 'Delivered', task_ids: ids },
        { receiver: 'x.org' },
      ])
        assert.equal((await caller.post('/api/callback/resend/', { ...filter, dry_run: true })).status, 200)
    }
    const { body } = await client.post('/api/task/retry/', { error_code: 'x', dry_run: true })
    assert.ok(body.count > 5_000, `${body.count} tasks failed`)
  })

  it('a wall is looked at', async () => {
    const { client } = keepsake
    const { key } = await made('/api/experience/often/wall-key/', {})
    for (const approval of ['none', 'required']) {
      await client.patch('/api/experience/often/', { guest_page: { enabled: true, approval } })
      const stream = await fetch(`${keepsake.url}/wall/often/events?key=${key}`)
      const reader = (stream.body as ReadableStream).pipeThrough(new TextDecoderStream()).getReader()
      await said('the wall is told', reader, text => text.includes('event: state'))
      await reader.cancel()
    }
    const file = await fetch(`${keepsake.url}/wall/often/file/a2000000-0000-7000-8000-000000050001?key=${key}`)
    assert.equal(file.status, 404)
    assert.equal((await client.post(`/api/keepsake/${someOf.keepsake_id}/hide/`, {})).status, 200)
    await client.patch('/api/experience/often/', { guest_page: { enabled: false } })
  })

  it('every route is asked', async () => {
    const { client, url } = keepsake
    const first = async (list: string, id: string) => (await client.get(`${list}?limit=1`)).body.items[0][id]
    const ids: Record<string, string> = {
      ...someOf,
      activity_id: await first('/api/activity/', 'activity_id'),
      token_id: await first('/api/token/', 'token_id'),
      index: '0',
      entry: '0',
    }
    const limits = { requests_per_minute: 100_000, waiting_tasks: 500, upload_bytes_per_day: 1_000_000_000 }
    const limited = await made('/api/token/', {
      name: 'limited',
      scopes: ['admin'],
      experiences: ['often', 'seldom', 'limited', 'park', 'expo-2026'],
      limits,
    })
    const callers = [client.as(limited.token as string), client]
    const operations = await operationsOf(url)
    const rank = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
    operations.sort((one, other) => rank.indexOf(one.method) - rank.indexOf(other.method))
    for (const operation of operations) {
      const { method, path, filters, hasCursor, bodies } = operation
      // Streams have no end; what they read is what lists and tasks read.
      if (path.endsWith('/events/')) continue
      const place = path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
        encodeURIComponent(
          (path.startsWith('/api/taskgroup/') && name === 'task_id' ? ids.group_id : ids[name]) ?? 'x',
        ),
      )
      const queries = [
        '',
        ...filters.flatMap(name => (values[name] ?? [ids[name] ?? 'x']).map(value => `?${name}=${value}`)),
      ]
      for (const caller of callers)
        for (const query of method === 'GET' ? queries : ['']) {
          for (const body of bodies) {
            const asked = { method, place: `${place}${query}` }
            const answer = await ask(caller, asked, body)
            assert.ok(answer.status < 500 || path === '/readyz', `${method} ${asked.place}: ${answer.status}`)
            const cursor = hasCursor && answer.status === 200 ? answer.body.next_cursor : null
            if (cursor) await caller.get(`${place}${query}${query ? '&' : '?'}cursor=${cursor}`)
          }
        }
    }
  })

  const ask = (client: Client, { method, place }: { method: string; place: string }, body: Body): Promise<Answer> => {
    if (body === null) return client.send(method, place)
    if ('json' in body)
      return client.send(method, place, {
        body: JSON.stringify(body.json),
        headers: { 'content-type': 'application/json' },
      })
    const form = new FormData()
    for (const [name, value] of Object.entries(body.form)) form.append(name, value)
    return client.send(method, place, { body: form })
  }

  it('none reads more than it needs', async () => {
    const worst = new Map<string, Statement>()
    for (const each of watched.seen) {
      const known = worst.get(each.text)
      if (!known || each.rows + each.buffers > known.rows + known.buffers) worst.set(each.text, each)
    }
    assert.ok(worst.size > 250, `only ${worst.size} different statements were seen`)
    const mostOf = (text: string) =>
      exceptions.find(({ begin }) => text.startsWith(begin)) ?? { rows: MOST_ROWS, buffers: MOST_BUFFERS }
    const wrong = [...worst.values()]
      .filter(({ text, rows, buffers }) => rows > mostOf(text).rows || buffers > mostOf(text).buffers)
      .map(({ text, rows, buffers, worst }) => `${rows} rows, ${buffers} buffers, ${worst}: ${text}`)
    assert.deepEqual(wrong, [])
  })
})
