// The queue's own tables are made by whoever starts first, however many start at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '#db/database.ts'
import { newLog } from '#kit/log.ts'
import { startQueue } from '#queue/queue.ts'
import { emptyDatabase } from '../support/postgres.ts'

test('any number of processes may start the queue on a fresh database at the same instant', async t => {
  const { url } = await emptyDatabase(t)
  const log = newLog('silent', 'test')
  const pools = [1, 2, 3, 4, 5].map(() => openDatabase(url, log, { max: 4 }))
  t.after(() => Promise.all(pools.map(pool => pool.close())))
  const queues = await Promise.allSettled(pools.map(pool => startQueue(pool, log, false)))
  for (const queue of queues) if (queue.status === 'fulfilled') t.after(() => queue.value.stop())
  assert.deepEqual(
    queues.map(queue => (queue.status === 'rejected' ? String(queue.reason) : 'started')),
    Array(5).fill('started'),
  )
})
