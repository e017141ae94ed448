// Errors that nobody foresaw: tried again after pauses, never for ever, and told in the end, with the callback and all.
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { QUEUE_CHANNEL } from '#db/notify.ts'
import { runWorker } from '../../src/app.ts'
import { type CallbackReceiver, startCallbackReceiver } from '../support/callbacks.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'

describe('errors that nobody foresaw', () => {
  let keepsake: Keepsake
  let receiver: CallbackReceiver
  let database: pg.Client
  let data: Blob
  let worker: Awaited<ReturnType<typeof runWorker>> | null = null

  before(async () => {
    receiver = await startCallbackReceiver()
    keepsake = await startKeepsake({ worker: false })
    database = new pg.Client({ connectionString: keepsake.databaseUrl })
    await database.connect()
    data = new Blob([new Uint8Array(await png(pattern(20, 10, 3)))])
    const post = { adapter_config: { auth: { bearer: 'abc' }, defaults: { url: receiver.url } } }
    await keepsake.configure(single('flip', 'photo_flip', { method: 'ROTATE_180' }))
    await keepsake.configure(single('other', 'photo_flip', { method: 'ROTATE_90' }))
    await keepsake.configure(single('post', 'http_post', {}, post))
    const both: [string, null][] = [
      ['flip', null],
      ['other', null],
    ]
    const sent: [string, number | null][] = [
      ['flip', null],
      ['post', 0],
    ]
    await keepsake.configure(chain('both', both, { webhook_url: receiver.url }))
    await keepsake.configure(chain('sent', sent, { webhook_url: receiver.url }))
  })
  after(async () => {
    await worker?.drain()
    await database?.end()
    await keepsake?.stop()
    await receiver?.stop()
  })

  /** A task that was spoilt before a worker came. */
  async function spoilt(configuration_name: string, spoil: string): Promise<string> {
    await worker?.drain()
    worker = null
    const { status, body } = await keepsake.send('/api/task/', { configuration_name, data })
    assert.equal(status, 202, JSON.stringify(body))
    const { rowCount } = await database.query(spoil, [body.task_id])
    assert.ok(rowCount, 'nothing was spoilt')
    worker = await runWorker(keepsake.settings)
    return body.task_id
  }

  const view = async (taskId: string) => (await keepsake.client.get(`/api/task/${taskId}/`)).body

  /** Follows a task to its end: each pause is cut short once it is begun. Answers the seconds that they were to last. */
  async function pauses(taskId: string): Promise<number[]> {
    const seconds: number[] = []
    const hasEnded = async () => {
      const { rows } = await database.query(
        `with paused as (
           select e.chain_id, e.index, t.lane, j.id, extract(epoch from e.retry_at - f.last_at)::float8 as seconds
           from entries e join chains c using (chain_id) join tasks t using (task_id)
           join task_failures f on f.chain_id = e.chain_id and f.index = e.index and f.outcome = 'Deferred'
           join pgboss.job j on j.id = t.job_id and j.state < 'active'
           where t.task_id = $1 and t.worker_id is null and e.retry_at > now()),
         due as (
           update entries e set retry_at = null from paused where e.chain_id = paused.chain_id and e.index = paused.index),
         now as (update pgboss.job set start_after = now() from paused where job.id = paused.id)
         select seconds, pg_notify($2, lane) from paused`,
        [taskId, QUEUE_CHANNEL],
      )
      seconds.push(...rows.map(row => row.seconds))
      return ['Failed', 'Succeeded'].includes((await view(taskId)).status)
    }
    await until('the task comes to an end', hasEnded)
    return seconds
  }

  /** How often an entry was put off, and why. */
  const putOff = async (taskId: string, index: number) =>
    (
      await database.query(
        `select code, times from task_failures where task_id = $1 and index = $2 and outcome = 'Deferred'`,
        [taskId, index],
      )
    ).rows

  it('an adapter that no worker has fails its entry after a few tries, and no other', async () => {
    const taskId = await spoilt(
      'both',
      `update entries set adapter_name = 'gone' from chains
       where chains.chain_id = entries.chain_id and task_id = $1 and entries.index = 1`,
    )
    const seconds = await pauses(taskId)
    const task = await view(taskId)
    assert.equal(task.status, 'Failed')
    assert.equal(task.entries[0].status, 'Succeeded')
    const message = 'No worker that took it up has the adapter "gone".'
    assert.deepEqual(task.entries[1].error, { code: 'unknown_adapter', message })
    assert.deepEqual(await putOff(taskId, 1), [{ code: 'unknown_adapter', times: 5 }])
    assert.deepEqual(
      seconds,
      seconds.toSorted((a, b) => a - b),
      'the pauses grow',
    )
    const { status, results } = JSON.parse(await receiver.bodyFor(taskId))
    assert.deepEqual([status, results[1].result], ['Failed', message])
  })

  it('credentials that cannot be opened fail their entry after a few tries', async () => {
    const taskId = await spoilt(
      'sent',
      `update snapshots set body = jsonb_set(body::jsonb, '{entries,1,auth}', '"AAAA"')::json
       where snapshot_id in (select snapshot_id from chains where task_id = $1)`,
    )
    await pauses(taskId)
    const { status, entries } = await view(taskId)
    assert.deepEqual([status, entries[0].status, entries[1].error.code], ['Failed', 'Succeeded', 'bad_options'])
    assert.match(entries[1].error.message, /credentials of the configuration "post" cannot be opened/)
    assert.deepEqual(await putOff(taskId, 1), [{ code: 'bad_options', times: 5 }])
    assert.equal(JSON.parse(await receiver.bodyFor(taskId)).status, 'Failed')
  })

  it('an error of our own fails its entry after a few tries, and says no more than that', async () => {
    const taskId = await spoilt(
      'both',
      `update chains set input = '{"file": {"blob": 5, "mime": "image/png", "bytes": 1, "sha256": ""}}' where task_id = $1`,
    )
    await pauses(taskId)
    const { status, entries } = await view(taskId)
    assert.deepEqual([status, entries[0].error.code], ['Failed', 'internal'], JSON.stringify(entries))
    assert.match(entries[0].error.message, /^It failed 6 times in a way that was not foreseen/)
    assert.deepEqual(await putOff(taskId, 0), [{ code: 'internal', times: 5 }])
    assert.equal(JSON.parse(await receiver.bodyFor(taskId)).status, 'Failed')
  })

  it('a worker without a work folder leaves work on media alone, and does it once it has one', async () => {
    await worker?.drain()
    worker = null
    const work = join(keepsake.settings.data, 'work')
    await rm(work, { recursive: true, force: true })
    await writeFile(work, 'no folder')
    const { body } = await keepsake.send('/api/task/', { configuration_name: 'both', data })
    worker = await runWorker(keepsake.settings)
    const sent = await keepsake.send('/api/task/', { configuration_name: 'post', data })
    assert.equal((await keepsake.ended(`/api/task/${sent.body.task_id}/`)).status, 'Succeeded')
    assert.equal((await view(body.task_id)).entries[0].status, 'Waiting')
    await rm(work)
    assert.equal((await keepsake.ended(`/api/task/${body.task_id}/`)).status, 'Succeeded')
    assert.deepEqual(await putOff(body.task_id, 0), [])
  })
})
