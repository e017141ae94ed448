// How callbacks are delivered: signed, repeated with the same body, given up when told.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { type CallbackReceiver, startCallbackReceiver } from '../support/callbacks.ts'
import { cleanUp } from '../support/clean-up.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'

describe('callback delivery', () => {
  let keepsake: Keepsake
  let receiver: CallbackReceiver
  let picture: Blob
  let answers: { status: number; headers?: Record<string, string> }[] = []

  before(async () => {
    receiver = await startCallbackReceiver((_request, response) => {
      const { status, headers = {} } = answers.shift() ?? { status: 200 }
      response.writeHead(status, headers).end()
    })
    keepsake = await startKeepsake({ settings: { callbackDelays: [0.1, 0.1, 1.5, 0.1] } })
    picture = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
    await keepsake.configure(single('flip', 'photo_flip', { method: 'ROTATE_180' }, { webhook_url: receiver.url }))
  })
  after(() =>
    cleanUp(
      () => keepsake.stop(),
      () => receiver.stop(),
    ),
  )

  const run = async (...planned: typeof answers): Promise<string> => {
    answers = planned
    const { body } = await keepsake.send('/api/task/', { configuration_name: 'flip', data: picture })
    return body.task_id
  }
  const settled = (taskId: string) =>
    until(`the callback of ${taskId} is delivered or given up`, async () => {
      const [callback] = (await keepsake.client.get(`/api/callback/?task_id=${taskId}`)).body.items
      return callback?.status !== 'Waiting' && callback
    })
  const verify = (secret: string, taskId: string): void => {
    for (const { body, headers } of receiver.allFor(taskId))
      new Webhook(secret).verify(body, headers as Record<string, string>)
  }
  const secretOf = async (): Promise<string> => (await keepsake.client.get('/api/experience/park/')).body.webhook_secret

  it('is signed as Standard Webhooks with the secret of the experience', async () => {
    const taskId = await run()
    const callback = await settled(taskId)
    verify(await secretOf(), taskId)
    const [request] = receiver.allFor(taskId)
    assert.equal(request?.headers['webhook-id'], callback.callback_id)
    assert.equal(request?.headers['content-type'], 'application/json')
    assert.throws(() => verify('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', taskId))
  })

  it('is tried again with the same id and body until it is taken', async () => {
    const taskId = await run({ status: 500 }, { status: 302, headers: { location: '/elsewhere' } }, { status: 200 })
    const callback = await settled(taskId)
    assert.equal(callback.status, 'Delivered')
    assert.deepEqual(
      callback.attempts.map((attempt: { status_code: number }) => attempt.status_code),
      [500, 302, 200],
    )
    const all = receiver.allFor(taskId)
    assert.equal(new Set(all.map(({ headers, body, url }) => `${headers['webhook-id']} ${url} ${body}`)).size, 1)
  })

  it('is given up at once on 410, and after the last slot', async () => {
    const gone = await settled(await run({ status: 410 }))
    assert.deepEqual([gone.status, gone.attempts.length], ['GivenUp', 1])
    const failing = Array.from({ length: 9 }, () => ({ status: 503 }))
    const last = await settled(await run(...failing))
    assert.deepEqual([last.status, last.attempts.length], ['GivenUp', 5])
  })

  it('waits longer when the receiver asks for it', async () => {
    const callback = await settled(await run({ status: 429, headers: { 'retry-after': '1' } }))
    const [first, second] = callback.attempts.map((attempt: { at: string }) => Date.parse(attempt.at))
    // Asked for a second; the slots would allow 0.1 s now and 0.1 s after it, so it waits no longer than those two.
    assert.ok(second - first >= 150, `${second - first} ms`)
  })

  it('is signed with both secrets for a day after a rotation', async () => {
    const old = await secretOf()
    assert.equal((await keepsake.client.post('/api/experience/park/rotate-secret/')).status, 200)
    const fresh = await secretOf()
    assert.notEqual(fresh, old)
    const taskId = await run()
    await settled(taskId)
    verify(old, taskId)
    verify(fresh, taskId)
  })

  it('an unreachable receiver is a sentence in the log of attempts', async () => {
    await keepsake.configure(
      single('nowhere', 'photo_flip', { method: 'ROTATE_180' }, { webhook_url: 'http://127.0.0.1:9/hook' }),
    )
    const { body } = await keepsake.send('/api/task/', { configuration_name: 'nowhere', data: picture })
    const callback = await settled(body.task_id)
    assert.equal(callback.status, 'GivenUp')
    assert.match(callback.attempts[0].error, /127\.0\.0\.1/)
    assert.equal(callback.attempts[0].status_code, null)
  })
})
