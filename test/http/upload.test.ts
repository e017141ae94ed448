// /api/upload/: the tus protocol over a running server, what is refused, and what becomes of an upload in a task.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ReadableStream } from 'node:stream/web'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { buildServer } from '#http/server.ts'
import { newId } from '#kit/ids.ts'
import { sweepResumables } from '#uploads/sweep-resumable.ts'
import { type Client, newClient } from '../support/client.ts'
import { flip } from '../support/configurations.ts'
import { pattern, png } from '../support/pictures.ts'
import { random, seedOf } from '../support/seed.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { idOf, named, newTus, PIECE, sha256, type Tus, type TusAnswer } from '../support/tus.ts'
import { soon, until } from '../support/until.ts'

const MAX = 6 * 1024 ** 2
const OPEN = 40
const DAY_MS = 86_400_000
let server: TestServer
let client: Client
let tus: Tus

before(async () => {
  server = await startTestServer({
    settings: { maxUploadBytes: MAX, maxOpenUploads: OPEN, corsOrigins: ['https://booth.test'] },
    // No client is taken for silent because the machine is slow.
    waits: { uploadMs: DAY_MS },
  })
  client = newClient(server)
  tus = newTus(() => server.url, server.token)
  for (const name of ['turn', 'again']) {
    const { status } = await client.post('/api/configuration/', flip(name))
    assert.equal(status, 201)
  }
})
after(() => server.stop())

async function tokenOf(more: object = {}): Promise<Tus & { token: string }> {
  const made = await client.post('/api/token/', { name: 'booth', scopes: ['tasks'], ...more })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return { ...newTus(() => server.url, made.body.token), token: made.body.token }
}

async function send(path: string, parts: Record<string, string | Blob>, more: { token?: string; key?: string } = {}) {
  const form = new FormData()
  for (const [name, value] of Object.entries(parts)) form.append(name, value)
  const headers = more.key ? { 'idempotency-key': more.key } : {}
  return client.as(more.token ?? server.token).send('POST', path, { body: form, headers })
}

const isProblem = (answer: TusAnswer, status: number, code: string, sentence: RegExp): void => {
  assert.equal(answer.status, status, JSON.stringify(answer.body))
  assert.equal(answer.body.code, code)
  assert.match(answer.body.detail, sentence)
  assert.equal(answer.headers.get('tus-resumable'), '1.0.0')
}

/** Names of what the store holds: uploads that grow, and blobs. */
async function stored(): Promise<string[]> {
  const growing = await readdir(join(server.services.settings.data, 'blobs', 'growing')).catch(() => [])
  return [...growing, ...(await Array.fromAsync(server.services.blobs.list())).map(({ blob }) => blob)].sort()
}

const rows = async (): Promise<number> =>
  Number((await sql<{ n: number }>`select count(*) as n from resumable_uploads`.execute(server.db)).rows[0]?.n)

async function inputOf(taskId: string, kind = 'task/', rest = ''): Promise<Buffer> {
  const answer = await fetch(`${server.url}/api/${kind}${taskId}/input/${rest}`, {
    headers: { authorization: `Bearer ${server.token}` },
  })
  assert.equal(answer.status, 200)
  return Buffer.from(await answer.arrayBuffer())
}

