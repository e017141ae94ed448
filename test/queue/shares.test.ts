// The room of a lane: what a share may have of it, and that slow ones take nothing from the others.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newShares } from '#queue/shares.ts'

const AFTER_MS = 1_000

function slowLane(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const shares = newShares({ slots: 4, perShare: 2, slow: { afterMs: AFTER_MS, slots: 3 } })
  let found = 0
  const take = (share: string) => shares.take(share, () => found++)
  return { shares, take, found: () => found, late: () => t.mock.timers.tick(AFTER_MS) }
}

test('jobs of a slow share leave their room to others', t => {
  const { shares, take, late, found } = slowLane(t)
  for (const share of ['a', 'a', 'b', 'b']) take(share)
  assert.equal(shares.freeSlots(), 0)
  late()
  assert.equal(found(), 2, 'each share is found once')
  assert.equal(shares.freeSlots(), 2)
  assert.equal(shares.isFull('c'), false)
})

test('slow shares together have no more than their room, also those that have nothing running', t => {
  const { shares, take, late } = slowLane(t)
  const ends = [take('a'), take('b'), take('b')]
  const endOfC = take('c')
  late()
  endOfC()
  assert.deepEqual(shares.full().sort(), ['a', 'b', 'c'])
  ends[0]?.()
  assert.deepEqual(shares.full(), ['b'], 'b has as much as one share may have')
  assert.equal(shares.freeSlots(), 1, 'one more may come, of whichever share')
})

test('all together have an end, however many shares turn out to be slow', t => {
  const { shares, take, late } = slowLane(t)
  for (const share of ['a', 'b', 'c', 'd']) take(share)
  late()
  for (const share of ['e', 'f', 'g']) take(share)
  late()
  assert.equal(shares.freeSlots(), 0)
})

test('a share is slow until it ends one in time with none that hangs', t => {
  const { shares, take, late } = slowLane(t)
  const [hangs] = ['a', 'b', 'c', 'd'].map(take)
  late()
  take('a')()
  assert.equal(shares.isFull('a'), true, 'the one that hangs keeps it slow')
  hangs?.()
  assert.equal(shares.isFull('a'), true, 'it was slow to the end')
  take('a')()
  assert.equal(shares.isFull('a'), false)
})

test('a lane without slow slots has one room', t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const shares = newShares({ slots: 3, perShare: 2 })
  for (const share of ['a', 'a', 'b']) shares.take(share, () => assert.fail('nobody is slow'))
  t.mock.timers.tick(3_600_000)
  assert.equal(shares.freeSlots(), 0)
  assert.deepEqual(shares.full(), ['a'])
})
