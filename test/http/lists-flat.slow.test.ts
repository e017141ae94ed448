// Lists in large tables: whatever is filtered and whoever asks, only a page's worth of rows is read.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Db } from '#db/database.ts'
import { listActivities } from '#db/nouns/activity-rows.ts'
import { listCallbacks } from '#db/nouns/callbacks-read.ts'
import { listConfigurations } from '#db/nouns/configuration-rows.ts'
import { listExperiences } from '#db/nouns/experience-rows.ts'
import { listProfiles } from '#db/nouns/profile-rows.ts'
import { findProfiles, type Lookup } from '#db/nouns/profiles-lookup.ts'
import type { Tables, TaskStatus } from '#db/tables.ts'
import { listTasks } from '#db/tasks/task-lists.ts'
import type { Visible } from '#db/visible.ts'
import { someCallbackBody } from '../support/callbacks.ts'
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
    insert into callbacks (callback_id, task_id, run, experience_id, url, receiver, body, status, created_at, updated_at) select gen_random_uuid(), gen_random_uuid(), 1, ${kind('common', 'rare')}, 'u', 'r', '${someCallbackBody}', ${kind('Delivered', 'GivenUp')}, ${at}, ${at} from ${rows};`)
  // Groups lie in time between tasks and tasks, so that neither is found beside the other.
  const task = (isGroup: boolean, configuration: string, created: string) =>
    `insert into tasks (task_id, flow_id, is_group, configuration, experience_id, status, lane, created_at) select gen_random_uuid(), gen_random_uuid(), ${isGroup}, ${configuration}, ${kind('common', 'rare')}, ${kind('Succeeded', 'Failed')}, 'picture', ${created} from ${rows};`
  await pool.query(`
    ${task(true, `''`, at)}
    ${task(false, kind('often', 'seldom'), `${at} + interval '1 day'`)}
    ${task(false, kind('often', 'seldom'), `${at} - interval '1 day'`)}
    insert into chains (chain_id, task_id, index, configuration, snapshot_id, status, extras, input, assets, group_created_at, group_experience_id)
      select gen_random_uuid(), task_id, i, case when i = 1 then 'always' when experience_id = 'rare' then 'seldom' else 'often' end, 's', status, '{}', '{}', '{}', case when is_group then created_at end, case when is_group then experience_id end
      from tasks, generate_series(0, 1) i where is_group or i = 0;
    insert into entries (chain_id, index, configuration, adapter_name, status) select chain_id, 0, configuration, 'photo_flip', 'Succeeded' from chains;
    insert into task_guests (task_id, profile_id) select task_id, (select profile_id from profiles limit 1) from tasks where experience_id = 'rare';`)
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

for (const isGroup of [false, true])
  test(`${isGroup ? 'task groups' : 'tasks'}, by status, configuration, experience, guest and time`, async () => {
    const { rows } = await pool.query('select profile_id from task_guests limit 1')
    const statuses = ['Succeeded', 'Failed', 'Running'].map(status => ({ status: status as TaskStatus }))
    const configurations = ['often', 'seldom', 'always', 'never'].map(configuration => ({ configuration }))
    const from = { created_after: '2026-01-01T01:00:00Z' }
    const until = { created_before: '2026-01-01T02:00:00Z' }
    for (const filters of [
      {},
      { experience_id: 'rare' },
      { profile_id: rows[0].profile_id },
      from,
      until,
      ...statuses,
      ...configurations,
      { ...until, configuration: 'always' },
    ]) {
      const seen = new Set<string>()
      await flat(JSON.stringify(filters), (visible, cursor) =>
        listTasks(db, visible, isGroup, filters, { cursor, limit: 20 }).then(page => {
          for (const { task_id } of page.items) seen.add(task_id)
          return page
        }),
      )
      const { configuration } = filters as { configuration?: string }
      const isThere = isGroup ? configuration !== 'never' : !['always', 'never'].includes(configuration ?? '')
      const isOpen = 'status' in filters && filters.status === 'Running'
      assert.equal(seen.size > 0, isThere && !isOpen, `${JSON.stringify(filters)} found ${seen.size}`)
    }
  })

test('experiences', async () => {
  await flat('experiences', (visible, cursor) => listExperiences(db, visible, {}, { cursor }))
})
