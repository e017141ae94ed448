// Erasing a person whose task ran more than once: what an earlier run brought to its targets goes too, or the receipt tells of the doubt.
import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { runWorker } from '../../src/app.ts'
import { cleanUp } from '../support/clean-up.ts'
import type { Answer } from '../support/client.ts'
import {
  type Begun,
  gone,
  type LossyTarget,
  lines,
  newGuests,
  nothing,
  startLossyTarget,
  unknown,
} from '../support/erasing.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png, rawSharp } from '../support/pictures.ts'

let keepsake: Keepsake
let worker: Awaited<ReturnType<typeof runWorker>>
let target: LossyTarget
let guests: ReturnType<typeof newGuests>
let picture: Blob

before(async () => {
  target = await startLossyTarget()
  keepsake = await startKeepsake({ worker: false })
  worker = await runWorker(keepsake.settings)
  picture = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
  guests = newGuests(keepsake, picture)
  const { url } = target.receiver
  const patience = { delivery_attempts: 2, delivery_backoff: 0.1 }
  const defaults = { bucket_name: 'bucket', bucket_url: url, ...patience }
  const auth = { access_key: 'a', secret_key: 'b' }
  await keepsake.configure(single('store', 's3_upload', defaults, { adapter_config: { auth, defaults } }))
  await keepsake.configure(single('post', 'http_post', { url: `${url}/post`, ...patience }))
  await keepsake.configure(single('flip', 'photo_flip', { method: 'ROTATE_180' }))
  await keepsake.configure(
    chain('all', [
      ['flip', null],
      ['store', 0],
      ['post', 1],
    ]),
  )
})
beforeEach(() => target.clear())
after(() =>
  cleanUp(
    () => worker.drain(),
    () => keepsake.stop(),
    () => target.receiver.stop(),
  ),
)

const jpeg = async () =>
  new Blob([
    new Uint8Array(
      await rawSharp(pattern(9, 5, 3))
        .jpeg()
        .toBuffer(),
    ),
  ])
const broken = () => picture.slice(0, picture.size - 30)

const runAgain = async ({ task }: Begun, parts: Record<string, Blob> = {}): Promise<void> => {
  const { status, body } = await keepsake.send(`/api/task/${task}/retry/`, parts)
  assert.equal(status, 202, JSON.stringify(body))
}

async function withoutWorker(work: () => Promise<void>): Promise<void> {
  await worker.drain()
  try {
    await work()
  } finally {
    worker = await runWorker(keepsake.settings)
  }
}

it('what an earlier run delivered is told of when the next one ends before it delivers: where it lies is not known any more', async () => {
  target.treated = [200, 403]
  const begun = await guests.begin('all')
  await guests.endsAs(begun, 'Failed')
  assert.equal(target.stored.size, 1)
  await runAgain(begun, { data: broken() })
  const { entries } = await guests.endsAs(begun, 'Failed')
  assert.deepEqual(
    entries.map(({ status }: Answer['body']) => status),
    ['Failed', 'Skipped', 'Skipped'],
  )
  assert.deepEqual(lines(await guests.erase(begun.profile)), unknown('store'))
  assert.equal(target.stored.size, 1)
})

it('what an earlier run delivered is told of when the next one delivered another file beside it', async () => {
  target.treated = [200, 403]
  const begun = await guests.begin('all')
  await guests.endsAs(begun, 'Failed')
  await runAgain(begun, { data: await jpeg() })
  await guests.endsAs(begun, 'Succeeded')
  assert.equal(target.stored.size, 3)
  const { status, removed, kept } = lines(await guests.erase(begun.profile))
  assert.deepEqual([status, removed], ['Done', []])
  assert.deepEqual(kept, [
    ['store', 'unknown'],
    ['post', 'lasting'],
  ])
  assert.equal([...target.stored].filter(url => url.startsWith('/bucket/')).length, 1)
})

