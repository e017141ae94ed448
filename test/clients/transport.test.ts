// How the TypeScript client behaves when the service or the way to it does not: further attempts, keys, time limits, signals.
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { ConnectionError, Keepsake, type KeepsakeOptions, ProblemError, TimeoutError } from '../../client/src/index.ts'
import { type Received, type Receiver, startReceiver } from '../support/https-receiver.ts'

type Step = (response: ServerResponse, request: Received) => void

/** A service that does one step after the other, and the last one for ever. */
async function scripted(t: TestContext, ...steps: Step[]): Promise<Receiver> {
  const left = [...steps]
  const server = await startReceiver({
    answer: (request, response) => (left.length > 1 ? left.shift() : left[0])?.(response, request),
  })
  t.after(() => server.stop())
  return server
}

const client = (server: { url: string }, options: Partial<KeepsakeOptions> = {}): Keepsake =>
  new Keepsake({ url: server.url, token: 'ks_test', ...options })

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Step =>
  response =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
const problem = (status: number, code: string, headers: Record<string, string> = {}): Step =>
  json(status, { status, code, title: code, detail: `It is ${code}.` }, headers)
const cut: Step = response => response.destroy()
const silent: Step = () => {}
const task = { task_id: 't', status: 'Waiting', entries: [] }

test('a request that may be repeated is, and carries one idempotency key', async t => {
  const server = await scripted(
    t,
    cut,
    problem(503, 'full', { 'retry-after': '0' }),
    problem(409, 'idempotency_in_progress', { 'retry-after': '0' }),
    json(202, task),
  )
  const made = await client(server).tasks.create({ configuration: 'c', file: new Blob(['photo']) })
  assert.equal(made.task_id, 't')
  const keys = server.received.map(({ headers }) => headers['idempotency-key'])
  assert.equal(keys.length, 4)
  assert.equal(new Set(keys).size, 1)
  assert.match(String(keys[0]), /^[0-9a-f]{32}$/)
  for (const { body } of server.received) assert.match(body.toString(), /photo/)
  await client(server).tasks.create({ configuration: 'c', url: 'https://example.com/a' }, { idempotencyKey: 'mine' })
  assert.equal(server.received.at(-1)?.headers['idempotency-key'], 'mine')
  await client(server).tasks.create({ configuration: 'c', url: 'https://example.com/a' })
  assert.notEqual(server.received.at(-1)?.headers['idempotency-key'], keys[0])
})

test('a server that can’t be reached is named, with the reason', async t => {
  const server = await scripted(t, silent)
  await server.stop()
  const { origin, host } = new URL(server.url)
  await assert.rejects(client(server, { retries: 0 }).tasks.get('t'), {
    message: `GET /api/task/t/ failed: the server at ${origin} can’t be reached (connect ECONNREFUSED ${host}).`,
  })
  // fetch itself refuses some ports, and says why only in its cause.
  await assert.rejects(client({ url: 'http://127.0.0.1:9' }, { retries: 0 }).tasks.get('t'), {
    message: 'GET /api/task/t/ failed: the server at http://127.0.0.1:9 can’t be reached (bad port).',
  })
})

test('a request that may not be repeated is sent once when its answer is lost', async t => {
  const server = await scripted(t, cut, json(202, task))
  await assert.rejects(client(server).tasks.cancel('t'), ConnectionError)
  assert.equal(server.received.length, 1)
})

test('… but again when it was surely not carried out', async t => {
  const server = await scripted(t, problem(429, 'token_limit', { 'retry-after': '0' }), json(202, task))
  assert.equal((await client(server).tasks.cancel('t')).task_id, 't')
})

test('a 503 that may have been carried out is not repeated blindly', async t => {
  const server = await scripted(t, problem(503, 'unavailable', { 'retry-after': '0' }), json(201, {}))
  await assert.rejects(client(server).profiles.create({ rfid: 'x' }), { code: 'unavailable', status: 503 })
  assert.equal(server.received.length, 1)
})

test('Retry-After is waited for, unless it asks for too much', async t => {
  const server = await scripted(t, problem(429, 'token_limit', { 'retry-after': '7' }), json(200, task))
  const pauses: number[] = []
  const { setTimeout } = globalThis
  const hurried = (run: () => void, ms = 0) => {
    if (ms < 7_000 || ms > 10_000) return setTimeout(run, ms)
    pauses.push(ms)
    return setTimeout(run)
  }
  const { mock } = t.mock.method(globalThis, 'setTimeout', hurried as typeof setTimeout)
  await client(server).tasks.get('t')
  mock.restore()
  assert.equal(pauses.length, 1)
  const strict = await scripted(t, problem(429, 'token_limit', { 'retry-after': '3600' }))
  const error = await client(strict)
    .tasks.get('t')
    .catch(error => error)
  assert.ok(error instanceof ProblemError)
  assert.deepEqual([error.retryAfterSeconds, strict.received.length], [3600, 1])
})

