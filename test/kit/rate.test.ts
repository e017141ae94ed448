// Counting by key: within the time, after it, and with more keys than are remembered.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { newRate } from '#kit/rate.ts'

test('each key has its own count, which begins anew when its time is over', t => {
  mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
  t.after(() => mock.timers.reset())
  const rate = newRate(2, 60_000)
  assert.deepEqual([rate.count('a'), rate.count('a'), rate.count('b')], [0, 0, 0])
  mock.timers.tick(10_500)
  assert.deepEqual([rate.count('a'), rate.over('a'), rate.over('b'), rate.over('c')], [50, 50, 0, 0])
  mock.timers.tick(49_499)
  assert.equal(rate.count('a'), 1)
  mock.timers.tick(1)
  assert.deepEqual([rate.over('a'), rate.count('a'), rate.count('a')], [0, 0, 0])
  assert.equal(rate.count('a'), 60)
})

test('no more keys are remembered than it may, the oldest go first', () => {
  const rate = newRate(1, 60_000, 3)
  for (const key of ['a', 'b', 'c', 'd']) rate.count(key)
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map(key => rate.over(key) > 0),
    [false, true, true, true],
  )
})
