// What counts as the time of a run: its work, not its waiting.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newClock } from '../../src/tasks/run/work-clock.ts'
import { timeByHand } from '../support/time.ts'

test('only work counts, and work side by side counts once', t => {
  const pass = timeByHand(t)
  let up = 0
  const clock = newClock(1, () => up++)
  pass(20)
  assert.equal(clock.spent(), 0)
  const [first, second] = [clock.start(), clock.start()]
  pass(100)
  first()
  first()
  pass(100)
  assert.equal(clock.spent(), 0.2)
  second()
  // Longer than all the time that there is.
  pass(1_100)
  assert.deepEqual([up, clock.spent()], [0, 0.2])
  clock.start()
  pass(799)
  assert.equal(up, 0)
  pass(1)
  assert.equal(up, 1)
})

test('where nothing is left the time is up as soon as work begins', t => {
  const pass = timeByHand(t)
  let up = 0
  const clock = newClock(-5, () => up++)
  pass(1_000)
  assert.equal(up, 0)
  clock.start()
  pass(1)
  assert.equal(up, 1)
})
