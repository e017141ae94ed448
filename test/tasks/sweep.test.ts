// The sweeper: what is past its time goes, whatever stands in the way of some of it.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import type { TaskOwner } from '#access/limits.ts'
import { type Db, openDatabase } from '#db/database.ts'
import { ensureExperience } from '#db/nouns/experience-rows.ts'
import { unlessAnother } from '#db/one-at-a-time.ts'
import { countMinutes, minutesSince } from '#db/tasks/minutes.ts'
import { deleteOldRecords } from '#db/tasks/retention.ts'
import { parkedInVain } from '#db/tasks/workers.ts'
import { newId } from '#kit/ids.ts'
import { newLog } from '#kit/log.ts'
import { secretBox } from '#kit/secret/secrets.ts'
import { loadSettings } from '#kit/settings.ts'
import type { Blobs } from '#storage/blobs.ts'
import { cancelTask, retryTask } from '#tasks/steer/steer.ts'
import { sweep } from '../../src/worker/sweep.ts'
import { testDatabase } from '../support/postgres.ts'
import { seedRows } from '../support/seed-rows.ts'
import { startTestServer } from '../support/server.ts'

const DAY_MS = 86_400_000
const log = newLog('silent', 'test')
const settings = loadSettings({}, '/nowhere/.env')

async function newHouse(t: TestContext): Promise<Db> {
  const database = await testDatabase()
  const { db, close } = openDatabase(database.url, log)
  t.after(async () => {
    await close()
    await database.drop()
  })
  return db
}

/** A store in which some blobs can't be deleted. */
function store(broken: readonly string[] = []): { blobs: Blobs; gone: string[] } {
  const gone: string[] = []
  const remove = async (blob: string) => {
    if (broken.includes(blob)) throw new Error('no permission')
    gone.push(blob)
  }
  return { blobs: { delete: remove } as Blobs, gone }
}

/** A finished task of that long ago, with a file; answers its id. */
async function oldTask(db: Db, experience: string, days: number, blob: string): Promise<string> {
  const { task_id } = await seedRows(db, secretBox([randomBytes(32)]), experience)
  const ended_at = new Date(Date.now() - days * DAY_MS)
  const input = JSON.stringify({ file: { blob } })
  await db.updateTable('chains').set({ input }).where('task_id', '=', task_id).execute()
  await db.updateTable('tasks').set({ ended_at }).where('experience_id', '=', experience).execute()
  return task_id
}

const deleted = async (db: Db, taskId: string) =>
  (await db.selectFrom('tasks').select('files_deleted_at').where('task_id', '=', taskId).executeTakeFirstOrThrow())
    .files_deleted_at !== null

test('the files of each experience go after its own days, also when these are changed', async t => {
  const db = await newHouse(t)
  const [short, usual, long] = [
    await oldTask(db, 'short', 3, 'one'),
    await oldTask(db, 'usual', 8, 'two'),
    await oldTask(db, 'long', 80, 'three'),
  ]
  const keep = (experience_id: string, retention_days: number | null) =>
    db.updateTable('experiences').set({ retention_days }).where('experience_id', '=', experience_id).execute()
  await keep('short', 2)
  await keep('long', 365)
  const { blobs, gone } = store()
  await sweep({ db, blobs, settings, log })
  assert.deepEqual(gone.sort(), ['one', 'two'])
  assert.deepEqual(await Promise.all([short, usual, long].map(id => deleted(db, id))), [true, true, false])
  await keep('long', null)
  await sweep({ db, blobs, settings, log })
  assert.deepEqual(gone, ['one', 'two', 'three'])
})

