// A worker is really killed at every destination: in the middle of an upload, and when it is done but nobody knows yet.
import assert from 'node:assert/strict'
import { randomBytes, randomFillSync } from 'node:crypto'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, type TestContext, test } from 'node:test'
import type { FailpointName } from '#kit/failpoint.ts'
import type { Bed } from '../contract/destination.ts'
import { allBeds, type Beds, noisyPicture } from '../support/beds.ts'
import { type Grounds, newGrounds, sendTask, settled } from '../support/chaos.ts'
import type { Part } from '../support/chaos-process.ts'
import { cleanUp } from '../support/clean-up.ts'
import type { Client } from '../support/client.ts'
import { random, seedOf } from '../support/seed.ts'
import { until } from '../support/until.ts'
import { clip, withFfmpeg } from '../support/videos.ts'

const MiB = 1024 ** 2

interface Destination {
  name: string
  /** Of the file that is whole at the target when the worker dies: more than one part where it goes up in parts. */
  bytes: number
  /** Of the file that it dies over: with a part that is done and one that is not. */
  middle: number
  /** The checkpoint that is saved when the target has everything: an attempt dies right before it. */
  lastCheckpoint?: number
  /** Whether the next attempt can find out what became of the last one. */
  knows: boolean
  /** It makes something of a picture, so what arrives is only counted. */
  takesPictures?: true
  /** It sends too little to be caught in the middle. */
  isShort?: true
}

// Parts have 16 MiB, those of Azure 8 MiB. What has no parts is larger than what the network holds on the way.
const destinations: Destination[] = [
  { name: 's3_upload', bytes: 17 * MiB, middle: 40 * MiB, knows: true },
  { name: 'azure_blob_upload', bytes: 9 * MiB, middle: 24 * MiB, knows: true },
  { name: 'gcs_upload', bytes: 17 * MiB, middle: 24 * MiB, knows: true },
  { name: 'youtube_upload', bytes: 17 * MiB, middle: 24 * MiB, lastCheckpoint: 3, knows: true },
  { name: 'sftp_upload', bytes: 6 * MiB, middle: 20 * MiB, knows: true },
  // Its copy is large so that it can be caught.
  { name: 'local_file', bytes: 6 * MiB, middle: 90 * MiB, knows: true },
  { name: 'http_post', bytes: 6 * MiB, middle: 20 * MiB, lastCheckpoint: 2, knows: false },
  { name: 'email_send', bytes: 2 * MiB, middle: 2 * MiB, lastCheckpoint: 2, knows: false },
  { name: 'print_ipp', bytes: 0, middle: 0, lastCheckpoint: 3, knows: true, takesPictures: true },
  { name: 'message_send', bytes: 0, middle: 0, lastCheckpoint: 2, knows: true, takesPictures: true, isShort: true },
]