test('attempts have an end', async t => {
  const server = await scripted(t, cut)
  await assert.rejects(client(server, { retries: 2 }).tasks.get('t'), ConnectionError)
  assert.equal(server.received.length, 3)
})

test('a deletion whose answer was lost is one', async t => {
  const server = await scripted(t, cut, problem(404, 'not_found'))
  await client(server).tasks.delete('t')
  await assert.rejects(client(server).tasks.delete('t'), { code: 'not_found' })
})

test('a problem is told with its fields; a proxy’s page as what it is', async t => {
  const errors = [{ field: 'extras.method', message: 'must be one of …', kind: 'wrong' }]
  const body = { status: 400, code: 'bad_extras', title: 'Bad', detail: 'extras.method is wrong.', errors }
  const server = await scripted(t, json(400, body, { 'x-request-id': 'r-1' }), response =>
    response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>nginx</h1>'),
  )
  const told = await client(server)
    .tasks.get('t')
    .catch(error => error)
  assert.ok(told instanceof ProblemError)
  assert.deepEqual(
    [told.code, told.status, told.message, told.errors, told.requestId, told.name],
    ['bad_extras', 400, 'extras.method is wrong.', errors, 'r-1', 'ProblemError'],
  )
  await assert.rejects(client(server).tasks.get('t'), { code: 'unexpected_answer', status: 404 })
})

test('a silent service is given up after the time limit, and a signal ends it at once', async t => {
  let attempts = 0
  const never = (_url: unknown, { signal }: RequestInit = {}) =>
    new Promise<Response>((_resolve, reject) => {
      attempts++
      if (signal?.aborted) reject(signal.reason)
      signal?.addEventListener('abort', () => reject(signal.reason))
    })
  const nowhere = client({ url: 'http://127.0.0.1' }, { timeoutMs: 10, retries: 1, fetch: never })
  await assert.rejects(nowhere.tasks.get('t'), TimeoutError)
  assert.equal(attempts, 2)
  const stop = new AbortController()
  const server = await scripted(t, () => stop.abort(new Error('enough')))
  await assert.rejects(client(server).tasks.get('t', { signal: stop.signal }), { message: 'enough' })
  const pausing = client(await scripted(t, cut)).tasks.get('t', { signal: AbortSignal.timeout(200) })
  await assert.rejects(pausing, { name: 'TimeoutError' })
})

test('no redirect takes the token elsewhere', async t => {
  const other = await scripted(t, json(200, task))
  const server = await scripted(t, response => response.writeHead(307, { location: `${other.url}/api/task/t/` }).end())
  await assert.rejects(client(server, { retries: 0 }).tasks.get('t'), ConnectionError)
  assert.equal(other.received.length, 0)
})

test('names are encoded, filters and a prefix of the address are kept', async t => {
  const server = await scripted(t, json(200, { items: [], next_cursor: null }))
  const behind = client({ url: `${server.url}/booth/` })
  await behind.configurations.get('a b/ü?').catch(() => {})
  await behind.tasks.list({ status: 'Failed', created_after: '2026-01-01T00:00:00Z', limit: 5 }).page()
  assert.deepEqual(
    server.received.map(({ url }) => url),
    [
      '/booth/api/configuration/a%20b%2F%C3%BC%3F/',
      '/booth/api/task/?status=Failed&created_after=2026-01-01T00%3A00%3A00Z&limit=5',
    ],
  )
})

test('a list goes from page to page, stops early, and never for ever', async t => {
  const page = (items: number[], next_cursor: string | null) => json(200, { items, next_cursor })
  const server = await scripted(t, page([1, 2], 'a'), page([3], 'b'), page([], null))
  assert.deepEqual(await Array.fromAsync(client(server).activities.list()), [1, 2, 3])
  assert.deepEqual(
    server.received.map(({ url }) => url.split('?')[1]),
    [undefined, 'cursor=a', 'cursor=b'],
  )
  const endless = await scripted(t, page([1], 'a'))
  assert.deepEqual(await client(endless).activities.list().take(1), [1])
  assert.equal(endless.received.length, 1)
  await assert.rejects(Array.fromAsync(client(endless).activities.list()), { code: 'unexpected_answer' })
})

