// What holds for every request: problems, headers, ids, other origins, health, closing.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { newLog } from '#kit/log.ts'
import { type Client, newClient } from '../support/client.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { event, until } from '../support/until.ts'

const lines: string[] = []
let server: TestServer
let admin: Client

before(async () => {
  server = await startTestServer({
    settings: { corsOrigins: ['https://booth.example'] },
    log: newLog('info', 'test', { write: line => void lines.push(line) }),
  })
  admin = newClient(server)
})
after(() => server.stop())

const json = { 'content-type': 'application/json' }
const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = json) =>
  admin.send('POST', '/api/profile/', { body, headers })

/** Bytes as they are, for what no client would send; answers everything that came back. */
async function raw(text: string): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  socket.setEncoding('utf8')
  let answer = ''
  socket.on('data', chunk => {
    answer += chunk
  })
  socket.on('error', () => {})
  socket.end(text)
  await event('the answer is over', socket, 'close')
  return answer
}

test('a path that leads nowhere is a 404 problem, a wrong method a 405 with what is served', async () => {
  const nowhere = await admin.get('/api/nothing/')
  assert.deepEqual(nowhere.body, {
    type: '/docs#not_found',
    title: 'There is no such thing',
    status: 404,
    detail: 'Nothing is served at /api/nothing/.',
    code: 'not_found',
  })
  const wrong = await admin.send('PUT', '/api/profile/')
  assert.equal(wrong.body.code, 'method_not_allowed')
  assert.deepEqual(wrong.headers.get('allow')?.split(', ').sort(), ['GET', 'HEAD', 'POST'])
  assert.equal((await admin.send('POST', '/api/profile/x')).status, 405)
  assert.equal((await admin.send('BREW', '/api/profile/').catch(() => ({ status: 400 }))).status, 400)
})

test('every path is served with and without its trailing slash', async () => {
  for (const path of ['/api/profile', '/api/profile/', '/healthz', '/healthz/', '/readyz/', '/docs', '/docs/'])
    assert.equal((await admin.get(path)).status, 200, path)
})

test('malformed, cut off and missing JSON are 400', async () => {
  for (const body of ['{', '{"a":}', 'nonsense', '[1,2', '"', '{"a":1}}', '\u0000'])
    assert.equal((await post(body)).body.code, 'bad_json', body)
  assert.equal((await post('')).body.code, 'bad_request')
  assert.equal((await admin.send('POST', '/api/profile/')).status, 400)
  assert.equal((await post(new Uint8Array([0x22, 0xff, 0x22]))).body.code, 'bad_json')
  for (const body of ['null', '5', '"text"', '[]', 'true']) assert.equal((await post(body)).status, 400, body)
})

test('a problem never repeats the body', async () => {
  const { body } = await post('{"email": canary-secret}')
  assert.ok(!JSON.stringify(body).includes('canary'))
})

test('a wrong content type is 415, too many bytes 413', async () => {
  for (const type of [
    'text/plain',
    'application/xml',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    'nonsense',
  ])
    assert.equal((await post('{}', { 'content-type': type })).body.code, 'wrong_content_type', type)
  const big = await post(JSON.stringify({ attributes: { a: 'x'.repeat(1024 ** 2) } }))
  assert.equal(big.body.code, 'too_large')
  assert.equal((await post('{}', { 'content-type': 'application/merge-patch+json; charset=utf-8' })).status, 201)
})

test('broken percent-encoding is 400, an endless name 404', async () => {
  assert.equal((await admin.get('/api/configuration/%zz/')).body.code, 'bad_request')
  assert.equal((await admin.get('/api/configuration/%ff/')).body.code, 'bad_request')
  assert.equal((await admin.get(`/api/configuration/${'x'.repeat(5000)}/`)).body.code, 'not_found')
  assert.equal((await admin.get(`/api/configuration/${encodeURIComponent('🎉'.repeat(64))}/`)).body.code, 'not_found')
})

test('what is not HTTP gets a problem and the door', async () => {
  assert.match(await raw('NONSENSE\r\n\r\n'), /^HTTP\/1\.1 400 .*application\/problem\+json.*"code":"bad_request"/s)
  assert.match(await raw(`GET / HTTP/1.1\r\nhost: x\r\na: ${'x'.repeat(20_000)}\r\n\r\n`), /^HTTP\/1\.1 400 /)
  const cut = `POST /api/profile/ HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.token}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"email"`
  assert.doesNotMatch(await raw(cut), /HTTP\/1\.1 (2|5)/)
  assert.equal((await admin.get('/healthz')).status, 200, 'and the server lives')
})

