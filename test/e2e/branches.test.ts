// Branches of one task: each is tried when it is due, and a delivery of other bytes is another delivery.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { cleanUp } from '../support/clean-up.ts'
import { type Answer, type Receiver, startReceiver } from '../support/https-receiver.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { untilPutOff } from '../support/put-off.ts'
import { until } from '../support/until.ts'

interface Hit {
  key: string
  bytes: number
}

describe('branches of a task', () => {
  let keepsake: Keepsake
  let receiver: Receiver
  let picture: Blob
  let hits: Record<string, Hit[]> = {}
  /** What the receiver does with each path. */
  let answers: Record<string, Answer> = {}

  before(async () => {
    receiver = await startReceiver({
      answer(request, response) {
        const hit = { key: String(request.headers['idempotency-key']), bytes: request.body.length }
        hits[request.url] = [...(hits[request.url] ?? []), hit]
        const answer = answers[request.url]
        return answer ? answer(request, response) : void response.end('{}')
      },
    })
    keepsake = await startKeepsake()
    picture = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
    for (const name of ['a', 'b'])
      await keepsake.configure(
        single(name, 'http_post', {
          url: `${receiver.url}/${name}`,
          delivery_attempts: 4,
          delivery_backoff: 0.1,
        }),
      )
    await keepsake.configure(
      chain('both', [
        ['a', null],
        ['b', null],
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
    hits = {}
    const { status, body } = await keepsake.send('/api/task/', { configuration_name, data: picture })
    assert.equal(status, 202, JSON.stringify(body))
    return `/api/task/${body.task_id}/`
  }
  const busy =
    (times: number, headers: Record<string, string> = {}): Answer =>
    ({ url }, response) => {
      const refused = (hits[url]?.length ?? 0) <= times
      response.writeHead(refused ? 503 : 200, refused ? headers : {}).end('{}')
    }

  it('what asked for a long pause is not tried when another branch is due', async () => {
    answers = { '/a': busy(3), '/b': busy(1, { 'retry-after': '3600' }) }
    const path = await start('both')
    await until('the other one has arrived', async () => {
      const { entries } = (await keepsake.client.get(path)).body
      return entries[0].status === 'Succeeded'
    })
    await untilPutOff(keepsake.databaseUrl, path)
    assert.deepEqual([hits['/a']?.length, hits['/b']?.length], [4, 1])
    assert.equal((await keepsake.client.post(`${path}now/`)).status, 202)
    const task = await keepsake.ended(path)
    assert.equal(task.status, 'Succeeded', JSON.stringify(task.entries))
    assert.deepEqual([hits['/a']?.length, hits['/b']?.length], [4, 2])
  })

  it('what is due is tried although another branch is still at work', async () => {
    const thirdOfB = Promise.withResolvers<void>()
    answers = {
      '/a': async (_request, response) => {
        await thirdOfB.promise
        response.end('{}')
      },
      '/b': (request, response) => {
        if (hits['/b']?.length === 3) thirdOfB.resolve()
        return busy(2)(request, response)
      },
    }
    const task = await keepsake.ended(await start('both'))
    assert.equal(task.status, 'Succeeded', JSON.stringify(task.entries))
    assert.deepEqual([hits['/a']?.length, hits['/b']?.length], [1, 3], 'the first one was left alone')
  })

  it('the same delivery carries the same key, one of another file or other options another key', async () => {
    answers = { '/a': (_request, response) => void response.writeHead(400).end('{}') }
    const path = await start('a')
    await keepsake.ended(path)
    const retry = async (parts: Record<string, string | Blob>): Promise<void> => {
      const { status, body } = await keepsake.send(`${path}retry/`, parts)
      assert.equal(status, 202, JSON.stringify(body))
      await keepsake.ended(path)
    }
    await retry({ extras: '{}' })
    await retry({ data: new Blob([new Uint8Array(await png(pattern(30, 20, 3)))]) })
    await retry({ extras: '{}' })
    await retry({ extras: JSON.stringify({ expect: '200' }) })
    const [first, again, other, otherAgain, options] = hits['/a'] ?? []
    assert.equal(first?.key, again?.key)
    assert.notEqual(other?.key, first?.key)
    assert.notEqual(other?.bytes, first?.bytes)
    assert.equal(other?.key, otherAgain?.key)
    assert.notEqual(options?.key, other?.key)
    assert.notEqual(options?.key, first?.key)
  })
})
