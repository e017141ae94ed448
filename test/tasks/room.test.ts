// The look at how many tasks wait, which is kept for a second.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '#db/database.ts'
import { newLog } from '#kit/log.ts'
import type { TaskServices } from '#tasks/task-services.ts'
import { refuseWhenFull } from '../../src/tasks/accept/capacity.ts'
import { testDatabase } from '../support/postgres.ts'

test('a count that failed is not kept: the next request counts again', async t => {
  const { url, drop } = await testDatabase()
  const database = openDatabase(url, newLog('silent', 'test'))
  t.after(async () => {
    await database.close()
    await drop()
  })
  const services = { db: database.db, settings: { maxWaiting: 1 } } as TaskServices
  await sql`alter table tasks rename to away`.execute(database.db)
  await assert.rejects(refuseWhenFull(services), /"tasks" does not exist/)
  await sql`alter table away rename to tasks`.execute(database.db)
  await refuseWhenFull(services)
})
