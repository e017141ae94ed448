// Every door of the API with every kind of credential that is none, and the console's cookie in other people's hands.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { RouteOptions } from 'fastify'
import { newId } from '#kit/ids.ts'
import { newClient, statusOf } from '../support/client.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server?.stop())

const guarded = (): RouteOptions[] =>
  server.routes.filter(({ config, method }) => config?.scope && String(method) !== 'HEAD')

/** Credentials that were never given out, are over, or are written in a way nobody asked for. */
async function badCredentials(): Promise<Record<string, Record<string, string>>> {
  const admin = newClient(server)
  const { body: gone } = await admin.post('/api/token/', { name: 'gone', scopes: ['admin'] })
  assert.equal((await admin.delete(`/api/token/${gone.token_id}/`)).status, 204)
  const { body: over } = await admin.post('/api/token/', { name: 'over', scopes: ['admin'] })
  await server.db
    .updateTable('tokens')
    .set({ expires_at: new Date(Date.now() - 1000) })
    .where('token_id', '=', over.token_id)
    .execute()
  const { token } = server
  return {
    none: {},
    empty: { authorization: '' },
    'no token': { authorization: 'Bearer ' },
    nonsense: { authorization: 'Bearer ks_nonsense' },
    'cut short': { authorization: `Bearer ${token.slice(0, -1)}` },
    'one letter longer': { authorization: `Bearer ${token}x` },
    'another case': { authorization: `Bearer ${token.toUpperCase()}` },
    'two tokens': { authorization: `Bearer ks_nonsense, Bearer ${token}` },
    'basic with the token as password': {
      authorization: `Basic ${Buffer.from(`admin:${token}`).toString('base64')}`,
    },
    'the digest of the token': { authorization: `Bearer ${Buffer.from(token).toString('hex')}` },
    deleted: { authorization: `Bearer ${gone.token}` },
    expired: { authorization: `Bearer ${over.token}` },
    'a cookie made up': { cookie: `keepsake_session=${'A'.repeat(43)}`, origin: server.url },
    'the token as the cookie': { cookie: `keepsake_session=${token}`, origin: server.url },
    'a broken header beside a good cookie': { authorization: 'Bearer ks_nonsense', cookie: await goodCookie() },
    endless: { authorization: `Bearer ${'x'.repeat(4000)}` },
  }
}

async function goodCookie(): Promise<string> {
  const answer = await newClient(server, null).post('/api/session/', { token: server.token })
  return (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? ''
}

test('every guarded route refuses every kind of credential that is none', async () => {
  const routes = guarded()
  assert.ok(routes.length >= 50, `${routes.length} routes`)
  const wrong: string[] = []
  for (const [what, headers] of Object.entries(await badCredentials()))
    for (const { method, url } of routes) {
      const path = url.replace(/:\w+/g, newId())
      const answer = await fetch(server.url + path, { method: String(method), headers, redirect: 'manual' })
      const text = await answer.text()
      const fine = answer.status === 401 && /"code":"unauthorized"/.test(text) && !text.includes(server.token)
      if (!fine) wrong.push(`${method} ${url} with ${what}: ${answer.status} ${text.slice(0, 200)}`)
    }
  assert.deepEqual(wrong, [])
})

test('a token in the address, in a form or in a header of another name opens nothing', async () => {
  const { token, url } = server
  for (const path of [
    `/api/task/?token=${token}`,
    `/api/task/?access_token=${token}`,
    `/api/task/?authorization=${token}`,
  ])
    assert.ok([400, 401].includes(await statusOf(url + path)), path)
  for (const name of ['x-api-key', 'x-authorization', 'proxy-authorization', 'x-forwarded-authorization', 'token'])
    assert.equal(await statusOf(`${url}/api/task/`, { headers: { [name]: `Bearer ${token}` } }), 401, name)
})

test('with the console’s cookie a page of any other origin changes nothing', async () => {
  const cookie = await goodCookie()
  const { host, port } = new URL(server.url)
  const origins = [
    undefined,
    '',
    'null',
    'https://evil.example',
    `http://evil.example:${port}`,
    `${server.url}0`,
    `${server.url}.evil.example`,
    `http://${host}@evil.example`,
    `http://evil.example/${host}`,
    `http://127.0.0.1`,
    `http://localhost:${port}`,
    'file://',
    `${server.url}, https://evil.example`,
  ]
  for (const origin of origins) {
    const headers = { cookie, 'content-type': 'application/json', ...(origin === undefined ? {} : { origin }) }
    for (const [method, path] of [
      ['POST', '/api/token/'],
      ['POST', '/api/callback/resend/'],
      ['DELETE', '/api/session/'],
    ] as const) {
      const body = method === 'POST' ? '{"name": "made elsewhere", "scopes": ["admin"]}' : null
      const answer = await fetch(server.url + path, { method, headers, body })
      assert.equal(answer.status, 403, `${method} ${path} from ${origin}: ${await answer.text()}`)
    }
  }
  const { items } = (await newClient(server).get('/api/token/?limit=100')).body
  assert.ok(!items.some(({ name }: { name: string }) => name === 'made elsewhere'))
  const still = await fetch(`${server.url}/api/session/`, { headers: { cookie } })
  assert.equal(still.status, 200, 'nobody was signed out either')
})
