// A look at a file that takes too long: the file's fault only if this process itself was awake.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newLooks } from '#engine/children/looks.ts'
import { until } from '../support/until.ts'

test('a look that takes too long ends the child', async () => {
  using looks = newLooks()
  looks.heard({ looking: 50 })
  await until('it is over', () => looks.verdict() !== null)
  assert.equal(looks.verdict()?.code, 'time_limit')
  assert.ok(looks.signal.aborted)
})

test('a process that stood still itself gives the look its time again', async () => {
  using looks = newLooks()
  looks.heard({ looking: 300 })
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
  // What the child said meanwhile is read after the timers.
  for (const _turn of [1, 2]) await new Promise(resolve => setImmediate(resolve))
  assert.equal(looks.verdict(), null)
  await until('nobody said that it is over', () => looks.verdict() !== null)
})
