// Bad input to every field of every body: always a 400 that names the field, never a 500.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TSchema } from 'typebox'
import { badValues } from '../support/bad-values.ts'
import { type Client, newClient } from '../support/client.ts'
import { fieldsOf, good, json, named, pathTo, served } from '../support/every-route.ts'
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

/** The named field is the spoilt one, something inside it, or what it lies in. */
const tells = (fields: string[], spoilt: string): boolean =>
  fields.some(field => field.startsWith(spoilt) || spoilt.startsWith(field))

/** A few at a time, so that the walk is quick and the server is not flooded. */
async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let i = 0; i < items.length; i += 16) await Promise.all(items.slice(i, i + 16).map(work))
}

test('every field of every JSON body refuses what it can not be', async () => {
  let sent = 0
  for (const route of served(server)) {
    if (!route.schema?.body || route.schema.consumes) continue
    const cases = badValues(route.schema.body as TSchema, good[named(route)] ?? {})
    await inTurns(cases, async ({ field, what, text }) => {
      const answer = await admin.send(String(route.method), pathTo(route, ids), { body: text, headers: json })
      const where = `${named(route)} ${field} with ${what}: ${JSON.stringify(answer.body).slice(0, 400)}`
      assert.equal(answer.status, 400, where)
      assert.ok(tells(fieldsOf(answer), field), where)
    })
    sent += cases.length
  }
  assert.ok(sent > 500, `${sent} sent`)
})

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
  for (const route of served(server)) {
    if (!route.schema?.consumes) continue
    const { properties = {} } = route.schema.body as { properties?: Record<string, { contentMediaType?: string }> }
    const texts = Object.keys(properties).filter(name => !properties[name]?.contentMediaType)
    for (const name of [...texts, 'unknown_part']) {
      for (const value of bad) {
        const form = new FormData()
        form.set(name, value)
        const { status, body } = await admin.send(String(route.method), pathTo(route, ids), { body: form })
        const where = `${named(route)} ${name}=${value.slice(0, 20)}: ${status} ${JSON.stringify(body).slice(0, 300)}`
        assert.ok(status >= 400 && status < 500, where)
      }
    }
  }
})

test('nothing of all that reached a prototype', () => {
  assert.equal(({} as { polluted?: boolean }).polluted, undefined)
})
