// Places for bounded work: how many at once, who is next, who is refused, who leaves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { isProblem } from '#kit/errors.ts'
import { newSlots, type Slots } from '#kit/slots.ts'

const here = new AbortController().signal

/** Takes a place for each of the owners in order, and writes down who got one when. */
function asked(slots: Slots, owners: string[], got: string[]): Promise<Disposable>[] {
  return owners.map(async owner => {
    const place = await slots.take(owner, here)
    got.push(owner)
    return place
  })
}

const leave = async (place: Promise<Disposable> | undefined): Promise<void> => {
  const held = await place
  held?.[Symbol.dispose]()
  held?.[Symbol.dispose]()
  await turn()
}

test('no owner has more than its share, and those that wait take turns', async () => {
  const slots = newSlots({ total: 3, each: 2, waiting: 9, waitingInAll: 9 })
  const got: string[] = []
  const places = asked(slots, ['a', 'a', 'a', 'a', 'b', 'b', 'c'], got)
  await turn()
  assert.deepEqual(got, ['a', 'a', 'b'])
  await leave(places[0])
  assert.deepEqual(got.slice(3), ['a'])
  await leave(places[1])
  await leave(places[4])
  assert.deepEqual(got.slice(4), ['b', 'c'])
  await leave(places[2])
  assert.deepEqual(got.slice(6), ['a'])
})

test('too many that wait are refused, for an owner and in all', async () => {
  const slots = newSlots({ total: 1, each: 1, waiting: 2, waitingInAll: 3 })
  const got: string[] = []
  const places = asked(slots, ['a', 'a', 'a'], got)
  await assert.rejects(slots.take('a', here), error => isProblem(error, 'too_many_requests'))
  const other = asked(slots, ['b'], got)
  await assert.rejects(slots.take('b', here), error => isProblem(error, 'full') && error.retryAfterSeconds === 2)
  for (const place of [places[0], places[1], other[0], places[2]]) await leave(place)
  assert.deepEqual(got, ['a', 'a', 'b', 'a'])
})

test('who goes away while waiting takes no place', async () => {
  const slots = newSlots({ total: 1, each: 1, waiting: 9, waitingInAll: 9 })
  const first = await slots.take('a', here)
  const gone = new AbortController()
  const waits = slots.take('a', gone.signal)
  const last = slots.take('a', here)
  gone.abort(new Error('left'))
  await assert.rejects(waits, /left/)
  await assert.rejects(slots.take('b', gone.signal), /left/)
  first[Symbol.dispose]()
  await leave(last)
  await leave(slots.take('a', here))
})
