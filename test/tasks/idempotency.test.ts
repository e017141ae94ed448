// The key of a request that failed because the database went away.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '#db/database.ts'
import { isProblem } from '#kit/errors.ts'
import { newLog } from '#kit/log.ts'
import { takeIdempotencyKey } from '#tasks/accept/idempotency.ts'
import { testDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'

test('a key is free again soon after the database is back, and the answer did not wait for it', async t => {
  const { url } = await testDatabase(t)
  const database = openDatabase(url, newLog('silent', 'test'), { max: 2 })
  t.after(() => database.close())
  const { db } = database
  let isAway = false
  const flaky = new Proxy(db, {
    get(target, name) {
      if (isAway && name === 'deleteFrom') throw Object.assign(new Error('away'), { code: 'ECONNRESET' })
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const first = await takeIdempotencyKey(flaky, 'token', 'task', 'key')
  isAway = true
  await first.release()
  await assert.rejects(takeIdempotencyKey(db, 'token', 'task', 'key'), error =>
    isProblem(error, 'idempotency_in_progress'),
  )
  isAway = false
  await until('the key is free', async () => {
    try {
      const next = await takeIdempotencyKey(db, 'token', 'task', 'key')
      await next.release()
      return !next.isReplay
    } catch {
      return false
    }
  })
})
