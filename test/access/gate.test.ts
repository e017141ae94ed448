// The gate: one look-up for a burst, remembered for seconds only, refused in time.
import assert from 'node:assert/strict'
import { after, before, mock, test } from 'node:test'
import { newGate } from '#access/gate.ts'
import { operatorAccess } from '#access/scopes.ts'
import { createToken, deleteToken } from '#access/tokens.ts'
import { type Database, type Db, openDatabase } from '#db/database.ts'
import { newLog } from '#kit/log.ts'
import { cleanUp } from '../support/clean-up.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'

const log = newLog('silent', 'test')
let database: TestDatabase
let open: Database

before(async () => {
  database = await testDatabase()
  open = openDatabase(database.url, log)
})
after(() =>
  cleanUp(
    () => open.close(),
    () => database.drop(),
  ),
)

const make = (expiresAt: Date | null = null) =>
  createToken(open.db, operatorAccess, {
    name: 't',
    scopes: ['read', 'write'],
    experiences: ['a'],
    expiresAt,
    limits: null,
  })

/** The database, with a look at every select before it is built. */
const watched = (look: () => void): Db =>
  new Proxy(open.db, {
    get(target, name) {
      if (name === 'selectFrom') look()
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

test('a token has its highest scope and its experiences', async () => {
  const { token, row } = await make()
  const gate = newGate(open.db, 'operator-token', log)
  assert.deepEqual(await gate.bearer(token), {
    tokenId: row.token_id,
    name: row.name,
    scope: 'write',
    experiences: ['a'],
    expiresAt: null,
    limits: {},
  })
  assert.equal(await gate.bearer(`${token}x`), null)
  assert.equal(await gate.bearer('operator-token'), operatorAccess)
  assert.equal(await gate.bearer('operator-tokem'), null)
})

test('a burst with one token asks the database once, good or bad', async () => {
  const { token } = await make()
  let asked = 0
  const gate = newGate(
    watched(() => void asked++),
    'operator-token',
    log,
  )
  const answers = await Promise.all(Array.from({ length: 200 }, () => gate.bearer(token)))
  assert.ok(answers.every(access => access?.scope === 'write'))
  assert.equal(asked, 1)
  await Promise.all(Array.from({ length: 200 }, () => gate.bearer('ks_wrong')))
  assert.equal(asked, 2)
})

test('a token deleted by another process is refused within 5 seconds', async () => {
  const { token, row } = await make()
  const [here, there] = [newGate(open.db, 'x', log), newGate(open.db, 'x', log)]
  assert.ok(await here.bearer(token))
  await deleteToken(open.db, there, operatorAccess, row.token_id)
  assert.equal(await there.bearer(token), null)
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 4_900 })
  try {
    assert.equal(await here.bearer(token), null)
  } finally {
    mock.timers.reset()
  }
})

test('a remembered token still expires on time', async () => {
  mock.timers.enable({ apis: ['Date'], now: Date.now() })
  try {
    const { token } = await make(new Date(Date.now() + 1_000))
    const gate = newGate(open.db, 'x', log)
    assert.ok(await gate.bearer(token))
    mock.timers.setTime(Date.now() + 1_001)
    assert.equal(await gate.bearer(token), null)
  } finally {
    mock.timers.reset()
  }
})

test('what fails while the database is away is not remembered', async () => {
  const { token } = await make()
  let away = true
  const flaky = watched(() => {
    if (away) throw new Error('Connection terminated')
  })
  const gate = newGate(flaky, 'x', log)
  await assert.rejects(gate.bearer(token))
  away = false
  assert.ok(await gate.bearer(token))
})