test('the files of a keepsake stay as long as its page, those beside it do not', async t => {
  const db = await newHouse(t)
  const [kept, plain, past, unlimited] = [
    await oldTask(db, 'fair', 30, 'kept'),
    await oldTask(db, 'other', 30, 'plain'),
    await oldTask(db, 'past', 91, 'past'),
    await oldTask(db, 'page', 8, 'no days of its own'),
  ]
  await sql`update tasks set experience_id = 'fair' where task_id = ${plain}`.execute(db)
  for (const id of [kept, past, unlimited])
    await sql`with made as (
        insert into keepsakes (keepsake_id, experience_id, code_hash, code, used_at, created_at)
        select gen_random_uuid(), experience_id, task_id::text::bytea, '', now(), now() from tasks where task_id = ${id} returning keepsake_id)
      update tasks set keepsake_id = made.keepsake_id from made where task_id = ${id}`.execute(db)
  const page = (experience_id: string, expires_days: number | null) =>
    sql`update experiences set guest_page = ${JSON.stringify({ enabled: true, expires_days })}::json where experience_id = ${experience_id}`.execute(
      db,
    )
  await page('fair', 90)
  await page('past', 90)
  await page('page', null)
  const { blobs, gone } = store()
  await sweep({ db, blobs, settings, log })
  assert.deepEqual(gone.sort(), ['no days of its own', 'past', 'plain'])
  await page('fair', 1)
  await db.updateTable('experiences').set({ retention_days: 60 }).where('experience_id', '=', 'fair').execute()
  await sweep({ db, blobs, settings, log })
  assert.ok(!gone.includes('kept'), 'a page of fewer days takes no file before its retention')
  await db.updateTable('experiences').set({ retention_days: 20 }).where('experience_id', '=', 'fair').execute()
  await sweep({ db, blobs, settings, log })
  assert.ok(gone.includes('kept'))
})

test('a blob that cannot be deleted keeps nothing else, and is tried again', async t => {
  const db = await newHouse(t)
  const stuck = await oldTask(db, 'aa', 8, 'stuck')
  const other = await oldTask(db, 'bb', 8, 'other')
  const created_at = new Date(Date.now() - DAY_MS)
  await db
    .insertInto('uploads')
    .values(['stuck upload', 'upload'].map(blob => ({ blob, created_at })))
    .execute()
  for (const blob of ['stuck version', 'version'])
    await sql`insert into asset_versions (version_id, name, blob, mime, medium, ext, bytes, sha256, created_at, sweep_at)
      values (${newId()}, 'a', ${blob}, 'image/png', 'image', '.png', 1, 'a', now(), now() - interval '1 day')`.execute(
      db,
    )
  const broken = ['stuck', 'stuck upload', 'stuck version']
  const first = store(broken)
  const swept = await sweep({ db, blobs: first.blobs, settings, log })
  assert.deepEqual(first.gone.sort(), ['other', 'upload', 'version'])
  assert.deepEqual(swept, { files: 1, records: 0, uploads: 1, versions: 1 })
  // A run would find nothing of it any more, though the store has it still.
  assert.deepEqual([await deleted(db, stuck), await deleted(db, other)], [true, true])
  const second = store()
  await sweep({ db, blobs: second.blobs, settings, log }, { before: new Date(Date.now() + 1000) })
  assert.deepEqual(second.gone.sort(), broken)
})

test('a callback that waits outlives the record of its task, and goes when it has ended', async t => {
  const db = await newHouse(t)
  const task = await oldTask(db, 'park', 100, 'one')
  const set = (status: 'Waiting' | 'GivenUp') => db.updateTable('callbacks').set({ status }).execute()
  const left = async () => (await db.selectFrom('callbacks').select('task_id').execute()).map(row => row.task_id)
  await set('Waiting')
  const { blobs } = store()
  // Its other task has no callback and goes too.
  assert.equal((await sweep({ db, blobs, settings, log })).records, 2)
  assert.deepEqual(await left(), [task])
  await sweep({ db, blobs, settings, log })
  assert.deepEqual(await left(), [task])
  await set('GivenUp')
  await sweep({ db, blobs, settings, log })
  assert.deepEqual(await left(), [])
})

test('a task that is being run again is not deleted', async t => {
  const db = await newHouse(t)
  const task = await oldTask(db, 'park', 100, 'one')
  await db.updateTable('tasks').set({ files_deleted_at: new Date() }).execute()
  await db.transaction().execute(async trx => {
    await trx.updateTable('tasks').set({ status: 'Waiting', ended_at: null }).where('task_id', '=', task).execute()
    assert.equal(await deleteOldRecords(db, 90, 10), 1, 'the other one')
  })
  assert.equal(await deleteOldRecords(db, 90, 10), 0)
  assert.equal((await db.selectFrom('tasks').select('task_id').execute()).length, 1)
})

