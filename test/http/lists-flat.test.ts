// Lists in large tables: whatever is filtered and whoever asks, only a page's worth of rows is read.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { listActivities } from '#db/activities.ts'
import { listCallbacks } from '#db/callbacks-read.ts'
import { listConfigurations } from '#db/configurations.ts'
import type { Db } from '#db/database.ts'
import { listExperiences } from '#db/experiences.ts'
import { listProfiles } from '#db/profiles.ts'
import { findProfiles, type Lookup } from '#db/profiles-lookup.ts'
import type { Tables } from '#db/tables.ts'
import type { Visible } from '#db/visible.ts'
import { cleanUp } from '../support/clean-up.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'

const ROWS = 10_000
/** Beyond the page itself: what a look at a neighbouring experience or at lookup values may cost. */
const READ_AT_MOST = 400

let database: TestDatabase
let pool: pg.Pool
let db: Db
const asked: CompiledQuery[] = []

before(async () => {
  database = await testDatabase()
  pool = new pg.Pool({ connectionString: database.url, max: 2 })
  const log = (event: { query: CompiledQuery }) => void asked.push(event.query)
  db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), log })
  // One row in a thousand is of the rare experience, type, status and adapter.
  const kind = (common: string, rare: string) => `case when n % 1000 = 7 then '${rare}' else '${common}' end`
  const at = `timestamptz '2026-01-01' + n * interval '1 second'`
  const rows = `generate_series(1, ${ROWS}) n`
  await pool.query(`
    insert into experiences (experience_id, webhook_secret, created_at, updated_at) select e, '', ${at}, ${at} from unnest(array['common', 'rare']) with ordinality x (e, n);
    insert into experiences (experience_id, webhook_secret, created_at, updated_at) select 'e' || n, '', ${at}, ${at} from ${rows};
    insert into configurations (configuration_name, experience_id, kind, adapter_name, created_at, updated_at) select 'c' || n, ${kind('common', 'rare')}, ${kind('transformer', 'destination')}, ${kind('photo_flip', 's3_upload')}, ${at}, ${at} from ${rows};
    insert into profiles (profile_id, experience_id, attributes, created_at, updated_at) select gen_random_uuid(), ${kind('common', 'rare')}, '{}', ${at}, ${at} from ${rows};
    insert into profile_lookups (kind, key, value, position, profile_id, experience_id) select 'email', profile_id || '@x.org', profile_id || '@x.org', 0, profile_id, experience_id from profiles;
    insert into activities (activity_id, task_id, chain_id, entry, owner_id, experience_id, activity_type, flow_id, payload, created_at) select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 0, (select profile_id from profiles limit 1), ${kind('common', 'rare')}, ${kind('photo', 'video')}, gen_random_uuid(), '{}', ${at} from ${rows};
    insert into callbacks (callback_id, task_id, run, experience_id, url, receiver, body, status, created_at, updated_at) select gen_random_uuid(), gen_random_uuid(), 1, ${kind('common', 'rare')}, 'u', 'r', '{}', ${kind('Delivered', 'GivenUp')}, ${at}, ${at} from ${rows};`)
  await pool.query('analyze')
})
after(() =>
  cleanUp(
    () => db.destroy(),
    () => database.drop(),
  ),
)

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

const read = (plan: Plan): number =>
  (plan['Relation Name'] ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'] : 0) +
  (plan.Plans ?? []).reduce((sum, inner) => sum + read(inner), 0)

async function rowsRead(work: () => Promise<unknown>): Promise<number> {
  asked.length = 0
  await work()
  const queries = asked.splice(0)
  let sum = 0
  for (const { sql, parameters } of queries) {
    const { rows } = await pool.query(`explain (analyze, format json) ${sql}`, [...parameters])
    sum += read(rows[0]['QUERY PLAN'][0].Plan)
  }
  return sum
}

const callers: Record<string, Visible> = {
  everything: null,
  common: ['common'],
  rare: ['rare'],
  both: ['common', 'rare', 'e5'],
}

async function flat(
  name: string,
  list: (visible: Visible, cursor: string | undefined) => Promise<{ next_cursor: string | null }>,
) {
  for (const [caller, visible] of Object.entries(callers)) {
    const { next_cursor } = await list(visible, undefined)
    for (const cursor of [undefined, ...(next_cursor ? [next_cursor] : [])]) {
      const count = await rowsRead(() => list(visible, cursor))
      assert.ok(count <= READ_AT_MOST, `${name} for ${caller}${cursor ? ' on' : ''} read ${count} rows`)
    }
  }
}

test('configurations, by experience, adapter and kind', async () => {
  for (const filters of [
    {},
    { experience_id: 'rare' },
    { adapter_name: 's3_upload' },
    { kind: 'destination' as const },
    { kind: 'transformer' as const },
  ])
    await flat(JSON.stringify(filters), (visible, cursor) => listConfigurations(db, visible, filters, { cursor }))
})

test('profiles, by experience and value', async () => {
  const { rows } = await pool.query('select value from profile_lookups limit 1')
  for (const filters of [{}, { experience_id: 'rare' }, { email: rows[0].value }, { email: 'nobody@x.org' }])
    await flat(JSON.stringify(filters), (visible, cursor) => listProfiles(db, visible, filters, { cursor }))
})

test('guests, by whatever they are known by', async () => {
  const { rows } = await pool.query(
    "select profile_id, key from profile_lookups where experience_id = 'common' limit 1",
  )
  const lookups: Lookup[] = [
    { kind: 'email', value: rows[0].key },
    { kind: 'profile_id', value: rows[0].profile_id },
    { kind: 'profile_id', value: 'no id at all' },
    { kind: 'rfid', value: 'nobody' },
  ]
  const found = await findProfiles(db, lookups, 'common')
  assert.deepEqual(
    found.map(profile => profile?.profile_id),
    [rows[0].profile_id, rows[0].profile_id, undefined, undefined],
  )
  for (const [experience, most] of [
    ['common', 20],
    ['rare', 5],
  ] as const) {
    const count = await rowsRead(() => findProfiles(db, lookups, experience))
    assert.ok(count <= most, `${count} rows were read for ${experience}`)
  }
})

test('activities, by owner, experience, type and task', async () => {
  const { rows } = await pool.query('select owner_id, task_id from activities limit 1')
  const { owner_id, task_id } = rows[0]
  for (const filters of [
    {},
    { owner_id },
    { task_id },
    { experience_id: 'rare' },
    { activity_type: 'video' },
    { activity_type: 'photo' },
  ])
    await flat(JSON.stringify(filters), (visible, cursor) => listActivities(db, visible, filters, { cursor }))
})

test('callbacks, by task, status and experience', async () => {
  const { rows } = await pool.query('select task_id from callbacks limit 1')
  const statuses = [{ status: 'GivenUp' as const }, { status: 'Delivered' as const }, { status: 'Waiting' as const }]
  for (const filters of [{}, { task_id: rows[0].task_id }, { experience_id: 'rare' }, ...statuses])
    await flat(JSON.stringify(filters), (visible, cursor) => listCallbacks(db, visible, filters, { cursor }))
})

test('experiences', async () => {
  await flat('experiences', (visible, cursor) => listExperiences(db, visible, { cursor }))
})
