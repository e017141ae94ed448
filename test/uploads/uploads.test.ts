// Files that nobody owns go: without a lock over the store, and so that nobody owns one that is going.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { type Db, openDatabase } from '#db/database.ts'
import type { ErasureRow } from '#db/erasures/erasure-rows.ts'
import { type WholeTask, wholeTask } from '#db/tasks/task-rows.ts'
import { forgetUploads } from '#db/tasks/upload-rows.ts'
import { eraseTask } from '#erasures/erase-task.ts'
import { isProblem } from '#kit/errors.ts'
import { newId } from '#kit/ids.ts'
import { newLog } from '#kit/log.ts'
import { secretBox } from '#kit/secret/secrets.ts'
import { loadSettings } from '#kit/settings.ts'
import type { Blobs } from '#storage/blobs.ts'
import { retractTask } from '#tasks/end/retract.ts'
import { deleteUpload } from '#uploads/resumable-uploads.ts'
import { newUploads } from '#uploads/uploads.ts'
import { sweep } from '../../src/worker/sweep.ts'
import { testDatabase } from '../support/postgres.ts'
import { seedRows } from '../support/seed-rows.ts'
import { startTestServer } from '../support/server.ts'

const DAY_MS = 86_400_000
const log = newLog('silent', 'test')
const settings = loadSettings({}, '/nowhere/.env')

/** A finished task of that long ago, with a file; answers its id. */
async function oldTask(db: Db, experience: string, days: number, blob: string): Promise<string> {
  const { task_id } = await seedRows(db, secretBox([randomBytes(32)]), experience)
  const ended_at = new Date(Date.now() - days * DAY_MS)
  const input = JSON.stringify({ file: { blob } })
  await db.updateTable('chains').set({ input }).where('task_id', '=', task_id).execute()
  await db.updateTable('tasks').set({ ended_at }).where('experience_id', '=', experience).execute()
  return task_id
}

test('no file is deleted inside of a transaction, whoever deletes it', async t => {
  const gone: string[] = []
  let db: Db
  const remove = async (blob: string) => {
    const { rows } = await sql`
      select query from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`.execute(
      db,
    )
    assert.deepEqual(rows, [], blob)
    gone.push(blob)
  }
  const blobs = { delete: remove, growing: { discard: remove } } as unknown as Blobs
  const server = await startTestServer({ blobs })
  t.after(() => server.stop())
  db = server.db
  const services = server.services
  const [retracted, erased] = [
    await oldTask(db, 'aa', 0, 'taken back'),
    await oldTask(db, 'bb', 0, 'erased'),
    await oldTask(db, 'cc', 8, 'past its time'),
  ]
  const created_at = new Date(Date.now() - DAY_MS)
  await db.insertInto('uploads').values({ blob: 'left', created_at }).execute()
  await sql`insert into asset_versions (version_id, name, blob, mime, medium, ext, bytes, sha256, created_at, sweep_at)
    values (${newId()}, 'a', 'replaced', 'image/png', 'image', '.png', 1, 'a', now(), now() - interval '1 day')`.execute(
    db,
  )
  const [open, stopped] = [newId(), newId()]
  for (const [id, expires_at] of [
    [open, created_at],
    [stopped, new Date(Date.now() + DAY_MS)],
  ] as const)
    await sql`insert into resumable_uploads (upload_id, token_id, metadata, created_at, expires_at)
      values (${id}, 'token', '{}', now(), ${expires_at})`.execute(db)

  await retractTask(services, (await wholeTask(db, retracted)) as WholeTask)
  const erasure = {
    erasure_id: (await db.selectFrom('erasures').select('erasure_id').executeTakeFirstOrThrow()).erasure_id,
  }
  const patience = { until: 0, signal: new AbortController().signal }
  assert.ok(await eraseTask(services, erasure as ErasureRow, erased, patience))
  await deleteUpload(services, stopped)
  await db.insertInto('uploads').values({ blob: 'refused', created_at: new Date() }).execute()
  await newUploads(db, blobs).drop(['refused', 'somebody’s'])
  await sweep({ db, blobs, settings, log })
  assert.deepEqual(gone, ['taken back', 'erased', stopped, 'refused', 'past its time', 'left', open, 'replaced'])
  assert.deepEqual(await db.selectFrom('uploads').selectAll().execute(), [])
})

test('what is being deleted gets no owner any more', async t => {
  const { db, close } = openDatabase((await testDatabase(t)).url, log)
  t.after(() => close())
  const blobs = {
    delete: (blob: string) => assert.rejects(forgetUploads(db, [blob]), error => isProblem(error, 'unavailable')),
  } as unknown as Blobs
  const created_at = new Date(Date.now() - DAY_MS)
  await db.insertInto('uploads').values({ blob: 'slow', created_at }).execute()
  assert.equal((await sweep({ db, blobs, settings, log })).uploads, 1)
})
