// A take goes from jobs to work, and everybody else from work to jobs. So it waits for nobody: what somebody holds stays in the queue.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { takeCallbacks } from '#callbacks/attempt.ts'
import { openDatabase, type Trx } from '#db/database.ts'
import { newId } from '#kit/ids.ts'
import { newLog } from '#kit/log.ts'
import { secretBox } from '#kit/secret/secrets.ts'
import { startQueue } from '#queue/queue.ts'
import type { RunServices } from '#tasks/entry/loaded.ts'
import { takeTasks } from '#tasks/run/run-task.ts'
import { cleanUp } from '../support/clean-up.ts'
import { testDatabase } from '../support/postgres.ts'
import { seedRows } from '../support/seed-rows.ts'
import { until } from '../support/until.ts'

/** A task and a callback that wait, each with its job. */
async function waiting(t: TestContext, maxRunning: number | null) {
  const log = newLog('silent', 'test')
  const { url } = await testDatabase(t)
  const database = openDatabase(url, log, { max: 4 })
  const { db } = database
  const queue = await startQueue(database, log, false)
  t.after(() => cleanUp(queue.stop, database.close))
  const { task_id, callback_id } = await seedRows(db, secretBox([randomBytes(32)]), 'park')
  await db.updateTable('experiences').set({ max_running: maxRunning }).execute()
  const services = { db, queue, workerId: newId() } as unknown as RunServices
  const tickets = {
    picture: await queue.takeTicket('picture', 'park'),
    callback: await queue.takeTicket('callback', 'https://receiver.example'),
  }
  await db.transaction().execute(async trx => {
    const idle = { status: 'Waiting' as const, worker_id: null }
    const own = { ...idle, job_id: tickets.picture.id, claim: null, ended_at: null, started_at: null }
    await trx.updateTable('tasks').set(own).where('task_id', '=', task_id).execute()
    const told = { ...idle, job_id: tickets.callback.id }
    await trx.updateTable('callbacks').set(told).where('callback_id', '=', callback_id).execute()
    await queue.send(trx, tickets.picture, { task_id })
    await queue.send(trx, tickets.callback, { callback_id })
  })
  const take = {
    picture: () => takeTasks(services, 'picture', 8, []),
    callback: () => takeCallbacks(services, 8, []),
  }
  const lock = {
    picture: (trx: Trx) => trx.selectFrom('tasks').select('task_id').forUpdate().execute(),
    callback: (trx: Trx) => trx.selectFrom('callbacks').select('callback_id').forUpdate().execute(),
  }
  return { db, queue, tickets, take, lock }
}

for (const lane of ['picture', 'callback'] as const)
  for (const maxRunning of lane === 'picture' ? [null, 1] : [null])
    test(`${lane}: what another holds is not waited for, and keeps its turn (${maxRunning})`, async t => {
      const { db, queue, tickets, take, lock } = await waiting(t, maxRunning)
      await db.transaction().execute(async trx => {
        await lock[lane](trx)
        assert.deepEqual(await take[lane](), { jobs: 1, taken: [] })
        assert.deepEqual(await take[lane](), { jobs: 0, taken: [] }, 'the next look goes past it')
      })
      const { taken } = await until('it is due again', async () => {
        const found = await take[lane]()
        return found.jobs === 1 && found
      })
      const { id, share, turn } = tickets[lane]
      assert.deepEqual(
        taken.map(({ job }) => [job.id, job.share, job.turn]),
        [[id, share, turn]],
      )
      await db.transaction().execute(async trx => {
        await lock[lane](trx)
        await queue.discard(lane, id, trx)
      })
      assert.deepEqual(await take[lane](), { jobs: 0, taken: [] }, 'one job, once')
    })

test('who holds a task and throws its job away meets nobody who takes jobs', async t => {
  const { db, queue, tickets, take, lock } = await waiting(t, null)
  await db.transaction().execute(async trx => {
    await lock.picture(trx)
    const [taken] = await Promise.all([take.picture(), queue.discard('picture', tickets.picture.id, trx)])
    assert.equal(taken.taken.length, 0)
    await trx.updateTable('tasks').set({ job_id: null }).execute()
  })
  const { taken } = await take.picture()
  assert.deepEqual(taken, [], 'a job that is nobody’s is dropped')
})
