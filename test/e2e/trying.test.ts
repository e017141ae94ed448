// Trying configurations out, and looking at the whole: preview, check, stats, resend.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import sharp, { type Metadata } from 'sharp'
import { type CallbackReceiver, startCallbackReceiver } from '../support/callbacks.ts'
import { cleanUp } from '../support/clean-up.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { png, scene } from '../support/pictures.ts'
import { until } from '../support/until.ts'

describe('trying configurations', () => {
  let keepsake: Keepsake
  let receiver: CallbackReceiver
  let status = 200
  let picture: Blob

  before(async () => {
    receiver = await startCallbackReceiver((_request, response) => void response.writeHead(status).end())
    keepsake = await startKeepsake({ settings: { callbackDelays: [0.1] } })
    picture = new Blob([new Uint8Array(await png(scene(1600, 1200)))])
    await keepsake.configure(single('turn', 'photo_flip', { method: 'ROTATE_90' }, { webhook_url: receiver.url }))
    await keepsake.configure(single('small', 'photo_resize', { width: 300, height: 400 }))
    await keepsake.configure(
      chain(
        'both',
        [
          ['turn', null],
          ['small', 0],
        ],
        { webhook_url: receiver.url },
      ),
    )
    await keepsake.configure(
      single(
        'store',
        's3_upload',
        {},
        {
          adapter_config: {
            auth: { access_key: 'AKIDEXAMPLE', secret_key: 'very-secret-key' },
            defaults: { bucket_name: 'nowhere', bucket_url: 'http://127.0.0.1:9' },
          },
        },
      ),
    )
  })
  after(() =>
    cleanUp(
      () => keepsake.stop(),
      () => receiver.stop(),
    ),
  )

  const previewOf = async (name: string, query = ''): Promise<Metadata> => {
    const form = new FormData()
    form.append('data', picture)
    const response = await fetch(`${keepsake.url}/api/configuration/${name}/preview/${query}`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${keepsake.token}` },
    })
    assert.equal(response.status, 200, response.ok ? '' : await response.text())
    return sharp(Buffer.from(await response.arrayBuffer())).metadata()
  }

  it('a preview is the picture at once, small unless asked for in full', async () => {
    const small = await previewOf('turn')
    assert.deepEqual([small.width, small.height], [768, 1024])
    const full = await previewOf('turn', '?full=true')
    assert.deepEqual([full.width, full.height, full.format], [1200, 1600, 'png'])
    const melted = await previewOf('both', '?full=true')
    assert.deepEqual([melted.width, melted.height], [300, 400])
  })

  it('a preview of what only delivers says so, and leaves no file behind', async () => {
    const { status, body } = await keepsake.send('/api/configuration/store/preview/', { data: picture })
    assert.equal(status, 400)
    assert.match(body.detail, /only delivers/)
  })

  it('the check before doors open tells green from red and no secret', async () => {
    const green = await keepsake.client.post('/api/configuration/both/check/')
    assert.equal(green.status, 200)
    assert.ok(green.body.lines.length >= 3)
    assert.ok(
      green.body.lines.every((line: { ok: boolean }) => line.ok),
      JSON.stringify(green.body.lines),
    )
    status = 500
    const red = await keepsake.client.post('/api/configuration/both/check/')
    status = 200
    assert.deepEqual(
      red.body.lines.filter((line: { ok: boolean }) => !line.ok).map((line: { what: string }) => line.what),
      ['Webhook'],
    )
    const store = await keepsake.client.post('/api/configuration/store/check/')
    assert.ok(store.body.lines.some((line: { ok: boolean }) => !line.ok))
    assert.ok(!JSON.stringify(store.body).includes('very-secret-key'))
  })

  it('a callback that was given up can be sent again, alone or by a filter, with the same id and body', async () => {
    status = 500
    const ids: string[] = []
    for (let i = 0; i < 2; i++) {
      const { body: task } = await keepsake.send('/api/task/', { configuration_name: 'turn', data: picture })
      ids.push(task.task_id)
    }
    const given = (id: string, wanted: string) =>
      until(`the callback of ${id} is ${wanted}`, async () => {
        const { items } = (await keepsake.client.get(`/api/callback/?task_id=${id}`)).body
        return items[0]?.status === wanted && items[0]
      })
    const [first, second] = await Promise.all(ids.map(id => given(id, 'GivenUp')))
    assert.equal(first.attempts.length, 2, 'the first attempt and one per delay')
    assert.equal(first.attempts[0].status_code, 500)
    status = 204
    const { status: code } = await keepsake.client.post(`/api/callback/${first.callback_id}/resend/`)
    assert.equal(code, 202)
    const delivered = await given(ids[0] as string, 'Delivered')
    assert.equal(delivered.callback_id, first.callback_id)
    const bodies = new Set(
      receiver.allFor(ids[0] as string).map(({ body, headers }) => `${headers['webhook-id']} ${body}`),
    )
    assert.equal(bodies.size, 1, 'one id and one body over all attempts')
    const { body } = await keepsake.client.post('/api/callback/resend/', { status: 'GivenUp' })
    assert.deepEqual(body, { count: 1, resent: 1 })
    assert.equal((await given(ids[1] as string, 'Delivered')).callback_id, second.callback_id)
  })

  it('the overview counts what ended, what waits and who works', async () => {
    const { status, body } = await keepsake.client.get('/api/stats/?window=hour')
    assert.equal(status, 200)
    assert.ok(body.tasks_per_minute > 0)
    assert.equal(body.success_rate, 1)
    assert.ok(body.latency_ms.p50 > 0)
    assert.equal(body.workers.length, 1)
    assert.equal(
      body.points.reduce((sum: number, point: { succeeded: number }) => sum + point.succeeded, 0),
      2,
    )
    assert.equal((await keepsake.client.get('/api/stats/?window=year')).status, 400)
  })
})
