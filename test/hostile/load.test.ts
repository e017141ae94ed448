// Attacks by load: one token that asks for more than its share.
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { App } from '#http/route/route.ts'
import { buildServer } from '#http/server.ts'
import { cleanUp } from '../support/clean-up.ts'
import { type Client, newClient } from '../support/client.ts'
import { BOUNDARY } from '../support/multipart.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { event, soon, until } from '../support/until.ts'
import { counted, formOf } from './support/forms.ts'

const rounds = process.env.KEEPSAKE_HOSTILE === 'long' ? 5 : 1
const bytes = (count: number): Blob => new Blob([new Uint8Array(count)])

describe('limits of a token', () => {
  let server: TestServer
  let admin: Client
  /** Two APIs on one database, each of which knows nothing of the other. */
  let urls: string[]
  let second: App

  before(async () => {
    server = await startTestServer({ settings: { maxRequests: 40, maxRequestBytes: 40 * 1024 ** 2 } })
    admin = newClient(server)
    second = await buildServer(server.services)
    urls = [server.url, await second.listen({ host: '127.0.0.1', port: 0 })]
    const flip = { configuration_name: 'flip', experience_id: 'park', adapter_name: 'photo_flip' }
    const made = await admin.post('/api/configuration/', {
      ...flip,
      adapter_config: { defaults: { method: 'ROTATE_180' } },
    })
    assert.equal(made.status, 201)
  })
  after(() =>
    cleanUp(
      () => second?.close(),
      () => server?.stop(),
    ),
  )

  async function limited(limits: object, scope = 'write'): Promise<{ token: string; token_id: string }> {
    const { status, body } = await admin.post('/api/token/', { name: 'low', scopes: [scope], limits })
    assert.equal(status, 201, JSON.stringify(body))
    if ('requests_per_minute' in limits)
      // Its minute does not end while requests are counted.
      await sql`insert into token_use values (${body.token_id}, 'requests', now() + interval '1 hour', 0)`.execute(
        server.db,
      )
    return body
  }

  /** Sends to both APIs in turn. */
  const ask = (n: number, token: string, method: string, path: string, body?: FormData) =>
    newClient({ url: urls[n % 2] as string, token }).send(method, path, body ? { body } : {})

  const task = (n: number, token: string, size = 10, more: Record<string, string> = {}) =>
    ask(n, token, 'POST', '/api/task/', formOf({ configuration_name: 'flip', data: bytes(size), ...more }))

  const times = <T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, n) => work(n)))

  it('requests over requests_per_minute are refused, exactly, whichever API they come to', async () => {
    for (let round = 0; round < rounds; round++) {
      const { token } = await limited({ requests_per_minute: 25 })
      const answers = await times(60, n => ask(n, token, 'GET', '/api/session/'))
      assert.deepEqual(counted(answers), { 200: 25, 429: 35 })
      const refused = await ask(0, token, 'GET', '/api/task/')
      assert.equal(refused.body.code, 'token_limit')
      const wait = Number(refused.headers.get('retry-after'))
      assert.ok(wait > 3600 && wait <= 3660, `${wait}`)
      assert.equal((await admin.get('/api/session/')).status, 200)
    }
  })

  it('a session of a token counts like the token', async () => {
    const { token } = await limited({ requests_per_minute: 5 })
    const { headers } = await admin.as(null).post('/api/session/', { token })
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
    const bySession = () => admin.as(null).send('GET', '/api/session/', { headers: { cookie } })
    const answers = [...(await times(3, bySession)), ...(await times(4, n => ask(n, token, 'GET', '/api/task/')))]
    assert.deepEqual(counted(answers), { 200: 5, 429: 2 })
  })

  it('a burst puts no more tasks into the queue than waiting_tasks, whichever API it comes to', async () => {
    for (let round = 0; round < rounds; round++) {
      const { token } = await limited({ waiting_tasks: 7 })
      const group = (n: number) =>
        ask(n, token, 'POST', '/api/taskgroup/', formOf({ configuration_names: '["flip"]', flip_data: bytes(10) }))
      const answers = await times(40, n => (n % 4 === 3 ? group(n) : task(n, token)))
      assert.deepEqual(counted(answers), { 202: 7, 429: 33 })
      const refused = await task(0, token)
      assert.equal(refused.body.code, 'token_limit')
      assert.ok(Number(refused.headers.get('retry-after')) >= 1)
      // A task that is run again waits again.
      const first = answers.find(({ status, body }) => status === 202 && body.entries)
      const path = `/api/task/${first?.body.task_id}/`
      assert.equal((await ask(0, token, 'POST', `${path}cancel/`)).status, 202)
      assert.deepEqual(counted(await times(5, n => task(n, token))), { 202: 1, 429: 4 })
      assert.equal((await ask(1, token, 'POST', `${path}retry/`)).body.code, 'token_limit')
      assert.equal((await admin.post(`${path}retry/`)).status, 202)
    }
  })

  it('the same request with the same key is answered although no more may wait', async () => {
    const { token } = await limited({ waiting_tasks: 1 })
    const send = () =>
      newClient(server, token).send('POST', '/api/task/', {
        headers: { 'idempotency-key': 'once' },
        body: formOf({ configuration_name: 'flip', data: bytes(10) }),
      })
    const [first, second] = [await send(), await send()]
    assert.deepEqual([first.status, second.status], [202, 202])
    assert.equal(first.body.task_id, second.body.task_id)
    assert.equal((await task(0, token)).status, 429)
  })

  it('files over upload_bytes_per_day are refused, exactly, whichever API they come to', async () => {
    const { token } = await limited({ upload_bytes_per_day: 100_000 })
    const answers = await times(30, n => task(n, token, 10_000))
    assert.deepEqual(counted(answers), { 202: 10, 429: 20 })
    const refused = await task(0, token, 1)
    assert.equal(refused.body.code, 'token_limit')
    const wait = Number(refused.headers.get('retry-after'))
    assert.ok(wait > 3600 && wait <= 86_400, `${wait}`)
    // What brings no file is not an upload.
    const url = formOf({ configuration_name: 'flip', data_url: 'https://example.org/photo.jpg' })
    assert.equal((await ask(0, token, 'POST', '/api/task/', url)).status, 202)
  })

  it('files of refused requests, assets and previews count as well', async () => {
    const sends: [string, FormData][] = [
      ['/api/task/', formOf({ configuration_name: 'no such', data: bytes(60_000) })],
      [
        '/api/taskgroup/',
        formOf({ configuration_names: '["flip"]', flip_data: bytes(60_000), webhook_url: 'ftp://x' }),
      ],
      ['/api/asset/', formOf({ name: 'noise', experience_id: 'park', file: bytes(60_000) })],
      ['/api/configuration/flip/preview/', formOf({ data: bytes(60_000) })],
    ]
    for (const [path, form] of sends) {
      const { token } = await limited({ upload_bytes_per_day: 100_000 })
      const first = await ask(0, token, 'POST', path, form)
      assert.notEqual(first.status, 429, path)
      assert.equal((await task(1, token, 60_000)).body.code, 'token_limit', path)
      assert.equal((await task(1, token, 40_000)).status, 202, path)
    }
  })

  it('a file that cannot fit is refused before it is sent, and uses nothing up', async () => {
    const { token } = await limited({ upload_bytes_per_day: 3_000_000 })
    const head = open(server.url, 'POST', '/api/task/', token, { length: 30_000_000 })
    assert.match(await head.answer(), /^HTTP\/1\.1 429 /)
    assert.equal((await task(0, token, 2_999_000)).status, 202)
  })

  it('event streams over 20, or over streams, are refused until one ends', async () => {
    const plain = await limited({})
    const few = await limited({ streams: 2 })
    for (const [{ token }, most] of [
      [plain, 20],
      [few, 2],
    ] as const) {
      const follow = (stop: AbortController) =>
        fetch(`${server.url}/api/task/events/`, {
          headers: { authorization: `Bearer ${token}` },
          signal: stop.signal,
        })
      const stops = Array.from({ length: most }, () => new AbortController())
      const streams = await Promise.all(stops.map(follow))
      assert.deepEqual(counted(streams), { 200: most })
      const refused = await soon('it is refused', newClient(server, token).get('/api/taskgroup/events/'))
      assert.equal(refused.body.code, 'token_limit')
      assert.ok(Number(refused.headers.get('retry-after')) >= 1)
      stops[0]?.abort()
      const again = new AbortController()
      await until('a stream is let in for the one that ended', async () => (await follow(again)).status === 200)
      for (const stop of [...stops, again]) stop.abort()
    }
  })

  it('slow uploads of one token take no more than its share of the requests, and those of others go on', async () => {
    const [slow, other] = [await limited({}), await limited({})]
    const sockets = Array.from({ length: 40 }, () =>
      open(server.url, 'POST', '/api/task/', slow.token, { length: 1_000 }),
    )
    const asSlow = newClient(server, slow.token)
    await until('all of them are under way', async () => (await asSlow.get('/api/session/')).status === 429)
    const refused = await asSlow.get('/api/session/')
    assert.equal(refused.body.code, 'too_many_requests')
    assert.ok(Number(refused.headers.get('retry-after')) >= 1)
    assert.equal((await task(0, other.token)).status, 202)
    for (const { socket } of sockets) socket.destroy()
    await until('they are gone', async () => (await asSlow.get('/api/session/')).status === 200)
  })

  it('a request over its bytes is refused, whether it says so before or not, and leaves no file', async () => {
    const big = 41 * 1024 ** 2
    const said = open(server.url, 'POST', '/api/task/', server.token, { length: big })
    assert.match(await said.answer(), /^HTTP\/1\.1 413 .*KEEPSAKE_MAX_REQUEST_BYTES/s)
    const before = await blobsLeft()
    const chunked = open(server.url, 'POST', '/api/taskgroup/', server.token, {})
    chunked.send(partHead('flip_data'))
    await chunked.pour(big)
    assert.match(await chunked.answer(), /^HTTP\/1\.1 413 .*KEEPSAKE_MAX_REQUEST_BYTES/s)
    assert.deepEqual(await blobsLeft(), before)
  })

  it('parts that belong to nothing are refused before they are received', async () => {
    const before = await blobsLeft()
    const length = 39 * 1024 ** 2
    const named = open(server.url, 'POST', '/api/taskgroup/', server.token, { length })
    named.send(`${partHead('configuration_names', false)}["flip"]\r\n${partHead('ghost_data')}`)
    await named.pour(2 * 1024 ** 2)
    assert.match(await named.answer(), /^HTTP\/1\.1 400 .*bad_group/s)
    // Where only the database can tell, it is asked once a request has brought much.
    for (const [path, parts] of [
      ['/api/taskgroup/', partHead('ghost_data')],
      ['/api/taskgroup/', `${partHead('configuration_names', false)}["flip", "ghost"]\r\n${partHead('ghost_data')}`],
      ['/api/task/', `${partHead('configuration_name', false)}ghost\r\n${partHead('data')}`],
    ] as const) {
      const asked = open(server.url, 'POST', path, server.token, { length })
      asked.send(parts)
      await asked.pour(20 * 1024 ** 2)
      assert.match(await asked.answer(), /^HTTP\/1\.1 400 .*unknown_configuration/s, parts)
    }
    const gone = open(server.url, 'POST', '/api/configuration/ghost/preview/', server.token, { length })
    assert.match(await gone.answer(), /^HTTP\/1\.1 404 /)
    const { body } = await task(0, server.token)
    const again = open(server.url, 'POST', `/api/task/${body.task_id}/retry/`, server.token, { length })
    assert.match(await again.answer(), /^HTTP\/1\.1 409 /)
    assert.deepEqual(
      (await blobsLeft()).filter(name => !before.includes(name)).length,
      1,
      'only the file of the one accepted task is new',
    )
  })

  it('connections that never say what they want are closed', async t => {
    assert.equal(server.app.server.headersTimeout, 20_000)
    const hasty = await buildServer(server.services)
    t.after(() => hasty.close())
    hasty.server.headersTimeout = 1
    const url = await hasty.listen({ host: '127.0.0.1', port: 0 })
    const mute = ['', 'GET /api/task/ HTTP/1.1\r\nhost: x\r\nx-slow: '].map(text => beginsWith(url, text))
    await Promise.all(mute)
  })

  /** Opens a connection and sends a letter now and then, until it is closed. */
  function beginsWith(url: string, text: string): Promise<unknown> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => {}).resume()
    socket.write(text)
    const drip = setInterval(() => text !== '' && socket.write('x'), 20)
    const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
    return soon('it is closed', closed).finally(() => clearInterval(drip))
  }

  const blobsLeft = async (): Promise<string[]> => {
    const names = await readdir(join(server.services.settings.data, 'blobs'), { recursive: true })
    return names.filter(name => name.length > 30)
  }
})

