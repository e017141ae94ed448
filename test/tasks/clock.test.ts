// What counts as the time of a run: its work, not its waiting.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newClock } from '../../src/tasks/run/work-clock.ts'
import { until } from '../support/until.ts'

test('only work counts, and work side by side counts once', async () => {
  let up = 0
  const clock = newClock(1, () => up++)
  await sleep(20)
  assert.deepEqual([up, clock.spent()], [0, 0])
  const begun = performance.now()
  const [first, second] = [clock.start(), clock.start()]
  await sleep(100)
  first()
  first()
  second()
  const passed = (performance.now() - begun) / 1000
  const { spent } = clock
  const once = spent()
  assert.ok(once >= 0.09 && once <= passed, `${once} s of ${passed} s`)
  // Longer than all the time that there is.
  await sleep(1_100)
  assert.equal(spent(), once)
  assert.equal(up, 0)
  clock.start()
  await until('the time is up', () => up === 1)
  clock.stop()
})

test('where nothing is left the time is up as soon as work begins', async () => {
  let up = false
  const clock = newClock(-5, () => {
    up = true
  })
  const rest = clock.start()
  await until('the time is up', () => up)
  rest()
})
