// Spellings of one look-up value: the same to the code and to the database, and kept apart where two guests had them before.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { claimActivities } from '#activities/claim.ts'
import { type Database, openDatabase } from '#db/database.ts'
import { keepsakesOf } from '#db/erasures/erased-tasks.ts'
import { knownMigrations, migrate } from '#db/migrate.ts'
import { findProfile, listProfiles } from '#db/nouns/profile-rows.ts'
import { findProfiles, type Lookup, lookupName } from '#db/nouns/profiles-lookup.ts'
import { sharedLookups } from '#db/now/twin-rows.ts'
import { newId } from '#kit/ids.ts'
import { newLog } from '#kit/log.ts'
import { knownBy } from '#profiles/profiles.ts'
import { checkRows } from '../../src/commands/doctor-rows.ts'
import { emptyDatabase } from '../support/postgres.ts'

const twins = async (url: string): Promise<string[]> =>
  (await checkRows(url)).filter(([, what]) => what === 'twins').map(([, , said]) => said)

const profiles: [name: string, experience: string | null, ...rfid: string[]][] = [
  ['colons', 'park', '04:a2:b9'],
  ['plain', 'park', '04A2B9', 'wristband-9'],
  ['pier', 'pier', '04 a2 B9'],
  ['alone', 'park', '11-22-33'],
  ['both', 'park', 'aa:bb', 'AABB'],
]
const ids = new Map(profiles.map(([name]) => [name, newId()]))
const nameOf = (id: string | undefined): string | null => [...ids].find(([, each]) => each === id)?.[0] ?? null
const task = newId()
const keepsake = newId()
let db: Database['db']
let close: () => Promise<void>
let dropDatabase: () => Promise<unknown>

before(async () => {
  const { url, drop } = await emptyDatabase()
  dropDatabase = drop
  await migrate(
    url,
    (await knownMigrations()).filter(name => name < '0034_same_tags.sql'),
  )
  assert.deepEqual(await twins(url), [])
  const database = openDatabase(url, newLog('silent', 'test'))
  db = database.db
  close = () => database.close()
  for (const id of ['park', 'pier'])
    await sql`insert into experiences (experience_id, webhook_secret, created_at, updated_at) values (${id}, '', now(), now())`.execute(
      db,
    )
  for (const [name, experience, ...values] of profiles) {
    const id = ids.get(name)
    await sql`insert into profiles (profile_id, experience_id, attributes, created_at, updated_at) values (${id}, ${experience}, '{}', now(), now())`.execute(
      db,
    )
    for (const [at, value] of values.entries())
      await sql`insert into profile_lookups (kind, key, value, position, profile_id, experience_id) values ('rfid', ${value}, ${value}, ${at}, ${id}, ${experience})`.execute(
        db,
      )
  }
  await sql`insert into tasks (task_id, flow_id, is_group, configuration, experience_id, status, lane, created_at, ended_at)
    values (${task}, ${task}, false, 'c', 'park', 'Succeeded', 'picture', now(), now())`.execute(db)
  for (const key of ['04-A2-B9', '5566', 'wristband-9'])
    await sql`insert into waiting_guests (task_id, chain_id, kind, key) values (${task}, ${newId()}, 'rfid', ${key})`.execute(
      db,
    )
  await sql`insert into keepsakes (keepsake_id, experience_id, code_hash, code, created_at, used_at) values (${keepsake}, 'park', '\\x00', '\\x00', now(), now())`.execute(
    db,
  )
  await sql`insert into keepsake_lookups (keepsake_id, position, kind, key, value) values (${keepsake}, 0, 'rfid', '04A2B9', '04A2B9'), (${keepsake}, 1, 'rfid', '112233', '112233')`.execute(
    db,
  )
  assert.ok((await migrate(url)).includes('0034_same_tags.sql'))
})
after(async () => {
  await close?.()
  await dropDatabase?.()
})

const found = async (value: string, experience = 'park'): Promise<string | null> =>
  nameOf((await findProfiles(db, [{ kind: 'rfid', value }], experience))[0]?.profile_id)