test('what was read with an ETag can be written with it', async t => {
  const server = await scripted(t, json(200, { configuration_name: 'c' }, { etag: '"v1"' }))
  const { configurations } = client(server)
  const read = await configurations.get('c')
  await configurations.change('c', { webhook_url: null }, { ifMatch: read })
  await configurations.delete('c', { ifMatch: '"v2"' })
  assert.deepEqual(
    server.received.map(({ headers }) => headers['if-match']),
    [undefined, '"v1"', '"v2"'],
  )
  assert.throws(() => configurations.change('c', {}, { ifMatch: {} }), { code: 'bad_options' })
})

test('bad options are told before anything is sent', () => {
  for (const options of [
    { url: 'ftp://a', token: 'x' },
    { url: 'nonsense', token: 'x' },
    { url: 'http://user:pass@a', token: 'x' },
    { url: 'http://a', token: '' },
    { url: 'http://a', token: 'x', retries: 99 },
    { url: 'http://a', token: 'x', timeoutMs: Number.NaN },
  ])
    assert.throws(() => new Keepsake(options), { code: 'bad_options' }, JSON.stringify(options))
})

test('two sources for one file, and no file at all, are told', async () => {
  const { tasks } = client({ url: 'http://127.0.0.1:1' })
  await assert.rejects(tasks.create({ configuration: 'c', file: new Blob([]), url: 'https://a' }), {
    code: 'bad_options',
  })
  await assert.rejects(tasks.create({ configuration: 'c', file: 'a path' as never }), { code: 'bad_options' })
})

test('a token may be asked for anew before each attempt', async t => {
  const server = await scripted(t, cut, json(200, task))
  const tokens = ['first', 'second']
  await client(server, { token: async () => tokens.shift() ?? 'none' }).tasks.get('t')
  assert.deepEqual(
    server.received.map(({ headers }) => headers.authorization),
    ['Bearer first', 'Bearer second'],
  )
})

// Downloads

const file = Buffer.from('0123456789'.repeat(1_000))
const head = { 'content-type': 'image/png', etag: '"e"' }

/** The beginning of the file. The connection is cut once the client says that it has it: what is on its way then is lost. */
function breakingOff() {
  let begun: ServerResponse | undefined
  const step: Step = response => {
    begun = response
    response.writeHead(200, { ...head, 'content-length': file.length }).write(file.subarray(0, 4_000))
  }
  const cutAt = (done: number): void => void (done === 4_000 && begun?.destroy())
  return { step, cutAt }
}

test('a download that breaks off goes on where it stopped', async t => {
  const { step, cutAt } = breakingOff()
  const server = await scripted(t, step, (response, { headers }) => {
    const from = Number(/^bytes=(\d+)-$/.exec(String(headers.range))?.[1])
    response.writeHead(206, { ...head, 'content-length': file.length - from }).end(file.subarray(from))
  })
  const told: (number | null)[][] = []
  const blob = await client(server)
    .tasks.output('t', 0, {
      onProgress(done, total) {
        told.push([done, total])
        cutAt(done)
      },
    })
    .blob()
  assert.equal(blob.type, 'image/png')
  assert.ok(Buffer.from(await blob.arrayBuffer()).equals(file))
  assert.deepEqual(told.at(-1), [10_000, 10_000])
  assert.deepEqual(
    server.received.map(({ headers }) => headers.range),
    [undefined, 'bytes=4000-'],
  )
})

test('… unless it became another file meanwhile', async t => {
  const { step, cutAt } = breakingOff()
  const server = await scripted(t, step, response =>
    response.writeHead(206, { etag: '"other"', 'content-length': 6_000 }).end(file.subarray(4_000)),
  )
  const download = client(server).tasks.output('t', 0, { onProgress: cutAt })
  await assert.rejects(download.blob(), { code: 'changed_meanwhile' })
})

test('a download that falls silent is given up, and one that is left is ended', async t => {
  const server = await scripted(t, response => {
    response.writeHead(200, { ...head, 'content-length': file.length })
    response.write(file.subarray(0, 10))
  })
  const silence = client(server, { timeoutMs: 100, retries: 0 }).tasks.output('t', 0).blob()
  await assert.rejects(silence, TimeoutError)
  for await (const piece of client(server).tasks.output('t', 0).stream()) {
    assert.equal(piece.length, 10)
    break
  }
})
