// Receiving multipart requests over real sockets, whole and broken.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import Fastify, { type FastifyRequest } from 'fastify'
import { operatorAccess } from '#access/scopes.ts'
import { newTokenLimiter } from '#access/token-limiter.ts'
import { type Database, openDatabase } from '#db/database.ts'
import { forgetUploads } from '#db/tasks/upload-rows.ts'
import { answerErrors } from '#http/hooks/problem-answer.ts'
import type { App } from '#http/route/route.ts'
import { acceptMultipart, type Received, receive } from '#http/wire/multipart.ts'
import { newLog } from '#kit/log.ts'
import type { Blobs } from '#storage/blobs.ts'
import { diskBlobs } from '#storage/disk-blobs.ts'
import { newUploads, sweepUploads } from '#uploads/uploads.ts'
import { cleanUp } from '../support/clean-up.ts'
import { BOUNDARY, broken, multipart, type RawRequest, sendRaw } from '../support/multipart.ts'
import { testDatabase } from '../support/postgres.ts'
import { random, seedOf } from '../support/seed.ts'
import { event, until } from '../support/until.ts'

const limits = {
  maxUploadBytes: 5_000_000,
  maxRequestBytes: 50_000_000,
  maxParts: 20,
  maxExtrasBytes: 1000,
  maxGroup: 4,
}
const rules = {
  file: (name: string) => name.endsWith('data'),
  field: (name: string) => /^(text|extras|more\d+)$/.test(name),
}
const type = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }

let folder: string
let blobs: Blobs
let database: Database
let app: App
let port: number
/** What the handler does with a whole request. */
let handle: (received: Received) => Promise<object> = describeReceived
const running = new Set<Promise<object>>()

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keepsake-multipart-'))
  blobs = await diskBlobs(folder)
  database = openDatabase((await testDatabase()).url, newLog('silent', 'test'))
  const uploads = newUploads(database.db, blobs)
  const limiter = newTokenLimiter(database.db, newLog('silent', 'test'), 100)
  app = Fastify({ forceCloseConnections: true }) as unknown as App
  answerErrors(app)
  acceptMultipart(app)
  app.addHook('onRequest', async request => {
    request.access = operatorAccess
  })
  const work = async (request: FastifyRequest, stalledMs = 60_000): Promise<object> => {
    await using received = await receive(request, { uploads, limits, limiter }, rules, stalledMs)
    return await handle(received)
  }
  const noted = (worked: Promise<object>): Promise<object> => {
    running.add(worked)
    return worked
  }
  app.post('/', request => noted(work(request)))
  app.post('/hasty', request => noted(work(request, 300)))
  await app.listen({ host: '127.0.0.1', port: 0 })
  port = (app.server.address() as AddressInfo).port
})
after(() =>
  cleanUp(
    () => app.close(),
    () => database.close(),
    () => rm(folder, { recursive: true, force: true }),
  ),
)

async function describeReceived({ fields, files }: Received): Promise<object> {
  const described = [...files.values()].map(({ field, fileName, bytes, sha256 }) => ({
    field,
    fileName,
    bytes,
    sha256,
  }))
  return { fields: Object.fromEntries(fields), files: described }
}

const post = (body: Buffer, more: Partial<RawRequest> = {}) =>
  sendRaw(port, { path: '/', headers: type, body, ...more })

async function left(): Promise<{ blobs: number; unfinished: number; noted: number }> {
  return {
    blobs: (await Array.fromAsync(blobs.list())).length,
    unfinished: (await readdir(join(folder, 'unfinished'))).length,
    noted: (await database.db.selectFrom('uploads').select('blob').execute()).length,
  }
}
const nothing = { blobs: 0, unfinished: 0, noted: 0 }

