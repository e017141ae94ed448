// Bad input in every query and every path: always a 400 or 404, never a 500.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Client, newClient } from '../support/client.ts'
import { emptyBody, fieldsOf, json, named, pathTo, served } from '../support/every-route.ts'
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

test('every query parameter refuses what it can not be', async () => {
  for (const route of served(server)) {
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
        const answer = await admin.send(
          String(route.method),
          `${pathTo(route, ids)}?${name}=${value}`,
          emptyBody(route),
        )
        const where = `${named(route)}?${name}=${value.slice(0, 20)}: ${JSON.stringify(answer.body).slice(0, 300)}`
        assert.equal(answer.status, 400, where)
        assert.ok(fieldsOf(answer).includes(name), where)
      }
      const twice = await admin.send(
        String(route.method),
        `${pathTo(route, ids)}?${name}=a&${name}=b`,
        emptyBody(route),
      )
      assert.equal(twice.status, 400, `${named(route)}?${name} twice`)
    }
    for (const query of ['__proto__=1', 'constructor=1', 'a[b]=1', '%00=1', '%ff=1']) {
      const { status } = await admin.send(String(route.method), `${pathTo(route, ids)}?${query}`, emptyBody(route))
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
  for (const route of served(server).filter(({ method }) => method !== 'OPTIONS')) {
    const parameters = route.url.match(/:\w+/g) ?? []
    for (const parameter of parameters)
      for (const value of odd) {
        const url = pathTo({ ...route, url: route.url.replace(parameter, '@@') }, ids).replace('@@', value)
        const { status, body } = await admin.send(String(route.method), url, emptyBody(route))
        assert.ok(
          status >= 400 && status < 500,
          `${named(route)} ${parameter}=${value.slice(0, 20)}: ${status} ${JSON.stringify(body)}`,
        )
      }
  }
})

test('a number that would be kept as null is refused with its name', async () => {
  const profile = await admin.send('POST', '/api/profile/', {
    body: '{"email": "ada@example.org", "attributes": {"scores": [1, {"best": 1e999999}]}}',
    headers: json,
  })
  assert.equal(profile.status, 400)
  assert.deepEqual(fieldsOf(profile), ['attributes.scores[1].best'])
  const form = new FormData()
  form.set('configuration_name', 'ours configuration')
  form.set('extras', '{"context": {"points": -1e999999}}')
  form.set('data', new Blob(['x']))
  const task = await admin.send('POST', '/api/task/', { body: form })
  assert.equal(task.status, 400)
  assert.deepEqual(fieldsOf(task), ['extras.context.points'])
})

test('nothing of all that reached a prototype', () => {
  assert.equal(({} as { polluted?: boolean }).polluted, undefined)
})
