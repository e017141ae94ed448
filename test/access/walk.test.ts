// Every route with every scope: who may not use it gets no further. What foreign ids answer is in test/hostile/walk.test.ts.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { RouteOptions } from 'fastify'
import { includes, type Scope, scopes } from '#access/scopes.ts'
import { newClient } from '../support/client.ts'
import { type Seeded, seedRows } from '../support/seed-rows.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let theirs: Seeded
/** By scope, each limited to the experience "ours". */
const limited = new Map<Scope, string>()

before(async () => {
  server = await startTestServer()
  const { db, secretBox } = server.services
  await seedRows(db, secretBox, 'ours')
  theirs = await seedRows(db, secretBox, 'theirs')
  for (const scope of scopes) {
    const { body } = await newClient(server).post('/api/token/', {
      name: scope,
      scopes: [scope],
      experiences: ['ours'],
    })
    limited.set(scope, body.token)
  }
})
after(() => server.stop())

type Answer = { status: number; text: string }

/** A body that would be accepted, as far as one can be made from the route alone. */
function bodyOf({ schema, url, method }: RouteOptions): FormData | string | undefined {
  if (schema?.consumes) {
    const form = new FormData()
    const { required = [] } = schema.body as { required?: string[] }
    for (const name of required) form.set(name, new Blob(['x']), 'x.txt')
    return form
  }
  if (!schema?.body) return undefined
  if (method === 'PUT' && url.startsWith('/api/configuration/'))
    return JSON.stringify({ experience_id: 'ours', adapter_name: 'photo_flip' })
  return '{}'
}

/** Streams are not waited for: their status is the answer. */
async function send(route: RouteOptions, url: string, token: string | null): Promise<Answer> {
  const body = bodyOf(route)
  const headers: Record<string, string> = {}
  if (typeof body === 'string') headers['content-type'] = 'application/json'
  if (token !== null) headers.authorization = `Bearer ${token}`
  const stop = new AbortController()
  const init: RequestInit = { method: String(route.method), headers, signal: stop.signal }
  const response = await fetch(server.url + url, body === undefined ? init : { ...init, body })
  const streamed = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const text = streamed ? '' : await response.text()
  stop.abort()
  return { status: response.status, text }
}

const guarded = () => server.routes.filter(({ config, method }) => config?.scope && method !== 'HEAD')
const named = ({ method, url }: RouteOptions) => `${method} ${url}`

/** The path with an id for each parameter; the id of a task stands for a group where the path is a group's. */
function pathTo({ url }: RouteOptions, ids: Record<string, string>): string {
  return url.replace(/:(\w+)/g, (_whole, name: string) => {
    const key = name === 'task_id' && url.startsWith('/api/taskgroup/') ? 'group_id' : name
    return encodeURIComponent(ids[key] ?? '0')
  })
}

test('every route of the API declares a scope or is meant to be open', () => {
  const open = server.routes.filter(
    ({ config, url, method }) => !config?.scope && url.startsWith('/api/') && method !== 'HEAD',
  )
  assert.deepEqual(open.map(named).sort(), [
    'DELETE /api/session/',
    'GET /api/erasure/key/',
    'GET /api/openapi.json',
    'GET /api/sign-in/',
    'OPTIONS /api/upload/',
    'OPTIONS /api/upload/:upload_id/',
    'POST /api/session/',
  ])
})

test('without a valid credential every guarded route answers 401', async () => {
  for (const route of guarded())
    for (const token of [null, 'ks_nonsense'])
      assert.equal((await send(route, pathTo(route, theirs), token)).status, 401, named(route))
})

test('a scope too low is 403, whatever is asked for', async () => {
  for (const route of guarded())
    for (const scope of scopes) {
      if (includes(scope, route.config?.scope as Scope)) continue
      const { status } = await send(route, pathTo(route, theirs), limited.get(scope) ?? '')
      assert.equal(status, 403, `${named(route)} with ${scope}`)
    }
})

