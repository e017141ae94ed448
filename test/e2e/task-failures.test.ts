// What went wrong in a task is kept, whatever is done to the task later; and a task that waits for its next attempt is tried at once.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import { cleanUp } from '../support/clean-up.ts'
import { type Receiver, startReceiver } from '../support/https-receiver.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { untilPutOff } from '../support/put-off.ts'
import { until } from '../support/until.ts'

interface Failure {
  run: number
  position: number
  index: number
  configuration: string
  outcome: string
  attempt: number
  error: { code: string; message: string }
  times: number
  first_at: string
  last_at: string
}

describe('failures of a task', () => {
  let keepsake: Keepsake
  let receiver: Receiver
  let picture: Blob
  let status = 503

  before(async () => {
    receiver = await startReceiver({ answer: (_request, response) => void response.writeHead(status).end() })
    keepsake = await startKeepsake()
    picture = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
    const url = `${receiver.url}/post`
    await keepsake.configure(single('later', 'http_post', { url, delivery_attempts: 9, delivery_backoff: 600 }))
    await keepsake.configure(single('soon', 'http_post', { url, delivery_attempts: 3, delivery_backoff: 0.1 }))
  })
  after(() =>
    cleanUp(
      () => keepsake?.stop(),
      () => receiver?.stop(),
    ),
  )
  beforeEach(() => {
    status = 503
    receiver.received.length = 0
  })

  async function send(path: '/api/task/' | '/api/taskgroup/', parts: Record<string, string | Blob>): Promise<string> {
    const { status, body } = await keepsake.send(path, parts)
    assert.equal(status, 202, JSON.stringify(body))
    return `${path}${body.task_id}/`
  }
  const failures = async (path: string): Promise<Failure[]> => {
    const { status, body } = await keepsake.client.get(`${path}failures/`)
    assert.equal(status, 200)
    assert.equal(body.next_cursor, null)
    return body.items
  }
  const short = (list: Failure[]) =>
    list.map(({ run, index, outcome, attempt, error, times }) => [run, index, outcome, attempt, error.code, times])

  it('every attempt is told, equal ones in a row as one, and a retry that succeeds erases none of them', async () => {
    const path = await send('/api/task/', { configuration_name: 'soon', data: picture })
    assert.equal((await keepsake.ended(path)).status, 'Failed')
    const first = [
      [1, 0, 'Failed', 3, 'destination_unreachable', 1],
      [1, 0, 'Deferred', 1, 'destination_unreachable', 2],
    ]
    assert.deepEqual(short(await failures(path)), first)
    status = 403
    assert.equal((await keepsake.client.post(`${path}retry/`)).status, 202)
    await keepsake.ended(path)
    status = 200
    assert.equal((await keepsake.client.post(`${path}retry/`)).status, 202)
    assert.equal((await keepsake.ended(path)).status, 'Succeeded')
    const all = await failures(path)
    assert.deepEqual(short(all), [[2, 0, 'Failed', 1, 'destination_refused', 1], ...first])
    assert.deepEqual([all[0]?.configuration, all[0]?.position], ['soon', 0])
    assert.match(all[0]?.error.message ?? '', /403/)
    assert.ok((all[2]?.first_at ?? '') < (all[2]?.last_at ?? ''))
  })

  it('a cancel between two attempts leaves the reason, in the failures and in what the entry says', async () => {
    const path = await send('/api/task/', { configuration_name: 'later', data: picture })
    await untilPutOff(keepsake.databaseUrl, path)
    assert.equal((await keepsake.client.post(`${path}cancel/`)).status, 202)
    const { entries } = await keepsake.ended(path)
    assert.match(
      entries[0].error.message,
      /^Cancelled while it waited for its next attempt\. The last attempt failed: /,
    )
    assert.deepEqual(short(await failures(path)), [
      [1, 0, 'Cancelled', 1, 'cancelled', 1],
      [1, 0, 'Deferred', 1, 'destination_unreachable', 1],
    ])
  })

  it('a task that waits is tried now, and its attempts go on counting; who did it is in the audit', async () => {
    for (const [path, parts] of [
      ['/api/task/', { configuration_name: 'later', data: picture }],
      ['/api/taskgroup/', { configuration_names: '["later"]', later_data: picture }],
    ] as const) {
      status = 503
      const task = await send(path, parts)
      await untilPutOff(keepsake.databaseUrl, task)
      const again = await keepsake.client.post(`${task}now/`)
      assert.equal(again.status, 202, JSON.stringify(again.body))
      const second = await until('it was tried a second time', async () => {
        const [newest] = await failures(task)
        return newest?.times === 2 && newest
      })
      assert.equal(second.outcome, 'Deferred')
      await untilPutOff(keepsake.databaseUrl, task)
      status = 200
      assert.equal((await keepsake.client.post(`${task}now/`)).status, 202)
      assert.equal((await keepsake.ended(task)).status, 'Succeeded')
      const object_id = task.split('/')[3]
      const { body } = await keepsake.client.get(`/api/audit/?object_id=${object_id}&action=retry`)
      assert.deepEqual(
        body.items.map(({ after }: { after: { tried_now?: boolean } }) => after.tried_now),
        [true, true],
      )
    }
  })

  it('what waits for nothing is a 409; a foreign or unknown task a 404; a token that only reads may look, not try', async () => {
    status = 200
    const path = await send('/api/task/', { configuration_name: 'soon', data: picture })
    assert.equal((await keepsake.ended(path)).status, 'Succeeded')
    const refused = await keepsake.client.post(`${path}now/`)
    assert.deepEqual([refused.status, refused.body.code], [409, 'wrong_state'])
    assert.deepEqual(await failures(path), [])
    const token = async (of: object) =>
      keepsake.client.as((await keepsake.client.post('/api/token/', { name: 't', ...of })).body.token)
    const foreign = await token({ scopes: ['tasks'], experiences: ['elsewhere'] })
    const reader = await token({ scopes: ['read'] })
    assert.equal((await foreign.get(`${path}failures/`)).status, 404)
    assert.equal((await foreign.post(`${path}now/`)).status, 404)
    assert.equal((await reader.get(`${path}failures/`)).status, 200)
    assert.equal((await reader.post(`${path}now/`)).status, 403)
    assert.equal((await keepsake.client.get(path.replace('/task/', '/taskgroup/').concat('failures/'))).status, 404)
  })

  it('the newest hundred are kept, and all go with the task', async () => {
    status = 403
    const path = await send('/api/task/', { configuration_name: 'soon', data: picture })
    await keepsake.ended(path)
    const client = new pg.Client({ connectionString: keepsake.databaseUrl })
    await client.connect()
    try {
      const taskId = path.split('/')[3]
      await client.query(
        `insert into task_failures (failure_id, task_id, run, chain_id, index, outcome, attempt, code, message)
         select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, task_id, 0, chain_id, 0, 'Failed', 1, 'x', 'm' || n
         from task_failures, generate_series(1, 300) n where task_id = $1`,
        [taskId],
      )
      await keepsake.client.post(`${path}retry/`)
      await keepsake.ended(path)
      const counted = async () =>
        (await client.query('select count(*)::int from task_failures where task_id = $1', [taskId])).rows[0].count
      assert.equal(await counted(), 100)
      const list = await failures(path)
      assert.deepEqual([list[0]?.run, list[1]?.run, list.at(-1)?.error.message], [2, 1, 'm203'])
      await until('its callback has ended', async () => (await keepsake.client.delete(path)).status === 204)
      assert.equal(await counted(), 0)
    } finally {
      await client.end()
    }
  })
})
