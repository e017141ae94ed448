// The rules of tasks: what is accepted, what is refused, what runs and in which order.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import sharp from 'sharp'
import { type CallbackReceiver, startCallbackReceiver } from '../support/callbacks.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startReceiver } from '../support/https-receiver.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png, type Raw } from '../support/pictures.ts'

const blob = (bytes: Buffer): Blob => new Blob([new Uint8Array(bytes)])

describe('tasks', () => {
  let keepsake: Keepsake
  let receiver: CallbackReceiver
  let raw: Raw
  let picture: Blob
  const junk = new Blob(['this is no picture'])

  const store = { bucket_name: 'nowhere', bucket_url: 'http://127.0.0.1:9', delivery_attempts: 1 }

  before(async () => {
    ;[keepsake, receiver] = await Promise.all([
      startKeepsake({ settings: { maxExtrasBytes: 10_000, maxParts: 20 } }),
      startCallbackReceiver(),
    ])
    raw = pattern(9, 5, 3)
    picture = blob(await png(raw))
    await keepsake.configure(single('flip', 'photo_flip', { method: 'ROTATE_180' }))
    await keepsake.configure(single('mirror', 'photo_flip', { method: 'FLIP_LEFT_RIGHT' }))
    await keepsake.configure(single('open', 'photo_flip', {}))
    await keepsake.configure(single('jpeg', 'photo_convert', { format: 'jpeg' }))
    await keepsake.configure(
      single('store', 's3_upload', store, {
        adapter_config: { auth: { access_key: 'key', secret_key: 'secret' }, defaults: store },
      }),
    )
    await keepsake.configure(
      single('keyless', 's3_upload', store, {
        adapter_config: { auth: { access_key: 'key', secret_key: 'secret' }, defaults: store },
      }),
    )
    // As it was stored before credentials had to come with it.
    const client = new pg.Client(keepsake.databaseUrl)
    await client.connect()
    await client.query(`update configurations set auth = null where configuration_name = 'keyless'`)
    await client.end()
  })
  after(() =>
    cleanUp(
      () => keepsake.stop(),
      () => receiver.stop(),
    ),
  )

  const outputOf = async (taskId: string, index: number): Promise<Raw> => {
    const response = await fetch(`${keepsake.url}/api/task/${taskId}/output/${index}/`, {
      headers: { authorization: `Bearer ${keepsake.token}` },
    })
    assert.equal(response.status, 200, response.ok ? '' : await response.text())
    const { data, info } = await sharp(Buffer.from(await response.arrayBuffer()))
      .raw()
      .toBuffer({ resolveWithObject: true })
    return { data, width: info.width, height: info.height, channels: info.channels }
  }
  const pixel = ({ data, width, channels }: Raw, x: number, y: number): number[] => [
    ...data.subarray((y * width + x) * channels, (y * width + x) * channels + 3),
  ]

  const run = async (parts: Record<string, string | Blob>) => {
    const { status, body } = await keepsake.send('/api/task/', parts)
    assert.equal(status, 202, JSON.stringify(body))
    return keepsake.ended(`/api/task/${body.task_id}/`)
  }

  it('the answer is 202 with the task, its entries waiting and its place in Location', async () => {
    const { status, body, headers } = await keepsake.send('/api/task/', {
      configuration_name: 'flip',
      data: picture,
      extras: '{"rfid":"x"}',
    })
    assert.equal(status, 202)
    assert.equal(headers.get('location'), `/api/task/${body.task_id}/`)
    assert.match(body.task_id, /^[0-9a-f-]{36}$/)
    assert.deepEqual(body.extras, { rfid: 'x' })
    assert.deepEqual(Object.keys(body), [
      'task_id',
      'chain_id',
      'flow_id',
      'configuration',
      'experience_id',
      'keepsake_id',
      'consent',
      'token_id',
      'status',
      'extras',
      'files',
      'input',
      'webhook_url',
      'warnings',
      'created_at',
      'updated_at',
      'started_at',
      'ended_at',
      'entries',
    ])
    assert.equal(body.entries[0].input_idx, null)
    await keepsake.ended(`/api/task/${body.task_id}/`)
  })

  it('the parts may come in any order, and the content decides the type, not the name', async () => {
    const form = new FormData()
    form.append('extras', '{}')
    form.append('data', picture, 'holiday.mp4')
    form.append('configuration_name', 'flip')
    const { body } = await keepsake.client.send('POST', '/api/task/', { body: form })
    const task = await keepsake.ended(`/api/task/${body.task_id}/`)
    assert.equal(task.entries[0].output.mime, 'image/png')
    assert.deepEqual([task.entries[0].output.width, task.entries[0].output.height], [9, 5])
  })

  it('extras override the defaults of every adapter that has the option', async () => {
    const task = await run({ configuration_name: 'flip', data: picture, extras: '{"method":"ROTATE_90"}' })
    assert.deepEqual([task.entries[0].output.width, task.entries[0].output.height], [5, 9])
  })

  it('a required option may be left to extras, and is a 400 when it is missing', async () => {
    const missing = await keepsake.send('/api/task/', { configuration_name: 'open', data: picture })
    assert.equal(missing.status, 400)
    assert.equal(missing.body.code, 'bad_extras')
    assert.deepEqual(missing.body.errors, [{ field: 'extras.method', message: 'is required', kind: 'required' }])
    assert.equal(
      (await run({ configuration_name: 'open', data: picture, extras: '{"method":"TRANSPOSE"}' })).status,
      'Succeeded',
    )
  })

  it('a bad value in extras is a 400 that names the field, before anything runs', async () => {
    const { status, body } = await keepsake.send('/api/task/', {
      configuration_name: 'flip',
      data: picture,
      extras: '{"method":"SIDEWAYS"}',
    })
    assert.equal(status, 400)
    assert.equal(body.errors[0].field, 'extras.method')
    assert.match(body.errors[0].message, /one of .*"ROTATE_180"/)
  })

  it('a key that no adapter knows is kept and named in the warnings', async () => {
    const task = await run({ configuration_name: 'flip', data: picture, extras: '{"colour":"red"}' })
    assert.deepEqual(task.extras, { colour: 'red' })
    assert.match(task.warnings[0], /extras\.colour is not an option/)
  })

  it('credentials and overrides of assets can’t be given as extras of a task', async () => {
    for (const extras of ['{"auth":{}}', '{"overlay_file_name_override":"flip"}']) {
      const { status, body } = await keepsake.send('/api/task/', { configuration_name: 'flip', data: picture, extras })
      assert.equal(status, 400, extras)
      assert.match(body.errors[0].field, /^extras\./)
    }
  })

  it('what is missing, unknown or doubled is a 400 that says so', async () => {
    const cases: [Record<string, string | Blob>, string, string][] = [
      [{ data: picture }, 'configuration_name', 'bad_request'],
      [{ configuration_name: 'flip' }, 'data', 'bad_request'],
      [{ configuration_name: 'no such', data: picture }, 'configuration_name', 'unknown_configuration'],
      [{ configuration_name: 'flip', data: picture, data_url: 'https://example.org/a.png' }, 'data_url', 'bad_request'],
      [{ configuration_name: 'flip', data_url: 'http://10.0.0.1/a.png' }, 'data_url', 'blocked_url'],
      [{ configuration_name: 'flip', data: picture, extras: '[1]' }, 'extras', 'bad_extras'],
      [{ configuration_name: 'flip', data: picture, extras: '{"a":' }, 'extras', 'bad_json'],
      [{ configuration_name: 'flip', data: picture, extras: '{"rfid":[true]}' }, 'extras.rfid', 'bad_extras'],
      [{ configuration_name: 'flip', data: picture, nonsense: 'x' }, 'nonsense', 'bad_request'],
      [{ configuration_name: 'flip', data: picture, extras: `{"a":"\\u0000"}` }, 'extras.a', 'bad_request'],
    ]
    for (const [parts, field, code] of cases) {
      const { status, body } = await keepsake.send('/api/task/', parts)
      assert.deepEqual([status, body.code, body.errors?.[0]?.field], [400, code, field], JSON.stringify(body))
    }
    const { status } = await keepsake.client.post('/api/task/', { configuration_name: 'flip' })
    assert.equal(status, 415)
  })

  it('independent branches run, what descends from a failure is skipped, and the callback holds what ran', async () => {
    await keepsake.configure(
      chain(
        'tree',
        [
          ['flip', null],
          ['store', 0],
          ['mirror', 1],
          ['mirror', 0],
          ['jpeg', 3],
        ],
        { webhook_url: receiver.url },
      ),
    )
    const task = await run({ configuration_name: 'tree', data: picture })
    assert.equal(task.status, 'Failed')
    assert.deepEqual(
      task.entries.map((entry: { status: string }) => entry.status),
      ['Succeeded', 'Failed', 'Skipped', 'Succeeded', 'Succeeded'],
    )
    assert.match(task.entries[1].error.message, /127\.0\.0\.1|connect/i)
    const { results } = JSON.parse(await receiver.bodyFor(task.task_id))
    assert.deepEqual(
      results.map((entry: { error: boolean }) => entry.error),
      [false, true, false, false],
    )
  })

  it('a destination without credentials fails at once and says which are missing', async () => {
    const { status, entries } = await run({ configuration_name: 'keyless', data: picture })
    assert.equal(status, 'Failed')
    assert.match(entries[0].error.message, /"keyless" lacks credentials: adapter_config\.auth\.access_key/)
  })

  it('a chain in a chain is unfolded in place, and its null is what the outer entry takes', async () => {
    await keepsake.configure(
      chain('inner', [
        ['flip', null],
        ['mirror', 0],
      ]),
    )
    await keepsake.configure(
      chain('outer', [
        ['mirror', null],
        ['inner', 0],
        ['jpeg', 1],
      ]),
    )
    const task = await run({ configuration_name: 'outer', data: picture })
    assert.deepEqual(
      task.entries.map((entry: { configuration: string; input_idx: number | null }) => [
        entry.configuration,
        entry.input_idx,
      ]),
      [
        ['mirror', null],
        ['flip', 0],
        ['mirror', 1],
        ['jpeg', 2],
      ],
    )
    assert.equal(task.status, 'Succeeded')
    assert.equal(task.entries[3].output.mime, 'image/jpeg')
  })

  it('an entry that melted into the next still has its file when somebody asks', async () => {
    await keepsake.configure(
      chain('pair', [
        ['flip', null],
        ['mirror', 0],
      ]),
    )
    const task = await run({ configuration_name: 'pair', data: picture })
    assert.equal(task.entries[0].output?.sha256 ?? null, null, 'no file was made for it')
    assert.deepEqual(pixel(await outputOf(task.task_id, 0), 0, 0), pixel(raw, 8, 4))
    assert.deepEqual(pixel(await outputOf(task.task_id, 1), 0, 0), pixel(raw, 0, 4))
  })

  it('an output is sent by range, with its hash as ETag, and 404 for what is not there', async () => {
    const task = await run({ configuration_name: 'flip', data: picture })
    const headers = { authorization: `Bearer ${keepsake.token}` }
    const whole = Buffer.from(
      await (await fetch(`${keepsake.url}/api/task/${task.task_id}/output/0/`, { headers })).arrayBuffer(),
    )
    assert.equal(whole.length, task.entries[0].output.bytes)
    const part = await fetch(`${keepsake.url}/api/task/${task.task_id}/output/0/`, {
      headers: { ...headers, range: 'bytes=2-5' },
    })
    assert.equal(part.status, 206)
    assert.deepEqual(Buffer.from(await part.arrayBuffer()), whole.subarray(2, 6))
    assert.equal(part.headers.get('etag'), `"${task.entries[0].output.sha256}"`)
    const saved = await fetch(`${keepsake.url}/api/task/${task.task_id}/output/0/?download`, { headers })
    assert.equal(saved.status, 200)
    assert.match(saved.headers.get('content-disposition') ?? '', /^attachment; filename="flip\.png"/)
    await saved.arrayBuffer()
    for (const index of ['1', 'x', '-1'])
      assert.equal((await keepsake.client.get(`/api/task/${task.task_id}/output/${index}/`)).status, 404)
  })

  it('input may come from a URL that the service downloads', async () => {
    const bytes = Buffer.from(await picture.arrayBuffer())
    const files = await startReceiver({
      answer: (request, response) =>
        void (request.url === '/a' ? response.writeHead(302, { location: '/b' }).end() : response.end(bytes)),
    })
    try {
      const task = await run({ configuration_name: 'flip', data_url: `${files.url}/a` })
      assert.equal(task.status, 'Succeeded', JSON.stringify(task.entries))
      assert.deepEqual(pixel(await outputOf(task.task_id, 0), 0, 0), pixel(raw, 8, 4))
    } finally {
      await files.stop()
    }
  })

  it('a URL that answers no file fails the task with a sentence', async () => {
    const files = await startReceiver({ answer: (_request, response) => void response.writeHead(404).end() })
    try {
      const task = await run({ configuration_name: 'flip', data_url: `${files.url}/a` })
      assert.equal(task.status, 'Failed')
      assert.match(task.entries[0].error.message, /404/)
    } finally {
      await files.stop()
    }
  })

  it('editing a configuration changes nothing under way', async () => {
    await keepsake.configure(single('edited', 'photo_flip', { method: 'ROTATE_90' }))
    const { body } = await keepsake.send('/api/task/', { configuration_name: 'edited', data: picture })
    await keepsake.client.patch('/api/configuration/edited/', {
      adapter_config: { defaults: { method: 'ROTATE_180' } },
    })
    const task = await keepsake.ended(`/api/task/${body.task_id}/`)
    assert.equal(task.entries[0].output.width, 5)
  })

  it('lists are newest first, with filters and a cursor', async () => {
    const page = (await keepsake.client.get('/api/task/?limit=3')).body
    assert.equal(page.items.length, 3)
    const next = (await keepsake.client.get(`/api/task/?limit=3&cursor=${page.next_cursor}`)).body
    assert.ok(next.items[0].created_at <= page.items[2].created_at)
    const failed = (await keepsake.client.get('/api/task/?status=Failed')).body.items
    assert.ok(failed.length > 0 && failed.every((task: { status: string }) => task.status === 'Failed'))
    const pairs = (await keepsake.client.get('/api/task/?configuration=pair')).body.items
    assert.deepEqual(
      pairs.map((task: { configuration: string }) => task.configuration),
      ['pair'],
    )
    assert.equal((await keepsake.client.get('/api/task/?created_after=2999-01-01T00:00:00Z')).body.items.length, 0)
    assert.equal((await keepsake.client.get('/api/task/?created_before=soon')).status, 400)
  })

  it('a junk file fails with a listed code, and the service goes on', async () => {
    const task = await run({ configuration_name: 'flip', data: junk })
    assert.equal(task.entries[0].error.code, 'unsupported_format')
    assert.equal((await run({ configuration_name: 'flip', data: picture })).status, 'Succeeded')
  })
})
