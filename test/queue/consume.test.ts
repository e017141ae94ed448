// The look into a lane: how it goes on, whatever becomes of the jobs it finds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newLog } from '#kit/log.ts'
import { consume } from '#queue/consume.ts'
import { soon, until } from '../support/until.ts'

test('jobs that are nobody’s work now do not end the look', async t => {
  const done = Promise.withResolvers<void>()
  let looks = 0
  // No second ever passes, so that no look is one by the clock.
  t.mock.timers.enable({ apis: ['setInterval'] })
  const consumer = consume({
    lane: 'picture',
    rules: { slots: 4, perShare: 4 },
    log: newLog('silent', 'test'),
    serve: () => {},
    async take(count) {
      // Three times all that were found belong to an experience that runs as many as it may.
      if (++looks <= 3) return { jobs: count, taken: [] }
      if (looks > 4) return { jobs: 0, taken: [] }
      return { jobs: 1, taken: [{ share: 'park', turn: 1, work: async () => done.resolve() }] }
    },
  })
  t.after(() => consumer.stop())
  await soon('the job behind them is done', done.promise)
})

test('an outage of the database is told once, and the next one again', async t => {
  const away = Object.assign(new Error('no'), { code: '57P01' })
  const outcomes = [away, away, away, null, away, away, new TypeError('ours'), new TypeError('ours')]
  const lines: string[] = []
  t.mock.timers.enable({ apis: ['setInterval'] })
  let looks = 0
  const consumer = consume({
    lane: 'picture',
    rules: { slots: 4, perShare: 4 },
    log: newLog('warn', 'test', { write: line => void lines.push(line) }),
    serve: () => {},
    async take() {
      const outcome = outcomes[looks++]
      if (outcome) throw outcome
      return { jobs: 0, taken: [] }
    },
  })
  t.after(() => consumer.stop())
  await until('it has looked as often', () => {
    if (looks < outcomes.length) t.mock.timers.tick(1_000)
    return looks >= outcomes.length
  })
  await consumer.stop()
  assert.deepEqual(
    lines.map(line => JSON.parse(line).err.message),
    ['no', 'no', 'ours', 'ours'],
  )
})
