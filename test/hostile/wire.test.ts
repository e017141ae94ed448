// Requests that are written by hand: two in one, lines inside of lines, and paths that lead out.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { cleanUp } from '../support/clean-up.ts'
import { newClient } from '../support/client.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { event } from '../support/until.ts'

let server: TestServer
/** A file of this machine that nobody may ever be shown. */
const canary = `content-${randomUUID()}`
const canaryFile = join(tmpdir(), `keepsake-canary-${randomUUID()}`)
before(async () => {
  writeFileSync(canaryFile, canary)
  server = await startTestServer()
})
after(() =>
  cleanUp(
    () => rmSync(canaryFile, { force: true }),
    () => server?.stop(),
  ),
)

/** Bytes as they are; answers all that came back until the server closed. */
async function raw(text: string): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  let answer = ''
  socket
    .setEncoding('utf8')
    .on('data', chunk => (answer += chunk))
    .on('error', () => {})
  socket.end(text, 'latin1')
  await event('the server has closed', socket, 'close')
  return answer
}

const names = async (): Promise<string[]> =>
  (await newClient(server).get('/api/token/?limit=100')).body.items.map(({ name }: { name: string }) => name)

test('a request hidden in the body of another is never run', async () => {
  const auth = `authorization: Bearer ${server.token}`
  const json = '{"name": "smuggled", "scopes": ["admin"]}'
  const hidden = `POST /api/token/ HTTP/1.1\r\nhost: x\r\n${auth}\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json}`
  const outer = (lines: string[], body: string) =>
    `POST /api/profile/ HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${lines.join('\r\n')}\r\n\r\n${body}`
  const chunked = `0\r\n\r\n${hidden}`
  const all = chunked.length
  for (const lines of [
    [`content-length: ${all}`, 'transfer-encoding: chunked'],
    ['transfer-encoding: chunked', `content-length: ${all}`],
    [`content-length: ${all}`, 'content-length: 5'],
    ['content-length: 5', `content-length: ${all}`],
    [`content-length: 5, ${all}`],
    [`content-length: +${all}`],
    [`content-length: 0x${all.toString(16)}`],
    ['content-length: -1'],
    ['transfer-encoding: xchunked', `content-length: ${all}`],
    ['transfer-encoding : chunked', `content-length: ${all}`],
    ['transfer-encoding: chunked', 'transfer-encoding: identity', `content-length: ${all}`],
    ['transfer-encoding:\u000bchunked', `content-length: ${all}`],
    ['transfer-encoding: chunked\r\n x: y', `content-length: ${all}`],
    ['x: y\ntransfer-encoding: chunked', `content-length: ${all}`],
    [' transfer-encoding: chunked', `content-length: ${all}`],
  ]) {
    const answer = await raw(outer(lines, chunked))
    assert.ok(!answer.includes('smuggled'), `${lines}: ${answer}`)
    assert.match(answer, /^HTTP\/1\.1 4\d\d /, `${lines}: ${answer}`)
    assert.equal(answer.match(/HTTP\/1\.1 \d/g)?.length, 1, `${lines} is answered once: ${answer}`)
  }
  // Chunk sizes that readers take differently.
  for (const size of ['0x29', '+29', '29;\n', '-1', 'ffffffffffffffff1', ' 29'])
    assert.ok(
      !(await raw(outer(['transfer-encoding: chunked'], `${size}\r\n${hidden}\r\n0\r\n\r\n`))).includes('smuggled'),
    )
  assert.ok(!(await names()).includes('smuggled'))
})

test('no text of a caller becomes a line of an answer', async () => {
  const admin = newClient(server)
  const evil = 'x\r\nset-cookie: keepsake_session=evil\r\n\r\n<script>alert(1)</script>'
  const escaped = encodeURIComponent(evil)
  const answers: Response[] = []
  const headers = { authorization: `Bearer ${server.token}` }
  for (const path of [
    `/api/task/${escaped}/`,
    `/api/asset/${escaped}/file/`,
    `/api/configuration/?experience_id=${escaped}`,
    `/api/profile/?email=${escaped}`,
    `/${escaped}`,
    `/api/openapi.json?${escaped}`,
  ])
    answers.push(await fetch(server.url + path, { headers, redirect: 'manual' }))
  const body = new FormData()
  body.append('name', evil)
  body.append('experience_id', 'park')
  body.append('file', new Blob(['text']), `${evil}.txt`)
  answers.push(await fetch(`${server.url}/api/asset/`, { method: 'POST', headers, body }))
  const configuration = { configuration_name: evil, experience_id: evil, adapter_name: 'photo_flip' }
  const made = await admin.post('/api/configuration/', configuration)
  assert.ok(made.status === 201 || made.status === 400)
  for (const answer of answers) {
    assert.equal(answer.headers.get('set-cookie'), null, answer.url)
    assert.ok(answer.status < 500, `${answer.url} ${answer.status}`)
    // The console answers every path of its own with one and the same page.
    const isPage = /html/.test(answer.headers.get('content-type') ?? '')
    assert.ok(!isPage || !(await answer.text()).includes('alert(1)'), answer.url)
  }
  // By hand, where a client would refuse to send it.
  for (const line of [`idempotency-key: a\rset-cookie: b`, `x-request-id: a\nset-cookie: b`, `origin: a\0b`])
    assert.doesNotMatch(
      await raw(`GET /api/task/ HTTP/1.1\r\nhost: x\r\n${line}\r\nconnection: close\r\n\r\n`),
      /set-cookie/i,
    )
})

test('no path leads out of what is served', async () => {
  const up = canaryFile.split('/').filter(Boolean).join('/')
  const climbs = [
    '../',
    '..%2f',
    '%2e%2e/',
    '%2e%2e%2f',
    '..%5c',
    '..\\',
    '....//',
    '%252e%252e%252f',
    '..;/',
    '%c0%ae%c0%ae/',
    '..%00/',
  ]
  for (const climb of climbs)
    for (const start of ['/', '/assets/', '/fonts/', '/docs/', '/api/asset/', '/api/asset/x/file/../', '/api/task/']) {
      const path = `${start}${climb.repeat(12)}${up}`
      const answer = await raw(
        `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.token}\r\nconnection: close\r\n\r\n`,
      )
      assert.ok(!answer.includes(canary), path)
      assert.doesNotMatch(answer, /^HTTP\/1\.1 (5\d\d|3\d\d)/, path)
    }
  for (const path of [`file://${canaryFile}`, `//${canaryFile}`, `http://evil.example/${up}`, '*', '']) {
    const answer = await raw(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    assert.ok(!answer.includes(canary), path)
  }
})
