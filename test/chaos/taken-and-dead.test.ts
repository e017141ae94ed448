// A worker that dies between taking a job and beginning it: the work is found again in seconds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { newId } from '#kit/ids.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startReceiver } from '../support/https-receiver.ts'
import { single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'

/** Without a death a job that was taken is left alone for longer than this, as its worker may be busy. */
const FOUND_MS = 15_000

test('a job that a dead worker had taken is begun by another in seconds, be it a callback or a task', async t => {
  let answer = 503
  const receiver = await startReceiver({ answer: (_request, response) => void response.writeHead(answer).end() })
  // What fails is put off for so long that nobody tries it again by itself.
  const keepsake = await startKeepsake({ settings: { callbackDelays: [3600] } })
  const client = new pg.Client(keepsake.databaseUrl)
  t.after(() => cleanUp(() => client.end(), keepsake.stop, receiver.stop))
  await client.connect()
  await keepsake.configure(
    single('flip', 'photo_flip', { method: 'ROTATE_180' }, { webhook_url: `${receiver.url}/hook` }),
  )
  const target = { url: `${receiver.url}/in`, delivery_attempts: 2, delivery_backoff: 3600 }
  await keepsake.configure(single('post', 'http_post', target))
  const data = new Blob([new Uint8Array(await png(pattern(24, 16, 3)))])
  const send = async (configuration_name: string): Promise<string> => {
    const { status, body } = await keepsake.send('/api/task/', { configuration_name, data })
    assert.equal(status, 202, JSON.stringify(body))
    return body.task_id
  }
  const [flipped, posted] = [await send('flip'), await send('post')]
  const jobOf = async (from: string, taskId: string): Promise<string | null> => {
    const { rows } = await client.query(
      `select job_id from ${from} join pgboss.job on id = job_id where task_id = $1 and state = 'created' and start_after > now() + interval '1 minute'`,
      [taskId],
    )
    return rows[0]?.job_id
  }
  const callbackJob = await until('the callback is put off', () => jobOf('callbacks', flipped))
  const taskJob = await until('the delivery is put off', () => jobOf('tasks', posted))
  answer = 200
  const before = receiver.received.length

  const dead = newId()
  await client.query(
    `insert into workers (worker_id, lock, host, doing, started_at, seen_at) values ($1, 1, 'gone', '[]', now(), now())`,
    [dead],
  )
  await until('its death is noticed', async () => {
    const { rowCount } = await client.query('select from workers where worker_id = $1', [dead])
    return rowCount === 0
  })
  // Its last question was carried out only now; nobody was there any more to hear the answer.
  await client.query(
    `update pgboss.job set state = 'active', started_on = now(), start_after = now() where id = any ($1)`,
    [[callbackJob, taskJob]],
  )
  await client.query('update callbacks set next_attempt_at = now() where job_id = $1', [callbackJob])

  const paths = () => receiver.received.slice(before).map(({ url }) => url)
  await until('both are done by another', () => ['/hook', '/in'].every(path => paths().includes(path)), FOUND_MS)
  assert.equal((await keepsake.ended(`/api/task/${posted}/`)).status, 'Succeeded')
})
