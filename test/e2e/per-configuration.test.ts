// `extras.per_configuration`: options for the entries of one configuration alone, and errors that name their entry.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import type { Answer } from '../support/client.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { png, scene } from '../support/pictures.ts'

const SECRET = 'a-very-secret-password'

describe('extras of one configuration', () => {
  let keepsake: Keepsake
  let picture: Blob

  before(async () => {
    keepsake = await startKeepsake()
    picture = new Blob([new Uint8Array(await png(scene(80, 60)))])
    await keepsake.configure(single('first', 'photo_resize', { width: 40 }))
    await keepsake.configure(single('second', 'photo_resize', { width: 20 }))
    await keepsake.configure(single('turn', 'photo_flip', { method: 'ROTATE_180' }))
    await keepsake.configure(single('card', 'photo_compositor', { canvas: { width: 64, height: 48 } }))
    await keepsake.configure({
      ...single('drop', 'sftp_upload'),
      adapter_config: {
        auth: { username: 'guest', password: SECRET },
        defaults: { host: 'files.example.org', host_key: 'SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU' },
      },
    })
    await keepsake.configure(
      chain('both', [
        ['first', null],
        ['second', 0],
      ]),
    )
    await keepsake.configure(
      chain('thrice', [
        ['both', null],
        ['second', 0],
      ]),
    )
    await keepsake.configure(
      chain('delivered', [
        ['first', null],
        ['drop', 0],
      ]),
    )
    await keepsake.configure(
      chain('cards', [
        ['card', null],
        ['turn', 0],
      ]),
    )
  })
  after(() => keepsake.stop())

  const send = (configuration_name: string, extras: unknown, data = picture): Promise<Answer> =>
    keepsake.send('/api/task/', { configuration_name, data, extras: JSON.stringify(extras) })
  const run = async (configuration_name: string, extras: unknown) => {
    const { status, body } = await send(configuration_name, extras)
    assert.equal(status, 202, JSON.stringify(body))
    const task = await keepsake.ended(`/api/task/${body.task_id}/`)
    assert.equal(task.status, 'Succeeded', JSON.stringify(task))
    return task
  }
  const widths = (task: { entries: { output: { width: number } }[] }) => task.entries.map(entry => entry.output.width)

  it('changes only the entries of that name, and wins over the plain keys', async () => {
    assert.deepEqual(widths(await run('both', { per_configuration: { second: { width: 10 } } })), [40, 10])
    const task = await run('both', { width: 30, per_configuration: { second: { width: 10 } } })
    assert.deepEqual(widths(task), [30, 10])
    assert.deepEqual(task.extras, { width: 30, per_configuration: { second: { width: 10 } } })
    assert.deepEqual(task.warnings, [])
    assert.deepEqual(widths(await run('thrice', { per_configuration: { second: { width: 16 } } })), [40, 16, 16])
    assert.deepEqual(widths(await run('both', { per_configuration: {} })), [40, 20])
    assert.deepEqual(widths(await run('both', { per_configuration: { first: {}, second: { width: 8 } } })), [40, 8])
    assert.deepEqual(widths(await run('first', { width: 9, per_configuration: { first: { width: 12 } } })), [12])
  })

  it('a plain value that one entry refuses is no fault where that entry has its own', async () => {
    const refused = await send('both', { fit: 'inside', width: 30, gravity: 'nowhere' })
    assert.deepEqual([refused.status, refused.body.code], [400, 'bad_extras'])
    const own = { per_configuration: { first: { gravity: 'center' }, second: { gravity: 'bottom' } } }
    assert.deepEqual(widths(await run('both', { width: 30, gravity: 'nowhere', ...own })), [30, 30])
  })

  it('every error about an option names its entry', async () => {
    const cases: [string, unknown, string][] = [
      [
        'both',
        { per_configuration: { second: { fit: 'none' } } },
        'extras.per_configuration.second.fit (entry 1, "second")',
      ],
      ['both', { fit: 'none' }, 'extras.fit (entry 0, "first")'],
      ['both', { fit: 'none', per_configuration: { first: { fit: 'cover' } } }, 'extras.fit (entry 1, "second")'],
      [
        'both',
        { per_configuration: { second: { width: 0 } } },
        'extras.per_configuration.second.width (entry 1, "second")',
      ],
      [
        'both',
        { per_configuration: { second: { colour: 1 } } },
        'extras.per_configuration.second.colour (entry 1, "second")',
      ],
      [
        'cards',
        { per_configuration: { card: { layers: [{ type: 'image' }] } } },
        'extras.per_configuration.card.layers[0].asset (entry 0, "card")',
      ],
      ['delivered', { host: 'evil.example.org' }, 'extras.host (entry 1, "drop")'],
      [
        'delivered',
        { per_configuration: { drop: { host: 'evil.example.org' } } },
        'extras.per_configuration.drop.host (entry 1, "drop")',
      ],
    ]
    for (const [name, extras, where] of cases) {
      const { status, body } = await send(name, extras)
      assert.deepEqual([status, body.code, body.errors[0].field], [400, 'bad_extras', where], JSON.stringify(body))
      assert.ok(body.detail.startsWith(`${where} `), body.detail)
      assert.ok(!JSON.stringify(body).includes(SECRET))
    }
    const both = await send('both', { fit: 'none' })
    assert.deepEqual(
      both.body.errors.map((error: { field: string }) => error.field),
      ['extras.fit (entry 0, "first")', 'extras.fit (entry 1, "second")'],
    )
    const alone = await send('first', { fit: 'none' })
    assert.equal(alone.body.errors[0].field, 'extras.fit')
    assert.match(alone.body.detail, /^extras\.fit \(entry 0, "first"\) must be/)
    const asset = await send('cards', { per_configuration: { card: { overlay_file_name: 'none.png' } } })
    assert.deepEqual(
      [asset.body.code, asset.body.errors[0].field],
      ['unknown_asset', 'extras.per_configuration.card.overlay_file_name (entry 0, "card")'],
    )
  })

  it('what does not belong there is a 400 that says so', async () => {
    const cases: [unknown, string, RegExp][] = [
      [null, 'extras.per_configuration', /must be an object/],
      [[], 'extras.per_configuration', /must be an object/],
      ['first', 'extras.per_configuration', /must be an object/],
      [{ first: 5 }, 'extras.per_configuration.first', /must be an object of options/],
      [{ first: null }, 'extras.per_configuration.first', /must be an object of options/],
      [{ nobody: {} }, 'extras.per_configuration.nobody', /there are: first, second/],
      [{ both: { width: 5 } }, 'extras.per_configuration.both', /not the configuration of an entry/],
      [{ toString: { width: 5 } }, 'extras.per_configuration.toString', /not the configuration of an entry/],
      [{ first: { email: 'a@b.c' } }, 'extras.per_configuration.first.email', /finds a guest/],
      [{ first: { profile_id: [] } }, 'extras.per_configuration.first.profile_id', /finds a guest/],
      [
        { first: { overlay_file_name_override: 'x' } },
        'extras.per_configuration.first.overlay_file_name_override',
        /options alone/,
      ],
      [{ first: { auth: {} } }, 'extras.per_configuration.first.auth', /credentials/],
      [
        { first: { additional_context: 'x' } },
        'extras.per_configuration.first.additional_context',
        /must be an object/,
      ],
      [
        { first: { per_configuration: {} } },
        'extras.per_configuration.first.per_configuration (entry 0, "first")',
        /not an option of photo_resize/,
      ],
      [{ first: { constructor: 1 } }, 'extras.per_configuration.first.constructor (entry 0, "first")', /not an option/],
    ]
    for (const [per_configuration, field, says] of cases) {
      const { status, body } = await send('both', { per_configuration })
      assert.deepEqual([status, body.code, body.errors[0].field], [400, 'bad_extras', field], JSON.stringify(body))
      assert.match(body.detail, says)
    }
    const raw = '{"per_configuration": {"first": {"__proto__": {"width": 5}}}}'
    const { status } = await keepsake.send('/api/task/', { configuration_name: 'both', data: picture, extras: raw })
    assert.equal(status, 400)
  })

  it('many bad options in a long chain answer a short list', async () => {
    await keepsake.configure(
      chain(
        'long',
        Array.from({ length: 60 }, (_, i) => ['first', i === 0 ? null : i - 1]),
      ),
    )
    const bad = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`option-${i}`, 1]))
    const { status, body } = await send('long', { per_configuration: { first: bad } })
    assert.deepEqual([status, body.errors.length], [400, 100])
  })

  it('has a context of its own for placeholders', async () => {
    const layers = [{ type: 'text', text: '{{name}}', width: '100%', height: '100%' }]
    const text = (extras: object) => run('cards', { layers, missing: 'error', ...extras })
    await text({ per_configuration: { card: { additional_context: { name: 'Ada' } } } })
    await text({ additional_context: { name: 'Bob' }, per_configuration: { card: { additional_context: {} } } })
  })

  it('a group has it for each configuration, and a retry takes a new one', async () => {
    const { status, body } = await keepsake.send('/api/taskgroup/', {
      configuration_names: '["both","first"]',
      both_data: picture,
      both_extras: '{"per_configuration":{"first":{"width":36}}}',
      first_input: 'both',
      first_extras: '{"width":7}',
    })
    assert.equal(status, 202, JSON.stringify(body))
    const group = await keepsake.ended(`/api/taskgroup/${body.task_id}/`)
    assert.deepEqual(group.tasks.map(widths), [[36, 20], [7]])
    const foreign = await keepsake.send('/api/taskgroup/', {
      configuration_names: '["both","turn"]',
      both_data: picture,
      turn_input: 'both',
      turn_extras: '{"per_configuration":{"first":{"width":36}}}',
    })
    assert.deepEqual([foreign.status, foreign.body.errors[0].field], [400, 'turn_extras.per_configuration.first'])

    const broken = (await send('both', {}, new Blob(['no picture']))).body
    await keepsake.ended(`/api/task/${broken.task_id}/`)
    const path = `/api/task/${broken.task_id}/retry/`
    const bad = await keepsake.send(path, { extras: '{"per_configuration":{"second":{"fit":"none"}}}' })
    assert.deepEqual(
      [bad.status, bad.body.errors[0].field],
      [400, 'extras.per_configuration.second.fit (entry 1, "second")'],
    )
    const extras = '{"per_configuration":{"second":{"width":11}}}'
    const again = await keepsake.send(path, { data: picture, extras })
    assert.equal(again.status, 202, JSON.stringify(again.body))
    assert.deepEqual(widths(await keepsake.ended(`/api/task/${broken.task_id}/`)), [40, 11])
  })

  it('a preview takes it, and knows the destinations that it leaves out', async () => {
    const preview = async (extras: object) => {
      const form = new FormData()
      form.append('data', picture)
      form.append('extras', JSON.stringify(extras))
      const response = await fetch(`${keepsake.url}/api/configuration/delivered/preview/`, {
        method: 'POST',
        body: form,
        headers: { authorization: `Bearer ${keepsake.token}` },
      })
      return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
    }
    const own = { first: { width: 24 }, drop: { path: 'guests/' } }
    const seen = await preview({ per_configuration: own })
    assert.equal(seen.status, 200, seen.bytes.toString())
    assert.equal((await sharp(seen.bytes).metadata()).width, 24)
    for (const bad of [{ drop: { host: 'evil.example.org' } }, { drop: { colour: 1 } }, { nobody: {} }]) {
      const refused = await preview({ per_configuration: bad })
      assert.equal(refused.status, 400, refused.bytes.toString())
      assert.match(refused.bytes.toString(), /extras\.per_configuration\.(drop|nobody)/)
    }
  })
})