describe('a multipart request', () => {
  it('is received in any order of its parts and any cut of its packets', async () => {
    const data = randomBytes(3000)
    const parts = [
      { name: 'text', body: 'häuser' },
      { name: 'data', body: data, fileName: 'a.jpg' },
      { name: 'extras', body: '{"a": 1}' },
    ]
    for (const order of [parts, parts.toReversed()]) {
      for (const chunk of [1, 7, 64, 100_000]) {
        const { status, body } = await post(multipart(order), { chunk })
        assert.equal(status, 200, body)
        const { fields, files } = JSON.parse(body)
        assert.deepEqual(fields, { text: 'häuser', extras: '{"a": 1}' })
        assert.deepEqual([files[0].fileName, files[0].bytes], ['a.jpg', 3000])
      }
    }
    assert.deepEqual(await left(), nothing)
  })

  it('keeps its first file for as long as the rest of it takes', async t => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    handle = describeReceived
    const body = multipart([
      { name: 'data', body: randomBytes(3000), fileName: 'a.jpg' },
      { name: 'text', body: 'and hours later this' },
    ])
    const request = httpRequest({ port, path: '/', method: 'POST', headers: type })
    request.write(body.subarray(0, -20))
    const created = () => database.db.selectFrom('uploads').select('created_at').executeTakeFirst()
    await until('the first file is there', created)
    const hour = 3_600_000
    for (let round = 0; round < 2; round++) {
      const old = new Date(Date.now() - 2 * hour)
      await database.db.updateTable('uploads').set({ created_at: old }).execute()
      // The note of a file is there before the file is: the first time may be too early.
      const isYoung = async () => {
        t.mock.timers.tick(hour / 2)
        return Number((await created())?.created_at) > Number(old)
      }
      await until('it is young again', isYoung)
      assert.equal((await sweepUploads(database.db, blobs, new Date(Date.now() - hour), 100)).gone.length, 0)
    }
    request.end(body.subarray(-20))
    const [response] = await event('it is answered', request, 'response')
    assert.equal(response.statusCode, 200)
    response.resume()
    assert.deepEqual(await left(), nothing)
  })

  it('keeps every byte of a file that is full of near-boundaries', async () => {
    const data = Buffer.from(
      `\r\n--${BOUNDARY.slice(0, -1)}\r\n-\r\r\n--\r\n\r\n--${BOUNDARY.toUpperCase()}--`.repeat(50),
    )
    handle = async ({ files }) => {
      const blob = files.get('data')!.blob
      return { same: Buffer.concat(await (await blobs.read(blob)).toArray()).equals(data) }
    }
    for (const chunk of [1, 13, 10_000]) {
      const { body } = await post(multipart([{ name: 'data', body: data, fileName: 'x' }]), { chunk })
      assert.deepEqual(JSON.parse(body), { same: true })
    }
    handle = describeReceived
  })

  it('is read as a browser’s or curl’s own encoder writes it', async () => {
    const form = new FormData()
    form.append('text', 'a\r\nb "c"')
    form.append('data', new Blob([Buffer.alloc(10)]), 'ö "q" %.jpg')
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: form })
    const { fields, files } = (await response.json()) as { fields: object; files: { fileName: string }[] }
    assert.deepEqual(fields, { text: 'a\r\nb "c"' })
    assert.equal(files[0]?.fileName, 'ö "q" %.jpg')
  })

  it('may send a field as a file and a file without a name', async () => {
    const { body } = await post(
      multipart([
        { name: 'extras', body: '{}', fileName: 'extras.json' },
        { name: 'data', body: 'abc' },
      ]),
    )
    const { fields, files } = JSON.parse(body)
    assert.deepEqual(fields, { extras: '{}' })
    assert.deepEqual([files[0].field, files[0].fileName, files[0].bytes], ['data', null, 3])
  })

  it('keeps no folder of a file name', async () => {
    for (const fileName of ['../../etc/passwd', 'C:\\\\fakepath\\\\passwd', '/passwd']) {
      const { body } = await post(multipart([{ name: 'data', body: 'abc', fileName }]))
      assert.equal(JSON.parse(body).files[0].fileName, 'passwd')
    }
  })

  it('keeps its files once a transaction has taken them over', async () => {
    handle = async ({ files }) => {
      const owned = [...files.values()].map(({ blob }) => blob)
      await database.db.transaction().execute(trx => forgetUploads(trx, owned))
      return owned
    }
    const { body } = await post(multipart([{ name: 'data', body: 'kept' }]))
    handle = describeReceived
    assert.deepEqual(await left(), { ...nothing, blobs: 1 })
    for (const blob of JSON.parse(body)) await blobs.delete(blob)
  })

  it('leaves nothing when its handler fails', async () => {
    handle = () => Promise.reject(new Error('later'))
    assert.equal((await post(multipart([{ name: 'data', body: 'lost' }]))).status, 500)
    handle = describeReceived
    assert.deepEqual(await left(), nothing)
  })

  it('cannot take over a file that was swept meanwhile', async () => {
    handle = async ({ files }) => {
      assert.equal((await sweepUploads(database.db, blobs, new Date(Date.now() + 1000), 100)).gone.length, 1)
      const owned = [...files.values()].map(({ blob }) => blob)
      return database.db.transaction().execute(async trx => ({ done: await forgetUploads(trx, owned) }))
    }
    assert.equal((await post(multipart([{ name: 'data', body: 'slow' }]))).status, 503)
    handle = describeReceived
    assert.deepEqual(await left(), nothing)
  })
})

