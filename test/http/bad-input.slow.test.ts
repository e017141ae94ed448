// Bad input to every field of every endpoint: always a 400 that names the field, never a 500.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import { badValues } from '../support/bad-values.ts'
import { type Answer, type Client, newClient } from '../support/client.ts'
import { type Seeded, seedRows } from '../support/seed-rows.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let admin: Client
let ids: Seeded

before(async () => {
  server = await startTestServer({ settings: { maxSignIns: 1_000 } })
  admin = newClient(server)
  ids = await seedRows(server.db, server.services.secretBox, 'ours')
})
after(() => server.stop())

const served = () => server.routes.filter(({ method, url }) => method !== 'HEAD' && url.startsWith('/api/'))
const named = ({ method, url }: RouteOptions) => `${method} ${url}`
const pathTo = ({ url }: RouteOptions) =>
  url.replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent((ids as Record<string, string>)[name] ?? '0'))

const json = { 'content-type': 'application/json' }

/** Bodies that are accepted, where `{}` is not. */
const good: Record<string, Record<string, unknown>> = {
  'POST /api/configuration/': {
    configuration_name: 'good',
    experience_id: 'ours',
    adapter_name: 'photo_flip',
    adapter_config: { auth: {}, defaults: {} },
    activity_config: { experience_id: 'ours', activity_type: 't', payload: { object_id: 'o' } },
  },
  'POST /api/experience/': { experience_id: 'good' },
  'POST /api/keepsake/': { experience_id: 'ours' },
  'POST /api/profile/:profile_id/merge/': { profile_id: 'nobody' },
  'POST /api/token/': { name: 'good', scopes: ['read'] },
  'POST /api/session/': { token: 'ks_nonsense' },
}

good['POST /api/configuration/check/'] = good['POST /api/configuration/'] as Record<string, unknown>
good['PUT /api/configuration/:configuration_name/'] = {
  ...good['POST /api/configuration/'],
  configuration_name: 'ours configuration',
}

const names = ({ body }: Answer): string[] => (body.errors ?? []).map((error: { field: string }) => error.field)

/** The named field is the spoilt one, something inside it, or what it lies in. */
const tells = (fields: string[], spoilt: string): boolean =>
  fields.some(field => field.startsWith(spoilt) || spoilt.startsWith(field))

/** A few at a time, so that the walk is quick and the server is not flooded. */
async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let i = 0; i < items.length; i += 16) await Promise.all(items.slice(i, i + 16).map(work))
}

test('every field of every JSON body refuses what it can not be', async () => {
  let sent = 0
  for (const route of served()) {
    if (!route.schema?.body || route.schema.consumes) continue
    const cases = badValues(route.schema.body as TSchema, good[named(route)] ?? {})
    await inTurns(cases, async ({ field, what, text }) => {
      const answer = await admin.send(String(route.method), pathTo(route), { body: text, headers: json })
      const where = `${named(route)} ${field} with ${what}: ${JSON.stringify(answer.body).slice(0, 400)}`
      assert.equal(answer.status, 400, where)
      assert.ok(tells(names(answer), field), where)
    })
    sent += cases.length
  }
  assert.ok(sent > 500, `${sent} sent`)
})

test('every query parameter refuses what it can not be', async () => {
  for (const route of served()) {
    const { properties = {} } = (route.schema?.querystring ?? {}) as {
      properties?: Record<string, { enum?: unknown[] }>
    }
    for (const name of [...Object.keys(properties), 'unknown_parameter']) {
      const values = [
        '%00',
        'a%00b',
        '%ff',
        'caf%C3',
        '%ED%A0%80',
        'x'.repeat(5000),
        ...(name === 'unknown_parameter' ? ['1'] : []),
      ]
      for (const value of values) {
        const answer = await admin.send(String(route.method), `${pathTo(route)}?${name}=${value}`, emptyBody(route))
        const where = `${named(route)}?${name}=${value.slice(0, 20)}: ${JSON.stringify(answer.body).slice(0, 300)}`
        assert.equal(answer.status, 400, where)
        assert.ok(names(answer).includes(name), where)
      }
      const twice = await admin.send(String(route.method), `${pathTo(route)}?${name}=a&${name}=b`, emptyBody(route))
      assert.equal(twice.status, 400, `${named(route)}?${name} twice`)
    }
    for (const query of ['__proto__=1', 'constructor=1', 'a[b]=1', '%00=1', '%ff=1']) {
      const { status } = await admin.send(String(route.method), `${pathTo(route)}?${query}`, emptyBody(route))
      assert.equal(status, 400, `${named(route)}?${query}`)
    }
  }
})

