// Migrations: what was released never changes, and newer data is refused instead of being broken.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import pg from 'pg'
import { migrate, refuseNewer } from '#db/migrate.ts'
import { CannotStart } from '#kit/cannot-start.ts'
import { root } from '../support/markdown.ts'
import { emptyDatabase } from '../support/postgres.ts'

/** Whoever releases a version adds its migrations here. */
const released = {
  '0001_init.sql': 'ed1b9ab199d2aba90f652416a9a5f9780cf3fdd94fb1ecf1c4629db9e1269925',
}

test('a migration that was released is as it was', () => {
  for (const [name, sha256] of Object.entries(released)) {
    const text = readFileSync(`${root}migrations/${name}`)
    assert.equal(createHash('sha256').update(text).digest('hex'), sha256, `${name} is frozen; write a new one`)
  }
})

test('every migration has a number of its own', () => {
  const numbers = readdirSync(`${root}migrations`).map(name => /^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1])
  assert.ok(numbers.every(Boolean))
  assert.equal(new Set(numbers).size, numbers.length)
})

test('a database with a migration that this version does not know is refused and left as it is', async t => {
  const { url } = await emptyDatabase(t)
  await refuseNewer(url)
  await migrate(url)
  await refuseNewer(url)
  const client = new pg.Client(url)
  // The database is dropped before the connection is closed.
  client.on('error', () => {})
  t.after(() => client.end())
  await client.connect()
  await client.query(`insert into migrations (name) values ('9998_later.sql'), ('9999_later.sql')`)
  await client.query(`delete from migrations where name = '0001_init.sql'`)
  for (const open of [migrate, refuseNewer])
    await assert.rejects(open(url), (error: Error) => {
      assert.ok(error instanceof CannotStart)
      assert.match(error.message, /^The database was changed by a newer Keepsake \(migration 9998_later\.sql\)/)
      assert.ok(!error.message.includes('\n'))
      return true
    })
  const { rows } = await client.query('select name from migrations where name like $1', ['0001%'])
  assert.deepEqual(rows, [], 'nothing was applied')
})
