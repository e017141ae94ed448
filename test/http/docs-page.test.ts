// /docs: readable, offline, and with a place for every error.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { catalogue } from '#kit/errors.ts'
import { newClient } from '../support/client.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

test('the reference shows every operation and error, and loads nothing from elsewhere', async () => {
  const client = newClient(server, null)
  const { status, headers, body } = await client.get('/docs')
  assert.equal(status, 200)
  assert.match(headers.get('content-type') ?? '', /^text\/html/)
  assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'unsafe-inline'/)
  assert.ok(!/<script|<link|src=|https?:\/\/(?!example\.com)/i.test(body))
  const { paths } = (await client.get('/api/openapi.json')).body
  for (const path of Object.keys(paths)) assert.ok(body.includes(`<code>${path}</code>`), path)
  for (const code of Object.keys(catalogue)) assert.ok(body.includes(`<tr id="${code}">`), code)
  const problem = (await client.get('/api/nothing/')).body
  assert.equal(problem.type, '/docs#not_found')
})