describe('the protocol', () => {
  it('tells what it offers to everybody', async () => {
    for (const path of ['/api/upload/', '/api/upload', `/api/upload/${newId()}/`]) {
      const { status, headers } = await tus.send('OPTIONS', path, { authorization: '', 'tus-resumable': '' })
      assert.equal(status, 204)
      assert.equal(headers.get('tus-version'), '1.0.0')
      assert.equal(headers.get('tus-max-size'), String(MAX))
      assert.equal(
        headers.get('tus-extension'),
        'creation,creation-with-upload,creation-defer-length,expiration,termination',
      )
    }
  })

  it('begins, goes on and ends, with a relative Location, its metadata and its expiry', async () => {
    const bytes = randomBytes(300_000)
    const metadata = `${named('Клип 7.mp4')},relativePath,type ${Buffer.from('video/mp4').toString('base64')}`
    const before = Date.now()
    const begun = await tus.send('POST', '/api/upload/', { 'upload-length': '300000', 'upload-metadata': metadata })
    assert.equal(begun.status, 201)
    const path = begun.headers.get('location') ?? ''
    assert.match(path, /^\/api\/upload\/[0-9a-f-]{36}\/$/)
    const expires = Date.parse(begun.headers.get('upload-expires') ?? '')
    // The header has whole seconds.
    assert.ok(expires > before + DAY_MS - 1000 && expires <= Date.now() + DAY_MS)
    const first = await tus.append(path, 0, bytes.subarray(0, 100_000))
    assert.deepEqual([first.status, first.headers.get('upload-offset')], [204, '100000'])
    const asked = await tus.send('HEAD', path.slice(0, -1))
    assert.equal(asked.status, 200)
    assert.equal(asked.headers.get('upload-offset'), '100000')
    assert.equal(asked.headers.get('upload-length'), '300000')
    assert.equal(asked.headers.get('upload-metadata'), metadata)
    assert.equal(asked.headers.get('cache-control'), 'no-store')
    assert.equal(Date.parse(asked.headers.get('upload-expires') ?? ''), expires)
    const last = await tus.append(path, 100_000, bytes.subarray(100_000))
    assert.deepEqual([last.status, last.headers.get('upload-offset')], [204, '300000'])
    const task = await send('/api/task/', { configuration_name: 'turn', data_upload: idOf(path) })
    assert.equal(task.status, 202, JSON.stringify(task.body))
    assert.equal(sha256(await inputOf(task.body.task_id)), sha256(bytes))
  })

  it('takes bytes with the beginning', async () => {
    const bytes = randomBytes(5_000)
    const headers = { 'upload-length': '9000', 'content-type': PIECE }
    const begun = await tus.send('POST', '/api/upload/', headers, bytes)
    assert.deepEqual([begun.status, begun.headers.get('upload-offset')], [201, '5000'])
    assert.equal(await tus.offset(begun.headers.get('location') ?? ''), 5000)
  })

  it('takes a length that is told later', async () => {
    const begun = await tus.send('POST', '/api/upload/', { 'upload-defer-length': '1' })
    const path = begun.headers.get('location') ?? ''
    const asked = await tus.send('HEAD', path)
    assert.deepEqual([asked.headers.get('upload-defer-length'), asked.headers.get('upload-length')], ['1', null])
    assert.equal((await tus.append(path, 0, Buffer.from('one '))).status, 204)
    const early = await send('/api/task/', { configuration_name: 'turn', data_upload: idOf(path) })
    assert.match(early.body.detail, /4 bytes, and its length is not known yet/)
    assert.equal((await tus.append(path, 4, Buffer.from('two'), { 'upload-length': '3' })).status, 400)
    assert.equal((await tus.append(path, 4, Buffer.from('two'), { 'upload-length': '7' })).status, 204)
    const again = await tus.append(path, 7, Buffer.alloc(0), { 'upload-length': '9' })
    isProblem(again, 400, 'bad_request', /known already/)
    const task = await send('/api/task/', { configuration_name: 'turn', data_upload: idOf(path) })
    assert.equal(task.status, 202)
    assert.equal(String(await inputOf(task.body.task_id)), 'one two')
  })

  it('takes an empty file', async () => {
    const path = await tus.begin(0)
    assert.equal(await tus.offset(path), 0)
    const task = await send('/api/task/', { configuration_name: 'turn', data_upload: idOf(path) })
    assert.equal(task.status, 202, JSON.stringify(task.body))
    assert.equal((await inputOf(task.body.task_id)).length, 0)
  })

  it('deletes, and then knows nothing of it', async () => {
    const before = await stored()
    const path = await tus.begin(10)
    await tus.append(path, 0, Buffer.alloc(4))
    assert.equal((await stored()).length, before.length + 1)
    assert.equal((await tus.send('DELETE', path)).status, 204)
    assert.deepEqual(await stored(), before)
    isProblem(await tus.send('DELETE', path), 404, 'not_found', /no upload/)
    assert.equal((await tus.send('HEAD', path)).status, 404)
    const whole = await tus.begin(4)
    await tus.append(whole, 0, Buffer.alloc(4))
    assert.equal((await tus.send('DELETE', whole)).status, 204)
    assert.deepEqual(await stored(), before)
  })

  it('takes another method by a header', async () => {
    const path = await tus.begin(4)
    const over = (method: string) => ({ 'x-http-method-override': method })
    const more = { 'content-type': PIECE, 'upload-offset': '0' }
    assert.equal((await tus.send('POST', path, { ...over('PATCH'), ...more }, Buffer.alloc(4))).status, 204)
    assert.equal((await tus.send('POST', path, over('HEAD'))).headers.get('upload-offset'), '4')
    isProblem(await tus.send('POST', path, over('PUT')), 400, 'bad_request', /PATCH, HEAD or DELETE/)
    isProblem(await tus.send('POST', path), 400, 'bad_request', /PATCH, HEAD or DELETE/)
    assert.equal((await tus.send('POST', path, over('delete'))).status, 204)
  })

  it('answers pages of other origins as the rest of the API does', async () => {
    const origin = 'https://booth.test'
    const asked = await tus.send('OPTIONS', '/api/upload/', {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,tus-resumable,upload-length,upload-metadata',
      authorization: '',
      'tus-resumable': '',
    })
    assert.equal(asked.headers.get('access-control-allow-origin'), origin)
    for (const name of ['tus-resumable', 'upload-length', 'upload-offset', 'upload-metadata'])
      assert.ok(asked.headers.get('access-control-allow-headers')?.includes(name), name)
    const begun = await tus.send('POST', '/api/upload/', { origin, 'upload-length': '1' })
    assert.equal(begun.headers.get('access-control-allow-origin'), origin)
    assert.match(begun.headers.get('access-control-expose-headers') ?? '', /location.*upload-offset/)
    const foreign = await tus.send('POST', '/api/upload/', { origin: 'https://evil.test', 'upload-length': '1' })
    assert.equal(foreign.headers.get('access-control-allow-origin'), null)
  })
})

