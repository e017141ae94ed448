// Sizes that options, templates and assets ask for: counted before they are made, refused where they can never fit.
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { after, before, describe, it, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { transformers } from '#adapters/transformers.ts'
import type { Adapter } from '#engine/adapter.ts'
import { type Media, newMedia } from '#engine/children/media.ts'
import { planSizes } from '#engine/children/sizes.ts'
import type { JsonObject } from '#kit/json.ts'
import { newLog } from '#kit/log.ts'
import { loadSettings } from '#kit/settings.ts'
import type { MediaFile } from '#media/file/file.ts'
import { layOut, type Pen } from '#media/text/text-layout.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { jail, roomFolder } from '../support/rooms.ts'
import { clip, entryOf, fresh, limits, opened, tools, type Wish, withFfmpeg } from '../support/videos.ts'

const blob = (bytes: Buffer): Blob => new Blob([new Uint8Array(bytes)])
const named = (name: string): Adapter => transformers.get(name) as Adapter
const pictureFacts = {
  medium: 'image',
  mime: 'image/png',
  ext: 'png',
  duration: null,
  frames: null,
  bytes: 5_000,
} as const

/** No option here is beyond its schema; each asks for more than can be made of any file. */
const neverFits: [adapter: string, options: JsonObject, field: string][] = [
  ['photo_add_qr', { data: 'x', size: 30_000 }, 'size'],
  ['photo_add_qr', { data: 'x', size: 100_000 }, 'size'],
  ['photo_add_text', { text: 'x', width: 100_000, height: 100_000 }, 'width'],
  ['photo_add_text', { text: 'x', width: 12_000, height: 12_000, stroke: { width: 4 } }, 'width'],
  ['photo_resize', { width: 20_000, height: 20_000, enlarge: true }, 'width'],
  ['photo_resize', { width: 20_000, height: 20_000, fit: 'contain' }, 'width'],
  ['photo_collage', { width: 20_000, height: 20_000 }, 'width'],
  ['photo_collage', { layout: 'custom', cells: [{ x: 0, y: 0, width: 90_000, height: 90_000 }] }, 'cells[0]'],
  ['photo_compositor', { canvas: { width: 20_000, height: 20_000 } }, 'canvas'],
  [
    'photo_compositor',
    { layers: [{ type: 'photo' }, { type: 'qr', data: 'x', width: 50_000, height: 50_000 }] },
    'layers[1]',
  ],
  ['photo_compositor', { layers: [{ type: 'shape', width: 50_000, height: 50_000 }] }, 'layers[0]'],
  ['photo_compositor', { layers: [{ type: 'text', text: 'x', width: 50_000, height: 50_000 }] }, 'layers[0]'],
  ['photo_compositor', { layers: [{ type: 'shape', width: 12_000, height: 12_000, rotate: 45 }] }, 'layers[0]'],
  [
    'photo_compositor',
    { layers: Array.from({ length: 30 }, () => ({ type: 'shape', width: 10_000, height: 10_000 })) },
    'layers',
  ],
  [
    'photo_compositor',
    { layers: Array.from({ length: 5 }, () => ({ type: 'text', text: 'x'.repeat(5_000) })) },
    'layers',
  ],
  ['photo_to_video', { width: 7_680, height: 7_680 }, 'width'],
  ['video_resize', { width: 7_680, height: 7_680 }, 'width'],
  ['video_join', { width: 7_680, height: 7_680 }, 'width'],
  ['video_add_text', { text: 'x', width: 50_000, height: 50_000 }, 'width'],
]

describe('sizes in options', () => {
  let keepsake: Keepsake
  let photo: Blob

  before(async () => {
    keepsake = await startKeepsake()
    photo = blob(await png(pattern(1, 1, 3)))
  })
  after(() => keepsake.stop())

  it('what can never fit is a 400 that names the option, when it is saved and when a task brings it', async () => {
    for (const [i, [adapter, options, field]] of neverFits.entries()) {
      const saved = await keepsake.client.post('/api/configuration/', single(`bad-${i}`, adapter, options))
      assert.deepEqual([saved.status, saved.body.code], [400, 'bad_options'], JSON.stringify(saved.body))
      assert.deepEqual(
        saved.body.errors.map((error: { field: string }) => error.field),
        [`adapter_config.defaults.${field}`],
      )
      const { data = 'x', text = 'x' } = options
      const needed = { ...(adapter === 'photo_add_qr' && { data }), ...(/text/.test(adapter) && { text }) }
      await keepsake.configure(single(`good-${i}`, adapter, needed))
      const sent = await keepsake.send('/api/task/', {
        configuration_name: `good-${i}`,
        data: photo,
        extras: JSON.stringify(options),
      })
      assert.deepEqual([sent.status, sent.body.code], [400, 'bad_extras'], JSON.stringify(sent.body))
      assert.ok(sent.body.errors[0].field.startsWith(`extras.${field}`), JSON.stringify(sent.body.errors))
      assert.match(sent.body.errors[0].message, /at most/)
    }
  })

  it('a template is held to the same, and a preview', async () => {
    const template = Buffer.from(JSON.stringify({ layers: [{ type: 'shape', width: 90_000, height: 90_000 }] }))
    const asset = { name: 'huge', experience_id: 'park', file: blob(template) }
    assert.equal((await keepsake.send('/api/asset/', asset)).status, 201)
    const saved = await keepsake.client.post(
      '/api/configuration/',
      single('templated', 'photo_compositor', { template_file_name: 'huge' }),
    )
    assert.deepEqual([saved.status, saved.body.code], [400, 'bad_options'])
    await keepsake.configure(single('later', 'photo_compositor', {}))
    const extras = JSON.stringify({ template_file_name: 'huge' })
    const sent = await keepsake.send('/api/task/', { configuration_name: 'later', data: photo, extras })
    assert.deepEqual([sent.status, sent.body.errors?.[0].field], [400, 'extras.layers[0]'])
    const shown = await keepsake.send('/api/configuration/later/preview/', { data: photo, extras })
    assert.equal(shown.status, 400, JSON.stringify(shown.body))
  })

  it('what depends on the file fails that entry before anything of it is made', async () => {
    const tall = blob(await png(pattern(1, 400, 3)))
    const cases: [string, JsonObject, Blob, string][] = [
      ['photo_resize', { width: 20_000, enlarge: true }, photo, 'too_many_pixels'],
      ['photo_resize', { width: 3_000, enlarge: true }, tall, 'too_many_pixels'],
      ['photo_resize', { width: 10_000, height: 10_000, enlarge: true }, tall, 'too_many_pixels'],
      ['photo_add_text', { text: 'x', width: '9000000%', height: '9000000%' }, photo, 'too_many_pixels'],
      ['photo_add_qr', { data: 'x', size: '9000000%' }, photo, 'too_many_pixels'],
      [
        'photo_compositor',
        { layers: [{ type: 'photo', width: '9000000%', height: '9000000%' }] },
        photo,
        'too_many_pixels',
      ],
      // This one the adapter refuses itself, when it knows how the photo is cut.
      ['photo_compositor', { layers: [{ type: 'photo', width: 9_000, height: 9_000 }] }, tall, 'too_many_pixels'],
    ]
    for (const [i, [adapter, options, data, code]] of cases.entries()) {
      // The facts of the file are enough: nothing is opened for it.
      const facts = { ...pictureFacts, width: 1, height: data === tall ? 400 : 1 }
      const plan = () => planSizes([entryOf({ adapter: named(adapter), options }, 0)], transformers, facts, limits)
      if (i < cases.length - 1) assert.throws(plan, { code }, `${adapter} ${JSON.stringify(options)}`)
      await keepsake.configure(single(`file-${i}`, adapter, options))
      const { status, body } = await keepsake.send('/api/task/', { configuration_name: `file-${i}`, data })
      assert.equal(status, 202, JSON.stringify(body))
      const { entries } = await keepsake.ended(`/api/task/${body.task_id}/`)
      assert.equal(entries[0].error?.code, code, `${adapter} ${JSON.stringify(options)}`)
    }
  })

  it('an entry that grows the picture owns the refusal, wherever it stands in a chain', async () => {
    await keepsake.configure(single('small', 'photo_crop', { width: 1, height: 1 }))
    await keepsake.configure(single('grow', 'photo_resize', { width: 20_000, enlarge: true }))
    await keepsake.configure(
      chain('grown', [
        ['small', null],
        ['grow', 0],
      ]),
    )
    const { body } = await keepsake.send('/api/task/', { configuration_name: 'grown', data: photo })
    const { entries } = await keepsake.ended(`/api/task/${body.task_id}/`)
    assert.deepEqual(
      entries.map((entry: { error: { code: string } | null }) => entry.error?.code ?? null),
      [null, 'too_many_pixels'],
    )
  })
})

test('a text of thousands of letters is broken into lines without measuring it again for every size', async () => {
  const words = Array.from({ length: 700 }, (_, i) => (i * 7_919).toString(36))
  const measured = new Set<string>()
  const width = (line: string): number => line.length * 0.6
  const pen: Pen = {
    guess: async line => {
      measured.add(line)
      return width(line)
    },
    width: async (line, size) => width(line) * size,
    share: async () => 1,
  }
  const { lines } = await layOut(
    words.join(' '),
    { width: 1_500, height: 800 },
    { sizeMax: 400, sizeMin: 4, overflow: 'wrap' },
    pen,
  )
  assert.equal(lines.join(' '), words.join(' '))
  assert.ok(measured.size < 5 * words.length, `${measured.size} pieces were measured`)
})

function mediaWith(settings: Partial<ReturnType<typeof loadSettings>>): Media {
  return newMedia({
    settings: { ...loadSettings({}, fresh('.env')), data: fresh(), ...settings },
    programs: tools,
    tools: Promise.resolve(tools),
    jail: Promise.resolve(jail),
    rooms: roomFolder(),
    script: fileURLToPath(new URL('../../src/child.ts', import.meta.url)),
    keepWarm: 0,
    adapters: transformers,
    log: newLog('silent', 'test'),
  })
}

async function emptyFolder(): Promise<string> {
  const path = fresh()
  await mkdir(path)
  return path
}

test('memory is reserved for what options ask for, so that two large canvases do not run at once', async () => {
  // Room for one of them, whose need is thirteen bytes for each of its four million pixels.
  const media = mediaWith({ concurrency: 2, maxMemoryBytes: 64 * 1024 ** 2 })
  const path = fresh('.png')
  await writeFile(path, await png(pattern(2, 2, 3)))
  const input = await opened(path)
  const busy: number[] = []
  const run = async (): Promise<unknown> => {
    const entry = entryOf(
      { adapter: named('photo_compositor'), options: { canvas: { width: 2_000, height: 2_000 } } },
      0,
    )
    return media.run(
      { form: 'image', input, entries: [entry], folder: await emptyFolder(), experienceId: null },
      { onBegin: () => void busy.push(media.stats().pictures.busy) },
    )
  }
  try {
    await Promise.all([run(), run()])
    assert.deepEqual(busy, [1, 1])
  } finally {
    await media.drain()
  }
})

test('sizes within the limits are made as they were asked for', async () => {
  const media = mediaWith({ concurrency: 1 })
  const path = fresh('.png')
  await writeFile(path, await png(pattern(40, 30, 3)))
  const input = await opened(path)
  const cases: [string, JsonObject, [number, number]][] = [
    ['photo_add_qr', { data: 'x', size: 3_000 }, [40, 30]],
    ['photo_add_text', { text: 'Hello', width: 3_000, height: 3_000, stroke: { width: 9 } }, [40, 30]],
    ['photo_resize', { width: 4_000, height: 4_000, enlarge: true }, [4_000, 4_000]],
    [
      'photo_compositor',
      { canvas: { width: 3_000, height: 3_000 }, layers: [{ type: 'shape', rotate: 30 }] },
      [3_000, 3_000],
    ],
  ]
  try {
    for (const [adapter, options, size] of cases) {
      const entry = entryOf({ adapter: named(adapter), options }, 0)
      const { output } = await media.run({
        form: 'image',
        input,
        entries: [entry],
        folder: await emptyFolder(),
        experienceId: null,
      })
      assert.deepEqual([output.width, output.height], size, adapter)
    }
  } finally {
    await media.drain()
  }
})

test('a picture counts by what its format takes for a pixel, and one that no child could hold is refused', () => {
  const facts = { medium: 'image', width: 9_000, height: 9_000, duration: null, frames: null, bytes: 5_000 } as const
  const planned = (mime: string, isDeep = false, options: JsonObject = {}): number =>
    planSizes(
      [entryOf({ adapter: named(options.format ? 'photo_convert' : 'photo_flip'), options }, 0)],
      transformers,
      { ...facts, mime, ext: '' },
      limits,
      isDeep,
    ).bytes
  const usual = planned('image/jpeg', false, { method: 'ROTATE_180' })
  assert.ok(planned('image/png', true, { method: 'ROTATE_180' }) > usual)
  assert.ok(planned('image/webp', false, { method: 'ROTATE_180' }) > usual)
  assert.ok(planned('image/jpeg', false, { format: 'webp' }) > usual)
  assert.throws(() => planned('image/avif', false, { method: 'ROTATE_180' }), { code: 'memory_limit' })
})

test('a QR code takes no memory of its own, however large it is', async () => {
  const media = mediaWith({ concurrency: 1, maxMemoryBytes: 64 * 1024 ** 2 })
  const path = fresh('.png')
  await writeFile(path, await png(pattern(40, 30, 3)))
  const entry = entryOf({ adapter: named('photo_add_qr'), options: { data: 'x', size: 12_000 } }, 0)
  const input = await opened(path)
  try {
    await media.run({ form: 'image', input, entries: [entry], folder: await emptyFolder(), experienceId: null })
  } finally {
    await media.drain()
  }
})

describe('sizes of videos', withFfmpeg, () => {
  let media: Media
  before(() => {
    media = mediaWith({ concurrency: 1, maxVideoSeconds: 60, maxVideoPixels: 1_000_000, maxFrames: 20 })
  })
  after(() => media.drain())

  async function verdict(wishes: Wish[]): Promise<string> {
    const work = { form: 'video', input: await clip({ seconds: 3 }), entries: wishes.map(entryOf) } as const
    return media.run({ ...work, folder: await emptyFolder(), experienceId: null }).then(
      () => 'made',
      error => `${error.code} by ${error.entry}`,
    )
  }

  it('frames, lengths and rates beyond the limits are refused before a frame is made', async () => {
    const [logo, thin] = [fresh('.png'), fresh('.png')]
    await writeFile(logo, await png(pattern(16, 9, 4)))
    await writeFile(thin, await png(pattern(1, 4_000, 4)))
    const clips = await Promise.all(Array.from({ length: 32 }, () => opened(logo)))
    const wish = (adapter: string, options: JsonObject, assets: Wish['assets'] = {}): Wish => ({
      adapter: named(adapter),
      options,
      assets,
    })
    const slow = wish('video_speed', { factor: 0.1 })
    const overlay = (options: JsonObject, file: MediaFile): Wish =>
      wish('video_add_overlay', options, { overlay_file_name: file })
    const cases: [Wish[], string][] = [
      [[wish('video_resize', { width: 4_000 })], 'too_many_pixels by 0'],
      [[wish('video_flip', { method: 'ROTATE_180' }), slow, slow], 'too_long by 2'],
      [[wish('video_join', { still_duration: 600 }, { clip_file_names: clips })], 'too_long by 0'],
      [[wish('video_to_gif', { duration: 3, fps: 50, width: 100 })], 'too_many_frames by 0'],
      [[overlay({ scale: 10 }, await clip({ seconds: 1 }))], 'too_many_pixels by 0'],
      [[overlay({ fit: 'cover', scale: 10 }, await opened(thin))], 'too_many_pixels by 0'],
    ]
    for (const [wishes, expected] of cases) assert.equal(await verdict(wishes), expected)
  })

  it('a chain of forty boomerangs is planned at once, not with twice the work for each', async () => {
    const boomerang = { adapter: named('video_boomerang'), options: { duration: 1, loops: 2 } }
    assert.equal(await verdict(Array.from({ length: 40 }, () => boomerang)), 'made')
  })

  it('a later entry may make it fit again', async () => {
    const speed = (factor: number): Wish => ({ adapter: named('video_speed'), options: { factor } })
    assert.equal(await verdict([speed(0.1), speed(0.1), speed(10), speed(10)]), 'made')
  })
})