test('every name in a path may be anything and is then unknown or not valid', async () => {
  const odd = [
    '%00',
    'a%00b',
    '%ED%A0%80',
    '%',
    '%zz',
    '__proto__',
    'constructor',
    'x'.repeat(3000),
    '%F0%9F%8E%89',
    '%2e%2e%2f',
    '-1',
    '1e999',
    'null',
    '..%5c',
    "'--",
  ]
  // OPTIONS tells what is offered, whatever the path names.
  for (const route of served().filter(({ method }) => method !== 'OPTIONS')) {
    const parameters = route.url.match(/:\w+/g) ?? []
    for (const parameter of parameters)
      for (const value of odd) {
        const url = pathTo({ ...route, url: route.url.replace(parameter, '@@') }).replace('@@', value)
        const { status, body } = await admin.send(String(route.method), url, emptyBody(route))
        assert.ok(
          status >= 400 && status < 500,
          `${named(route)} ${parameter}=${value.slice(0, 20)}: ${status} ${JSON.stringify(body)}`,
        )
      }
  }
})

function emptyBody({ schema, method, url }: RouteOptions): RequestInit {
  if (schema?.consumes) return { body: new FormData() }
  return schema?.body ? { body: JSON.stringify(good[`${method} ${url}`] ?? {}), headers: json } : {}
}

test('every text part of every multipart body refuses what it can not be', async () => {
  const bad = [
    '',
    'a\0b',
    'x'.repeat(300_000),
    '{',
    '['.repeat(5000),
    '{"a":'.repeat(5000),
    '{"__proto__":{"x":1}}',
    '{"a":"\\u0000"}',
    '{"a":"\\ud800"}',
    '"text"',
    'null',
  ]
  for (const route of served()) {
    if (!route.schema?.consumes) continue
    const { properties = {} } = route.schema.body as { properties?: Record<string, { contentMediaType?: string }> }
    const texts = Object.keys(properties).filter(name => !properties[name]?.contentMediaType)
    for (const name of [...texts, 'unknown_part']) {
      for (const value of bad) {
        const form = new FormData()
        form.set(name, value)
        const { status, body } = await admin.send(String(route.method), pathTo(route), { body: form })
        const where = `${named(route)} ${name}=${value.slice(0, 20)}: ${status} ${JSON.stringify(body).slice(0, 300)}`
        assert.ok(status >= 400 && status < 500, where)
      }
    }
  }
})

test('a number that would be kept as null is refused with its name', async () => {
  const profile = await admin.send('POST', '/api/profile/', {
    body: '{"email": "ada@example.org", "attributes": {"scores": [1, {"best": 1e999999}]}}',
    headers: json,
  })
  assert.equal(profile.status, 400)
  assert.deepEqual(names(profile), ['attributes.scores[1].best'])
  const form = new FormData()
  form.set('configuration_name', 'ours configuration')
  form.set('extras', '{"context": {"points": -1e999999}}')
  form.set('data', new Blob(['x']))
  const task = await admin.send('POST', '/api/task/', { body: form })
  assert.equal(task.status, 400)
  assert.deepEqual(names(task), ['extras.context.points'])
})

test('nothing of all that reached a prototype', () => {
  assert.equal(({} as { polluted?: boolean }).polluted, undefined)
})
