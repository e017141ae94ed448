// The rolls of printers over HTTP: what is used, and the report that one was changed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { adapterList } from '#adapters/index.ts'
import { takePrint } from '#db/nouns/printer-rows.ts'
import { type Client, newClient } from '../support/client.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const printers = ['ipps://one.example.com/ipp/print', 'ipps://two.example.com/ipp/print']
const at = '/api/configuration/print/rolls/'
let server: TestServer
let admin: Client
before(async () => {
  server = await startTestServer({ adapters: adapterList({ localRoot: null }) })
  admin = newClient(server)
  const body = {
    configuration_name: 'print',
    experience_id: 'park',
    adapter_name: 'print_ipp',
    adapter_config: { defaults: { printers, prints_per_roll: 5 } },
  }
  const made = await admin.post('/api/configuration/', body)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const flip = {
    ...body,
    configuration_name: 'flip',
    adapter_name: 'photo_flip',
    adapter_config: { defaults: { method: 'ROTATE_180' } },
  }
  assert.equal((await admin.post('/api/configuration/', flip)).status, 201)
})
after(() => server.stop())

const used = async () => (await admin.get(at)).body.rolls.map(({ used }: { used: number }) => used)

test('a report begins the count of one printer, or of all, anew', async () => {
  assert.deepEqual((await admin.get(at)).body, {
    rolls: printers.map(printer => ({ printer, used: 0, prints_per_roll: 5, changed_at: null })),
  })
  const { db } = server.services
  for (const [index, printer] of printers.entries()) {
    await takePrint(db, { marker: `m${index}`, printer, copies: 3, most: 5 })
    await db.deleteFrom('prints').execute()
  }
  assert.deepEqual(await used(), [3, 3])
  const { status, body } = await admin.post(at, { printer: printers[1] })
  assert.deepEqual([status, body.rolls[1].used, typeof body.rolls[1].changed_at], [200, 0, 'string'])
  assert.deepEqual(await used(), [3, 0])
  assert.equal((await admin.post(at, {})).status, 200)
  assert.deepEqual(await used(), [0, 0])
  const audit = await admin.get('/api/audit/?object_id=print')
  assert.deepEqual(audit.body.items[1].before.rolls, { [printers[0] ?? '']: 3, [printers[1] ?? '']: 3 })
})

test('a foreign printer, a configuration without printers and a foreign token are refused', async () => {
  const wrong = await admin.post(at, { printer: 'ipps://three.example.com/' })
  assert.deepEqual([wrong.status, wrong.body.code, wrong.body.errors[0].field], [400, 'bad_request', 'printer'])
  assert.equal((await admin.post(at, { printers })).status, 400)
  assert.equal((await admin.get('/api/configuration/flip/rolls/')).body.code, 'wrong_state')
  assert.equal((await admin.get('/api/configuration/none/rolls/')).status, 404)
  const made = await admin.post('/api/token/', { name: 'other', scopes: ['tasks'], experiences: ['other'] })
  assert.equal((await admin.as(made.body.token).post(at, {})).status, 404)
  const reader = await admin.post('/api/token/', { name: 'reader', scopes: ['read'], experiences: null })
  assert.equal((await admin.as(reader.body.token).post(at, {})).status, 403)
})

test('an address that may not be reached is refused when it is saved', async () => {
  const adapter_config = { defaults: { printers: [...printers, 'ipp://10.0.0.7/ipp/print'] } }
  const { status, body } = await admin.patch('/api/configuration/print/', { adapter_config })
  assert.deepEqual([status, body.code], [400, 'blocked_url'])
})
