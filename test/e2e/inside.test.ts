// What a running service tells of itself: the metrics of the API and of its worker, the worker's health port, and traces.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { type CallbackReceiver, startCallbackReceiver } from '../support/callbacks.ts'
import { cleanUp } from '../support/clean-up.ts'
import { type Receiver, startReceiver } from '../support/https-receiver.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'

describe('what is inside', () => {
  let keepsake: Keepsake
  let receiver: CallbackReceiver
  let folder: string
  let picture: Blob
  let status = 200
  let collector: Receiver

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keepsake-inside-'))
    receiver = await startCallbackReceiver((_request, response) => void response.writeHead(status).end())
    collector = await startReceiver({ answer: (_request, response) => void response.end('{}') })
    const traced = {
      otlpEndpoint: `${collector.url}/`,
      otlpHeaders: { 'x-key': 'collector-key' },
      serviceName: 'booth',
    }
    const settings = { workerPort: 0, localRoot: folder, callbackDelays: [0.05], ...traced }
    keepsake = await startKeepsake({ settings })
    picture = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
    const webhook = { webhook_url: receiver.url }
    await keepsake.configure(single('flip', 'photo_flip', { method: 'ROTATE_180' }, webhook))
    await keepsake.configure(single('keep', 'local_file', {}, webhook))
    const steps: [string, number | null][] = [
      ['flip', null],
      ['keep', 0],
    ]
    await keepsake.configure(chain('both', steps, webhook))
  })
  after(() =>
    cleanUp(
      () => keepsake.stop(),
      () => receiver.stop(),
      () => collector.stop(),
      () => rm(folder, { recursive: true, force: true }),
    ),
  )

  const ask = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${keepsake.workerUrl}${path}`, init)
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
  const run = async (configuration_name: string, data: Blob): Promise<string> => {
    const { body } = await keepsake.send('/api/task/', { configuration_name, data })
    await keepsake.ended(`/api/task/${body.task_id}/`)
    return body.task_id
  }
  /** The values of all series, of both parts. */
  async function numbers(): Promise<(series: string) => number> {
    const api = (await keepsake.client.get('/metrics')).body as string
    const worker = await (await ask('/metrics', bearer(keepsake.token))).text()
    const all = new Map<string, number>()
    for (const [, name = '', value = ''] of `${api}\n${worker}`.matchAll(/^(keepsake_\S+) (\S+)$/gm))
      all.set(name, (all.get(name) ?? 0) + Number(value))
    return series => {
      const value = all.get(series)
      assert.notEqual(value, undefined, `${series} is served`)
      return value as number
    }
  }

  it('counts tasks, entries, media, deliveries, bytes and callbacks', async () => {
    const before = await numbers()
    const taskId = await run('both', picture)
    await run('flip', new Blob(['this is no picture']))
    await until('both callbacks are delivered', async () => {
      const { items } = (await keepsake.client.get('/api/callback/')).body
      return items.length === 2 && items.every((each: { status: string }) => each.status === 'Delivered')
    })
    const after = await numbers()
    const grown = (series: string): number => after(series) - before(series)
    assert.equal(grown('keepsake_tasks_accepted_total{lane="picture"}'), 2)
    assert.equal(grown('keepsake_tasks_ended_total{status="Succeeded"}'), 1)
    assert.equal(grown('keepsake_tasks_ended_total{status="Failed"}'), 1)
    assert.equal(grown('keepsake_task_seconds_count{status="Succeeded"}'), 1)
    assert.equal(grown('keepsake_task_wait_seconds_count{lane="picture"}'), 2)
    assert.equal(grown('keepsake_entries_total{adapter="photo_flip",outcome="succeeded"}'), 1)
    assert.equal(grown('keepsake_entries_total{adapter="photo_flip",outcome="failed"}'), 1)
    assert.equal(grown('keepsake_entries_total{adapter="local_file",outcome="succeeded"}'), 1)
    assert.ok(grown('keepsake_media_seconds_count{form="image"}') >= 1)
    assert.ok(grown('keepsake_media_seconds_sum{form="image"}') > 0)
    assert.equal(grown('keepsake_media_bytes_total{form="image",direction="in"}'), picture.size)
    const [{ output }] = (await keepsake.client.get(`/api/task/${taskId}/`)).body.entries
    assert.equal(grown('keepsake_media_bytes_total{form="image",direction="out"}'), output.bytes)
    assert.equal(grown('keepsake_delivery_seconds_count{destination="local_file"}'), 1)
    assert.equal(grown('keepsake_delivered_bytes_total{destination="local_file"}'), output.bytes)
    assert.equal(grown('keepsake_callback_attempts_total{outcome="delivered"}'), 2)
    assert.equal(grown('keepsake_callback_seconds_count'), 2)
    assert.ok(grown('keepsake_http_bytes_total{direction="in"}') > picture.size)
    assert.ok(grown('keepsake_http_bytes_total{direction="out"}') > 1_000)
  })

  interface SeenSpan {
    traceId: string
    spanId: string
    parentSpanId?: string
    name: string
    kind: number
    startTimeUnixNano: string
    endTimeUnixNano: string
    attributes: { key: string; value: Record<string, unknown> }[]
    status: { code?: number }
  }
  const spans = (traceId: string): SeenSpan[] =>
    collector.received
      .flatMap(({ body }) => JSON.parse(body.toString()).resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope: { spans: SeenSpan[] }) => scope.spans))
      .filter(span => span.traceId === traceId)
  const attribute = ({ attributes }: SeenSpan, key: string): unknown =>
    Object.values(attributes.find(each => each.key === key)?.value ?? {})[0]

  it('traces a task from the request of its caller to its callback', async () => {
    const [traceId, callerId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']
    const parts = { configuration_name: 'both', data: picture, extras: JSON.stringify({ email: ['ada@park.test'] }) }
    const { body } = await keepsake.send('/api/task/', parts, { traceparent: `00-${traceId}-${callerId}-01` })
    await keepsake.ended(`/api/task/${body.task_id}/`)
    const names = [
      'POST /api/task/',
      'callback',
      'deliver',
      'finish',
      'media child',
      'process',
      'queue',
      'store',
      'task',
    ]
    // If the lane of transfers has no room at once, the file is delivered in a second leg, and that one ends the task.
    const isFirstLeg = (span: SeenSpan): boolean =>
      span.name === 'task' && attribute(span, 'keepsake.status') === undefined
    const find = (all: SeenSpan[], name: string): SeenSpan | undefined =>
      all.find(span => span.name === name && !isFirstLeg(span))
    const seen = await until('all spans have arrived', () => {
      const all = spans(traceId)
      return names.every(name => find(all, name)) && all
    })
    const one = (name: string): SeenSpan => find(seen, name) as SeenSpan
    const parentOf = (name: string): string | undefined =>
      seen.find(({ spanId }) => spanId === one(name).parentSpanId)?.name
    assert.deepEqual([...new Set(seen.map(({ name }) => name))].sort(), names)
    assert.equal(one('POST /api/task/').parentSpanId, callerId, 'the caller’s own span is above all')
    const links = {
      queue: 'POST /api/task/',
      task: 'POST /api/task/',
      process: 'task',
      'media child': 'process',
      store: 'process',
      deliver: 'task',
      finish: 'task',
      callback: 'POST /api/task/',
    }
    for (const [name, parent] of Object.entries(links)) assert.equal(parentOf(name), parent, name)
    assert.deepEqual(
      [one('POST /api/task/').kind, one('task').kind, one('callback').kind, one('store').kind],
      [2, 5, 3, 1],
    )
    for (const span of seen) {
      assert.match(span.spanId, /^[0-9a-f]{16}$/)
      assert.ok(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano), span.name)
      assert.deepEqual(span.status, {})
    }
    assert.equal(attribute(one('task'), 'keepsake.task_id'), body.task_id)
    assert.equal(attribute(one('task'), 'keepsake.status'), 'Succeeded')
    assert.equal(attribute(one('callback'), 'http.response.status_code'), '200')
    const [callback] = receiver.allFor(body.task_id)
    assert.equal(callback?.headers.traceparent, `00-${traceId}-${one('callback').spanId}-01`)
    const [sent] = collector.received
    assert.deepEqual([sent?.method, sent?.url, sent?.headers['x-key']], ['POST', '/v1/traces', 'collector-key'])
    const told = collector.received.map(({ body }) => body.toString()).join('')
    assert.match(told, /"service.name","value":\{"stringValue":"booth"\}/)
    for (const secret of ['ada@', keepsake.token, folder, 'collector-key']) assert.ok(!told.includes(secret), secret)
  })

  it('names the code of a failure in its spans, and obeys a caller that wants no trace', async () => {
    const [failed, unseen] = ['1af7651916cd43dd8448eb211c80319c', '2af7651916cd43dd8448eb211c80319c']
    const send = async (traceparent: string): Promise<string> => {
      const parts = { configuration_name: 'flip', data: new Blob(['this is no picture']) }
      const { body } = await keepsake.send('/api/task/', parts, { traceparent })
      await keepsake.ended(`/api/task/${body.task_id}/`)
      return body.task_id
    }
    const unseenTask = await send(`00-${unseen}-b7ad6b7169203331-00`)
    await send(`00-${failed}-b7ad6b7169203331-01`)
    const process = await until('the span of the failure is there', () =>
      spans(failed).find(({ name }) => name === 'process'),
    )
    assert.equal(process.status.code, 2)
    const { entries } = (await keepsake.client.get(`/api/task/${unseenTask}/`)).body
    assert.equal(attribute(process, 'error.type'), entries[0].error.code)
    assert.deepEqual(spans(unseen), [])
    const callback = await until('its callback arrived', () => receiver.allFor(unseenTask)[0])
    assert.match(String(callback.headers.traceparent), new RegExp(`^00-${unseen}-[0-9a-f]{16}-00$`), 'it is passed on')
  })

  it('begins a trace of its own where the caller’s is none', async () => {
    for (const traceparent of [
      'nonsense',
      `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
      `ff-${'1'.repeat(32)}-b7ad6b7169203331-01`,
      'x'.repeat(5_000),
    ]) {
      const { status: answered } = await keepsake.client.send('GET', '/api/task/', { headers: { traceparent } })
      assert.equal(answered, 200)
    }
    const roots = await until('the spans of the four have arrived', () => {
      const seen = collector.received
        .flatMap(({ body }) => JSON.parse(body.toString()).resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope: { spans: SeenSpan[] }) => scope.spans))
        .filter(({ name }) => name === 'GET /api/task/')
      return seen.length === 4 && seen
    })
    for (const { traceId, parentSpanId } of roots)
      assert.ok(parentSpanId === undefined && traceId !== '1'.repeat(32), traceId)
  })

  it('counts callbacks that are tried again and given up', async () => {
    const waiting = async () => (await keepsake.client.get('/api/callback/?status=Waiting')).body.items
    await until('those of the other tests are delivered', async () => (await waiting()).length === 0)
    const before = await numbers()
    status = 500
    const taskId = await run('flip', picture)
    await until('the callback is given up', async () => {
      const [callback] = (await keepsake.client.get(`/api/callback/?task_id=${taskId}`)).body.items
      return callback?.status === 'GivenUp'
    })
    status = 200
    const after = await numbers()
    for (const [outcome, times] of [
      ['retried', 1],
      ['given_up', 1],
      ['delivered', 0],
    ]) {
      const series = `keepsake_callback_attempts_total{outcome="${outcome}"}`
      assert.equal(after(series) - before(series), times, series)
    }
  })

  it('tells of connections, media children, the disk and what waits', async () => {
    const now = await numbers()
    // Of the API and the worker together.
    assert.equal(now('keepsake_pool_max'), 41)
    assert.ok(now('keepsake_pool_connections{state="idle"}') > 0)
    assert.equal(now('keepsake_pool_waiting'), 0)
    assert.equal(now('keepsake_database_up'), 2)
    assert.ok(now('keepsake_disk_free_bytes') > 0 && now('keepsake_disk_free_bytes') < now('keepsake_disk_size_bytes'))
    assert.ok(now('keepsake_media_children{pool="pictures",state="idle"}') > 0)
    assert.equal(now('keepsake_media_crashes_total{pool="pictures"}'), 0)
    for (const lane of ['picture', 'video', 'transfer', 'callback']) {
      assert.equal(now(`keepsake_waiting_age_seconds{lane="${lane}"}`), 0)
      assert.equal(now(`keepsake_in_hand{lane="${lane}"}`), 0)
    }
  })

  it('answers probes of the worker', async () => {
    const alive = await ask('/healthz')
    assert.deepEqual([alive.status, await alive.json()], [200, { status: 'ok' }])
    const ready = await ask('/readyz')
    const { status: said, version, off } = (await ready.json()) as Record<string, unknown>
    assert.deepEqual([ready.status, said, Array.isArray(off)], [200, 'ready', true])
    assert.match(String(version), /^\d+\.\d+\.\d+/)
    assert.equal((await ask('/healthz', { method: 'HEAD' })).status, 200)
    const posted = await ask('/healthz', { method: 'POST', body: 'x' })
    assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD'])
    assert.equal((await ask('/api/task/', bearer(keepsake.token))).status, 404)
    assert.equal((await ask('/healthz?x=1')).status, 200)
  })

  it('shows the metrics of the worker to whom the API shows its own', async () => {
    const made = async (body: object): Promise<string> => (await keepsake.client.post('/api/token/', body)).body.token
    const reader = await made({ name: 'prometheus', scopes: ['read'] })
    const limited = await made({ name: 'limited', scopes: ['admin'], experiences: ['park'] })
    assert.equal((await ask('/metrics', bearer(reader))).status, 200)
    const refused = await ask('/metrics', bearer(limited))
    assert.deepEqual([refused.status, refused.headers.get('content-type')], [403, 'application/problem+json'])
    for (const headers of [{}, { authorization: 'Bearer ks_nonsense' }, { authorization: 'Basic eDp5' }]) {
      const answer = await ask('/metrics', { headers: headers as Record<string, string> })
      assert.deepEqual([answer.status, answer.headers.get('www-authenticate')], [401, 'Bearer'])
    }
  })

  it('has few series, whatever callers name', async () => {
    for (const name of ['anything', 'else'])
      await keepsake.send('/api/task/', { configuration_name: name, data: picture })
    const text = await (await ask('/metrics', bearer(keepsake.token))).text()
    assert.ok(!text.includes('anything') && !text.includes('park') && !text.includes('"flip"'), 'no names of callers')
    assert.ok(text.split('\n').length < 1_500, String(text.split('\n').length))
  })
})

it('the age of what waits is that of the oldest job', async t => {
  const keepsake = await startKeepsake({ worker: false })
  t.after(() => keepsake.stop())
  await keepsake.configure(single('flip', 'photo_flip', { method: 'ROTATE_180' }))
  const data = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
  for (let n = 0; n < 2; n++) await keepsake.send('/api/task/', { configuration_name: 'flip', data })
  // The id of a job tells when it was made.
  const made = (Date.now() - 3_600_000).toString(16).padStart(12, '0')
  const database = new pg.Client({ connectionString: keepsake.databaseUrl })
  await database.connect()
  await database
    .query('update tasks set job_id = $1 where task_id = (select min(task_id::text)::uuid from tasks)', [
      `${made.slice(0, 8)}-${made.slice(8)}-7000-8000-000000000000`,
    ])
    .finally(() => database.end())
  const { body } = await keepsake.client.get('/metrics')
  const age = Number(/^keepsake_waiting_age_seconds\{lane="picture"\} (\S+)$/m.exec(body)?.[1])
  assert.ok(age >= 3_600, `${age} s`)
  assert.equal(keepsake.workerUrl, null, 'no port is open unless it is asked for')
})
