// Work that goes past its lane: it takes room there as jobs do, and never overtakes those that wait.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '#db/database.ts'
import { newId } from '#kit/ids.ts'
import { newLog } from '#kit/log.ts'
import { consume } from '#queue/consume.ts'
import { startQueue } from '#queue/queue.ts'
import { cleanUp } from '../support/clean-up.ts'
import { testDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'

async function newLane(t: TestContext) {
  const log = newLog('silent', 'test')
  const { url } = await testDatabase(t)
  const database = openDatabase(url, log, { max: 4 })
  const queue = await startQueue(database, log, false)
  const begun: (() => void)[] = []
  let looks = 0
  const hold = () => new Promise<void>(resolve => begun.push(resolve))
  const rules = { slots: 3, perShare: 2 }
  const consumer = consume({
    lane: 'callback',
    rules,
    log,
    serve: () => {},
    take: (count, full) =>
      queue
        .take('callback', count, full, async (_trx, jobs) => ({
          taken: jobs.map(({ share, turn }) => ({ share, turn, work: hold })),
          held: [],
        }))
        .finally(() => looks++),
  })
  t.after(() => {
    const over = consumer.stop()
    for (const end of begun) end()
    return cleanUp(() => over, queue.stop, database.close)
  })
  /** Puts them in at once, so that one look finds all of them. */
  async function put(...all: string[]): Promise<void> {
    const tickets = await Promise.all(all.map(share => queue.takeTicket('callback', share)))
    await database.db.transaction().execute(async trx => {
      for (const ticket of tickets) await queue.send(trx, { ...ticket, lane: 'callback' }, { callback_id: newId() })
    })
    consumer.wake()
  }
  async function quiet(running: number): Promise<void> {
    await until(`${running} are running`, () => consumer.running() === running, undefined, 10)
    // The look at the lane that may be under way, and one more; a full lane is not looked at.
    for (let look = 0; look < 2 && running < rules.slots; look++) {
      const before = looks
      consumer.wake()
      await until('the lane was looked at', () => looks > before, undefined, 10)
    }
    assert.equal(consumer.running(), running)
  }
  /** Room in the lane; none is given while a look at it is under way, so it is asked for again. */
  const room = (share: string) => until(`there is room for ${share}`, () => consumer.reserve(share), undefined, 5)
  await quiet(0)
  return { consumer, put, quiet, room, hold, begun }
}

test('it counts as a job does, for its share and for the lane', async t => {
  const { consumer, hold, quiet, room, begun } = await newLane(t)
  const [first, second] = [await room('a'), await room('a')]
  assert.equal(consumer.reserve('a'), null, 'the share is full')
  const third = await room('b')
  assert.equal(consumer.reserve('c'), null, 'the lane is full')
  first(hold)
  second(() => Promise.reject(new Error('failed')))
  await quiet(2)
  // What failed has left its place.
  const fourth = await room('a')
  third(hold)
  fourth(hold)
  await until('all have begun', () => begun.length === 3, undefined, 10)
  for (const end of begun) end()
  await quiet(0)
})

test('what waits in the lane is not overtaken', async t => {
  const { consumer, put, quiet, room, begun } = await newLane(t)
  await put('a', 'a', 'a')
  await quiet(2)
  assert.equal(consumer.reserve('a'), null)
  assert.equal(consumer.reserve('b'), null, 'somebody waits, so everybody goes through the lane')
  begun[0]?.()
  await until('the third has begun', () => begun.length === 3, undefined, 10)
  for (const end of begun) end()
  await quiet(0)
  const again = await room('a')
  again(async () => {})
})

test('a share never runs more than its part of the lane, however many are fetched at once', async t => {
  const { consumer, put, quiet, begun } = await newLane(t)
  await put('a')
  await quiet(1)
  await put('a', 'a')
  await quiet(2)
  await put('b', 'b')
  await quiet(3)
  for (let left = begun.length; begun.length < 5; left = begun.length) {
    begun.forEach(end => void end())
    await until('the next has begun', () => begun.length > left, undefined, 10)
    assert.ok(consumer.running() <= 3, `${consumer.running()} run at once`)
  }
  for (const end of begun) end()
  await quiet(0)
})

test('a lane that stops waits for it, and keeps no more room', async t => {
  const { consumer, hold, room, begun } = await newLane(t)
  const first = await room('a')
  first(hold)
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
