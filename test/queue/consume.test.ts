// The look into a lane: how it goes on, whatever becomes of the jobs it finds.
import { test } from 'node:test'
import { newLog } from '#kit/log.ts'
import { consume } from '#queue/consume.ts'
import { soon } from '../support/until.ts'

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
