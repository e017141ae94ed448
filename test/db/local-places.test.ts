// Who has which place of a shared folder: taken once, and known of what was delivered before this was kept.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '#db/database.ts'
import { migrate } from '#db/migrate.ts'
import { ownerOf, takeLocalPlace } from '#db/nouns/local-places.ts'
import { newId } from '#kit/ids.ts'
import { newLog } from '#kit/log.ts'
import { emptyDatabase } from '../support/postgres.ts'

test('of many who want a place one gets it, and it stays with it', async t => {
  const { url } = await emptyDatabase(t)
  await migrate(url)
  const { db, close } = openDatabase(url, newLog('silent', 'test'))
  t.after(close)
  assert.equal(await ownerOf(db, 'hall/latest.jpg'), null)
  const many = Array.from({ length: 20 }, (_, index) => `experience ${index}`)
  await Promise.all(many.map(id => takeLocalPlace(db, 'hall/latest.jpg', id)))
  const owner = await ownerOf(db, 'hall/latest.jpg')
  assert.ok(many.includes(owner ?? ''))
  await takeLocalPlace(db, 'hall/latest.jpg', 'late')
  assert.equal(await ownerOf(db, 'hall/LATEST.jpg'), owner, 'on some disks it is the same file')
  assert.equal(await ownerOf(db, 'hall/other.jpg'), null)
})

test('what was delivered before belongs to the experience that delivered it last', async t => {
  const { url } = await emptyDatabase(t)
  await migrate(url)
  const { db, close } = openDatabase(url, newLog('silent', 'test'))
  t.after(close)
  await sql`drop table local_places`.execute(db)
  await sql`delete from migrations where name = '0006_local_places.sql'`.execute(db)
  const delivered: [experience: string, folder: string, key: string, at: string, status?: string][] = [
    ['a', 'hall', 'latest.jpg', '2026-01-01'],
    ['b', '', 'hall/latest.jpg', '2026-01-02'],
    ['a', './hall//x/', 'Grüße/Photo.JPG', '2026-01-01'],
    ['a', '', 'plain.jpg', '2026-01-01'],
    ['b', '', 'plain.jpg', '2026-01-03', 'Failed'],
  ]
  for (const [experience, folder, file_key, at, status = 'Succeeded'] of delivered) {
    const [task, chain] = [newId(), newId()]
    await sql`insert into tasks (task_id, flow_id, is_group, configuration, experience_id, status, lane, created_at)
      values (${task}, ${task}, false, 'c', ${experience}, ${status}, 'picture', ${at})`.execute(db)
    await sql`insert into chains (chain_id, task_id, index, configuration, snapshot_id, status, extras, input, assets)
      values (${chain}, ${task}, 0, 'c', 's', ${status}, '{}', '{}', '{}')`.execute(db)
    await sql`insert into entries (chain_id, index, configuration, adapter_name, status, ended_at, result)
      values (${chain}, 0, 'c', 'local_file', ${status}, ${at}, ${JSON.stringify({ folder, file_key })})`.execute(db)
  }
  assert.deepEqual(await migrate(url), ['0006_local_places.sql'])
  assert.equal(await ownerOf(db, 'hall/latest.jpg'), 'b')
  assert.equal(await ownerOf(db, 'hall/x/Grüße/photo.jpg'), 'a')
  assert.equal(await ownerOf(db, 'plain.jpg'), 'a')
})