/** What was asked a moment later differs by its times alone. */
const withoutTimes = (text: string): unknown =>
  JSON.parse(text, (_key, value) => (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? 'then' : value))

test('no list tells of a foreign thing', async () => {
  const secrets = Object.values(theirs)
  for (const route of guarded()) {
    if (route.method !== 'GET' || route.url.includes(':') || route.url === '/metrics') continue
    const { properties = {} } = (route.schema?.querystring ?? {}) as { properties?: object }
    const queries =
      'q' in properties
        ? secrets.map(secret => `?q=${encodeURIComponent(secret)}`)
        : ['', ...('experience_id' in properties ? ['?experience_id=theirs'] : [])]
    for (const query of queries) {
      const { status, text } = await send(route, route.url + query, limited.get('admin') ?? '')
      // An archive of nothing is none.
      assert.equal(status, route.url.endsWith('/zip/') ? 404 : 200, `${named(route)}${query} ${text}`)
      for (const secret of secrets) assert.ok(!text.includes(secret), `${named(route)}${query} tells ${secret}`)
      if (!query.startsWith('?e')) continue
      const nowhere = await send(route, `${route.url}?experience_id=nowhere`, limited.get('admin') ?? '')
      assert.deepEqual(withoutTimes(text), withoutTimes(nowhere.text), `${named(route)} tells that there is one`)
    }
  }
})

test('metrics are of the whole deployment, so no limited token sees them', async () => {
  for (const token of limited.values()) assert.equal((await newClient(server, token).get('/metrics')).status, 403)
})

test('own things are there, so that the walk above means something', async () => {
  const { db, secretBox } = server.services
  const own = await seedRows(db, secretBox, 'third')
  const { body } = await newClient(server).post('/api/token/', { name: 't', scopes: ['read'], experiences: ['third'] })
  const reader = newClient(server, body.token)
  for (const path of [
    `/api/configuration/${encodeURIComponent(own.configuration_name)}/`,
    `/api/asset/${encodeURIComponent(own.name)}/`,
    `/api/profile/${own.profile_id}/`,
    `/api/task/${own.task_id}/`,
    `/api/taskgroup/${own.group_id}/`,
    `/api/activity/${own.activity_id}/`,
    `/api/callback/${own.callback_id}/`,
    '/api/experience/third/',
  ])
    assert.equal((await reader.get(path)).status, 200, path)
  assert.equal((await reader.get('/api/profile/?email=third@x.org')).body.items.length, 1)
  assert.equal((await reader.get('/api/profile/?email=theirs@x.org')).body.items.length, 0)
  assert.equal((await newClient(server).get(`/api/token/${own.token_id}/`)).status, 200)
})

test('a limited token puts nothing into other experiences', async () => {
  const writer = newClient(server, limited.get('write'))
  for (const experience_id of ['theirs', 'never seen']) {
    const configuration = { configuration_name: 'smuggled', experience_id, adapter_name: 'photo_flip' }
    const answers = [
      await writer.post('/api/configuration/', configuration),
      await writer.post('/api/profile/', { experience_id }),
      await writer.patch('/api/configuration/ours%20configuration/', { experience_id }),
      await writer.patch('/api/configuration/ours%20configuration/', {
        activity_config: { experience_id, activity_type: 't', payload: { object_id: 'o' } },
      }),
    ]
    for (const { status, body } of answers) {
      assert.equal(status, 403)
      assert.equal(
        body.detail.replaceAll(experience_id, '?').split(':')[1],
        ' your token does not allow the experience "?"',
      )
    }
  }
  assert.equal((await writer.post('/api/profile/', {})).body.errors[0].field, 'experience_id')
  const chain = (member: string) =>
    writer.post('/api/configuration/', { configuration_name: 'c', experience_id: 'ours', call_chain: [[member, null]] })
  const [foreign, missing] = [await chain('theirs configuration'), await chain('no configuration')]
  assert.equal(foreign.body.code, 'unknown_configuration')
  assert.equal(foreign.body.detail.replace('theirs', 'no'), missing.body.detail)
})
