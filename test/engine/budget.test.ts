// The budget of memory: who waits for whom.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { type Budget, newBudget } from '#engine/children/budget.ts'
import { soon } from '../support/until.ts'

const LONG_MS = 5_000

async function state(reserving: Promise<unknown>): Promise<string> {
  return Promise.race([reserving.then(() => 'granted'), turn('waits')])
}

function newTimedBudget(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  return { budget: newBudget(100, LONG_MS), pass: (ms: number) => t.mock.timers.tick(ms) }
}

const of = (budget: Budget, owner: string | null, amount: number) => budget.reserve(amount, { owner })

test('what finds no room waits, in order', async () => {
  const budget = newBudget(100, 600_000)
  const one = await of(budget, 'a', 60)
  const big = of(budget, 'b', 90)
  const small = of(budget, 'c', 10)
  assert.equal(await state(big), 'waits')
  assert.equal(await state(small), 'waits')
  one[Symbol.dispose]()
  const held = await soon('the big one has room', big)
  await soon('the small one has room', small)
  held[Symbol.dispose]()
  assert.equal(budget.used(), 10)
})

test('an owner who holds nothing does not wait for the long work of others', async t => {
  const { budget, pass } = newTimedBudget(t)
  await of(budget, 'hog', 5_000)
  const more = of(budget, 'hog', 50)
  const other = of(budget, 'other', 60)
  pass(LONG_MS - 1)
  assert.equal(await state(other), 'waits')
  pass(1)
  assert.equal(await state(other), 'granted')
  assert.equal(await state(more), 'waits', 'the hog waits for itself')
  assert.equal(await state(of(budget, 'third', 60)), 'waits', 'what is not long counts')
  assert.equal(await state(of(budget, null, 10)), 'waits')
  assert.equal(budget.used(), 160)
})

test('never more than twice the budget is used', t => {
  const { budget, pass } = newTimedBudget(t)
  for (const owner of ['a', 'b', 'c', 'd']) void of(budget, owner, 100)
  for (let time = 0; time < 4; time++) pass(LONG_MS)
  assert.equal(budget.used(), 200)
})

test('whoever is cancelled makes way', async () => {
  const budget = newBudget(100, 600_000)
  await of(budget, 'a', 60)
  const cancel = new AbortController()
  const big = budget.reserve(90, { owner: 'b', signal: cancel.signal })
  const small = of(budget, 'c', 10)
  assert.equal(await state(small), 'waits')
  cancel.abort()
  await assert.rejects(big, { code: 'cancelled' })
  await soon('the small one has room', small)
})
