// Work that goes past its lane: it takes room there as jobs do, and never overtakes those that wait.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '#db/database.ts'
import { newId } from '#kit/ids.ts'
import { newLog } from '#kit/log.ts'
import { consume } from '#queue/consume.ts'
import { startQueue } from '#queue/queue.ts'
import { testDatabase } from '../support/postgres.ts'

async function newLane(t: TestContext) {
  const log = newLog('silent', 'test')
  const { url } = await testDatabase(t)
  const database = openDatabase(url, log, { max: 4 })
  const queue = await startQueue(database, log, false)
  const begun: (() => void)[] = []
  const hold = () => new Promise<void>(resolve => begun.push(resolve))
  const rules = { slots: 3, perShare: 2 }
  const consumer = consume(queue, 'callback', rules, log, () => {}, hold)
  t.after(async () => {
    const over = consumer.stop()
    for (const end of begun) end()
    await over
    await queue.stop()
    await database.close()
  })
  async function put(share: string): Promise<void> {
    const ticket = { ...(await queue.turn('callback', share)), lane: 'callback' as const }
    await database.db.transaction().execute(trx => queue.send(trx, ticket, { callback_id: newId() }))
    consumer.wake()
  }
  async function quiet(running: number): Promise<void> {
    while (consumer.running() !== running) await sleep(10)
    // The look at the lane that may be under way.
    await sleep(100)
  }
  await quiet(0)
  return { consumer, put, quiet, hold, begun }
}

test('it counts as a job does, for its share and for the lane', async t => {
  const { consumer, hold, quiet, begun } = await newLane(t)
  const [first, second] = [consumer.reserve('a'), consumer.reserve('a')]
  assert.ok(first && second)
  assert.equal(consumer.reserve('a'), null, 'the share is full')
  const third = consumer.reserve('b')
  assert.ok(third)
  assert.equal(consumer.reserve('c'), null, 'the lane is full')
  first(hold)
  second(() => Promise.reject(new Error('failed')))
  await quiet(2)
  const fourth = consumer.reserve('a')
  assert.ok(fourth, 'what failed has left its place')
  third(hold)
  fourth(hold)
  await sleep(10)
  for (const end of begun) end()
  await quiet(0)
})

test('what waits in the lane is not overtaken', async t => {
  const { consumer, put, quiet, begun } = await newLane(t)
  for (const share of ['a', 'a', 'a']) await put(share)
  await quiet(2)
  assert.equal(consumer.reserve('a'), null)
  assert.equal(consumer.reserve('b'), null, 'somebody waits, so everybody goes through the lane')
  begun[0]?.()
  while (begun.length < 3) await sleep(10)
  for (const end of begun) end()
  await quiet(0)
  assert.ok(consumer.reserve('a')?.(async () => {}) === undefined)
})

test('a lane that stops waits for it, and keeps no more room', async t => {
  const { consumer, hold, begun } = await newLane(t)
  consumer.reserve('a')?.(hold)
  let over = false
  const stopping = consumer.stop().then(() => {
    over = true
  })
  assert.equal(consumer.reserve('b'), null)
  await sleep(50)
  assert.equal(over, false)
  for (const end of begun) end()
  await stopping
})
