// Which errors tell of the database's server or of the way to it, and which are ours: real ones, of a real server.
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { isConnectionError } from '#db/away.ts'
import { openDatabase } from '#db/database.ts'
import { newLog } from '#kit/log.ts'
import { emptyDatabase } from '../support/postgres.ts'

const errorOf = async (work: () => Promise<unknown>): Promise<Error> => {
  try {
    await work()
  } catch (error) {
    return error as Error
  }
  return assert.fail('it did not fail')
}

test('a state of SQL tells by its class whether the server is at fault', async t => {
  const { url } = await emptyDatabase(t)
  const { db, close } = openDatabase(url, newLog('silent', 'test'), { max: 1 })
  t.after(() => close())
  const raised = (state: string) =>
    errorOf(() => sql.raw(`do $$ begin raise 'it is so' using errcode = '${state}'; end $$`).execute(db))
  for (const state of '08006 08P01 25006 25P03 53100 53200 53300 55P03 57014 57P01 57P03 57P05 58000 58030'.split(' '))
    assert.ok(isConnectionError(await raised(state)), state)
  for (const state of '22P02 23505 25001 40001 42601 42P01 54000 55006 57000 P0001 XX000'.split(' '))
    assert.ok(!isConnectionError(await raised(state)), state)
})

test('an error of our own inside a transaction is ours', async t => {
  const { url } = await emptyDatabase(t)
  const { db, close } = openDatabase(url, newLog('silent', 'test'), { max: 1 })
  t.after(() => close())
  const error = await errorOf(() =>
    db.transaction().execute(async trx => {
      await sql`select 1`.execute(trx)
      return (undefined as unknown as { name: string }).name
    }),
  )
  assert.ok(error instanceof TypeError)
  assert.ok(!isConnectionError(error))
  const circular: { self?: object } = {}
  circular.self = circular
  const unsendable = await errorOf(() => sql`select ${circular}::json`.execute(db))
  assert.ok(!isConnectionError(unsendable), unsendable.message)
})

test('an error of the driver or of its socket, which has no state, tells of the way to the server', async t => {
  const { url } = await emptyDatabase(t)
  const closed = new pg.Client(url)
  await closed.connect()
  await closed.end()
  const errors = [await errorOf(() => closed.query('select 1'))]
  for (const reply of ['', 'N', 'nonsense'.repeat(20)]) {
    const server = createServer(socket => {
      socket.on('error', () => {})
      socket.once('data', () => void socket.end(reply))
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    t.after(() => server.close())
    const { port } = server.address() as { port: number }
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'nobody', database: 'none' })
    client.on('error', () => {})
    errors.push(await errorOf(() => client.connect()))
  }
  errors.push(await errorOf(() => new pg.Client({ host: 'no-such-host.invalid' }).connect()))
  errors.push(await errorOf(() => new pg.Client({ host: '/no/such/folder' }).connect()))
  for (const error of errors)
    assert.ok(isConnectionError(error), `${error.message} ${(error as { code?: string }).code}`)
  for (const code of ['EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'ETIMEDOUT', 'ECONNABORTED'])
    assert.ok(isConnectionError(Object.assign(new Error('read'), { code, syscall: 'read' })), code)
  for (const code of ['ENOENT', 'ENOSPC', 'EMFILE', 'ERR_INVALID_ARG_TYPE', 'unavailable'])
    assert.ok(!isConnectionError(Object.assign(new Error('no'), { code })), code)
})
