// The data of an earlier release, brought up to date: everything is still there and means the same.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { knownMigrations, migrate } from '#db/migrate.ts'
import { newId } from '#kit/ids.ts'
import { emptyDatabase } from '../support/postgres.ts'

const first = new URL('../../migrations/0001_init.sql', import.meta.url)

async function empty(t: TestContext): Promise<{ url: string; client: pg.Client }> {
  const { url, drop } = await emptyDatabase()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.after(async () => {
    await client.end()
    await drop()
  })
  return { url, client }
}

test('guests of the first release keep their values, each in its experience', async t => {
  const { url, client } = await empty(t)
  await client.query(await readFile(first, 'utf8'))
  await client.query('create table migrations (name text primary key, applied_at timestamptz not null default now())')
  await client.query("insert into migrations (name) values ('0001_init.sql')")
  const [own, none, task] = [newId(), newId(), newId()]
  await client.query(`
    insert into experiences (experience_id, webhook_secret, created_at, updated_at) values ('park', '', now(), now()), ('expo', '', now(), now());
    insert into profiles (profile_id, experience_id, attributes, created_at, updated_at)
      values ('${own}', 'park', '{"name": "Ada"}', now(), now()), ('${none}', null, '{}', now(), now());
    insert into profile_lookups (kind, key, value, position, profile_id)
      values ('email', 'ada@x.org', 'Ada@x.org', 0, '${own}'), ('rfid', 'A', 'A', 1, '${own}'), ('rfid', 'B', 'B', 0, '${none}');
    insert into tasks (task_id, flow_id, is_group, configuration, experience_id, status, lane, created_at)
      values ('${task}', '${newId()}', false, 'c', 'park', 'Waiting', 'picture', now());`)
  assert.ok((await migrate(url)).includes('0002_walls.sql'))
  assert.deepEqual(await migrate(url), [])
  const { rows } = await client.query(
    'select profile_id, experience_id, value, position from profile_lookups order by value',
  )
  assert.deepEqual(rows, [
    { profile_id: own, experience_id: 'park', value: 'A', position: 1 },
    { profile_id: own, experience_id: 'park', value: 'Ada@x.org', position: 0 },
    { profile_id: none, experience_id: null, value: 'B', position: 0 },
  ])
  assert.deepEqual((await client.query('select limited from tasks')).rows, [{ limited: false }])
  assert.deepEqual((await client.query('select count(*)::int from profiles where erased_at is null')).rows, [
    { count: 2 },
  ])
  // The same value again: in another experience, among those of none, and not twice in one.
  const again = (experience: string | null, key: string) => {
    const id = newId()
    return client.query(
      `with p as (insert into profiles (profile_id, experience_id, attributes, created_at, updated_at) values ($1, $2, '{}', now(), now()))
       insert into profile_lookups (kind, key, value, position, profile_id, experience_id) values ('rfid', $3, $3, 0, $1, $2)`,
      [id, experience, key],
    )
  }
  await again('expo', 'A')
  await again(null, 'A')
  await assert.rejects(again('park', 'A'), /profile_lookups_value/)
  await assert.rejects(again(null, 'B'), /profile_lookups_value/)
})

test('whom tasks named that ended in an earlier release is found, or waited for, and nobody else', async t => {
  const { url, client } = await empty(t)
  const last = '0027_guests_of_ended_tasks.sql'
  const earlier = (await knownMigrations()).filter(name => name < last)
  await migrate(url, earlier)
  const [ada, bob] = [newId(), newId()]
  await client.query(`
    insert into experiences (experience_id, webhook_secret, created_at, updated_at) values ('park', '', now(), now()), ('expo', '', now(), now());
    insert into profiles (profile_id, experience_id, attributes, created_at, updated_at)
      values ('${ada}', 'park', '{}', now(), now()), ('${bob}', null, '{}', now(), now());
    insert into profile_lookups (kind, key, value, position, profile_id, experience_id)
      values ('email', 'ada@x.org', 'Ada@x.org', 0, '${ada}', 'park'), ('rfid', '7', '7', 0, '${bob}', null);`)
  async function task(extras: object, experience = 'park', guest: string | null = null): Promise<string> {
    const [id, chain] = [newId(), newId()]
    await client.query(
      `insert into tasks (task_id, flow_id, is_group, configuration, experience_id, status, lane, created_at, ended_at)
       values ($1, $1, false, 'c', $2, 'Succeeded', 'picture', now(), now())`,
      [id, experience],
    )
    await client.query(
      `insert into chains (chain_id, task_id, index, configuration, snapshot_id, status, extras, input, assets)
       values ($1, $2, 0, 'c', 's', 'Succeeded', $3, '{}', '{}')`,
      [chain, id, JSON.stringify(extras)],
    )
    if (guest) await client.query('insert into task_guests (profile_id, task_id) values ($1, $2)', [guest, id])
    return id
  }
  const hers = await task({ email: ' ADA@x.org ', text: 'hello' })
  const both = await task({ email: 'ada@x.org', rfid: [7, 8, null] })
  const elsewhere = await task({ email: 'ada@x.org' }, 'expo')
  const moved = await task({ rfid: '7' }, 'park', ada)
  await task({ rfid: '  ', context: { rfid: '9' } })
  assert.deepEqual(await migrate(url, [...earlier, last]), [last])
  const rows = async (text: string): Promise<string[]> => (await client.query(text)).rows.map(row => row.told).sort()
  assert.deepEqual(
    await rows(`select profile_id || ' ' || task_id as told from task_guests`),
    [`${ada} ${hers}`, `${ada} ${both}`, `${bob} ${both}`, `${ada} ${moved}`].sort(),
  )
  assert.deepEqual(
    await rows(`select task_id || ' ' || kind || ' ' || key as told from waiting_guests`),
    [`${both} rfid 8`, `${elsewhere} email ada@x.org`].sort(),
  )
})
