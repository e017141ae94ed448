// Several workers and one burst: each takes what its media children can begin, and nothing that waits counts as running.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { runWorker } from '../../src/app.ts'
import { cleanUp } from '../support/clean-up.ts'
import { type Receiver, startReceiver } from '../support/https-receiver.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'

const slow = new URL('../support/slow-adapter.ts', import.meta.url).href

describe('a burst', () => {
  let keepsake: Keepsake
  let receiver: Receiver
  let picture: Blob
  let hung: (() => void)[] = []

  before(async () => {
    receiver = await startReceiver({
      answer(request, response) {
        if (request.url === '/hangs') hung.push(() => void response.end('{}'))
        else response.end('{}')
      },
    })
    keepsake = await startKeepsake({
      settings: { adapters: [slow], concurrency: 1, maxTaskSeconds: 12 },
      worker: false,
    })
    picture = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
    await keepsake.configure(single('slow', 'media_slow', { seconds: 2.6 }))
    await keepsake.configure(single('flip', 'photo_flip', { method: 'ROTATE_180' }))
    await keepsake.configure(single('hang', 'http_post', { url: `${receiver.url}/hangs` }))
    await keepsake.configure(single('post', 'http_post', { url: `${receiver.url}/in` }))
    await keepsake.configure({
      ...single('other flip', 'photo_flip', { method: 'ROTATE_180' }),
      experience_id: 'other',
    })
    await keepsake.configure(
      chain('flip and hang', [
        ['flip', null],
        ['hang', 0],
      ]),
    )
  })
  after(() =>
    cleanUp(
      () => keepsake.stop(),
      () => receiver.stop(),
    ),
  )

  async function start(configuration_name: string): Promise<string> {
    const { status, body } = await keepsake.send('/api/task/', { configuration_name, data: picture })
    assert.equal(status, 202, JSON.stringify(body))
    return `/api/task/${body.task_id}/`
  }

  it('two workers share it, and only work counts as running time', async () => {
    const paths = await Promise.all(Array.from({ length: 10 }, () => start('slow')))
    const workers = await Promise.all([runWorker(keepsake.settings), runWorker(keepsake.settings)])
    try {
      const most = new Map<string, number>()
      await until('all have ended', async () => {
        const { body } = await keepsake.client.get('/api/stats/')
        const { body: list } = await keepsake.client.get('/api/task/?configuration=slow')
        const tasks: { task_id: string; status: string }[] = list.items
        // While the end of one is written, the next one may have begun.
        const run = new Set(tasks.filter(({ status }) => status === 'Running').map(({ task_id }) => task_id))
        for (const { worker_id, doing } of body.workers) {
          const now = doing.filter(({ task_id }: { task_id: string }) => run.has(task_id)).length
          most.set(worker_id, Math.max(most.get(worker_id) ?? 0, now))
        }
        return tasks.every(({ status }) => status === 'Succeeded' || status === 'Failed')
      })
      // Five of 2.6 seconds each, one after the other, are longer than a task may run.
      for (const path of paths) {
        const { body } = await keepsake.client.get(path)
        assert.equal(body.status, 'Succeeded', JSON.stringify(body.entries))
      }
      assert.deepEqual([...most.values()], [1, 1], 'each had one in hand at a time')
    } finally {
      await Promise.all(workers.map(worker => worker.drain()))
    }
  })

  it('a target that hangs keeps no media work waiting', async () => {
    const worker = await runWorker({ ...keepsake.settings, maxTaskSeconds: 7200 })
    hung = []
    try {
      // More than the pictures that one worker has in hand.
      const paths = await Promise.all(Array.from({ length: 12 }, () => start('flip and hang')))
      await until('all of them hang', () => hung.length === 12)
      assert.equal((await keepsake.ended(await start('flip'))).status, 'Succeeded')
      assert.equal((await keepsake.ended(await start('other flip'))).status, 'Succeeded')
      assert.equal((await keepsake.ended(await start('post'))).status, 'Succeeded')
      for (const answer of hung) answer()
      for (const path of paths) assert.equal((await keepsake.ended(path)).status, 'Succeeded')
    } finally {
      for (const answer of hung) answer()
      await worker.drain()
    }
  })
})
