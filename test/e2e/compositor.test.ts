// photo_compositor as an event uses it: mistakes are found before a guest's photo, templates bring their assets, overrides and placeholders do what was said.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { runWorker } from '../../src/app.ts'
import { cleanUp } from '../support/clean-up.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'

const blob = (bytes: Buffer | string): Blob => new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)])
const plain = async (background: string): Promise<Blob> =>
  blob(
    await sharp({ create: { width: 32, height: 32, channels: 3, background } })
      .png()
      .toBuffer(),
  )
const canvas = { width: 32, height: 32 }

describe('photo_compositor at an event', () => {
  let keepsake: Keepsake
  let worker: Awaited<ReturnType<typeof runWorker>>
  let photo: Blob

  async function asset(name: string, file: Blob | object, method: 'POST' | 'PUT' = 'POST') {
    const body = new FormData()
    if (method === 'POST') {
      body.append('name', name)
      body.append('experience_id', 'park')
    }
    body.append('file', file instanceof Blob ? file : blob(JSON.stringify(file)))
    const path = method === 'POST' ? '/api/asset/' : `/api/asset/${name}/`
    const answer = await keepsake.client.send(method, path, { body })
    assert.equal(answer.status, method === 'POST' ? 201 : 200, JSON.stringify(answer.body))
  }
  const save = (name: string, defaults: object, adapter = 'photo_compositor') =>
    keepsake.client.post('/api/configuration/', single(name, adapter, defaults))
  const send = (name: string, extras: object = {}) =>
    keepsake.send('/api/task/', { configuration_name: name, data: photo, extras: JSON.stringify(extras) })
  async function run(name: string, extras: object = {}) {
    const { status, body } = await send(name, extras)
    assert.equal(status, 202, JSON.stringify(body))
    return keepsake.ended(`/api/task/${body.task_id}/`)
  }
  async function lines(name: string): Promise<string[]> {
    const { status, body } = await keepsake.client.post(`/api/configuration/${name}/check/`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.lines.map(({ ok, detail }: { ok: boolean; detail: string }) => `${ok ? 'green' : 'red'} ${detail}`)
  }
  async function middle(path: string): Promise<number[]> {
    const response = await fetch(`${keepsake.url}${path}`, { headers: { authorization: `Bearer ${keepsake.token}` } })
    assert.equal(response.status, 200)
    const { data } = await sharp(Buffer.from(await response.arrayBuffer()))
      .removeAlpha()
      .extract({ left: 16, top: 16, width: 1, height: 1 })
      .raw()
      .toBuffer({ resolveWithObject: true })
    return [...data]
  }

  before(async () => {
    keepsake = await startKeepsake({ worker: false })
    worker = await runWorker(keepsake.settings)
    photo = await plain('#ffffff')
    await asset('red', await plain('#ff0000'))
    await asset('blue', await plain('#0000ff'))
    await asset('text', blob('no picture'))
    await keepsake.configure(single('same', 'photo_convert', { format: 'png' }))
  })
  after(() =>
    cleanUp(
      () => worker.drain(),
      () => keepsake.stop(),
    ),
  )

  it('a configuration with a layer that can never work is refused, in a sentence that names the place', async () => {
    await asset('typo', { layers: [{ type: 'photoo' }] })
    await asset('half', blob('{"layers": ['))
    await asset('lost', { layers: [{ type: 'image', asset: 'nobody' }] })
    const cases: [object, string, RegExp][] = [
      [{ template_file_name: 'typo' }, 'template_file_name', /"typo" is no template.*layers\[0\]\.type must be one of/],
      [{ template_file_name: 'half' }, 'template_file_name', /"half" is no template.*not valid JSON/],
      [{ template_file_name: 'lost' }, 'layers[0].asset', /no asset "nobody"/],
      [{ layers: [{ type: 'image' }] }, 'layers[0].asset', /is required/],
      [{ layers: [{ type: 'qr' }] }, 'layers[0].data', /is required/],
      [{ layers: [{ type: 'photo', width: -4 }] }, 'layers[0].width', /above 0/],
      [{ layers: [{ type: 'text', size_min: 40, size_max: 20 }] }, 'layers[0].size_min', /size_max/],
    ]
    for (const [defaults, field, words] of cases) {
      const { status, body } = await save('refused', defaults)
      assert.deepEqual(
        [status, body.errors?.[0]?.field],
        [400, `adapter_config.defaults.${field}`],
        JSON.stringify(body),
      )
      assert.match(body.detail, words)
    }
  })

  it('the check is red where an asset is of the wrong kind, a template became wrong or a name leads nowhere', async () => {
    assert.equal((await save('kinds', { layers: [{ type: 'image', asset: 'text' }] })).status, 201)
    assert.match((await lines('kinds')).join(), /^red The asset "text" \(layers\[0\]\.asset\) is of the wrong kind/)
    await asset('card', { layers: [{ type: 'image', name: 'badge', asset: 'red' }] })
    assert.equal((await save('carded', { template_file_name: 'card', layer_assets: { bagde: 'blue' } })).status, 201)
    const found = await lines('carded')
    assert.match(found.join('\n'), /^red layer_assets\.bagde changes nothing: no image layer has that name/)
    assert.ok(found.includes('green The asset "red" (badge) is there.'), found.join('\n'))
    await asset('card', { layers: [{ type: 'photoo' }] }, 'PUT')
    assert.match((await lines('carded')).join('\n'), /^red The asset "card" is no template/)
    const { status, body } = await send('carded')
    assert.equal(status, 400)
    assert.match(body.detail, /^The asset "card" is no template/)
  })

  it('the check takes a name with placeholders, and a placeholder that must not be missing, as something to come', async () => {
    const layers = [
      { type: 'image', asset: 'frame-{{team}}' },
      { type: 'text', text: '{{name}}' },
    ]
    assert.equal((await save('later', { layers, missing: 'error' })).status, 201)
    assert.deepEqual(await lines('later'), ['green Ready.'])
  })

  it('an option that is required and left to the extras is a 400 at the task, and not before', async () => {
    const cases: [string, object, object, string][] = [
      ['photo_resize', {}, { height: 16 }, 'extras.width'],
      ['photo_add_overlay', {}, { overlay_file_name: 'red' }, 'extras.overlay_file_name'],
      ['photo_collage', { layout: 'custom' }, { layout: 'grid2x2' }, 'extras.cells'],
      [
        'photo_compositor',
        { layers: [{ type: 'image', name: 'badge' }] },
        { layer_assets: { badge: 'red' } },
        'extras.layers[0].asset',
      ],
    ]
    for (const [adapter, defaults, extras, field] of cases) {
      const name = `bare ${adapter}`
      assert.equal((await save(name, defaults, adapter)).status, 201)
      assert.match((await lines(name)).join(), /^green .* must come with every task/)
      const { status, body } = await send(name)
      assert.deepEqual([status, body.errors?.[0]?.field], [400, field], JSON.stringify(body))
      assert.equal((await run(name, extras)).status, 'Succeeded')
    }
  })

  it('a template brings its own assets, which can’t be deleted, and tells those it does not find', async () => {
    await asset('framed', { canvas, layers: [{ type: 'photo' }, { type: 'image', asset: 'red' }] })
    assert.equal((await save('framed', { template_file_name: 'framed' })).status, 201)
    const first = await run('framed')
    assert.equal(first.status, 'Succeeded', JSON.stringify(first.entries))
    assert.deepEqual(await middle(`/api/task/${first.task_id}/output/0/`), [255, 0, 0])
    assert.equal((await keepsake.client.send('DELETE', '/api/asset/red/')).status, 409)
    await asset('framed', { canvas, layers: [{ type: 'image', asset: 'nobody' }] }, 'PUT')
    const { status, body } = await send('framed')
    assert.deepEqual([status, body.code], [400, 'unknown_asset'])
  })

  it('a template whose name has placeholders is read when the entry runs, with its assets', async () => {
    await asset('card-blue', { canvas, layers: [{ type: 'image', asset: 'blue' }] })
    assert.equal((await save('by team', { template_file_name: 'card-{{team}}' })).status, 201)
    const task = await run('by team', { additional_context: { team: 'blue' } })
    assert.equal(task.status, 'Succeeded', JSON.stringify(task.entries))
    assert.deepEqual(await middle(`/api/task/${task.task_id}/output/0/`), [0, 0, 255])
  })

  it('an empty placeholder leaves a code out, unless it must not be missing', async () => {
    assert.equal(
      (await save('coded', { canvas, layers: [{ type: 'photo' }, { type: 'qr', data: '{{code}}' }] })).status,
      201,
    )
    const task = await run('coded')
    assert.equal(task.status, 'Succeeded', JSON.stringify(task.entries))
    assert.deepEqual(task.entries[0].warnings, [
      'There is no value for {{code}}; it was left empty.',
      'Layer 1 has nothing to put into its QR code, so it was left out.',
    ])
    assert.equal((await run('coded', { missing: 'error' })).entries[0].error.code, 'option_missing')
    const object = await run('coded', { additional_context: { code: { a: 1 } } })
    assert.match(object.entries[0].warnings[0], /^\{\{code\}\} is an object and no text/)
    assert.equal((await save('added', { data: '{{code}}' }, 'photo_add_qr')).status, 201)
    const added = await run('added')
    assert.equal(added.status, 'Succeeded', JSON.stringify(added.entries))
    assert.match(added.entries[0].warnings[1], /^There is nothing to put into the QR code/)
    assert.equal((await save('never', { data: '' }, 'photo_add_qr')).status, 400)
  })

  it('in a group a named photo layer shows what its override names, and a name that leads nowhere is told', async () => {
    const layers = [
      { type: 'photo', name: 'ph' },
      { type: 'text', name: 'words', text: '' },
    ]
    assert.equal((await save('shown', { canvas, layers })).status, 201)
    const { status, body } = await keepsake.send('/api/taskgroup/', {
      configuration_names: '["same","shown"]',
      same_data: await plain('#00ff00'),
      shown_data: photo,
      shown_extras: JSON.stringify({
        ph_override: 'same',
        bagde_override: 'same',
        words_override: 'same',
        layer_assets: { bagde: 'red' },
      }),
    })
    assert.equal(status, 202, JSON.stringify(body))
    const group = await keepsake.ended(`/api/taskgroup/${body.task_id}/`)
    assert.equal(group.status, 'Succeeded', JSON.stringify(group))
    assert.deepEqual(await middle(`/api/taskgroup/${body.task_id}/output/1/`), [0, 255, 0])
    const nobodys = 'is not an option of any adapter of this task; it was kept and changes nothing.'
    assert.deepEqual(group.warnings, [
      `shown_extras.bagde_override ${nobodys}`,
      `shown_extras.words_override ${nobodys}`,
      'shown_extras.layer_assets.bagde changes nothing: no image layer has that name (none is named).',
    ])
  })

  it('a damaged asset is named in the error, not the guest’s photo', async () => {
    const noise = Buffer.from(Array.from({ length: 96 * 96 * 3 }, (_, i) => (i * 7919) % 251))
    const whole = await sharp(noise, { raw: { width: 96, height: 96, channels: 3 } })
      .jpeg()
      .toBuffer()
    await asset('cut', blob(whole.subarray(0, whole.length / 2)))
    assert.equal((await save('cut', { overlay_file_name: 'cut' }, 'photo_add_overlay')).status, 201)
    const task = await run('cut')
    assert.match(task.entries[0].error.message, /^The asset "cut" can’t be used: /)
  })

  it('a task runs with the template and the assets of the moment it was accepted', async () => {
    await asset('green', await plain('#00ff00'))
    await asset('early', { canvas, layers: [{ type: 'image', asset: 'green' }] })
    assert.equal((await save('early', { template_file_name: 'early' })).status, 201)
    await worker.drain()
    const { status, body } = await send('early')
    assert.equal(status, 202, JSON.stringify(body))
    await asset('early', { canvas, layers: [{ type: 'image', asset: 'blue' }] }, 'PUT')
    await asset('green', await plain('#ffff00'), 'PUT')
    worker = await runWorker(keepsake.settings)
    const task = await keepsake.ended(`/api/task/${body.task_id}/`)
    assert.equal(task.status, 'Succeeded', JSON.stringify(task.entries))
    assert.deepEqual(await middle(`/api/task/${task.task_id}/output/0/`), [0, 255, 0])
    const after = await run('early')
    assert.deepEqual(await middle(`/api/task/${after.task_id}/output/0/`), [0, 0, 255])
  })
})
