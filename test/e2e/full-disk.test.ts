// A worker whose own disk is full: it leaves work on media for later, and goes on with what needs no disk.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runWorker } from '../../src/app.ts'
import { startCallbackReceiver } from '../support/callbacks.ts'
import { cleanUp } from '../support/clean-up.ts'
import { single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'

const canMount = process.getuid?.() === 0 && process.platform === 'linux'

test('photos wait until there is room, deliveries and callbacks go on, and nothing has failed', {
  skip: canMount ? false : 'only root may mount a disk',
}, async t => {
  const [receiver, target] = [await startCallbackReceiver(), await startCallbackReceiver()]
  const keepsake = await startKeepsake({ worker: false })
  const disk = join(keepsake.settings.data, 'disk')
  let worker: Awaited<ReturnType<typeof runWorker>> | null = null
  t.after(() =>
    cleanUp(
      () => worker?.drain(),
      () => void spawnSync('umount', ['-l', disk]),
      () => keepsake.stop(),
      () => receiver.stop(),
      () => target.stop(),
    ),
  )
  mkdirSync(disk)
  assert.equal(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m,mode=711', 'keepsake-full', disk]).status, 0)
  for (const name of ['work', 'rooms']) {
    mkdirSync(join(disk, name))
    symlinkSync(join(disk, name), join(keepsake.settings.data, name))
  }
  assert.throws(() => writeFileSync(join(disk, 'ballast'), Buffer.alloc(5 * 1024 ** 2)), { code: 'ENOSPC' })
  const post = {
    adapter_config: { auth: { bearer: 'abc' }, defaults: { url: target.url } },
    webhook_url: receiver.url,
  }
  await keepsake.configure(single('flip', 'photo_flip', { method: 'ROTATE_180' }))
  await keepsake.configure(single('post', 'http_post', {}, post))
  const data = new Blob([new Uint8Array(await png(pattern(20, 10, 3)))])
  const start = async (configuration_name: string): Promise<string> =>
    (await keepsake.send('/api/task/', { configuration_name, data })).body.task_id

  const photo = await start('flip')
  worker = await runWorker(keepsake.settings)
  const delivery = await start('post')
  assert.equal((await keepsake.ended(`/api/task/${delivery}/`)).status, 'Succeeded')
  assert.equal(JSON.parse(await receiver.bodyFor(delivery)).status, 'Succeeded')
  const { body } = await keepsake.client.get(`/api/task/${photo}/`)
  assert.deepEqual([body.status, body.entries[0].status, body.entries[0].error], ['Waiting', 'Waiting', null])

  rmSync(join(disk, 'ballast'))
  assert.equal((await keepsake.ended(`/api/task/${photo}/`)).status, 'Succeeded')
})
