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

  it('a preview tells what a task would warn of, in any letters, and nothing when there is nothing', async () => {
    const layers = [
      { type: 'text', name: 'title', text: 'Grüße', font: 'Nö Such “Font”', width: 300, height: 80 },
      { type: 'qr', name: 'code', data: 'x', x: -20, y: 0, width: 100, height: 100 },
    ]
    await keepsake.configure(single('warned', 'photo_compositor', { layers }))
    const toldBy = async (name: string, extras: object) => {
      const form = new FormData()
      form.append('data', picture)
      form.append('extras', JSON.stringify(extras))
      const response = await fetch(`${keepsake.url}/api/configuration/${name}/preview/`, {
        method: 'POST',
        body: form,
        headers: { authorization: `Bearer ${keepsake.token}` },
      })
      assert.equal(response.status, 200)
      const header = response.headers.get('keepsake-warnings')
      return header === null ? null : (JSON.parse(decodeURIComponent(header)) as string[])
    }
    const told = await toldBy('warned', {})
    assert.equal(told?.length, 2, String(told))
    assert.match(String(told?.[0]), /Layer "title": The font "Nö Such “Font”" is not installed here/)
    assert.match(String(told?.[1]), /Layer "code": The QR code reaches over the edge/)
    assert.equal(await toldBy('turn', {}), null)
    const many = Array.from({ length: 60 }, (_, at) => ({ ...layers[0], name: `layer-${at}` }))
    const some = await toldBy('warned', { layers: many })
    assert.ok(some && some.length > 5 && some.length < 50 && encodeURIComponent(JSON.stringify(some)).length <= 4096)
  })

  it('a preview of one entry runs only what leads to it', async () => {
    await keepsake.configure(single('open', 'photo_flip', {}))
    await keepsake.configure(chain('long', [['both', null], ['open', 0], ['small', 0]])) // biome-ignore format: one line reads better
    const [first, second] = [
      await previewOf('long', '?entry=0&full=true'),
      await previewOf('long', '?entry=1&full=true'),
    ]
    assert.deepEqual([first.width, first.height, second.width, second.height], [1200, 1600, 300, 400])
    const fourth = await previewOf('long', '?entry=3&full=true')
    assert.deepEqual([fourth.width, fourth.height], [300, 400], 'what lacks an option beside it is no error')
    for (const [entry, says] of [
      ['2', /method/],
      ['4', /0 to 3/],
      ['-1', /entry/],
      ['x', /entry/],
    ] as const) {
      const { status, body } = await keepsake.send(`/api/configuration/long/preview/?entry=${entry}`, { data: picture })
      assert.equal(status, 400)
      assert.match(JSON.stringify(body), says)
    }
    assert.equal((await keepsake.send('/api/configuration/store/preview/?entry=0', { data: picture })).status, 400)
  })

  it('what is left to the extras is told by option, what extras can’t give is red', async () => {
    const adapter = async (name: string) => (await keepsake.client.get(`/api/adapter/${name}/`)).body
    assert.deepEqual((await adapter('photo_resize')).one_of, ['width', 'height'])
    assert.deepEqual((await adapter('http_post')).fixed_options, ['url'])
    assert.deepEqual((await adapter('s3_upload')).fixed_options, [])
    await keepsake.configure(single('later', 'photo_resize'))
    await keepsake.configure(single('posted', 'http_post'))
    const linesOf = async (name: string) => (await keepsake.client.post(`/api/configuration/${name}/check/`)).body.lines
    assert.deepEqual(
      (await linesOf('later')).map(({ ok, needs }: { ok: boolean; needs?: object }) => [ok, needs]),
      [[true, { configuration: 'later', option: 'width' }]],
    )
    const posted = await linesOf('posted')
    assert.deepEqual(posted[0], {
      ok: false,
      what: 'posted',
      detail: 'The option url is required, and extras can’t give it.',
    })
    const bucket: { ok: boolean; detail: string; needs?: { option: string } }[] = (
      await keepsake.client.post('/api/configuration/check/', single('bucket', 's3_upload'))
    ).body.lines
    assert.deepEqual(
      bucket.flatMap(({ needs }) => needs?.option ?? []),
      ['bucket_name', 'bucket_url'],
    )
    assert.deepEqual(
      bucket.filter(({ ok }) => !ok).map(({ detail }) => detail),
      ['The credential access_key is missing.', 'The credential secret_key is missing.'],
    )
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

  it('what is not saved is checked as it would be: with stored credentials, never elsewhere, and nothing is stored', async () => {
    const check = (body: object, by = keepsake.client) => by.post('/api/configuration/check/', body)
    const before = (await keepsake.client.get('/api/configuration/store/')).body
    const { kind: _kind, created_at: _made, updated_at: _changed, version: _version, ...stored } = before
    const { auth, defaults } = stored.adapter_config
    const told = ({ body }: { body: { lines: { ok: boolean; what: string; detail: string }[] } }) =>
      body.lines.map(({ ok, what, detail }) => `${ok} ${what} ${detail}`.replaceAll(/:\d+/g, '')).join('\n')
    const same = await check({ ...stored, adapter_config: { auth, defaults } })
    assert.equal(same.status, 200, JSON.stringify(same.body))
    assert.equal(
      told(same),
      told(await keepsake.client.post('/api/configuration/store/check/')),
      'the stored ones are used',
    )
    const elsewhere = { ...defaults, bucket_url: 'https://elsewhere.example.com' }
    const refused = await check({ ...stored, adapter_config: { auth, defaults: elsewhere } })
    assert.deepEqual([refused.status, refused.body.code], [400, 'secret_needed'], JSON.stringify(refused.body))
    const unnamed = { configuration_name: 'not there yet', experience_id: 'not-there-either' }
    const fresh = await check({
      ...unnamed,
      adapter_name: 'photo_flip',
      adapter_config: { defaults: { method: 'ROTATE_90' } },
    })
    assert.deepEqual(fresh.body, { lines: [{ ok: true, what: 'not there yet', detail: 'Ready.' }] })
    const chain = await check({ ...unnamed, experience_id: before.experience_id, call_chain: [['turn', null]] })
    assert.ok(chain.body.lines.length > 0 && chain.status === 200, JSON.stringify(chain.body))
    for (const body of [
      {},
      { ...unnamed, adapter_name: 'no_such' },
      { ...unnamed, adapter_name: 'photo_resize', adapter_config: { defaults: { width: 'wide' } } },
    ])
      assert.equal((await check(body)).status, 400, JSON.stringify(body))
    const token = async (given: object) =>
      keepsake.client.as((await keepsake.client.post('/api/token/', { name: 't', ...given })).body.token)
    assert.equal((await check(stored, await token({ scopes: ['tasks'] }))).status, 403)
    const limited = await token({ scopes: ['write'], experiences: ['another'] })
    assert.equal((await check({ ...stored, adapter_config: { auth, defaults } }, limited)).status, 403)
    const another = { ...stored, experience_id: 'another', adapter_config: { defaults } }
    const [foreign, unknown] = await Promise.all(
      ['store', 'xxxxx'].map(configuration_name => check({ ...another, configuration_name }, limited)),
    )
    assert.equal(foreign?.status, 200)
    assert.equal(
      JSON.stringify(foreign?.body).replaceAll('store', 'xxxxx'),
      JSON.stringify(unknown?.body).replaceAll('store', 'xxxxx'),
    )
    assert.equal((await keepsake.client.get('/api/configuration/not%20there%20yet/')).status, 404)
    assert.equal((await keepsake.client.get('/api/experience/not-there-either/')).status, 404)
    assert.deepEqual((await keepsake.client.get('/api/configuration/store/')).body, before)
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