describe('what is refused', () => {
  it('requests without the version of the protocol', async () => {
    const path = await tus.begin(10)
    for (const version of ['', '0.2.2', '1.0'])
      for (const [method, at] of [
        ['POST', '/api/upload/'],
        ['PATCH', path],
        ['DELETE', path],
      ] as const) {
        const answer = await tus.send(method, at, { 'tus-resumable': version, 'upload-length': '10' })
        isProblem(answer, 412, 'wrong_tus_version', /Tus-Resumable: 1\.0\.0/)
        assert.equal(answer.headers.get('tus-version'), '1.0.0')
      }
    assert.equal((await tus.send('HEAD', path, { 'tus-resumable': '' })).status, 412)
  })

  it('a wrong offset, and says the right one', async () => {
    const path = await tus.begin(10)
    await tus.append(path, 0, Buffer.alloc(4))
    for (const offset of [0, 3, 5, 10])
      isProblem(await tus.append(path, offset, Buffer.alloc(1)), 409, 'wrong_state', /must be 4/)
    assert.equal(await tus.offset(path), 4)
    for (const bad of ['-1', 'x', '1.5', '4 ', '00004', '1e1', '99999999999999999999'])
      if (bad.trim() === bad)
        isProblem(
          await tus.append(path, 0, Buffer.alloc(1), { 'upload-offset': bad }),
          400,
          'bad_request',
          /Upload-Offset/,
        )
    isProblem(await tus.send('PATCH', path, { 'content-type': PIECE }, 'x'), 400, 'bad_request', /Upload-Offset/)
  })

  it('another content type', async () => {
    const path = await tus.begin(10)
    for (const type of ['application/octet-stream', 'application/json', 'multipart/form-data; boundary=x'])
      isProblem(
        await tus.send('PATCH', path, { 'content-type': type, 'upload-offset': '0' }, 'x'),
        415,
        'wrong_content_type',
        /application\/offset\+octet-stream/,
      )
    const plain = { 'upload-length': '3', 'content-type': 'text/plain' }
    isProblem(await tus.send('POST', '/api/upload/', plain, 'abc'), 415, 'wrong_content_type', /offset/)
  })

  it('a bad length, and one over the limit, before a byte is read', async () => {
    for (const length of ['-1', 'x', '1.5', '1e3', '01'])
      isProblem(
        await tus.send('POST', '/api/upload/', { 'upload-length': length }),
        400,
        'bad_request',
        /Upload-Length/,
      )
    isProblem(await tus.send('POST', '/api/upload/'), 400, 'bad_request', /Upload-Defer-Length/)
    const both = { 'upload-length': '1', 'upload-defer-length': '1' }
    isProblem(await tus.send('POST', '/api/upload/', both), 400, 'bad_request', /one of/)
    isProblem(await tus.send('POST', '/api/upload/', { 'upload-defer-length': '2' }), 400, 'bad_request', /must be 1/)
    isProblem(
      await tus.send('POST', '/api/upload/', { 'upload-length': String(MAX + 1) }),
      413,
      'too_large',
      /KEEPSAKE_MAX_UPLOAD_BYTES/,
    )
    const before = await rows()
    const later = await tus.send('POST', '/api/upload/', { 'upload-defer-length': '1' })
    const path = later.headers.get('location') ?? ''
    isProblem(await tus.append(path, 0, Buffer.alloc(MAX + 1)), 413, 'too_large', /KEEPSAKE_MAX_UPLOAD_BYTES/)
    isProblem(await tus.append(path, 0, Buffer.alloc(1), { 'upload-length': String(MAX + 1) }), 413, 'too_large', /MAX/)
    await tus.send('DELETE', path)
    assert.equal(await rows(), before)
  })

  it('more bytes than were announced', async () => {
    const path = await tus.begin(10)
    isProblem(await tus.append(path, 0, Buffer.alloc(11)), 413, 'too_large', /10 bytes in all, of which 0/)
    assert.equal((await tus.append(path, 0, Buffer.alloc(10))).status, 204)
    isProblem(await tus.append(path, 10, Buffer.alloc(1)), 413, 'too_large', /10 bytes in all/)
    // Without a length the body is counted as it comes.
    const streamed = await tus.begin(10)
    const body = ReadableStream.from([Buffer.alloc(6), Buffer.alloc(6)].map(piece => new Uint8Array(piece)))
    const answer = await fetch(server.url + streamed, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${server.token}`,
        'tus-resumable': '1.0.0',
        'content-type': PIECE,
        'upload-offset': '0',
      },
      body,
      duplex: 'half',
    } as RequestInit)
    assert.equal(answer.status, 413)
    assert.ok((await tus.offset(streamed)) <= 10)
  })

  it('metadata that is broken, too long or no text', async () => {
    const bad = async (metadata: string, sentence: RegExp) =>
      isProblem(
        await tus.send('POST', '/api/upload/', { 'upload-length': '1', 'upload-metadata': metadata }),
        400,
        'bad_request',
        sentence,
      )
    await bad('filename not-base64!', /pairs of a key/)
    await bad('filename YQ==,filename YQ==', /pairs of a key/)
    await bad('__proto__ YQ==', /pairs of a key/)
    await bad(named('n'.repeat(256)), /filename: may have 255/)
    await bad(named('a\nb'), /control characters/)
    await bad(`filename ${Buffer.from([0xff, 0xfe]).toString('base64')}`, /UTF-8/)
    await bad(`other ${Buffer.from('a\0b').toString('base64')}`, /NUL/)
    await bad(`x ${Buffer.alloc(3300, 97).toString('base64')}`, /4096/)
    const good = { 'upload-length': '1', 'upload-metadata': named('ü'.repeat(255)) }
    assert.equal((await tus.send('POST', '/api/upload/', good)).status, 201)
  })

  it('extensions that are not offered', async () => {
    for (const [name, value] of [
      ['upload-concat', 'partial'],
      ['upload-checksum', 'sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0='],
    ] as const)
      isProblem(
        await tus.send('POST', '/api/upload/', { 'upload-length': '1', [name]: value }),
        400,
        'bad_request',
        /not offered/,
      )
  })

  it('whoever has no scope or no token, and ids that are none', async () => {
    const path = await tus.begin(1)
    for (const [method, at] of [
      ['POST', '/api/upload/'],
      ['PATCH', path],
      ['DELETE', path],
    ] as const) {
      assert.equal((await tus.send(method, at, { authorization: '', 'upload-length': '1' })).status, 401)
      const reader = await tokenOf({ scopes: ['read'] })
      assert.equal((await reader.send(method, at, { 'upload-length': '1' })).status, 403)
    }
    for (const id of ['x', newId(), '..%2f..%2fetc', 'a'.repeat(300), '%00', '🦊'])
      assert.ok([400, 404].includes((await tus.send('DELETE', `/api/upload/${encodeURI(id)}/`)).status), id)
    assert.equal((await tus.send('GET', path)).status, 405)
    assert.equal((await tus.send('PUT', path, {}, 'x')).status, 405)
  })

  it('the upload of another token, in every way', async () => {
    const [one, two] = [await tokenOf(), await tokenOf()]
    const path = await one.begin(4)
    await one.append(path, 0, Buffer.alloc(4))
    assert.equal((await two.send('HEAD', path)).status, 404)
    const unknown = `/api/upload/${newId()}/`
    for (const method of ['PATCH', 'DELETE']) {
      const more = { 'content-type': PIECE, 'upload-offset': '0' }
      const [theirs, none] = [await two.send(method, path, more), await two.send(method, unknown, more)]
      isProblem(theirs, 404, 'not_found', /no upload/)
      assert.deepEqual(
        { ...theirs.body, detail: theirs.body.detail.replace(idOf(path), 'ID') },
        { ...none.body, detail: none.body.detail.replace(idOf(unknown), 'ID') },
      )
    }
    const parts = (id: string) => ({ configuration_name: 'turn', data_upload: id })
    const [theirs, none] = [
      await send('/api/task/', parts(idOf(path)), { token: two.token }),
      await send('/api/task/', parts(newId()), { token: two.token }),
    ]
    assert.equal(theirs.status, 400)
    assert.deepEqual(theirs.body, none.body)
    assert.equal((await send('/api/task/', parts(idOf(path)), { token: one.token })).status, 202)
  })

  it('more open uploads of a token than it may have, exactly', async () => {
    const booth = await tokenOf()
    const answers = await Promise.all(
      Array.from({ length: OPEN + 5 }, () => booth.send('POST', '/api/upload/', { 'upload-length': '1' })),
    )
    const refused = answers.filter(({ status }) => status !== 201)
    assert.equal(refused.length, 5)
    for (const answer of refused) {
      isProblem(answer, 429, 'token_limit', /KEEPSAKE_MAX_OPEN_UPLOADS/)
      assert.ok(Number(answer.headers.get('retry-after')) > 0)
    }
    const [first] = answers.filter(({ status }) => status === 201)
    assert.equal((await booth.send('DELETE', first?.headers.get('location') ?? '')).status, 204)
    await booth.begin(1)
  })

  it('bytes over the daily limit of the token, and keeps what fitted', async () => {
    const booth = await tokenOf({ limits: { upload_bytes_per_day: 2_000_000 } })
    const long = await booth.send('POST', '/api/upload/', { 'upload-length': '5000000' })
    isProblem(long, 429, 'token_limit', /2000000 bytes a day/)
    const path = await booth.begin(2_500_000)
    assert.equal((await booth.append(path, 0, randomBytes(1_500_000))).status, 204)
    const over = await booth.append(path, 1_500_000, randomBytes(1_000_000))
    isProblem(over, 429, 'token_limit', /bytes a day/)
    assert.ok(Number(over.headers.get('retry-after')) > 0)
    const there = await booth.offset(path)
    assert.ok(there >= 1_500_000 && there <= 2_000_000, String(there))
    // An upload that is refused at its beginning leaves nothing.
    const before = await rows()
    const headers = { 'upload-length': '900000', 'content-type': PIECE }
    assert.equal((await booth.send('POST', '/api/upload/', headers, randomBytes(900_000))).status, 429)
    assert.equal(await rows(), before)
  })
})

describe('several at one upload', () => {
  it('gives one of two requests the upload, and 423 to the other', async () => {
    const bytes = randomBytes(1_000_000)
    const path = await tus.begin(bytes.length)
    const first = tus.appendSlowly(path, 0, bytes, 500_000)
    const busy = await until('the second is refused', async () => {
      // At a wrong offset, so that it takes nothing away if it comes first.
      const answer = await tus.append(path, bytes.length, Buffer.alloc(0))
      assert.ok([423, 409].includes(answer.status), `${answer.status}`)
      return answer.status === 423 && answer
    })
    isProblem(busy, 423, 'upload_busy', /Another request/)
    assert.ok(Number(busy.headers.get('retry-after')) > 0)
    isProblem(await tus.send('DELETE', path), 423, 'upload_busy', /Another request/)
    first.end()
    await first.closed
    const there = await until('it can go on', async () => {
      const offset = await tus.offset(path)
      return (await tus.append(path, offset, bytes.subarray(offset))).status === 204 && offset
    })
    assert.ok(there < bytes.length)
    const task = await send('/api/task/', { configuration_name: 'turn', data_upload: idOf(path) })
    assert.equal(sha256(await inputOf(task.body.task_id)), sha256(bytes))
  })

  it('takes it from a client that fell silent when somebody asks where to go on', async t => {
    const hasty = await buildServer({ ...server.services, waits: { uploadMs: 0 } })
    t.after(() => hasty.close())
    const url = await hasty.listen({ host: '127.0.0.1', port: 0 })
    const bytes = randomBytes(200_000)
    const path = await tus.begin(bytes.length)
    const silent = newTus(() => url, server.token).appendOpen(path, 0, bytes, 100_000)
    await until('all of its bytes are there', async () => (await tus.offset(path)) === 100_000)
    const offset = await until('it is free', async () => {
      const offset = await tus.offset(path)
      return (await tus.append(path, offset, bytes.subarray(offset))).status === 204 && offset
    })
    assert.equal(offset, 100_000)
    assert.equal(await soon('it is answered', silent.status), 423, 'not given up by itself, which is a 400')
    silent.end()
    await silent.closed
    const task = await send('/api/task/', { configuration_name: 'turn', data_upload: idOf(path) })
    assert.equal(sha256(await inputOf(task.body.task_id)), sha256(bytes))
  })

  it('receives many at once', async () => {
    const files = Array.from({ length: 12 }, () => randomBytes(400_000))
    await Promise.all(
      files.map(async bytes => {
        const path = await tus.begin(bytes.length)
        for (let at = 0; at < bytes.length; at += 100_000)
          assert.equal((await tus.append(path, at, bytes.subarray(at, at + 100_000))).status, 204)
        const task = await send('/api/task/', { configuration_name: 'turn', data_upload: idOf(path) })
        assert.equal(sha256(await inputOf(task.body.task_id)), sha256(bytes))
      }),
    )
  })
})

it('goes on after every cut, and the bytes are the same in the end', async t => {
  const next = random(seedOf(t, 1))
  let kept = 0
  for (let round = 0; round < 4; round++) {
    const bytes = randomBytes(Math.floor(next() * 3_000_000) + 1)
    const path = await tus.begin(bytes.length)
    for (let cut = 0; cut < 6; cut++) {
      const offset = await tus.offset(path)
      const rest = bytes.subarray(offset)
      // An upload may end by chance.
      if (rest.length < 2) break
      await tus.appendCut(path, offset, rest, Math.floor(next() * (rest.length - 1)), next() * 100)
    }
    const offset = await until('the last cut is noted', async () => {
      const offset = await tus.offset(path)
      const answer = await tus.append(path, offset, bytes.subarray(offset))
      return answer.status === 204 ? offset + 1 : null
    })
    kept += offset - 1
    const task = await send('/api/task/', { configuration_name: 'turn', data_upload: idOf(path) })
    assert.equal(task.status, 202, JSON.stringify(task.body))
    assert.equal(sha256(await inputOf(task.body.task_id)), sha256(bytes))
  }
  assert.ok(kept > 0, 'what came before a cut is kept')
})

describe('in a task', () => {
  const picture = async (): Promise<Buffer> => Buffer.from(await png(pattern(40, 30, 3)))
  async function uploaded(bytes: Buffer, by: Tus = tus): Promise<string> {
    const path = await by.begin(bytes.length, { 'upload-metadata': named('photo.png') })
    assert.equal((await by.append(path, 0, bytes)).status, 204)
    return idOf(path)
  }

  it('is used up by the 202 alone', async () => {
    const id = await uploaded(await picture())
    const refused = [
      await send('/api/task/', { configuration_name: 'nothing', data_upload: id }),
      await send('/api/task/', { configuration_name: 'turn', data_upload: id, extras: '{' }),
      await send('/api/task/', { configuration_name: 'turn', data_upload: id, extras: '{"method": "SPIN"}' }),
    ]
    for (const { status } of refused) assert.equal(status, 400)
    const task = await send('/api/task/', { configuration_name: 'turn', data_upload: id }, { key: 'once' })
    assert.equal(task.status, 202)
    const replay = await send('/api/task/', { configuration_name: 'turn', data_upload: id }, { key: 'once' })
    assert.equal(replay.status, 202)
    assert.equal(replay.body.task_id, task.body.task_id)
    const second = await send('/api/task/', { configuration_name: 'turn', data_upload: id })
    assert.equal(second.status, 400)
    assert.equal(second.body.errors[0].field, 'data_upload')
    assert.match(second.body.detail, /used already, has expired or never was/)
    assert.equal((await tus.send('HEAD', `/api/upload/${id}/`)).status, 404)
  })

  it('goes to one of many tasks that name it at once', async () => {
    const id = await uploaded(await picture())
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => send('/api/task/', { configuration_name: 'turn', data_upload: id })),
    )
    const accepted = answers.filter(({ status }) => status === 202)
    assert.equal(accepted.length, 1)
    for (const { status, body } of answers) if (status !== 202) assert.match(body.detail, /used already/)
    assert.deepEqual(await inputOf(accepted[0]?.body.task_id), await picture())
  })

  it('is not taken before it is whole, and says how much is there', async () => {
    const path = await tus.begin(10)
    await tus.append(path, 0, Buffer.alloc(4))
    const early = await send('/api/task/', { configuration_name: 'turn', data_upload: idOf(path) })
    assert.equal(early.status, 400)
    assert.match(early.body.detail, /4 of 10 bytes/)
    assert.equal((await tus.append(path, 4, Buffer.alloc(6))).status, 204)
    assert.equal((await send('/api/task/', { configuration_name: 'turn', data_upload: idOf(path) })).status, 202)
  })

  it('is refused as a part of the request when the store has lost it', async () => {
    const id = await uploaded(await picture())
    await server.services.blobs.delete(id)
    const answer = await send('/api/task/', { configuration_name: 'turn', data_upload: id })
    assert.equal(answer.status, 400)
    assert.equal(answer.body.errors[0].field, 'data_upload')
  })

  it('stands alone', async () => {
    const id = await uploaded(await picture())
    const data = new Blob([new Uint8Array(await picture())])
    const url = 'https://example.org/a.png'
    for (const [parts, sentence] of [
      [{ data, data_upload: id }, /data_upload: can't stand beside data;/],
      [{ data_url: url, data_upload: id }, /data_upload: can't stand beside data_url/],
      [{ data, data_url: url }, /data_url: can't stand beside data;/],
    ] as const) {
      const answer = await send('/api/task/', { configuration_name: 'turn', ...parts })
      assert.equal(answer.status, 400)
      assert.match(answer.body.detail, sentence)
    }
    for (const bad of ['', 'x', `/api/upload/${id}/`, '🦊'.repeat(100)]) {
      const answer = await send('/api/task/', { configuration_name: 'turn', data_upload: bad })
      assert.equal(answer.status, 400, bad)
      assert.match(answer.body.detail, /the id of an upload/)
    }
    assert.equal((await send('/api/task/', { configuration_name: 'turn', data_upload: id.toUpperCase() })).status, 202)
  })

  it('serves a group, each upload once', async () => {
    const [one, two] = [await uploaded(await picture()), await uploaded(Buffer.from('two'))]
    const names = JSON.stringify(['turn', 'again'])
    const both = { turn_data_upload: one, again_data_upload: two }
    const same = await send('/api/taskgroup/', {
      configuration_names: names,
      turn_data_upload: one,
      again_data_upload: one,
    })
    assert.equal(same.status, 400)
    assert.match(same.body.detail, /again_data_upload: names the same upload as turn_data_upload/)
    const beside = await send('/api/taskgroup/', { configuration_names: names, ...both, again_data: new Blob(['x']) })
    assert.match(beside.body.detail, /again_data_upload: can't stand beside again_data/)
    const none = await send('/api/taskgroup/', { configuration_names: names, turn_data_upload: one })
    assert.match(none.body.detail, /again_data_upload/)
    const group = await send('/api/taskgroup/', { configuration_names: names, ...both })
    assert.equal(group.status, 202, JSON.stringify(group.body))
    assert.deepEqual(await inputOf(group.body.task_id, 'taskgroup/', '0/'), await picture())
    assert.equal(String(await inputOf(group.body.task_id, 'taskgroup/', '1/')), 'two')
  })

  it('is left alone where an input takes its place, with a warning', async () => {
    const [one, two] = [await uploaded(await picture()), await uploaded(await picture())]
    const group = await send('/api/taskgroup/', {
      configuration_names: JSON.stringify(['turn', 'again']),
      turn_data_upload: one,
      again_data_upload: two,
      again_input: 'turn',
    })
    assert.equal(group.status, 202)
    assert.match(group.body.warnings.join(), /again_data_upload was not used/)
    assert.equal(await tus.offset(`/api/upload/${two}/`), (await picture()).length)
  })

  it('replaces the file of a retry', async () => {
    const first = await send('/api/task/', { configuration_name: 'turn', data: new Blob(['no picture']) })
    const id = first.body.task_id
    assert.equal((await client.post(`/api/task/${id}/cancel/`)).status, 202)
    const upload = await uploaded(await picture())
    const refused = await send(`/api/task/${id}/retry/`, { data_upload: upload, extras: '{' })
    assert.equal(refused.status, 400)
    const unknown = await send(`/api/task/${id}/retry/`, { data_upload: newId() })
    assert.match(unknown.body.detail, /data_upload/)
    const again = await send(`/api/task/${id}/retry/`, { data_upload: upload })
    assert.equal(again.status, 202, JSON.stringify(again.body))
    assert.deepEqual(await inputOf(id), await picture())
    assert.equal((await tus.send('HEAD', `/api/upload/${upload}/`)).status, 404)
  })
})

describe('past its time', () => {
  const age = (id: string) =>
    sql`update resumable_uploads set expires_at = now() - interval '1 second' where upload_id = ${id}::uuid`.execute(
      server.db,
    )

  it('is gone for everybody, and the sweeper leaves nothing of it', async () => {
    const before = await stored()
    const [open, whole] = [await tus.begin(10), await tus.begin(4)]
    await tus.append(open, 0, Buffer.alloc(4))
    await tus.append(whole, 0, Buffer.alloc(4))
    for (const path of [open, whole]) await age(idOf(path))
    assert.equal((await tus.send('HEAD', open)).status, 410)
    isProblem(await tus.append(open, 4, Buffer.alloc(6)), 410, 'gone', /expired/)
    const late = await send('/api/task/', { configuration_name: 'turn', data_upload: idOf(whole) })
    assert.match(late.body.detail, /has expired/)
    const swept = await sweepResumables(server.db, server.services.blobs, null, 10)
    assert.deepEqual([swept.gone, swept.reason], [2, null])
    assert.deepEqual(await stored(), before)
    assert.equal((await tus.send('HEAD', open)).status, 404)
  })

  it('is left to the request that still appends to it', async () => {
    const bytes = randomBytes(100_000)
    const path = await tus.begin(bytes.length)
    const sending = tus.appendSlowly(path, 0, bytes, 50_000)
    await until('its bytes are there', async () => (await tus.offset(path)) > 0)
    await age(idOf(path))
    assert.equal((await sweepResumables(server.db, server.services.blobs, null, 10)).gone, 0)
    sending.end()
    await sending.closed
    await until('it is swept', async () => {
      const { gone } = await sweepResumables(server.db, server.services.blobs, null, 10)
      return gone === 1
    })
    await sleep(50)
    assert.ok(!(await stored()).includes(idOf(path)))
  })
})