it('what may have arrived goes before the next run begins', async () => {
  target.treated = ['lost', 'lost']
  const begun = await guests.begin('store')
  await guests.endsAs(begun, 'Failed')
  assert.equal(target.stored.size, 1)
  await withoutWorker(async () => {
    await runAgain(begun)
    assert.deepEqual(lines(await guests.erase(begun.profile)), gone('store'))
  })
  assert.equal(target.stored.size, 0)
})

it('what may have arrived and can’t be taken back is told of before the next run begins and when that was refused', async () => {
  target.treated = ['lost']
  const begun = await guests.begin('post')
  await guests.endsAs(begun, 'Failed')
  await withoutWorker(async () => {
    await runAgain(begun)
    assert.deepEqual(lines(await guests.erase(begun.profile)), unknown('post'))
  })
  target.treated = ['lost', 403]
  const refused = await guests.begin('post')
  await guests.endsAs(refused, 'Failed')
  await runAgain(refused)
  await guests.endsAs(refused, 'Failed')
  assert.deepEqual(lines(await guests.erase(refused.profile)), unknown('post'))
})

it('of what was refused in every run nothing is told', async () => {
  target.deleteStatus = 403
  for (const configuration of ['store', 'post']) {
    target.treated = [403, 403, 403]
    const begun = await guests.begin(configuration)
    await guests.endsAs(begun, 'Failed')
    await runAgain(begun)
    await guests.endsAs(begun, 'Failed')
    await runAgain(begun, { data: await jpeg() })
    await guests.endsAs(begun, 'Failed')
    assert.deepEqual(lines(await guests.erase(begun.profile)), nothing, configuration)
  }
})

it('of a run that had no file to deliver nothing is told', async () => {
  const begun = await guests.begin('all', broken())
  await guests.endsAs(begun, 'Failed')
  await runAgain(begun, { data: picture })
  await guests.endsAs(begun, 'Succeeded')
  const { removed, kept } = lines(await guests.erase(begun.profile))
  assert.deepEqual([removed, kept], [['store'], [['post', 'lasting']]])
})

it('what was kept goes from where it lies, also when its configuration leads elsewhere now', async () => {
  target.treated = [200, 403]
  const begun = await guests.begin('all')
  await guests.endsAs(begun, 'Failed')
  const [file] = [...target.stored]
  const other = await startLossyTarget()
  const move = async ({ receiver }: LossyTarget): Promise<void> => {
    const defaults = { bucket_name: 'bucket', bucket_url: receiver.url }
    const { status, body } = await keepsake.client.patch('/api/configuration/store/', {
      adapter_config: { auth: { access_key: 'a', secret_key: 'b' }, defaults },
    })
    assert.equal(status, 200, JSON.stringify(body))
  }
  try {
    await move(other)
    await runAgain(begun)
    await guests.endsAs(begun, 'Succeeded')
    assert.deepEqual(lines(await guests.erase(begun.profile)), {
      status: 'Done',
      removed: ['store'],
      kept: [['post', 'lasting']],
    })
    assert.ok(!target.stored.has(file as string))
    assert.deepEqual(other.receiver.received, [])
  } finally {
    await move(target)
    await other.receiver.stop()
  }
})

for (const on_failure of ['stop', 'continue'])
  it(`of a configuration of a group that was left out in an earlier run nothing is told (${on_failure})`, async () => {
    const rfid = `group-${on_failure}`
    const { body: profile } = await keepsake.client.post('/api/profile/', { rfid })
    const extras = JSON.stringify({ rfid })
    const { status, body } = await keepsake.send('/api/taskgroup/', {
      configuration_names: '["flip","store"]',
      flip_data: broken(),
      flip_extras: extras,
      store_input: 'flip',
      store_extras: extras,
      on_failure,
    })
    assert.equal(status, 202, JSON.stringify(body))
    const path = `/api/taskgroup/${body.task_id}/`
    assert.equal((await keepsake.ended(path)).status, 'Failed')
    assert.equal((await keepsake.send(`${path}retry/`, { flip_data: picture })).status, 202)
    assert.equal((await keepsake.ended(path)).status, 'Succeeded')
    assert.deepEqual(lines(await guests.erase(profile.profile_id)), gone('store'))
    assert.equal(target.stored.size, 0)
  })
