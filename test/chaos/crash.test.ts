// A process is killed at six places on the way of a task: the result is whole, delivered once, and its callback comes.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { assertNothingLeft } from '../support/chaos.ts'
import { accept, type Case, newTroupe, play, type Troupe, work } from './stage.ts'

const cases: Case[] = [
  { point: 'note.before', part: 'api', scene: accept },
  { point: 'create.before', part: 'api', scene: accept },
  { point: 'claim.before', part: 'worker', scene: work },
  { point: 'deliver.before', part: 'worker', scene: work },
  { point: 'end.before', part: 'worker', scene: work },
  { point: 'callback_post.before', part: 'worker', scene: work },
]

describe('a crash on the way of a task leaves no trace', () => {
  let troupe: Troupe
  before(async () => {
    troupe = await newTroupe()
  })
  after(() => troupe?.grounds.stop())

  for (const one of cases) it(`${one.point} in the ${one.part}`, () => play(troupe, one))

  it('each task was delivered once and its callback came once, as nobody died between a deed and its record', async () => {
    const { destination, receiver } = troupe.grounds
    assert.equal(destination.objects.size, cases.length)
    assert.equal(destination.stored.length, cases.length)
    assert.equal(receiver.received.length, cases.length)
  })

  it('the last worker stops in order and leaves nothing', async () => {
    await troupe.stopWorker()
    await assertNothingLeft(troupe.grounds)
  })
})
