// What a retry keeps of an earlier delivery: everything where nothing changed, nothing where the file or the options did.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { openDatabase } from '#db/database.ts'
import { lockTask, reopenTask } from '#db/tasks/steer-rows.ts'
import { type WholeTask, wholeTask } from '#db/tasks/task-rows.ts'
import { newId } from '#kit/ids.ts'
import { newLog } from '#kit/log.ts'
import { secretBox } from '#kit/secret/secrets.ts'
import { testDatabase } from '../support/postgres.ts'
import { seedRows } from '../support/seed-rows.ts'

for (const { what, changed, code, kept } of [
  { what: 'the same again goes on where it was', changed: false, code: 'destination_unreachable', kept: true },
  { what: 'another file begins anew', changed: true, code: 'destination_unreachable', kept: false },
  { what: 'what nobody knows the end of is sent anew', changed: false, code: 'outcome_unknown', kept: false },
])
  test(what, async t => {
    const { url } = await testDatabase(t)
    const database = openDatabase(url, newLog('silent', 'test'), { max: 2 })
    t.after(() => database.close())
    const { db } = database
    const { task_id } = await seedRows(db, secretBox([randomBytes(32)]), 'park')
    await db.updateTable('tasks').set({ status: 'Failed', ended_at: new Date() }).execute()
    const failed = {
      status: 'Failed' as const,
      checkpoint: '{"part":3}',
      place_values: '{"profile.team":"red"}',
      deaths: 2,
      attempts: 6,
      cut_off: 2,
    }
    await db
      .updateTable('entries')
      .set({ ...failed, error: JSON.stringify({ code, message: '' }) })
      .execute()
    await db.transaction().execute(async trx => {
      const task = (await lockTask(trx, task_id)) as WholeTask
      const reopening = { lane: 'transfer' as const, jobId: newId(), tokenId: null, limited: false, warnings: [] }
      const chains = task.chains.map(chain => ({ ...chain, lookups: [], again: [0], changed }))
      await reopenTask(trx, task, reopening, chains)
    })
    const task = (await wholeTask(db, task_id)) as WholeTask
    const [entry] = task.chains[0]?.entries ?? []
    assert.deepEqual(entry?.checkpoint, kept ? { part: 3 } : null)
    assert.deepEqual(entry?.place_values, kept ? { 'profile.team': 'red' } : null)
    assert.deepEqual([entry?.generation, entry?.deaths], [changed ? 1 : 0, 0])
    assert.deepEqual([entry?.attempts, entry?.cut_off], [0, 0])
    assert.deepEqual([task.status, task.lane, task.claim, task.run], ['Waiting', 'transfer', null, 2])
  })