test('every answer has a request id, and so has its line in the log', async () => {
  const { headers } = await admin.get('/api/profile/?email=someone@secret.example')
  const id = headers.get('x-request-id') ?? ''
  assert.match(id, /^[0-9a-f-]{36}$/)
  let line: string | undefined
  for (let i = 0; i < 100 && !line; i++) {
    line = lines.find(text => text.includes(id))
    await new Promise(resolve => setImmediate(resolve))
  }
  const logged = JSON.parse(line ?? '{}')
  assert.deepEqual(
    [logged.method, logged.path, logged.status, logged.token_id],
    ['GET', '/api/profile/', 200, 'operator'],
  )
  assert.ok(!lines.join('').includes('secret.example'), 'no query in the log')
  assert.ok(!lines.join('').includes(server.token), 'no token in the log')
})

test('the log has the pattern of a route, and no key of a path that is spelled for none', async () => {
  const code = 'Zm9vYmFyLWNvZGUtb2YtYQ'
  const spelled = [...code].map(sign => `%${sign.charCodeAt(0).toString(16)}`).join('')
  const paths = [
    ...['/k/', '/%6b/', '//k/', '/K/', '/k//', '/k%2f', '/k/x/y/', '/api/', 'http://host.example/k/', '/wall/'].flatMap(
      path => [path + code, path + spelled],
    ),
    `/k/-/receipt/${code}`,
    `/k/${code}/file/0`,
    `/k/${code}/nothing`,
  ]
  const before = lines.length
  const { port } = new URL(server.url)
  for (const path of paths) {
    const asked = request({ port, path }, answer => void answer.resume()).end()
    await event('it is answered', asked, 'response')
  }
  const logged = () => lines.slice(before).flatMap(line => JSON.parse(line).path ?? [])
  await until('all of them are logged', () => logged().length >= paths.length)
  const text = lines.slice(before).join('')
  assert.ok(!text.includes(code) && !text.includes(spelled), text)
  assert.ok(logged().includes('/k/:code') && logged().includes('/k/:code/file/:number'), text)
})

test('answers say nosniff, no-referrer and a policy that lets nothing run', async () => {
  const { headers } = await admin.get('/api/profile/')
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.equal(headers.get('referrer-policy'), 'no-referrer')
  assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'/)
  assert.equal(headers.get('cache-control'), 'no-store')
})

test('pages of other origins are let in only when a setting names them', async () => {
  const preflight = (origin: string) =>
    admin.as(null).send('OPTIONS', '/api/profile/', { headers: { origin, 'access-control-request-method': 'POST' } })
  const known = await preflight('https://booth.example')
  assert.equal(known.status, 204)
  assert.equal(known.headers.get('access-control-allow-origin'), 'https://booth.example')
  assert.equal(known.headers.get('access-control-allow-credentials'), null)
  const stranger = await preflight('https://evil.example')
  assert.equal(stranger.headers.get('access-control-allow-origin'), null)
  const get = await admin.send('GET', '/api/profile/', { headers: { origin: 'https://booth.example' } })
  assert.equal(get.headers.get('access-control-allow-origin'), 'https://booth.example')
})

test('no credential, a bad one and a broken header are 401 and say how', async () => {
  for (const headers of [
    {},
    { authorization: 'Bearer nonsense' },
    { authorization: 'Basic abc' },
    { authorization: 'Bearer' },
  ]) {
    const answer = await admin.as(null).send('GET', '/api/profile/', { headers: headers as Record<string, string> })
    assert.equal(answer.status, 401)
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
    assert.match(answer.body.detail, /Bearer TOKEN/)
  }
})

test('metrics need a token and tell of requests, the process and the deployment', async () => {
  assert.equal((await admin.as(null).get('/metrics')).status, 401)
  const { body, headers } = await admin.get('/metrics')
  assert.match(headers.get('content-type') ?? '', /^text\/plain/)
  assert.match(body, /keepsake_http_request_seconds_count\{method="GET",route="\/api\/profile\/",status="200"\} \d+/)
  assert.match(body, /^process_resident_memory_bytes \d+/m)
  for (const line of [
    'keepsake_database_up 1',
    'keepsake_waiting{lane="picture"} 0',
    'keepsake_running 0',
    'keepsake_workers 0',
  ])
    assert.ok(body.includes(`\n${line}\n`), line)
})

test('a client that goes away while sending leaves no error behind', async () => {
  const before = lines.length
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  socket.write(
    `POST /api/profile/ HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.token}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`,
  )
  await event('we are connected', socket, 'connect')
  // Once a later request is answered, the server has read the beginning of this one.
  await admin.get('/healthz')
  socket.destroy()
  await until('it is in the log', () => lines.slice(before).some(line => line.includes('the client went away')))
  const told = lines.slice(before).map(line => JSON.parse(line))
  assert.ok(told.some(({ msg }) => msg === 'the client went away'))
  assert.ok(!told.some(({ level }) => level >= 50), JSON.stringify(told))
})
