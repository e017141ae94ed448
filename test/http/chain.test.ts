// /api/configuration/ over HTTP: the rules of chains.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Client, newClient } from '../support/client.ts'
import { chain, flip, path, upload } from '../support/configurations.ts'
import { configuring } from '../support/configuring.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let admin: Client

before(async () => {
  server = await startTestServer({ settings: { maxChain: 8 } })
  admin = newClient(server)
})
after(() => server.stop())

const { make, refused } = configuring(() => admin)

test('a chain names known configurations of its experience and earlier entries', async () => {
  await make(flip('a'))
  await make(upload('b'))
  const { body } = await admin.post(
    '/api/configuration/',
    chain('a then b', [
      ['a', null],
      ['b', 0],
    ]),
  )
  assert.equal(body.kind, 'chain')
  assert.deepEqual(body.call_chain, [
    ['a', null],
    ['b', 0],
  ])
  assert.ok(!('adapter_name' in body))
  await refused(
    chain('x', [
      ['a', null],
      ['nobody', 0],
    ]),
    400,
    'unknown_configuration',
    'call_chain[1]',
  )
  await refused(chain('x', [['a', 0]]), 400, 'bad_chain', 'call_chain[0]')
  await refused(
    chain('x', [
      ['a', null],
      ['b', 1],
    ]),
    400,
    'bad_chain',
    'call_chain[1]',
  )
  await refused(chain('x', [['a', -1]]), 400, 'bad_request', 'call_chain[0]')
  await refused(chain('x', []), 400, 'bad_request', 'call_chain')
  for (const entry of [['a'], ['a', null, 1], 'a', { a: null }, [1, null], ['a', 0.5], ['a', '0']])
    await refused(chain('x', [entry]), 400, 'bad_request', 'call_chain[0]')
  await make(flip('stranger', { experience_id: 'far' }))
  await refused(chain('x', [['stranger', null]]), 400, 'bad_chain', 'call_chain[0]')
})

test('chains hold chains, but never themselves and not too many entries', async () => {
  await make(flip('one'))
  await refused(chain('self', [['self', null]]), 400, 'bad_chain', 'call_chain')
  await make(chain('inner', [['one', null]]))
  await make(chain('middle', [['inner', null]]))
  await make(
    chain('outer', [
      ['middle', null],
      ['middle', 0],
    ]),
  )
  const circle = await admin.patch(path('inner'), { call_chain: [['outer', null]] })
  assert.equal(circle.body.code, 'bad_chain')
  assert.match(circle.body.detail, /circle/)
  await refused(
    chain(
      'long',
      Array.from({ length: 9 }, () => ['one', null]),
    ),
    400,
    'bad_chain',
    'call_chain',
  )
  const grown = await admin.put(
    path('inner'),
    chain(
      'inner',
      Array.from({ length: 5 }, () => ['one', null]),
    ),
  )
  assert.equal(grown.body.code, 'bad_chain', 'outer would have ten entries')
  assert.match(grown.body.detail, /"outer"/)
})

test('two edits at once can not close a circle together', async () => {
  for (let round = 0; round < 5; round++) {
    const [left, right] = [`left ${round}`, `right ${round}`]
    await make(flip(left))
    await make(flip(right))
    const answers = await Promise.all([
      admin.put(path(left), chain(left, [[right, null]])),
      admin.put(path(right), chain(right, [[left, null]])),
    ])
    assert.deepEqual(answers.map(answer => answer.status).sort(), [200, 400])
  }
})

test('what a chain names can be neither deleted nor moved to another experience', async () => {
  await make(flip('member'))
  await make(chain('holder', [['member', null]]))
  const refusal = await admin.delete(path('member'))
  assert.equal(refusal.body.code, 'in_use')
  assert.match(refusal.body.detail, /"holder"/)
  assert.equal((await admin.patch(path('member'), { experience_id: 'away' })).body.code, 'in_use')
  assert.equal((await admin.delete(path('holder'))).status, 204)
  assert.equal((await admin.delete(path('member'))).status, 204)
  assert.equal((await admin.delete(path('member'))).status, 404)
})

test('deleting a configuration while a chain that names it is saved ends in one of two right ways', async () => {
  for (let round = 0; round < 10; round++) {
    await make(flip(`m${round}`))
    const [removed, saved] = await Promise.all([
      admin.delete(path(`m${round}`)),
      admin.post('/api/configuration/', chain(`c${round}`, [[`m${round}`, null]])),
    ])
    assert.ok(
      (removed.status === 204 && saved.body.code === 'unknown_configuration') ||
        (removed.body.code === 'in_use' && saved.status === 201),
      `${removed.status} ${saved.status}`,
    )
  }
})