test('what is counted for plots goes when no plot reaches back to it', async t => {
  const db = await newHouse(t)
  await oldTask(db, 'park', 9, 'one')
  await oldTask(db, 'expo', 0.01, 'two')
  await countMinutes(db)
  const widths = async () => {
    const { rows } = await sql<{ width: number; experience_id: string; failed: number }>`
      select width, experience_id, failed from minutes order by minute > now() - interval '1 day', width, experience_id`.execute(
      db,
    )
    return rows.map(row => `${row.width} ${row.experience_id} ${row.failed}`)
  }
  const of = (id: string) => [1, 15, 120].flatMap(width => [`${width}  2`, `${width} ${id} 2`])
  assert.deepEqual(await widths(), [...of('park'), ...of('expo')])
  const { blobs } = store()
  await sweep({ db, blobs, settings, log })
  assert.deepEqual(await widths(), of('expo'))
  // Counted once, whoever asks.
  const from = new Date(Date.now() - DAY_MS)
  for (const experiences of [null, ['expo']])
    for (const width of [1, 15, 120] as const)
      assert.deepEqual(
        (await minutesSince(db, from, width, experiences)).map(row => [row.failed, Object.values(row.latency)]),
        [[2, [2]]],
      )
  // A minute that is added to what was counted of its hour.
  await db
    .updateTable('tasks')
    .set({ ended_at: new Date(Date.now() - 95_000) })
    .where('experience_id', '=', 'expo')
    .where('is_group', '=', true)
    .execute()
  await sql`update deployment set value = ${Buffer.from(new Date(Date.now() - 5 * 60_000).toISOString())}`.execute(db)
  await countMinutes(db)
  const { rows } = await sql<{
    failed: number
  }>`select sum(failed)::int as failed from minutes where width = 120 and experience_id = ''`.execute(db)
  assert.equal(rows[0]?.failed, 3)
})

test('of two that want to sweep at the same time one does', async t => {
  const db = await newHouse(t)
  const inner = await unlessAnother(db, 7, () => unlessAnother(db, 7, async () => 'twice'))
  assert.equal(inner, null)
  assert.equal(await unlessAnother(db, 7, async () => 'again'), 'again')
})

test('a task whose record has just gone can be neither cancelled nor run again: it is not found', async t => {
  const server = await startTestServer()
  t.after(() => server.stop())
  const owner = { tokenId: null, limited: false, waitingTasks: undefined, anyFile: true } as TaskOwner
  for (const steer of [
    () => cancelTask(server.services, newId()),
    () => retryTask(server.services, newId(), { replacements: new Map() }, owner),
  ])
    await assert.rejects(steer, { code: 'not_found' })
})

test('tasks without a job are begun while their experience has room, each experience by itself', async t => {
  const db = await newHouse(t)
  const worker = newId()
  const ids = new Map<string, string[]>()
  for (const [experience, max, running, waiting] of [
    ['full', 1, 1, 3],
    ['room', 3, 1, 4],
    ['free', null, 0, 2],
    ['done', 2, 0, 0],
  ] as const) {
    await ensureExperience(db, secretBox([randomBytes(32)]), experience)
    await db.updateTable('experiences').set({ max_running: max }).where('experience_id', '=', experience).execute()
    const own = Array.from({ length: running + waiting }, newId)
    ids.set(experience, own.slice(running))
    for (const [index, task_id] of own.entries())
      await sql`insert into tasks (task_id, flow_id, is_group, configuration, experience_id, status, lane, worker_id, created_at)
        values (${task_id}, ${task_id}, false, 'c', ${experience}, ${index < running ? 'Running' : 'Waiting'}, 'picture',
          ${index < running ? worker : null}, now() + ${index} * interval '1 second')`.execute(db)
  }
  const found = (await parkedInVain(db, 100)).map(({ task_id }) => task_id)
  assert.deepEqual(new Set(found), new Set([...(ids.get('free') ?? []), ...(ids.get('room') ?? []).slice(0, 2)]))
  assert.equal((await parkedInVain(db, 3)).length, 3)
})
