// http_post against an HTTPS receiver: the contract of destinations, and every option of its own.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { httpPost } from '#adapters/destinations/http_post.ts'
import { validateDefaults } from '#configurations/options.ts'
import { isProblem, Problem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'
import { destinationContract } from '../../contract/destination.ts'
import { formOf, postBed } from '../../support/beds.ts'
import { newAuthority, trust } from '../../support/certificates.ts'
import { cleanUp } from '../../support/clean-up.ts'
import { checkpointOf, randomFile, stepFor } from '../../support/delivery.ts'
import { type Answer, startReceiver } from '../../support/https-receiver.ts'

destinationContract('http_post', () => postBed(), {
  afterLostAnswer: 'unknown',
  retracts: false,
  large: true,
  resumes: false,
  refusals: [
    {
      title: 'a wrong token',
      with: () => ({ auth: { bearer: 'wrong-token-wrong' } }),
      says: /^127\.0\.0\.1:\d+ refused our credentials \(401\)/,
    },
  ],
})

suite('http_post', async () => {
  const authority = await newAuthority()
  trust(authority)
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-post-'))
  let answer: Answer = (_request, response) => void response.end()
  const receiver = await startReceiver({
    tls: await authority.issue(['127.0.0.1']),
    answer: (request, response) => answer(request, response),
  })
  after(() =>
    cleanUp(
      () => receiver.stop(),
      () => rm(folder, { recursive: true, force: true }),
    ),
  )
  const photo = await randomFile(folder, 2000, '.jpg', 'image/jpeg')
  const step = (options: JsonObject = {}, rest = {}) =>
    stepFor(httpPost, { options: { url: `${receiver.url}/in?x=1`, ...options }, ...rest })
  const problem = async (work: Promise<unknown>): Promise<Problem> => {
    const error = await work.then(
      () => assert.fail('it was taken'),
      (error: unknown) => error,
    )
    if (!isProblem(error)) throw error
    return error
  }

  test('the form holds the fields and the file, and the marker is the Idempotency-Key', async () => {
    await httpPost.deliver(
      photo,
      step(
        { fields: { 'a"b': 'ü\r\n', task: '7' }, headers: { 'X-Event': 'fest' } },
        { auth: { username: 'u', password: 'p:ä' }, marker: 'task-3' },
      ),
    )
    const got = receiver.received.at(-1)!
    assert.deepEqual(
      [got.method, got.url, got.headers['x-event'], got.headers['idempotency-key']],
      ['POST', '/in?x=1', 'fest', 'task-3'],
    )
    assert.equal(got.headers.authorization, `Basic ${Buffer.from('u:p:ä').toString('base64')}`)
    const form = await formOf(got)
    assert.deepEqual([form.get('a"b'), form.get('task')], ['ü\r\n', '7'])
    const file = form.get('file') as File
    assert.deepEqual(
      [file.name, file.type, Buffer.from(await file.arrayBuffer())],
      ['task-3.jpg', 'image/jpeg', await readFile(photo.path)],
    )
  })

  test('a large file arrives whole over TLS', async () => {
    const bed = await postBed(await authority.issue(['127.0.0.1']))
    const file = await randomFile(folder, 1024 ** 2)
    await httpPost.deliver(file, stepFor(httpPost, { options: bed.options, auth: bed.auth ?? {} }))
    const [arrived] = await bed.delivered()
    assert.ok(arrived?.equals(await readFile(file.path)))
    await bed.stop()
  })

  test('without a field name the file is the body', async () => {
    await httpPost.deliver(photo, step({ field: '', method: 'PUT' }))
    const { method, headers, body } = receiver.received.at(-1)!
    assert.deepEqual([method, headers['content-type'], body], ['PUT', 'image/jpeg', await readFile(photo.path)])
  })

  test('the result holds the status and what was answered', async () => {
    const cases: [string, unknown][] = [
      ['{"id": [1]}', { id: [1] }],
      ['fine', 'fine'],
      ['', null],
      ['{"a": "\\u0000"}', null],
      ['a\0b', 'ab'],
    ]
    for (const [text, response] of cases) {
      answer = (_request, reply) => void reply.writeHead(201).end(text)
      assert.deepEqual(await httpPost.deliver(photo, step()), { status_code: 201, response })
    }
  })

  test('only the expected statuses count', async () => {
    const answers = (status: number, headers = {}) => {
      answer = (_request, response) => void response.writeHead(status, headers).end('because')
    }
    answers(202)
    const other = await problem(httpPost.deliver(photo, step({ expect: '200, 201' })))
    assert.match(other.message, /answered 202, which is not among the expected statuses \(200, 201\): because$/)
    await httpPost.deliver(photo, step({ expect: '200,2xx' }))
    answers(302, { location: 'https://127.0.0.1/other' })
    assert.match((await problem(httpPost.deliver(photo, step()))).message, /redirects elsewhere \(302\)/)
    answers(429, { 'retry-after': '120' })
    const quota = await problem(httpPost.deliver(photo, step()))
    assert.deepEqual([quota.code, quota.retryAfterSeconds], ['destination_quota', 120])
    answers(503, { 'retry-after': '7' })
    const busy = await problem(httpPost.deliver(photo, step()))
    assert.deepEqual([busy.code, busy.retryAfterSeconds], ['destination_unreachable', 7])
    answers(422)
    assert.equal((await problem(httpPost.deliver(photo, step()))).code, 'destination_refused')
    answer = (_request, response) => void response.end()
  })

  test('the check says what the receiver answered, and what was not proven', async () => {
    const lines = async (status: number, auth: JsonObject = { bearer: 'token-token' }) => {
      answer = (_request, response) => void response.writeHead(status).end()
      const got = await Array.fromAsync(httpPost.check!(step({}, { auth })))
      answer = (_request, response) => void response.end()
      return got.map(({ ok, what, detail }) => `${ok ? 'green' : 'red'} ${what}: ${detail}`.replace(/:\d{4,5}/, ''))
    }
    const posted = receiver.received.length
    const last = 'green Not tried: post a file: What was posted cannot be taken back.'
    assert.deepEqual(await lines(200), [
      'green Reach the receiver: 127.0.0.1 answers: 200 to HEAD.',
      'green Credentials: They were not refused.',
      last,
    ])
    assert.deepEqual(await lines(405), [
      'green Reach the receiver: 127.0.0.1 answers: 405 to HEAD.',
      'green Credentials: Not proven: the receiver answered neither yes nor no to them.',
      last,
    ])
    assert.deepEqual(
      (await lines(403))[1],
      'red Credentials: 127.0.0.1 does not allow this with our credentials (403).',
    )
    assert.deepEqual((await lines(401, {}))[1], 'red Credentials: 127.0.0.1 refused our credentials (401).')
    assert.deepEqual(await lines(404, {}), [
      'green Reach the receiver: 127.0.0.1 answers: 404 to HEAD, though it may know the address only for files.',
      last,
    ])
    assert.deepEqual(await lines(503), ['red Reach the receiver: 127.0.0.1 could not take the file just now (503).'])
    assert.ok(receiver.received.slice(posted).every(({ method }) => method === 'HEAD'))
  })

  test('an attempt that died while sending is not sent again, unless the receiver is idempotent', async () => {
    const before = receiver.received.length
    const again = step({}, { checkpoint: { sending: true } })
    assert.match(
      (await problem(httpPost.deliver(photo, again))).message,
      /^The connection to 127\.0\.0\.1:\d+ ended before it confirmed the delivery/,
    )
    assert.equal(receiver.received.length, before)
    await httpPost.deliver(photo, step({ idempotent: true }, { checkpoint: { sending: true } }))
    assert.equal(receiver.received.length, before + 1)
  })

  test('an answer of somebody in between leaves a doubt, unless the receiver is idempotent', async () => {
    for (const status of [502, 504]) {
      answer = (_request, response) => void response.writeHead(status).end()
      const one = step()
      assert.equal((await problem(httpPost.deliver(photo, one))).code, 'outcome_unknown')
      assert.deepEqual(checkpointOf(one), { sending: true })
      const idempotent = await problem(httpPost.deliver(photo, step({ idempotent: true })))
      assert.deepEqual([idempotent.code, idempotent.fault], ['destination_unreachable', 'transient'])
    }
    answer = (_request, response) => void response.end()
  })

  test('what is cut off once the whole file is out leaves a doubt, whatever it is cut off by', async () => {
    const reasons = [new Problem('cancelled', 'It was cancelled.'), new Problem('time_limit', 'Too long.'), new Error()]
    for (const field of ['file', ''])
      for (const reason of reasons) {
        const stop = new AbortController()
        // All of it is there when it is asked for an answer.
        answer = () => stop.abort(reason)
        const one = step({ field }, { signal: stop.signal })
        await assert.rejects(httpPost.deliver(photo, one))
        assert.deepEqual(checkpointOf(one), { sending: true })
      }
    answer = (_request, response) => void response.end()
  })

  test('an answer that cannot be noted never says that nothing was delivered', async () => {
    receiver.received.length = 0
    const one = step({ field: '' })
    const broken = new Error('it cannot be noted')
    const save = (saved: JsonObject) => (saved.result ? Promise.reject(broken) : one.save(saved))
    await assert.rejects(httpPost.deliver(photo, { ...one, save }), broken)
    assert.equal(receiver.received.length, 1)
    assert.deepEqual(one.heard.saved, [{ sending: true }])
  })

  test('a refused attempt leaves no doubt, so the next one sends', async () => {
    answer = (_request, response) => void response.writeHead(500).end()
    const first = step()
    await problem(httpPost.deliver(photo, first))
    answer = (_request, response) => void response.end()
    await httpPost.deliver(photo, step({}, { checkpoint: checkpointOf(first) }))
  })

  test('headers that the service sets, or that cannot be sent, are refused, and wrong before anything runs', async () => {
    for (const [headers, field] of [
      [{ Host: 'x' }, 'headers'],
      [{ 'content-length': '1' }, 'headers'],
      [{ authorization: 'x' }, 'headers'],
      [{ 'x-a': '1', 'X-A': '2' }, 'headers'],
      [{ 'x-a': 'b\r\nc: d' }, 'headers.x-a'],
      [{ 'x-a': '記' }, 'headers.x-a'],
    ] as const) {
      const { code, message } = await problem(httpPost.deliver(photo, step({ headers })))
      assert.equal(code, 'bad_options')
      const remarks = httpPost.review?.(step({ headers }).options, new Set()) ?? []
      assert.deepEqual(
        remarks.map(({ kind, field, message }) => [kind, field, `${field} ${message}.`]),
        [['wrong', field, message]],
      )
    }
    const judged = (headers: JsonObject) => httpPost.review?.(step({ headers }).options, new Set())
    assert.deepEqual(judged({ 'x-a': 'é {{記}}', "x!#$%&'*+.^_`|~": '' }), [])
    assert.equal(judged({ 'x-a': '{{a}}\n' })?.length, 1)
  })

  test('a name that is none fits no schema, whatever it holds', () => {
    for (const name of ['X Y', '', 'x-{{a}}', 'a:b', 'x\n', 'ü', 'x'.repeat(129)])
      for (const value of ['1', 5, null, {}])
        assert.deepEqual(
          validateDefaults(httpPost, { headers: { [name]: value } }).map(({ field }) => field),
          ['adapter_config.defaults.headers'],
          JSON.stringify({ [name]: value }),
        )
    assert.deepEqual(
      validateDefaults(httpPost, { fields: { 'a\nb': 5 } }).map(({ field }) => field),
      ['adapter_config.defaults.fields.a\nb'],
    )
  })

  test('neither a name that is none nor a value is repeated: they may hold a secret', () => {
    const headers = { 'Authorization: Bearer canary': '', 'Proxy key: canary': 'canary' }
    const errors = validateDefaults(httpPost, { headers })
    assert.equal(errors.length, 2)
    const remarks = httpPost.review?.(step({ headers: { 'x-key': 'canary\n' } }).options, new Set())
    assert.equal(remarks?.length, 1)
    assert.doesNotMatch(JSON.stringify([errors, remarks]), /canary/)
  })

  test('plain HTTP is refused unless the host is allowed', async () => {
    assert.equal(
      (await problem(httpPost.deliver(photo, step({ url: 'http://hooks.example.com/' })))).code,
      'blocked_url',
    )
  })
})
