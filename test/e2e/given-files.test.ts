// Files that come with a task in place of assets: a strip of four in one request, and what else they must keep to.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import type { Answer } from '../support/client.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { until } from '../support/until.ts'
import { withFfmpeg } from '../support/videos.ts'

const blob = (bytes: Buffer | string): Blob => new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)])
type Parts = Record<string, string | Blob | Blob[]>

const colours = { red: [255, 0, 0], green: [0, 255, 0], blue: [0, 0, 255], yellow: [255, 255, 0] } as const
type Colour = keyof typeof colours

/** Half a second of silence. */
function wav(): Buffer {
  const data = Buffer.alloc(44 + 8_000)
  data.write('RIFF', 0)
  data.writeUInt32LE(data.length - 8, 4)
  data.write('WAVEfmt ', 8)
  data.writeUInt32LE(16, 16)
  data.writeUInt16LE(1, 20)
  data.writeUInt16LE(1, 22)
  data.writeUInt32LE(8_000, 24)
  data.writeUInt32LE(16_000, 28)
  data.writeUInt16LE(2, 32)
  data.writeUInt16LE(16, 34)
  data.write('data', 36)
  data.writeUInt32LE(8_000, 40)
  return data
}

describe('files in place of assets', () => {
  let keepsake: Keepsake
  let booth: string
  const photo = {} as Record<Colour, Blob>
  let font: Blob
  const sound = blob(wav())
  const lut = blob(`LUT_3D_SIZE 2\n${'0 0 1\n'.repeat(8)}`)

  before(async () => {
    keepsake = await startKeepsake()
    for (const [name, [r, g, b]] of Object.entries(colours))
      photo[name as Colour] = blob(
        await sharp({ create: { width: 40, height: 40, channels: 3, background: { r, g, b } } })
          .png()
          .toBuffer(),
      )
    const inter = fileURLToPath(import.meta.resolve('@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf'))
    font = blob(await readFile(inter))
    const form = new FormData()
    form.append('name', 'frame')
    form.append('experience_id', 'park')
    form.append('file', photo.blue)
    assert.equal((await keepsake.client.send('POST', '/api/asset/', { body: form })).status, 201)
    const sheet = { width: 60, height: 240, margin: 0, gap: 0 }
    await keepsake.configure(single('strip', 'photo_collage', { layout: 'strip4', ...sheet }))
    await keepsake.configure(single('turn', 'photo_flip', { method: 'ROTATE_180' }))
    await keepsake.configure(single('frame it', 'photo_add_overlay', { overlay_file_name: 'frame' }))
    await keepsake.configure(single('frame me', 'photo_add_overlay'))
    await keepsake.configure(single('small', 'photo_resize', { width: 16 }))
    await keepsake.configure(single('film', 'video_to_gif'))
    await keepsake.configure(single('overlay_file_name', 'photo_flip', { method: 'ROTATE_180' }))
    await keepsake.configure(single('words', 'photo_add_text', { text: 'Hello' }))
    await keepsake.configure(single('look', 'photo_filter'))
    await keepsake.configure(single('song', 'photo_to_video', { duration: 0.5, fps: 10 }))
    await keepsake.configure(
      single('card', 'photo_compositor', {
        layers: [{ type: 'photo' }, { type: 'image', name: 'badge', x: 0, y: 0, width: 10, height: 10 }],
      }),
    )
    await keepsake.configure(
      chain('twice', [
        ['frame it', null],
        ['small', 0],
        ['frame me', 1],
      ]),
    )
    await keepsake.configure(
      chain('branches', [
        ['turn', null],
        ['frame it', 0],
        ['small', 1],
        ['film', null],
        ['small', null],
      ]),
    )
    const token = await keepsake.client.post('/api/token/', { name: 'booth', scopes: ['tasks'], experiences: ['park'] })
    booth = token.body.token
  })
  after(() => keepsake.stop())

  async function post(path: string, parts: Parts, headers: Record<string, string> = {}, as?: string): Promise<Answer> {
    const form = new FormData()
    for (const [name, value] of Object.entries(parts)) for (const each of [value].flat()) form.append(name, each)
    const client = as === undefined ? keepsake.client : keepsake.client.as(as)
    return client.send('POST', path, { body: form, headers })
  }
  const run = async (parts: Parts, path = '/api/task/', as?: string) => {
    const { status, body } = await post(path, parts, {}, as)
    assert.equal(status, 202, JSON.stringify(body))
    return keepsake.ended(`${path}${body.task_id}/`)
  }
  const output = async (path: string): Promise<Buffer> => {
    const response = await fetch(`${keepsake.url}${path}`, { headers: { authorization: `Bearer ${keepsake.token}` } })
    assert.equal(response.status, 200, response.ok ? '' : await response.text())
    return Buffer.from(await response.arrayBuffer())
  }
  const colourAt = async (picture: Buffer, left: number, top: number): Promise<string> => {
    const [r, g, b] = await sharp(picture).removeAlpha().extract({ left, top, width: 1, height: 1 }).raw().toBuffer()
    const near = ([x, y, z]: readonly number[]) =>
      [r! - x!, g! - y!, b! - z!].every(difference => Math.abs(difference) < 40)
    return Object.entries(colours).find(([, rgb]) => near(rgb))?.[0] ?? `${r},${g},${b}`
  }
  const blobs = (): number =>
    readdirSync(join(keepsake.settings.data, 'blobs'), { recursive: true, withFileTypes: true }).filter(each =>
      each.isFile(),
    ).length

  it('a strip of four can be looked at before it is a task', async () => {
    const before = blobs()
    const previewed = async (parts: Parts) => {
      const form = new FormData()
      for (const [name, given] of Object.entries(parts))
        for (const each of [given].flat()) form.append(name, each as string)
      const response = await fetch(`${keepsake.url}/api/configuration/strip/preview/?full=true`, {
        method: 'POST',
        body: form,
        headers: { authorization: `Bearer ${booth}` },
      })
      return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
    }
    const more = [photo.green, photo.blue, photo.yellow]
    const { status, bytes } = await previewed({ data: photo.red, photo_file_names_data: more })
    assert.equal(status, 200, bytes.toString().slice(0, 300))
    const seen = []
    for (const top of [30, 90, 150, 210]) seen.push(await colourAt(bytes, 30, top))
    assert.deepEqual(seen, ['red', 'green', 'blue', 'yellow'])
    for (const [part, given] of [
      ['frame_file_name_data', photo.red],
      ['photo_file_names_data', new Blob(['no picture'])],
    ] as const) {
      const refused = await previewed({ data: photo.red, [part]: given })
      assert.equal(refused.status, 400, part)
      assert.match(refused.bytes.toString(), new RegExp(part))
    }
    await until('nothing of it stays', () => blobs() === before)
  })

  it('a strip of four is one task', async () => {
    const task = await run(
      {
        photo_file_names_data: [photo.green, photo.blue, photo.yellow],
        configuration_name: 'strip',
        data: photo.red,
      },
      '/api/task/',
      booth,
    )
    assert.equal(task.status, 'Succeeded', JSON.stringify(task))
    const strip = await output(`/api/task/${task.task_id}/output/0/`)
    const { width, height } = await sharp(strip).metadata()
    assert.deepEqual([width, height], [60, 240])
    const seen = []
    for (const top of [30, 90, 150, 210]) seen.push(await colourAt(strip, 30, top))
    assert.deepEqual(seen, ['red', 'green', 'blue', 'yellow'])
    assert.deepEqual(
      task.files.photo_file_names.map(({ mime, bytes }: { mime: string; bytes: number }) => [mime, bytes]),
      [photo.green, photo.blue, photo.yellow].map(({ size }) => ['image/png', size]),
    )
    assert.deepEqual([task.warnings, task.entries[0].warnings], [[], []])
  })

  it('takes the place of the named asset in every entry that has it, for this task alone', async () => {
    const parts = { configuration_name: 'twice', data: photo.red }
    const task = await run({ ...parts, overlay_file_name_data: photo.green })
    assert.equal(task.status, 'Succeeded', JSON.stringify(task))
    for (const index of [0, 1, 2])
      assert.equal(await colourAt(await output(`/api/task/${task.task_id}/output/${index}/`), 1, 1), 'green')
    const without = await post('/api/task/', parts)
    assert.deepEqual([without.status, without.body.code], [400, 'bad_extras'])
    assert.match(without.body.detail, /^extras\.overlay_file_name \(entry 2, "frame me"\)/)
    const plain = await run({ configuration_name: 'frame it', data: photo.red })
    assert.equal(await colourAt(await output(`/api/task/${plain.task_id}/output/0/`), 1, 1), 'blue')
    assert.deepEqual(plain.files, {})
  })

  it('the asset that it takes the place of need not be there', async () => {
    const extras = '{"overlay_file_name":"nowhere.png"}'
    const task = await run({
      configuration_name: 'frame it',
      data: photo.red,
      extras,
      overlay_file_name_data: photo.green,
    })
    assert.equal(await colourAt(await output(`/api/task/${task.task_id}/output/0/`), 1, 1), 'green')
  })

  it('a layer that has a name takes one', async () => {
    const task = await run({ configuration_name: 'card', data: photo.red, badge_data: photo.green })
    const card = await output(`/api/task/${task.task_id}/output/0/`)
    assert.deepEqual([await colourAt(card, 5, 5), await colourAt(card, 30, 30)], ['green', 'red'])
    const missing = await post('/api/task/', { configuration_name: 'card', data: photo.red })
    assert.deepEqual([missing.status, missing.body.code], [400, 'bad_extras'])
    const other = await post('/api/task/', {
      configuration_name: 'card',
      data: photo.red,
      badges_data: photo.green,
      badge_data: photo.green,
    })
    assert.match(other.body.detail, /^badges_data is not known here: .*badge_data/)
  })

  it('sounds are taken where sounds are', withFfmpeg, async () => {
    const task = await run(
      { configuration_name: 'song', data: photo.red, audio_file_name_data: sound },
      '/api/task/',
      booth,
    )
    assert.equal(task.status, 'Succeeded', JSON.stringify(task))
    assert.deepEqual(task.files.audio_file_name[0].mime.split('/')[0], 'audio')
    const refused = await post('/api/task/', {
      configuration_name: 'song',
      data: photo.red,
      audio_file_name_data: photo.red,
    })
    assert.equal(
      refused.body.detail,
      'audio_file_name_data is a picture (image/png), but audio_file_name of photo_to_video (entry 0, "song") takes a sound or a video.',
    )
  })

  it('in a group an output that the extras name wins over the file, and a warning says so', async () => {
    const parts = {
      configuration_names: '["turn", "frame it"]',
      turn_data: photo.green,
      'frame it_data': photo.red,
      'frame it_extras': '{"overlay_file_name_override": "turn"}',
      overlay_file_name_override: photo.yellow,
    }
    const unused =
      'overlay_file_name_override was not used, because frame it_extras.overlay_file_name_override names the output of "turn".'
    const group = await run(parts, '/api/taskgroup/')
    assert.deepEqual([group.status, group.warnings], ['Succeeded', [unused]])
    assert.equal(await colourAt(await output(`/api/taskgroup/${group.task_id}/output/1/`), 5, 5), 'green')
    const both = await run(
      {
        ...parts,
        configuration_names: '["turn", "frame it", "frame me"]',
        'frame me_data': photo.red,
      },
      '/api/taskgroup/',
    )
    assert.deepEqual([both.status, both.warnings], ['Succeeded', []], 'another configuration uses it')
    const failing = { ...parts, configuration_names: '["turn", "frame it", "film"]', film_data: photo.red }
    const failed = await run(failing, '/api/taskgroup/')
    assert.equal(failed.status, 'Failed')
    const again = await post(`/api/taskgroup/${failed.task_id}/retry/`, { overlay_file_name_override: photo.blue })
    assert.deepEqual([again.status, again.body.warnings], [202, [unused]], JSON.stringify(again.body))
    await keepsake.ended(`/api/taskgroup/${failed.task_id}/`)
  })

  it('a file that is no part of a group is called so, whatever is in it', async () => {
    const before = blobs()
    const jpeg = blob(
      await sharp({ create: { width: 40, height: 40, channels: 3, background: 'red' } })
        .jpeg()
        .toBuffer(),
    )
    const named = { configuration_names: '["turn"]', turn_data: photo.red }
    for (const part of ['data', 'photo']) {
      for (const parts of [
        { [part]: jpeg, ...named },
        { ...named, [part]: jpeg },
        { ...named, [part]: 'text' },
      ]) {
        const { status, body } = await post('/api/taskgroup/', parts)
        assert.deepEqual([status, body.code, body.errors?.[0].field], [400, 'bad_group', part], JSON.stringify(body))
        assert.match(body.detail, /is not a part of this group; for each listed configuration there may be NAME_data/)
      }
    }
    await until('nothing is left of it', () => blobs() === before)
  })

  it('what does not fit is a 400 that says why, and nothing of it stays', async () => {
    const before = blobs()
    const cases: [Parts, string, RegExp][] = [
      [
        { configuration_name: 'strip', data: photo.red, photo_file_name_data: photo.red },
        'photo_file_name_data',
        /there may be photo_file_names_data, background_file_name_data, overlay_file_name_data/,
      ],
      [
        { configuration_name: 'turn', data: photo.red, overlay_file_name_data: photo.red },
        'overlay_file_name_data',
        /no entry of this task has an asset parameter/,
      ],
      [
        { configuration_name: 'turn', data: photo.red, __proto___data: photo.red },
        '__proto___data',
        /is not known here/,
      ],
      [
        { configuration_name: 'turn', data: photo.red, _data: photo.red },
        '_data',
        /is not a part that is known here|is not known/,
      ],
      [
        { configuration_name: 'strip', data: photo.red, photo_file_names_data: [photo.red, sound] },
        'photo_file_names_data',
        /holds as file 2 a sound \(audio\/[\w.-]+\), but photo_file_names of photo_collage \(entry 0, "strip"\) takes a picture/,
      ],
      [
        { configuration_name: 'strip', data: photo.red, photo_file_names_data: blob('no picture') },
        'photo_file_names_data',
        /is neither picture, video nor sound \(text\/plain\), but/,
      ],
      [
        { configuration_name: 'strip', data: photo.red, photo_file_names_data: [photo.red, blob('')] },
        'photo_file_names_data',
        /file 2 is empty/,
      ],
      [
        { configuration_name: 'strip', data: photo.red, photo_file_names_data: 'frame' },
        'photo_file_names_data',
        /text\/plain/,
      ],
      [
        { configuration_name: 'strip', data: photo.red, overlay_file_name_data: [photo.red, photo.red] },
        'overlay_file_name_data',
        /holds 2 files, but overlay_file_name of photo_collage .* takes one/,
      ],
      [
        { configuration_name: 'strip', data: photo.red, photo_file_names_data: Array(65).fill(photo.red) },
        'photo_file_names_data',
        /holds 65 files, but .* takes 64 at most/,
      ],
      [
        { configuration_name: 'twice', data: photo.red, overlay_file_name_data: sound },
        'overlay_file_name_data',
        /entry 0, "frame it"/,
      ],
      [
        { configuration_name: 'words', data: photo.red, font_file_name_data: photo.red },
        'font_file_name_data',
        /is a picture \(image\/png\), but .* takes a font/,
      ],
      [{ configuration_name: 'strip', photo_file_names_data: photo.red }, 'data', /a file is required/],
      [{ configuration_name: 'strip', data: [photo.red, photo.red] }, 'data', /is there twice/],
    ]
    for (const [parts, field, says] of cases) {
      const { status, body } = await post('/api/task/', parts)
      assert.deepEqual([status, body.errors?.[0].field], [400, field], JSON.stringify(body))
      assert.match(body.detail, says)
    }
    const many = await post('/api/task/', {
      configuration_name: 'strip',
      data: photo.red,
      photo_file_names_data: Array(300).fill(blob('x')),
    })
    assert.deepEqual([many.status, many.body.code], [400, 'over_limit'])
    await until('nothing is left of it', () => blobs() === before)
  })

  it('one that is damaged fails the entry that uses it, and is named', async () => {
    const cut = blob(Buffer.from(await photo.red.arrayBuffer()).subarray(0, 60))
    const parts = { configuration_name: 'strip', data: photo.red, photo_file_names_data: [photo.red, cut] }
    const task = await run(parts)
    assert.deepEqual([task.status, task.entries[0].error.code], ['Failed', 'corrupt_input'])
    assert.match(task.entries[0].error.message, /^File 2 of photo_file_names_data can’t be used: /)
    const again = await post(`/api/task/${task.task_id}/retry/`, { photo_file_names_data: [photo.green, photo.blue] })
    assert.equal(again.status, 202)
    assert.equal((await keepsake.ended(`/api/task/${task.task_id}/`)).status, 'Succeeded')
  })

  it('fonts, look-up tables and templates need the scope of assets', async () => {
    const template = blob(
      '{"layers": [{"type": "photo"}, {"type": "image", "name": "sticker", "x": 0, "y": 0, "width": 20, "height": 20}]}',
    )
    const cases: [string, string, Blob][] = [
      ['words', 'font_file_name', font],
      ['look', 'lut_file_name', lut],
      ['card', 'template_file_name', template],
    ]
    for (const [configuration_name, parameter, file] of cases) {
      const parts = { configuration_name, data: photo.red, badge_data: photo.red, [`${parameter}_data`]: file }
      if (configuration_name !== 'card') Reflect.deleteProperty(parts, 'badge_data')
      const refused = await post('/api/task/', parts, {}, booth)
      assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden'], JSON.stringify(refused.body))
      assert.match(refused.body.detail, new RegExp(`^${parameter}_data needs a token with the scope "write"`))
      if (configuration_name === 'card') continue
      const task = await run(parts)
      assert.equal(task.status, 'Succeeded', JSON.stringify(task))
    }
    const blue = await run({ configuration_name: 'look', data: photo.red, lut_file_name_data: lut })
    assert.equal(await colourAt(await output(`/api/task/${blue.task_id}/output/0/`), 5, 5), 'blue')
    await keepsake.configure(single('open', 'photo_compositor', {}))
    const drawn = await run({
      configuration_name: 'open',
      data: photo.red,
      template_file_name_data: template,
      sticker_data: photo.green,
    })
    assert.equal(drawn.status, 'Succeeded', JSON.stringify(drawn))
    const card = await output(`/api/task/${drawn.task_id}/output/0/`)
    assert.deepEqual([await colourAt(card, 5, 5), await colourAt(card, 35, 35)], ['green', 'red'])
    const junk = await post('/api/task/', {
      configuration_name: 'open',
      data: photo.red,
      template_file_name_data: blob('{"layers": 5}'),
    })
    assert.equal(junk.status, 400)
    assert.match(junk.body.detail, /template_file_name_data/)
    const foreign = await post('/api/task/', {
      configuration_name: 'open',
      data: photo.red,
      template_file_name_data: blob('{"layers": [{"type": "image", "asset": "nowhere.png"}]}'),
    })
    assert.deepEqual([foreign.status, foreign.body.code], [400, 'unknown_asset'])
  })

  it('the same key with the same files is the same request, in another order it is another', async () => {
    const parts = { configuration_name: 'strip', data: photo.red }
    const key = { 'idempotency-key': 'strip-1' }
    const first = await post('/api/task/', { ...parts, photo_file_names_data: [photo.green, photo.blue] }, key)
    const again = await post('/api/task/', { photo_file_names_data: [photo.green, photo.blue], ...parts }, key)
    assert.deepEqual([again.status, again.body.task_id], [202, first.body.task_id])
    for (const files of [[photo.blue, photo.green], [photo.green], []]) {
      const other = await post('/api/task/', { ...parts, photo_file_names_data: files }, key)
      assert.deepEqual([other.status, other.body.code], [409, 'idempotency_conflict'])
    }
    await keepsake.ended(`/api/task/${first.body.task_id}/`)
  })

  it('a retry keeps them, and a new one runs again what uses it and what descends from that', async () => {
    const task = await run({ configuration_name: 'branches', data: photo.red, overlay_file_name_data: photo.green })
    const path = `/api/task/${task.task_id}/`
    const statuses = (each: { entries: { status: string }[] }) => each.entries.map(({ status }) => status)
    assert.deepEqual(statuses(task), ['Succeeded', 'Succeeded', 'Succeeded', 'Failed', 'Succeeded'])
    const bad = await post(`${path}retry/`, { photo_file_names_data: photo.blue })
    assert.deepEqual([bad.status, bad.body.errors[0].field], [400, 'photo_file_names_data'])
    assert.match(bad.body.detail, /overlay_file_name_data/)
    const wrong = await post(`${path}retry/`, { overlay_file_name_data: sound })
    assert.deepEqual([wrong.status, wrong.body.errors[0].field], [400, 'overlay_file_name_data'])
    await keepsake.client.post(`${path}retry/`)
    const kept = await keepsake.ended(path)
    assert.deepEqual(kept.files, task.files)
    assert.equal(await colourAt(await output(`${path}output/2/`), 1, 1), 'green')
    const left = blobs()
    const again = await post(`${path}retry/`, { overlay_file_name_data: photo.yellow }, {}, booth)
    assert.equal(again.status, 202, JSON.stringify(again.body))
    // Melted into the overlay, the turn has left no file: it runs again too.
    assert.deepEqual(statuses(again.body).slice(0, 3), ['Waiting', 'Waiting', 'Waiting'])
    assert.equal(again.body.entries[4].status, 'Succeeded')
    const renewed = await keepsake.ended(path)
    assert.deepEqual(statuses(renewed), statuses(task))
    assert.equal(renewed.entries[4].ended_at, task.entries[4].ended_at)
    assert.equal(await colourAt(await output(`${path}output/2/`), 1, 1), 'yellow')
    assert.ok(blobs() <= left + 2, 'the old ones are left to the sweeper')
    const gone = await keepsake.client.post(`${path}retract/`)
    assert.equal(gone.status, 200)
    const refused = await keepsake.client.post(`${path}retry/`)
    assert.deepEqual([refused.status, refused.body.code], [410, 'gone'])
    const half = await post(`${path}retry/`, { data: photo.red })
    assert.deepEqual([half.status, half.body.code], [410, 'gone'])
    const whole = await post(`${path}retry/`, { data: photo.red, overlay_file_name_data: photo.blue })
    assert.equal(whole.status, 202, JSON.stringify(whole.body))
    await keepsake.ended(path)
    assert.equal(await colourAt(await output(`${path}output/2/`), 1, 1), 'blue')
  })

  it('they go with the files of their task', async () => {
    const before = blobs()
    const task = await run({
      configuration_name: 'strip',
      data: photo.red,
      photo_file_names_data: [photo.green, photo.blue],
    })
    assert.equal(blobs(), before + 4)
    assert.equal((await keepsake.client.post(`/api/task/${task.task_id}/retract/`)).status, 200)
    assert.equal(blobs(), before)
  })

  it('they count against the bytes of a token', async () => {
    const { body } = await keepsake.client.post('/api/token/', {
      name: 'small',
      scopes: ['tasks'],
      limits: { upload_bytes_per_day: photo.red.size * 2 },
    })
    const parts = {
      configuration_name: 'strip',
      data: photo.red,
      photo_file_names_data: [photo.red, photo.red, photo.red],
    }
    const { status, body: answer } = await post('/api/task/', parts, {}, body.token)
    assert.deepEqual([status, answer.code], [429, 'token_limit'])
  })

  it('in a group the part is called PARAM_override, and the extras of one configuration win over it', async () => {
    const group = await run(
      {
        configuration_names: '["turn","frame it","frame me"]',
        turn_data: photo.yellow,
        'frame it_data': photo.red,
        'frame me_data': photo.red,
        'frame me_extras': '{"overlay_file_name_override":"turn"}',
        overlay_file_name_override: photo.green,
      },
      '/api/taskgroup/',
    )
    assert.equal(group.status, 'Succeeded', JSON.stringify(group))
    const at = async (index: number) => colourAt(await output(`/api/taskgroup/${group.task_id}/output/${index}/`), 1, 1)
    assert.deepEqual([await at(1), await at(2)], ['green', 'yellow'])
    assert.deepEqual(
      group.tasks.map((each: { files: object }) => Object.keys(each.files)),
      [[], ['overlay_file_name'], []],
    )
    const strip = await run(
      {
        configuration_names: '["strip"]',
        strip_data: photo.red,
        photo_file_names_override: [photo.green, photo.blue, photo.yellow],
      },
      '/api/taskgroup/',
      booth,
    )
    assert.equal(await colourAt(await output(`/api/taskgroup/${strip.task_id}/output/0/`), 30, 210), 'yellow')
  })

  it('in a group nothing is mistaken for the data of a configuration of that name', async () => {
    const group = await run(
      {
        configuration_names: '["overlay_file_name","frame it"]',
        overlay_file_name_data: photo.yellow,
        'frame it_data': photo.red,
      },
      '/api/taskgroup/',
    )
    assert.equal(await colourAt(await output(`/api/taskgroup/${group.task_id}/output/1/`), 1, 1), 'blue')
    const cases: [Parts, string, RegExp][] = [
      [
        { configuration_names: '["frame it"]', 'frame it_data': photo.red, overlay_file_name_data: photo.red },
        'overlay_file_name_data',
        /PARAM_override/,
      ],
      [
        { configuration_names: '["turn"]', turn_data: photo.red, overlay_file_name_override: photo.red },
        'overlay_file_name_override',
        /no entry of this group/,
      ],
      [
        { configuration_names: '["frame it"]', 'frame it_data': photo.red, overlay_file_name_override: sound },
        'overlay_file_name_override',
        /is a sound/,
      ],
      [
        { configuration_names: '["no such"]', 'no such_data': photo.red, overlay_file_name_override: photo.red },
        'configuration_names',
        /no configuration/,
      ],
    ]
    for (const [parts, field, says] of cases) {
      const { status, body } = await post('/api/taskgroup/', parts)
      assert.deepEqual([status, body.errors?.[0].field], [400, field], JSON.stringify(body))
      assert.match(body.detail, says)
    }
  })

  it('a retried group takes new ones where they are used, and runs again what takes from these', async () => {
    const path = '/api/taskgroup/'
    const group = await run(
      {
        configuration_names: '["frame it","small","turn","film"]',
        'frame it_data': photo.red,
        small_input: 'frame it',
        turn_data: photo.red,
        film_data: photo.red,
        overlay_file_name_override: photo.green,
      },
      path,
    )
    assert.equal(group.status, 'Failed')
    const again = await post(`${path}${group.task_id}/retry/`, { overlay_file_name_override: photo.yellow })
    assert.equal(again.status, 202, JSON.stringify(again.body))
    assert.deepEqual(
      again.body.tasks.map((each: { status: string }) => each.status),
      ['Waiting', 'Waiting', 'Succeeded', 'Waiting'],
    )
    await keepsake.ended(`${path}${group.task_id}/`)
    assert.equal(await colourAt(await output(`${path}${group.task_id}/output/1/`), 1, 1), 'yellow')
  })
})
