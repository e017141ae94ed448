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
  })

  it('a person with everything that was delivered for them, also without activities', async () => {
    const { body: guest } = await keepsake.client.post('/api/profile/', { rfid: 'leaving' })
    await keepsake.client.post('/api/profile/', { rfid: 'staying' })
    await run({ rfid: 'leaving' })
    await run({ rfid: 'leaving' })
    const other = await run({ rfid: 'staying' })
    assert.equal((await delivered()).length, 3)
    const { status, body } = await keepsake.client.delete(`/api/profile/${guest.profile_id}/?media=retract`)
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(body.profile_id, guest.profile_id)
    assert.equal(body.removed.length, 2)
    assert.deepEqual(await delivered(), [`${other.task_id}-1.png`])
    assert.equal((await keepsake.client.get(`/api/profile/${guest.profile_id}/`)).status, 404)
    assert.equal((await keepsake.client.delete(`/api/profile/${guest.profile_id}/?media=retract`)).status, 404)
  })
})
