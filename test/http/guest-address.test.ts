// The address of guests: however it is written in a request, nothing but their pages is served there, and no page of the console below theirs.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import type { Settings } from '#kit/settings.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

interface Got {
  status: number
  type: string
  body: string
  policy: string
}

const asked = (server: TestServer, path: string, headers: Record<string, string>): Promise<Got> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url)
    request({ hostname, port, path, headers }, answer => {
      let body = ''
      answer.setEncoding('utf8').on('data', text => {
        body += text
      })
      answer.on('error', reject).on('end', () => {
        const { 'content-type': type = '', 'content-security-policy': policy } = answer.headers
        resolve({ status: answer.statusCode ?? 0, type, body, policy: String(policy) })
      })
    })
      .on('error', reject)
      .end()
  })

const person = { accept: 'text/html,*/*' }
const program = { accept: 'application/json' }

async function assertNothing(server: TestServer, path: string, headers: Record<string, string>): Promise<void> {
  const told = `${headers.host ?? ''} ${path}`
  const page = await asked(server, path, { ...headers, ...person })
  assert.deepEqual([page.status, page.type], [404, 'text/html; charset=utf-8'], told)
  assert.match(page.body, /There is nothing here/, told)
  assert.match(
    page.policy,
    /^default-src 'none'; script-src \S+\/k\/page\.js; style-src \S+\/k\/page\.css 'nonce-/,
    told,
  )
  const problem = await asked(server, path, { ...headers, ...program })
  assert.deepEqual([problem.status, JSON.parse(problem.body).code], [404, 'not_found'], told)
}

/** A server whose guests have that address, for one test. */
async function withSettings(settings: Partial<Settings>, use: (server: TestServer) => Promise<void>): Promise<void> {
  const server = await startTestServer({ settings })
  try {
    await use(server)
  } finally {
    await server.stop()
  }
}

describe('below /k/ and /wall/', () => {
  let server: TestServer
  before(async () => {
    server = await startTestServer({ settings: { publicUrl: 'http://localhost:18101' } })
  })
  after(() => server.stop())

  test('no path falls through to the console, on any address', async () => {
    for (const host of ['localhost:18101', 'console.example'])
      for (const path of ['/k/', '/k/x/file/', '/k/x/y/z', '/k/x/y.html', '/wall/', '/wall/x/y', '/wall/x/y/z.html'])
        await assertNothing(server, path, { host })
    for (const path of ['/k', '/wall', '/%6b/x/y/z', '/w%61ll/x/y'])
      await assertNothing(server, path, { host: 'console.example' })
    assert.equal((await asked(server, '/walls', { host: 'console.example', ...person })).status, 200)
  })

  test('the address of guests is known however it is written', async () => {
    for (const host of [
      'localhost:18101',
      'LOCALHOST:18101',
      'localhost.:18101',
      'localhost:018101',
      'localhost',
      'localhost.',
      'localhost:80',
      'localhost:443',
    ])
      for (const path of ['/', '/tasks', '/api/task/', '/api/openapi.json', '/docs/', '/healthz'])
        await assertNothing(server, path, { host })
    await assertNothing(server, '/', { host: 'upstream', 'x-forwarded-host': 'first.example, Localhost:18101' })
    assert.equal((await asked(server, '/k/page.css', { host: 'localhost.' })).status, 200)
  })

  test('another port of the same name is no other address, another name is one', async () => {
    for (const host of ['localhost:3000', 'Localhost.:8080', new URL(server.url).host.replace(/^[^:]+/, 'localhost')])
      await assertNothing(server, '/', { host })
    for (const host of ['127.0.0.1:18101', 'localhost.example:18101', 'console.example'])
      assert.equal((await asked(server, '/', { host })).status, 200, host)
  })
})

test('the address of guests is known behind a proxy with TLS, whichever port its requests name', () =>
  withSettings({ publicUrl: 'https://k.example.com' }, async server => {
    for (const host of ['k.example.com', 'k.example.com:443', 'k.example.com:80', 'K.Example.com.:443'])
      await assertNothing(server, '/', { host })
    await assertNothing(server, '/', { host: 'k.example.com:8080' })
  }))

test('a console with a port on the name of guests has to say its address', () =>
  withSettings({ publicUrl: 'https://park.example', consoleUrl: 'https://park.example:8443' }, async server => {
    assert.equal((await asked(server, '/', { host: 'park.example:8443' })).status, 200)
    for (const host of ['park.example', 'park.example:443', 'park.example:8080'])
      await assertNothing(server, '/', { host })
  }))

test('a console without a port on the name of guests has to say its address', () =>
  withSettings({ publicUrl: 'https://park.example:8443', consoleUrl: 'https://park.example' }, async server => {
    for (const host of ['park.example', 'park.example:443'])
      assert.equal((await asked(server, '/', { host })).status, 200, host)
    await assertNothing(server, '/', { host: 'park.example:8443' })
  }))

test('where guests come to the very address of the service, all of it is served', () =>
  withSettings({ publicUrl: 'http://localhost', host: 'localhost', port: 80 }, async server => {
    assert.equal((await asked(server, '/', { host: 'localhost' })).status, 200)
    await assertNothing(server, '/k/x/y/z', { host: 'localhost' })
  }))
