// Branches of one task: each is tried when it is due, and a delivery of other bytes is another delivery.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { cleanUp } from '../support/clean-up.ts'
import { type Answer, type Receiver, startReceiver } from '../support/https-receiver.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'

interface Hit {
  at: number
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
        const hit = { at: Date.now(), key: String(request.headers['idempotency-key']), bytes: request.body.length }
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
          delivery_backoff: 0.3,
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
  const gaps = (path: string): number[] => {
    const times = (hits[path] ?? []).map(({ at }) => at)
    return times.slice(1).map((at, index) => at - (times[index] as number))
  }

  it('what asked for a long pause is not tried when another branch is due', async () => {
    answers = { '/a': busy(3), '/b': busy(1, { 'retry-after': '5' }) }
    const task = await keepsake.ended(await start('both'))
    assert.equal(task.status, 'Succeeded', JSON.stringify(task.entries))
    assert.equal(hits['/a']?.length, 4)
    assert.equal(hits['/b']?.length, 2)
    assert.ok((gaps('/b')[0] ?? 0) >= 4_900, `it was tried after ${gaps('/b')} ms`)
  })

  it('what is due is tried although another branch is still at work', async () => {
    let meanwhile = 0
    answers = {
      '/a': async (_request, response) => {
        const allOfB = () => hits['/b']?.length === 3
        // Less than the silence that a delivery allows.
        await until('the other one was tried three times', allOfB, 40_000).catch(() => {})
        meanwhile = hits['/b']?.length ?? 0
        response.end('{}')
      },
      '/b': busy(2),
    }
    const task = await keepsake.ended(await start('both'))
    assert.equal(task.status, 'Succeeded', JSON.stringify(task.entries))
    assert.equal(hits['/a']?.length, 1, 'it was left alone')
    assert.equal(meanwhile, 3, `it was tried after ${gaps('/b')} ms`)
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
