// Deliveries that fail through the whole service: what waits and how it shows, what is given up, and that nothing is rendered again.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import { type Destination, startDestination } from '../support/chaos-destination.ts'
import { cleanUp } from '../support/clean-up.ts'
import { type Receiver, startReceiver } from '../support/https-receiver.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { untilPutOff } from '../support/put-off.ts'
import { until } from '../support/until.ts'

describe('deliveries that fail', () => {
  let keepsake: Keepsake
  let receiver: Receiver
  let store: Destination
  let picture: Blob
  /** Statuses that are answered one after the other, then 200. */
  let statuses: number[] = []
  let headers: Record<string, string> = {}
  let seen = 0

  before(async () => {
    picture = new Blob([new Uint8Array(await png(pattern(24, 16, 3)))])
    receiver = await startReceiver({
      answer(_request, response) {
        seen++
        const status = statuses.shift() ?? 200
        response.writeHead(status, status === 200 ? {} : headers).end('')
      },
    })
    store = await startDestination()
    keepsake = await startKeepsake({ settings: { concurrency: 1 } })
    const post = (name: string, patience: object) =>
      keepsake.configure(single(name, 'http_post', { url: `${receiver.url}/in`, idempotent: true, ...patience }))
    await keepsake.configure(single('flip', 'photo_flip', { method: 'ROTATE_180' }))
    await post('patient', { delivery_attempts: 4, delivery_backoff: 3_600 })
    await post('hasty', { delivery_attempts: 3, delivery_backoff: 0.2 })
    await post('once', { delivery_attempts: 1 })
    for (const name of ['patient', 'hasty', 'once'])
      await keepsake.configure(
        chain(`flip-${name}`, [
          ['flip', null],
          [name, 0],
        ]),
      )
    await keepsake.configure(single('no video', 'video_resize', { width: 32, height: 32 }))
    await keepsake.configure(single('smaller', 'photo_resize', { width: 12, height: 8 }))
    await keepsake.configure(
      chain('branches', [
        ['no video', null],
        ['flip', 0],
        ['hasty', null],
        ['smaller', null],
      ]),
    )
    const parts = (name: string, patience: object) => ({
      ...single(name, 's3_upload'),
      adapter_config: {
        auth: { access_key: 'key', secret_key: 'secret-key' },
        defaults: { bucket_name: 'souvenirs', bucket_url: store.url, ...patience },
      },
    })
    await keepsake.configure(parts('parts', { delivery_attempts: 2, delivery_backoff: 0.2 }))
    await keepsake.configure(parts('parts-later', { delivery_attempts: 9, delivery_backoff: 600 }))
  })
  after(() =>
    cleanUp(
      () => keepsake.stop(),
      () => Promise.all([receiver.stop(), store.stop()]),
    ),
  )
  beforeEach(() => {
    statuses = []
    headers = {}
    seen = 0
  })

  async function send(configuration_name: string, data: Blob = picture): Promise<string> {
    const { status, body } = await keepsake.send('/api/task/', { configuration_name, data })
    assert.equal(status, 202, JSON.stringify(body))
    return `/api/task/${body.task_id}/`
  }

  const task = async (path: string) => (await keepsake.client.get(path)).body
  const waiting = (path: string) =>
    until('the delivery waits', async () => {
      const body = await task(path)
      return body.entries.at(-1).retry_at !== null && body
    })

  /** How often each entry of a task was run. */
  async function runs(path: string): Promise<number[]> {
    const client = new pg.Client({ connectionString: keepsake.databaseUrl })
    await client.connect()
    const sql = 'select attempts from entries join chains using (chain_id) where task_id = $1 order by entries.index'
    const { rows } = await client.query(sql, [path.split('/')[3]])
    await client.end()
    return rows.map(({ attempts }) => attempts)
  }

  /** Seconds between its newest failure and its next attempt, as they are stored. */
  async function pause(path: string): Promise<number> {
    const { retry_at } = (await task(path)).entries.at(-1)
    const [{ last_at }] = (await keepsake.client.get(`${path}failures/`)).body.items
    return (Date.parse(retry_at) - Date.parse(last_at)) / 1000
  }

  async function tryNow(path: string): Promise<void> {
    const before = seen
    assert.equal((await keepsake.client.post(`${path}now/`)).status, 202)
    await until('it is tried', () => seen > before)
  }

  it('one that may pass waits without holding the worker, is tried again, and its render is not', async () => {
    statuses = [503, 500]
    const path = await send('flip-patient')
    const body = await waiting(path)
    const [flip, post] = body.entries
    assert.deepEqual([body.status, flip.status, post.status], ['Running', 'Succeeded', 'Waiting'])
    assert.deepEqual(post.error, {
      code: 'destination_unreachable',
      message: `${new URL(receiver.url).host} could not take the file just now (503).`,
    })
    assert.ok(Math.abs((await pause(path)) - 3_600) < 600, `waits until ${post.retry_at}`)
    // One worker, one slot: this could not end if the waiting one held it.
    assert.equal((await keepsake.ended(await send('flip'))).status, 'Succeeded')
    for (let tries = 1; tries < 3; tries++) {
      await untilPutOff(keepsake.databaseUrl, path)
      assert.equal(seen, tries)
      await tryNow(path)
    }
    const done = await keepsake.ended(path)
    assert.equal(done.status, 'Succeeded')
    assert.equal(done.entries[1].error, null)
    assert.equal(seen, 3)
    assert.deepEqual(await runs(path), [1, 3])
    assert.equal(done.entries[0].output.sha256, flip.output.sha256)
  })

  it('what failed stays failed while another branch is tried again, and what was made is not made again', async () => {
    statuses = [503, 503]
    const path = await send('branches')
    const { status, entries } = await until('it has ended', async () => {
      const body = await task(path)
      return ['Succeeded', 'Failed'].includes(body.status) && body
    })
    assert.deepEqual(
      [status, ...entries.map((entry: { status: string }) => entry.status)],
      ['Failed', 'Failed', 'Skipped', 'Succeeded', 'Succeeded'],
    )
    assert.deepEqual(await runs(path), [1, 0, 3, 1])
  })

  it('a quota is waited for until its reset, and that uses up no attempt', async () => {
    statuses = [429, 429, 429]
    headers = { 'retry-after': '3600' }
    const path = await send('flip-once')
    for (let tries = 1; tries < 4; tries++) {
      await untilPutOff(keepsake.databaseUrl, path)
      const [, post] = (await task(path)).entries
      assert.deepEqual([post.status, post.error.code], ['Waiting', 'destination_quota'])
      assert.match(post.error.message, /takes no more for now \(429\)\.$/)
      assert.ok(Math.abs((await pause(path)) - 3_600) < 600, `waits until ${post.retry_at}`)
      assert.deepEqual([seen, await runs(path)], [tries, [1, 0]])
      await tryNow(path)
    }
    assert.equal((await keepsake.ended(path)).status, 'Succeeded')
    assert.equal(seen, 4)
    assert.deepEqual(await runs(path), [1, 1])
  })

  it('attempts are made as often as the configuration says, then it fails with the last sentence', async () => {
    statuses = [500, 500, 500, 500]
    const failed = await keepsake.ended(await send('flip-hasty'))
    assert.deepEqual([failed.status, failed.entries[1].error.code], ['Failed', 'destination_unreachable'])
    assert.equal(seen, 3)
    assert.deepEqual(await runs(`/api/task/${failed.task_id}/`), [1, 3])
    statuses = []
    assert.equal((await keepsake.client.post(`/api/task/${failed.task_id}/retry/`)).status, 202)
    assert.equal((await keepsake.ended(`/api/task/${failed.task_id}/`)).status, 'Succeeded')
    assert.deepEqual(await runs(`/api/task/${failed.task_id}/`), [1, 1], 'a person’s retry renders nothing either')
  })

  it('a refusal fails at once', async () => {
    statuses = [403, 403]
    const failed = await keepsake.ended(await send('flip-patient'))
    assert.deepEqual([failed.status, failed.entries[1].error.code], ['Failed', 'destination_refused'])
    assert.match(failed.entries[1].error.message, /does not allow this with our credentials \(403\)\.$/)
    assert.equal(seen, 1)
  })

  it('no extras let a delivery take the name of another task', async () => {
    store.mood = () => 'fine'
    const extras = JSON.stringify({ additional_context: { task_id: 'another', index: 7, guest: 'x' } })
    const { body } = await keepsake.send('/api/task/', { configuration_name: 'parts', data: picture, extras })
    const done = await keepsake.ended(`/api/task/${body.task_id}/`)
    assert.equal(done.entries[0].result.file_key, `${body.task_id}-0.png`)
  })

  it('parts of an upload are taken away when its attempts are used up, and when it is cancelled while it waits', async () => {
    const large = new Blob([Buffer.alloc(17 * 1024 ** 2, 7)])
    store.mood = () => 'busy'
    const failed = await keepsake.ended(await send('parts', large))
    assert.deepEqual([failed.status, failed.entries[0].error.code], ['Failed', 'destination_unreachable'])
    assert.equal(store.openUploads(), 0)
    const path = await send('parts-later', large)
    await waiting(path)
    assert.equal(store.openUploads(), 1, 'to be gone on with')
    assert.equal((await keepsake.client.post(`${path}cancel/`)).status, 202)
    await until('the parts are gone', async () => store.openUploads() === 0)
    assert.equal((await keepsake.ended(path)).status, 'Cancelled')
  })
})
