// Pages of lists: every row once, however close in time they were made.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '#db/database.ts'
import { newestFirst } from '#db/page.ts'
import { newLog } from '#kit/log.ts'
import { testDatabase } from '../support/postgres.ts'

test('rows of the same millisecond are on one page or the next, and none is left out', async t => {
  const { url } = await testDatabase(t)
  const database = openDatabase(url, newLog('silent', 'test'), { max: 2 })
  t.after(() => database.close())
  const { db } = database
  const names = Array.from({ length: 12 }, (_each, index) => `event-${index % 2}-${index}`)
  for (const [index, name] of names.entries())
    await sql`insert into experiences (experience_id, webhook_secret, created_at, updated_at)
      values (${name}, '', timestamptz '2026-07-01 10:00:00.415Z' + ${Math.floor(index / 2)} * interval '83 microseconds', now())`.execute(
      db,
    )
  for (const visible of [null, names]) {
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await newestFirst(db, 'experiences', { page: { limit: 1, cursor }, visible })
      seen.push(...page.items.map(({ experience_id }) => experience_id))
      assert.ok(page.items.every(row => !('position' in row)))
      cursor = page.next_cursor ?? undefined
    } while (cursor !== undefined)
    assert.deepEqual(seen.toSorted(), names.toSorted())
  }
})

test('a cursor with milliseconds, as earlier versions gave them, is still read', async t => {
  const { url } = await testDatabase(t)
  const database = openDatabase(url, newLog('silent', 'test'), { max: 2 })
  t.after(() => database.close())
  const { db } = database
  for (const [name, at] of [
    ['old', '2026-07-01 10:00:00Z'],
    ['new', '2026-07-01 10:00:01Z'],
  ])
    await sql`insert into experiences (experience_id, webhook_secret, created_at, updated_at) values (${name}, '', ${at}::timestamptz, now())`.execute(
      db,
    )
  const earlier = ['experiences', Date.parse('2026-07-01T10:00:01Z'), 'new']
  const cursor = Buffer.from(JSON.stringify(earlier)).toString('base64url')
  const { items } = await newestFirst(db, 'experiences', { page: { cursor } })
  assert.deepEqual(
    items.map(({ experience_id }) => experience_id),
    ['old'],
  )
})
