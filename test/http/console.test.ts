// The console's files: every page from one index.html, hashed files for ever, nothing else.
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { type Client, newClient } from '../support/client.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const dist = new URL('../../console/dist/', import.meta.url)
const built = existsSync(new URL('index.html', dist))

let server: TestServer
let visitor: Client
before(async () => {
  server = await startTestServer()
  visitor = newClient(server, null)
})
after(() => server.stop())

test('every page of the console is served to anybody, with a policy that runs no foreign script', async () => {
  for (const path of [
    '/',
    '/tasks',
    '/tasks/019a8424-5d3e-7c31-9d0b-5a2f3e0c7b11',
    '/profiles/',
    '/assets',
    '/a?b=c',
  ]) {
    const { status, headers, body } = await visitor.get(path)
    assert.equal(status, 200, path)
    assert.match(body, /<!doctype html>/i)
    assert.match(headers.get('content-type') ?? '', /^text\/html/)
    assert.match(headers.get('content-security-policy') ?? '', /script-src 'self';/)
    assert.equal(headers.get('cache-control'), 'no-cache')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
  }
})

test('what is no page stays a problem', async () => {
  for (const path of [
    '/api',
    '/api/x',
    '/docs/x',
    '/missing.js',
    '/..%2f..%2fpackage.json',
    '/assets/..%2f..%2f..%2fpackage.json',
  ])
    assert.equal((await visitor.get(path)).body.code, 'not_found', path)
  assert.equal((await visitor.post('/tasks')).body.code, 'not_found')
})

test('a built console is served with caching by its hashes', {
  skip: built ? false : 'the console is not built',
}, async () => {
  const name = readdirSync(new URL('assets/', dist)).find(file => file.endsWith('.js')) ?? ''
  const { status, headers } = await visitor.get(`/assets/${name}`)
  assert.equal(status, 200)
  assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.match(headers.get('content-type') ?? '', /javascript/)
  assert.equal((await visitor.get('/assets/missing-12345678.js')).body.code, 'not_found')
})
