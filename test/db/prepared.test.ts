// Prepared statements: they outlive a change of the schema.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { isConnectionError } from '#db/away.ts'
import { openDatabase } from '#db/database.ts'
import { retryWhileAway } from '#db/retry-while-away.ts'
import { newLog } from '#kit/log.ts'
import { emptyDatabase } from '../support/postgres.ts'

test('a statement whose columns a migration changes fails once, as if the connection had broken, and then works', async t => {
  const { url } = await emptyDatabase(t)
  const database = openDatabase(url, newLog('silent', 'test'), { max: 1 })
  t.after(database.close)
  const { db } = database
  await sql`create table things (id int, name text)`.execute(db)
  const read = () => sql<object>`select * from things where id = ${1}`.execute(db).then(({ rows }) => rows)
  await sql`insert into things values (1, 'one')`.execute(db)
  assert.deepEqual(await read(), [{ id: 1, name: 'one' }])
  await sql`alter table things add column size int`.execute(db)
  await assert.rejects(read(), isConnectionError)
  assert.deepEqual(await retryWhileAway(read), [{ id: 1, name: 'one', size: null }])
})

test('what is asked inside a transaction is undone with it, though its begin was not waited for', async t => {
  const { url } = await emptyDatabase(t)
  const database = openDatabase(url, newLog('silent', 'test'), { max: 2 })
  t.after(database.close)
  const { db } = database
  await sql`create table things (id int)`.execute(db)
  const broken = db.transaction().execute(async trx => {
    await sql`insert into things values (${1})`.execute(trx)
    await Promise.all([2, 3].map(id => sql`insert into things values (${id})`.execute(trx)))
    throw new Error('undone')
  })
  await assert.rejects(broken, /undone/)
  assert.deepEqual((await sql`select * from things`.execute(db)).rows, [])
})