describe('a broken multipart request', () => {
  const file = { name: 'data', body: randomBytes(2000), fileName: 'a.jpg' }
  const whole = multipart([file, { name: 'text', body: 'x' }])
  const raw = (text: string) => Buffer.from(text.replaceAll('\n', '\r\n').replaceAll('BOUNDARY', BOUNDARY), 'latin1')
  const part = (headers: string) => raw(`--BOUNDARY\n${headers}\n\nx\n--BOUNDARY--\n`)
  const named = (disposition: string) => part(`Content-Disposition: ${disposition}`)
  const many = Array.from({ length: 21 }, (_, index) => ({ name: `more${index}`, body: 'x' }))
  const full = Array.from({ length: 5 }, (_, index) => ({ name: `more${index}`, body: 'x'.repeat(999) }))

  const cases: [string, Partial<RawRequest> & { body: Buffer }, number, string, RegExp][] = [
    [
      'without a boundary',
      { body: whole, headers: { 'content-type': 'multipart/form-data' } },
      400,
      'bad_multipart',
      /names no boundary/,
    ],
    [
      'with another boundary',
      { body: whole, headers: { 'content-type': 'multipart/form-data; boundary=other' } },
      400,
      'bad_multipart',
      /does not occur/,
    ],
    [
      'with a boundary of 71 characters',
      { body: whole, headers: { 'content-type': `multipart/form-data; boundary=${'b'.repeat(71)}` } },
      400,
      'bad_multipart',
      /1 to 70/,
    ],
    [
      'that is JSON',
      { body: Buffer.from('{}'), headers: { 'content-type': 'application/json' } },
      415,
      'wrong_content_type',
      /multipart\/form-data/,
    ],
    [
      'that is multipart of another kind',
      { body: whole, headers: { 'content-type': `multipart/mixed; boundary=${BOUNDARY}` } },
      415,
      'wrong_content_type',
      /form-data/,
    ],
    ['without a type', { body: whole, headers: {} }, 415, 'wrong_content_type', /form-data/],
    ['without a body', { body: Buffer.alloc(0) }, 400, 'bad_multipart', /it is empty/],
    ['that ends in the middle of a file', { body: whole.subarray(0, 500) }, 400, 'bad_multipart', /closing boundary/],
    [
      'that ends in the middle of the headers',
      { body: whole.subarray(0, 40) },
      400,
      'bad_multipart',
      /closing boundary/,
    ],
    [
      'that ends in the last boundary',
      { body: whole.subarray(0, whole.length - 4) },
      400,
      'bad_multipart',
      /closing boundary/,
    ],
    ['with too many parts', { body: multipart(many) }, 400, 'over_limit', /KEEPSAKE_MAX_PARTS/],
    [
      'with a field that is too long',
      { body: multipart([file, { name: 'extras', body: 'x'.repeat(1001) }]) },
      413,
      'too_large',
      /extras: .*KEEPSAKE_MAX_EXTRAS_BYTES/,
    ],
    ['with too many bytes of fields', { body: multipart(full) }, 413, 'too_large', /more4/],
    [
      'with a file that is too large',
      { body: multipart([file, { name: 'more_data', body: Buffer.alloc(5_000_001) }]) },
      413,
      'too_large',
      /more_data: .*KEEPSAKE_MAX_UPLOAD_BYTES/,
    ],
    ['with a part twice', { body: multipart([file, file]) }, 400, 'bad_request', /data: is there twice/],
    [
      'with a field and a file of one name',
      { body: multipart([file, { name: 'data', body: 'x' }]) },
      400,
      'bad_request',
      /twice/,
    ],
    [
      'with an unknown part',
      { body: multipart([file, { name: '__proto__', body: 'x' }]) },
      400,
      'bad_request',
      /__proto__/,
    ],
    ['with a part of no name', { body: named('form-data') }, 400, 'bad_multipart', /no name/],
    ['with a part of an empty name', { body: named('form-data; name=""') }, 400, 'bad_multipart', /no name/],
    ['with a part that is no form data', { body: named('attachment; name="text"') }, 400, 'bad_multipart', /form-data/],
    ['with a part without headers', { body: raw('--BOUNDARY\n\nx\n--BOUNDARY--') }, 400, 'bad_multipart', /form-data/],
    ['with a NUL in a part’s name', { body: named('form-data; name="te\0xt"') }, 400, 'bad_multipart', /header line/],
    [
      'with half a surrogate in a part’s name',
      { body: named('form-data; name="\xed\xa0\x80"') },
      400,
      'bad_multipart',
      /not UTF-8/,
    ],
    [
      'with a name of 257 characters',
      { body: named(`form-data; name="${'n'.repeat(257)}"`) },
      400,
      'bad_request',
      /256/,
    ],
    ['with two names', { body: named('form-data; name="text"; name="data"') }, 400, 'bad_multipart', /two "name"/],
    ['with an open quote', { body: named('form-data; name="text') }, 400, 'bad_multipart', /bad Content-Disposition/],
    [
      'with a quote that would take for ever to match',
      { body: named(`form-data; name="${'\\'.repeat(9001)}`) },
      400,
      'bad_multipart',
      /bad Content-Disposition/,
    ],
    [
      'with two dispositions',
      { body: part('Content-Disposition: form-data; name="text"\nContent-Disposition: form-data; name="data"') },
      400,
      'bad_multipart',
      /two content-disposition/,
    ],
    [
      'with a base64 part',
      { body: part('Content-Disposition: form-data; name="text"\nContent-Transfer-Encoding: base64') },
      400,
      'bad_multipart',
      /Transfer-Encoding/,
    ],
    ['with a header that is none', { body: part('nonsense') }, 400, 'bad_multipart', /header line/],
    ['with endless headers', { body: part(`X: ${'x'.repeat(20_000)}`) }, 400, 'bad_multipart', /headers of a part/],
    [
      'with text behind a boundary',
      { body: raw('--BOUNDARYx\nContent-Disposition: form-data; name="text"\n\nx\n--BOUNDARY--') },
      400,
      'bad_multipart',
      /followed by other text/,
    ],
    [
      'with endless text before the first boundary',
      { body: Buffer.alloc(100_000, 'x') },
      400,
      'bad_multipart',
      /before its first boundary/,
    ],
    [
      'with a field that is not UTF-8',
      { body: multipart([{ name: 'text', body: Buffer.from([0xff, 0xfe]) }]) },
      400,
      'bad_request',
      /text: .*UTF-8/,
    ],
    ['with a NUL in a field', { body: multipart([{ name: 'text', body: 'a\0b' }]) }, 400, 'bad_request', /text: .*NUL/],
  ]

  for (const [title, request, status, code, detail] of cases) {
    it(`${title} is answered ${status} ${code} and leaves nothing`, async () => {
      const answer = await post(request.body, request)
      assert.equal(answer.status, status, answer.body)
      const problem = JSON.parse(answer.body) as { code: string; detail: string }
      assert.equal(problem.code, code)
      assert.match(problem.detail, detail)
      assert.deepEqual(await left(), nothing)
    })
  }

  it('whose client goes away in the middle leaves nothing', async () => {
    const socket = connect(port, '127.0.0.1')
    const begun = event('the request has begun', app.server, 'request')
    socket.write(
      `POST / HTTP/1.1\r\nhost: x\r\n${Object.entries(type).map(([k, v]) => `${k}: ${v}\r\n`)}content-length: 999999\r\n\r\n`,
    )
    socket.write(whole.subarray(0, 1500))
    const [, response] = await begun
    const over = event('the server has noticed', response, 'close')
    socket.resetAndDestroy()
    await over
    await settled()
    assert.deepEqual(await left(), nothing)
  })

  it('whose client falls silent is given up and leaves nothing', async () => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(
      `POST /hasty HTTP/1.1\r\nhost: x\r\n${Object.entries(type).map(([k, v]) => `${k}: ${v}\r\n`)}content-length: 999999\r\n\r\n`,
    )
    socket.write(whole.subarray(0, 1500))
    await event('it is given up', socket, 'close')
    await settled()
    assert.deepEqual(await left(), nothing)
  })

  it('that is refused early lets the same connection go on', async () => {
    const socket = connect(port, '127.0.0.1')
    const answers: string[] = []
    socket.on('data', data => answers.push(data.toString()))
    const request = (body: Buffer) =>
      Buffer.concat([
        Buffer.from(
          `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: ${type['content-type']}\r\ncontent-length: ${body.length}\r\n\r\n`,
        ),
        body,
      ])
    socket.write(
      request(
        multipart([
          { name: 'unknown', body: 'x' },
          { name: 'data', body: Buffer.alloc(3_000_000) },
        ]),
      ),
    )
    socket.write(request(multipart([{ name: 'text', body: 'second' }])))
    await until('the second is answered', () => /second/.test(answers.join('')))
    socket.destroy()
    assert.match(answers.join(''), /^HTTP\/1\.1 400[\s\S]*HTTP\/1\.1 200/)
  })

  // More seeds, for a long run: KEEPSAKE_FUZZ=5000
  it('is never our fault, however it is broken', async t => {
    const first = seedOf(t, 1)
    const count = Number(process.env.KEEPSAKE_FUZZ ?? 400)
    const statuses = new Map<number, number>()
    const base = multipart([
      { name: 'text', body: 'x' },
      { ...file, body: file.body.subarray(0, 300) },
      { name: 'extras', body: '{}' },
    ])
    for (let seed = first; seed < first + count; seed++) {
      const next = random(seed)
      const body = broken(base, next)
      const length = next() < 0.2 ? Math.floor(next() * body.length * 2) : body.length
      const { status, body: answer } = await post(body, { length, chunk: 1 + Math.floor(next() * 400) })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      assert.ok([0, 200, 400, 413, 415].includes(status), `seed ${seed} was answered ${status}: ${answer}`)
    }
    await settled()
    assert.deepEqual(await left(), nothing)
    assert.ok((statuses.get(400) ?? 0) > count / 4, `hardly anything was refused: ${JSON.stringify([...statuses])}`)
  })
})

/** Until every handler has come to its end, also those whose client is gone. */
const settled = () => Promise.allSettled(running)