suite('a worker that is killed while it delivers', withFfmpeg, () => {
  let beds: Beds
  let grounds: Grounds
  let client: Client
  let url: string
  let film: Buffer
  /** The worker that runs: it lives on from test to test unless it dies in one. */
  let worker: Part | null = null
  /** Says where it has to die. */
  let orders: string

  before(async () => {
    beds = await allBeds()
    const made = beds.all.find(bed => bed.made !== undefined)?.made ?? ''
    grounds = await newGrounds({ env: { KEEPSAKE_LOCAL_ROOT: made, KEEPSAKE_CONCURRENCY: '1' } })
    orders = join(grounds.folder, 'orders')
    url = (await grounds.start('api')).url
    client = grounds.client(url)
    film = await readFile((await clip({ seconds: 1 })).path)
    for (const { adapter, options, auth = {} } of beds.all) {
      const { status, body } = await client.post('/api/configuration/', {
        configuration_name: adapter.name,
        experience_id: 'park',
        adapter_name: adapter.name,
        adapter_config: { auth, defaults: { ...options, delivery_backoff: 0.1 } },
      })
      assert.equal(status, 201, JSON.stringify(body))
    }
  })
  after(() =>
    cleanUp(
      () => grounds.stop(),
      () => beds.stop(),
    ),
  )

  /** A film of so many bytes: what is behind it lies in a box that players skip. */
  function filmOf(bytes: number): Buffer {
    const whole = Buffer.allocUnsafe(bytes)
    const box = whole.subarray(film.copy(whole))
    box.writeUInt32BE(box.length)
    box.write('free', 4)
    randomFillSync(box, 8)
    return whole
  }

  const bedOf = (name: string): Bed | undefined => beds.all.find(({ adapter }) => adapter.name === name)

  const ready = async (): Promise<Part> =>
    (worker ??= await grounds.start('worker', { KEEPSAKE_FAILPOINT: `@${orders}` }))

  /** `prepare`: right before the task is sent. */
  async function begin(
    t: TestContext,
    { name, takesPictures }: Destination,
    bytes: number,
    prepare: (bed: Bed, bytes: number) => void = () => {},
  ) {
    const bed = bedOf(name)
    if (!bed) return void t.skip(`${name} needs a server that is not installed here`)
    await bed.clear()
    await ready()
    const file = takesPictures ? await readFile((await noisyPicture(grounds.folder)).path) : filmOf(bytes)
    prepare(bed, file.length)
    const answer = await sendTask(url, grounds.token, { configuration: name, data: file })
    assert.equal(answer?.status, 202, JSON.stringify(answer))
    const task = async () => (await client.get(`/api/task/${answer.body.task_id}/`)).body
    return { bed, file, task, taskId: answer.body.task_id }
  }

  async function workOff(): Promise<void> {
    await ready()
    await settled(grounds)
  }

  async function assertOne(bed: Bed, file: Buffer): Promise<void> {
    const [first, ...more] = await bed.delivered()
    const isMade = destinations.some(({ name, takesPictures }) => takesPictures && name === bed.adapter.name)
    assert.ok(isMade ? first : first?.equals(file), 'the whole file is there')
    assert.equal(more.length, 0, 'and only once')
    if (bed.unfinished) assert.equal(await bed.unfinished(), 0, 'and nothing beside it')
  }

  /** Tells the worker to die there, and how to see that it did. */
  function toDieAt(point: FailpointName, time = 1) {
    const flagFile = join(grounds.folder, `died-${randomBytes(4).toString('hex')}`)
    return {
      order: () => writeFileSync(orders, `${point}#${time}:${flagFile}`),
      async isDead(): Promise<void> {
        await dies()
        rmSync(orders)
        assert.ok(existsSync(flagFile), 'it died there and nowhere else')
      },
    }
  }

  async function dies(): Promise<void> {
    const dying = worker
    assert.equal(await dying?.exit(), 'SIGKILL', dying?.said())
    worker = null
  }

  for (const one of destinations) {
    test(`${one.name}: killed between the upload and the record of it`, async t => {
      const death = toDieAt('deliver.after')
      const begun = await begin(t, one, one.bytes, death.order)
      if (!begun) return
      await death.isDead()
      await workOff()
      assert.equal((await begun.task()).status, 'Succeeded')
      await assertOne(begun.bed, begun.file)
    })

    if (one.lastCheckpoint !== undefined)
      test(`${one.name}: killed between the upload and the checkpoint`, async t => {
        const death = toDieAt('checkpoint.before', one.lastCheckpoint)
        const begun = await begin(t, one, one.bytes, death.order)
        if (!begun) return
        await death.isDead()
        await workOff()
        const { status, entries } = await begun.task()
        assert.deepEqual(
          [status, entries[0].error?.code],
          one.knows ? ['Succeeded', undefined] : ['Failed', 'outcome_unknown'],
        )
        await assertOne(begun.bed, begun.file)
      })

    if (!one.isShort)
      test(`${one.name}: killed in the middle of the upload`, async t => {
        const share = 0.1 + random(seedOf(t))() * 0.8
        t.diagnostic(`killed at ${(share * 100).toFixed(1)} %`)
        const begun = await begin(t, one, one.middle, ({ proxy }, bytes) => {
          if (proxy) proxy.holdAfter = proxy.sent() + Math.floor(bytes * share)
        })
        if (!begun) return
        const { bed, file, task, taskId } = begun
        if (bed.proxy)
          await until('it is in the middle', async () => (bed.proxy?.sent() ?? 0) >= (bed.proxy?.holdAfter ?? 0))
        // A local copy can't be held, so it is caught. On a busy machine it may be whole before anybody has looked.
        else
          await until(
            'it is in the middle',
            async () => (await bed.unfinished?.()) !== 0 || (await bed.delivered()).length > 0,
            undefined,
            1,
          )
        worker?.kill('SIGKILL')
        await dies()
        if (bed.proxy) {
          assert.equal((await bed.delivered()).length, 0, 'nothing half-sent is to be seen')
          bed.proxy.holdAfter = null
          // A printer has one job at a time, and waits for the rest of it until the network says that nobody sends it.
          if (one.takesPictures) {
            await bed.proxy.down()
            await bed.proxy.up()
          }
        }
        await workOff()
        if (!one.knows) {
          const { status, entries } = await task()
          assert.deepEqual([status, entries[0].error?.code], ['Failed', 'outcome_unknown'])
          assert.equal((await bed.delivered()).length, 0, 'it is not silently sent again')
          assert.equal((await client.post(`/api/task/${taskId}/retry/`)).status, 202)
          await workOff()
        }
        assert.equal((await task()).status, 'Succeeded')
        await assertOne(bed, file)
      })
  }

  test('the last worker stops in order', async () => {
    const last = await ready()
    last.kill('SIGTERM')
    assert.equal(await last.exit(), 0, last.said())
  })
})
