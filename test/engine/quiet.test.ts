// Work that is done with no other beside it, and the limit of what others wait for that.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { newQuiet } from '#engine/children/quiet.ts'

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
  await turn()
  assert.deepEqual([first.begun, alone.begun, second.begun], [true, false, false])
  first.end()
  await turn()
  assert.deepEqual([alone.begun, second.begun], [true, false])
  alone.end()
  await turn()
  assert.equal(second.begun, true)
  second.end()
  await Promise.all(ends)
})

test('nobody waits longer than the limit', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const quiet = newQuiet(800)
  const [first, alone, other, second] = [piece(), piece(), piece(), piece()]
  const ends = [first, second].map(each => quiet.beside(each.work))
  const ownEnds = [alone, other].map(each => quiet.alone(each.work))
  const late = piece()
  const lateEnd = quiet.beside(late.work)
  const begun = async (ms: number) => {
    t.mock.timers.tick(ms)
    await turn()
    return [alone, other, late].map(each => each.begun)
  }
  assert.deepEqual(await begun(799), [false, false, false])
  assert.deepEqual(await begun(1), [true, false, false], 'it waited for those at work')
  assert.deepEqual(await begun(799), [true, false, false])
  for (let time = 0; time < 3; time++) await begun(800)
  assert.deepEqual(await begun(0), [true, true, true], 'and they for it')
  for (const each of [first, alone, other, second, late]) each.end()
  await Promise.all([...ends, ...ownEnds, lateEnd])
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
