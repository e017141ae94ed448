// Taking back what was delivered, for a task and for a whole person.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { cleanUp } from '../support/clean-up.ts'
import { startReceiver } from '../support/https-receiver.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'

describe('taking back', () => {
  let keepsake: Keepsake
  let root: string
  let picture: Blob
  let status = 200
  let receiver: Awaited<ReturnType<typeof startReceiver>>

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'keepsake-local-'))
    receiver = await startReceiver({ answer: (_request, response) => void response.writeHead(status).end() })
    keepsake = await startKeepsake({ settings: { localRoot: root } })
    picture = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
    await keepsake.configure(single('flip', 'photo_flip', { method: 'ROTATE_180' }))
    await keepsake.configure(single('folder', 'local_file', { folder: 'out' }))
    await keepsake.configure(single('post', 'http_post', { url: receiver.url }))
    await keepsake.configure(
      chain('all', [
        ['flip', null],
        ['folder', 0],
        ['post', 0],
      ]),
    )
  })
  after(() =>
    cleanUp(
      () => keepsake.stop(),
      () => receiver.stop(),
      () => rm(root, { recursive: true, force: true }),
    ),
  )

  const run = async (extras: object) => {
    const { body, status } = await keepsake.send('/api/task/', {
      configuration_name: 'all',
      data: picture,
      extras: JSON.stringify(extras),
    })
    assert.equal(status, 202, JSON.stringify(body))
    const task = await keepsake.ended(`/api/task/${body.task_id}/`)
    assert.equal(task.status, 'Succeeded', JSON.stringify(task))
    return task
  }
  const delivered = async (): Promise<string[]> => readdir(join(root, 'out'))

  it('what may have been delivered is in the receipt too', async () => {
    status = 504
    const { body } = await keepsake.send('/api/task/', { configuration_name: 'post', data: picture })
    const task = await keepsake.ended(`/api/task/${body.task_id}/`)
    status = 200
    assert.equal(task.entries[0].error.code, 'outcome_unknown')
    const receipt = await keepsake.client.post(`/api/task/${task.task_id}/retract/`)
    assert.deepEqual(receipt.body, {
      removed: [],
      kept: [
        {
          task_id: task.task_id,
          configuration: 'post',
          index: 0,
          result: {},
          reason: 'Whether it was delivered is not known: look there.',
        },
      ],
    })
  })

  it('a task’s deliveries, with a receipt of what is gone and what can’t be', async () => {
    const task = await run({})
    assert.equal((await delivered()).length, 1)
    const { status, body } = await keepsake.client.post(`/api/task/${task.task_id}/retract/`)
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(
      body.removed.map((line: { configuration: string }) => line.configuration),
      ['folder'],
    )
    assert.deepEqual(
      body.kept.map((line: { configuration: string; reason: string }) => [
        line.configuration,
        /can’t take back/.test(line.reason),
      ]),
      [['post', true]],
    )
    assert.deepEqual(await delivered(), [])
    assert.equal((await keepsake.client.get(`/api/task/${task.task_id}/output/0/`)).status, 410)
    const { entries } = (await keepsake.client.get(`/api/task/${task.task_id}/`)).body
    const marks = entries.map((entry: { retracted_at: string | null }) => entry.retracted_at)
    assert.deepEqual([marks[0], marks[2]], [null, null], 'what is still there has no mark')
    assert.ok(marks[1] > task.ended_at, marks[1])
    assert.deepEqual(entries[1].result, task.entries[1].result)
    const again = await keepsake.client.post(`/api/task/${task.task_id}/retract/`)
    assert.deepEqual(again.body, body, 'the second receipt is that of the first')
    const later = (await keepsake.client.get(`/api/task/${task.task_id}/`)).body.entries[1]
    assert.equal(later.retracted_at, marks[1])
    const audit = (await keepsake.client.get(`/api/audit/?object_id=${task.task_id}`)).body.items
    assert.deepEqual(
      [audit.length, audit[0].action, audit[0].after],
      [2, 'retract', { removed: 1, kept: 1 }],
      'each of the two requests',
    )
  })

  it('activities carry the mark, also those of guests who come later, until it is delivered again', async () => {
    const activity_config = { experience_id: 'park', activity_type: 'photo', payload: { object_id: 'gate' } }
    await keepsake.configure(single('noted', 'local_file', { folder: 'out' }, { activity_config }))
    await keepsake.configure(
      chain('noted-then-posted', [
        ['noted', null],
        ['post', null],
      ]),
    )
    await keepsake.client.post('/api/profile/', { rfid: 'early' })
    status = 400
    const extras = JSON.stringify({ rfid: ['early', 'late'] })
    const sent = await keepsake.send('/api/task/', { configuration_name: 'noted-then-posted', data: picture, extras })
    const place = `/api/task/${sent.body.task_id}/`
    assert.equal((await keepsake.ended(place)).status, 'Failed')
    status = 200
    const list = async () => (await keepsake.client.get(`/api/activity/?task_id=${sent.body.task_id}`)).body.items
    assert.deepEqual(
      (await list()).map((each: { retracted_at: string | null }) => each.retracted_at),
      [null],
    )
    assert.equal((await keepsake.client.post(`${place}retract/`)).body.removed.length, 1)
    await keepsake.client.post('/api/profile/', { rfid: 'late' })
    const { entries } = (await keepsake.client.get(place)).body
    const marked = await list()
    assert.equal(marked.length, 2)
    for (const activity of marked) {
      assert.equal(activity.retracted_at, entries[0].retracted_at)
      const { body } = await keepsake.client.get(`/api/activity/${activity.activity_id}/`)
      assert.deepEqual(body, activity)
    }
    const retried = await keepsake.send(`${place}retry/`, { data: picture })
    assert.equal(retried.status, 202, JSON.stringify(retried.body))
    const task = await keepsake.ended(place)
    assert.deepEqual([task.status, task.entries[0].retracted_at], ['Succeeded', null])
    assert.deepEqual(
      (await list()).map((each: { retracted_at: string | null }) => each.retracted_at),
      [null, null],
    )
    await keepsake.client.post(`${place}retract/`)
  })

  it('a person with everything that was delivered for them, also without activities', async () => {
    const { body: guest } = await keepsake.client.post('/api/profile/', { rfid: 'leaving' })
    await keepsake.client.post('/api/profile/', { rfid: 'staying' })
    await run({ rfid: 'leaving' })
    await run({ rfid: 'leaving' })
    const other = await run({ rfid: 'staying' })
    assert.equal((await delivered()).length, 3)
    const { status, body } = await keepsake.client.delete(`/api/profile/${guest.profile_id}/?media=retract`)
    assert.equal(status, 202, JSON.stringify(body))
    assert.equal(body.removed.length, 2)
    assert.deepEqual(await delivered(), [`${other.task_id}-1.png`])
    assert.equal((await keepsake.client.get(`/api/profile/${guest.profile_id}/`)).status, 404)
    assert.equal((await keepsake.client.delete(`/api/profile/${guest.profile_id}/?media=retract`)).status, 404)
  })
})