test('code and database have the same spellings for one value', async () => {
  const values = [
    '04:a2:b9',
    '04A2B9',
    '04-A2-b9',
    '04 a2 b9',
    '04A2 b9',
    '0x04a2b9',
    '04A2B',
    '04::a2',
    ' 04a2',
    '04a2\n',
    '04a2:',
    'Zz',
    '',
  ]
  const lookups: Lookup[] = (['rfid', 'qr_code'] as const).flatMap(kind => values.map(value => ({ kind, value })))
  const { rows } = await sql<{ name: string }>`
    select v.kind || ' ' || lookup_same(v.kind, v.key) as name
    from json_to_recordset(${JSON.stringify(lookups.map(({ kind, value }) => ({ kind, key: value })))}::json) as v (kind text, key text)`.execute(
    db,
  )
  assert.deepEqual(
    rows.map(({ name }) => name),
    lookups.map(lookupName),
  )
  assert.equal(new Set(lookups.slice(0, 6).map(lookupName)).size, 1)
  assert.equal(new Set(lookups.slice(6).map(lookupName)).size, lookups.length - 6)
})

test('a guest is found by every spelling; two who shared one keep their own, and are named', async () => {
  assert.deepEqual([await found('112233'), await found('11 22 33'), await found('11-22-3')], ['alone', 'alone', null])
  assert.deepEqual([await found('04a2b9', 'pier'), await found('AA-BB')], ['pier', 'both'])
  assert.deepEqual([await found('04:a2:b9'), await found('04A2B9'), await found('04-a2-b9')], ['colons', 'plain', null])
  const listed = async (rfid: string) =>
    (await listProfiles(db, null, { rfid }, { limit: 9, cursor: undefined })).items
      .map(row => nameOf(row.profile_id))
      .sort()
  assert.deepEqual(await listed('04A2B9'), ['pier', 'plain'])
  assert.deepEqual(await listed('04-a2-b9'), ['pier'])
  const shared = [
    {
      experience_id: 'park',
      kind: 'rfid',
      profiles: ['colons', 'plain']
        .map(name => ({ profile_id: ids.get(name) as string, value: name === 'plain' ? '04A2B9' : '04:a2:b9' }))
        .sort((one, other) => (one.profile_id < other.profile_id ? -1 : 1)),
    },
  ]
  assert.deepEqual(await sharedLookups(db, null), shared)
  assert.deepEqual(await sharedLookups(db, ['park']), shared)
  assert.deepEqual(await sharedLookups(db, ['pier']), [])
})

test('what belongs to a guest who shares a value is what was sent in that very spelling', async () => {
  const own = async (name: string) => {
    const row = await findProfile(db, null, ids.get(name) as string)
    assert.ok(row)
    return knownBy(db, row)
  }
  const keepsakes = async (name: string) => (await keepsakesOf(db, null, 'park', await own(name))).length
  assert.deepEqual([await keepsakes('colons'), await keepsakes('plain'), await keepsakes('alone')], [0, 1, 1])
  const waiting = async () =>
    (await sql<{ key: string }>`select key from waiting_guests order by key`.execute(db)).rows.map(({ key }) => key)
  const claim = (name: string, value: string) =>
    db.transaction().execute(trx => claimActivities(trx, ids.get(name) as string, [{ kind: 'rfid', value }]))
  await claim('colons', '04:a2:b9')
  assert.deepEqual(await waiting(), ['04-A2-B9', '5566', 'wristband-9'])
  await claim('alone', '55:66')
  assert.deepEqual(await waiting(), ['04-A2-B9', 'wristband-9'])
  await sql`delete from profiles where profile_id = ${ids.get('plain')}`.execute(db)
  assert.deepEqual([await found('04-a2-b9'), await sharedLookups(db, null)], ['colons', []])
  await claim('colons', '04:a2:b9')
  assert.deepEqual(await waiting(), ['wristband-9'])
})