const partHead = (name: string, isFile = true): string =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${isFile ? '; filename="f"' : ''}\r\n\r\n`

/** A request over a socket of its own, of which only as much is sent as is told to. */
function open(url: string, method: string, path: string, token: string, { length }: { length?: number }) {
  const socket: Socket = connect(Number(new URL(url).port), '127.0.0.1')
  let said = ''
  socket.setEncoding('utf8').on('data', text => (said += text))
  socket.on('error', () => {})
  const closed = event('the connection is closed', socket, 'close')
  closed.catch(() => {})
  const size = length === undefined ? 'transfer-encoding: chunked' : `content-length: ${length}`
  socket.write(
    `${method} ${path} HTTP/1.1\r\nhost: test\r\nauthorization: Bearer ${token}\r\ncontent-type: multipart/form-data; boundary=${BOUNDARY}\r\n${size}\r\n\r\n`,
  )
  const send = (piece: string | Buffer): boolean => {
    if (length !== undefined) return socket.write(piece)
    socket.write(`${Buffer.byteLength(piece).toString(16)}\r\n`)
    socket.write(piece)
    return socket.write('\r\n')
  }
  return {
    socket,
    send,
    /** Sends so many bytes, unless an answer comes before. */
    async pour(total: number): Promise<void> {
      const piece = Buffer.alloc(256 * 1024)
      for (let sent = 0; sent < total && said === '' && !socket.destroyed; sent += piece.length)
        if (!send(piece)) await Promise.race([event('more can be sent', socket, 'drain'), closed])
    },
    async answer(): Promise<string> {
      await until('an answer', () => said.includes('\r\n\r\n{') || socket.destroyed)
      socket.destroy()
      return said
    },
  }
}
