// Work that is done with no other beside it, and the limit of what others wait for that.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newQuiet } from '#engine/children/quiet.ts'
import { until } from '../support/until.ts'

/** Work that can be looked at and ended. */
function piece() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const state = { begun: false, end: resolve }
  return Object.assign(state, {
    work: () => {
      state.begun = true
      return promise
    },
  })
}

test('it waits for those at work, and others wait for it', async () => {
  const quiet = newQuiet(10_000)
  const [first, alone, second] = [piece(), piece(), piece()]
  const ends = [quiet.beside(first.work), quiet.alone(alone.work), quiet.beside(second.work)]
  await sleep(20)
  assert.deepEqual([first.begun, alone.begun, second.begun], [true, false, false])
  first.end()
  await sleep(20)
  assert.deepEqual([alone.begun, second.begun], [true, false])
  alone.end()
  await sleep(20)
  assert.equal(second.begun, true)
  second.end()
  await Promise.all(ends)
})

test('nobody waits longer than the limit', async () => {
  // Long beside the first look, also on a busy machine.
  const quiet = newQuiet(800)
  const [first, alone, other, second] = [piece(), piece(), piece(), piece()]
  const ends = [first, second].map(each => quiet.beside(each.work))
  const ownEnds = [alone, other].map(each => quiet.alone(each.work))
  await sleep(40)
  assert.equal(alone.begun, false)
  await until('all have begun', async () => [alone, other, second].every(({ begun }) => begun))
  for (const each of [first, alone, other, second]) each.end()
  await Promise.all([...ends, ...ownEnds])
})

test('work that fails lets the others go on', async () => {
  const quiet = newQuiet(10_000)
  await assert.rejects(
    quiet.alone(() => Promise.reject(new Error('no'))),
    /no/,
  )
  assert.equal(await quiet.beside(async () => 1), 1)
  assert.equal(await quiet.alone(async () => 2), 2)
})
