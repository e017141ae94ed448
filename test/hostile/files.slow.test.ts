// Files made to keep their reader busy, to grow in memory or to lie: each gets a listed verdict while others are served.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { after, before, describe, it, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { transformers } from '#adapters/transformers.ts'
import { type MediaWork, newMedia } from '#engine/children/media.ts'
import { isProblem } from '#kit/errors.ts'
import { newLog } from '#kit/log.ts'
import { loadSettings } from '#kit/settings.ts'
import {
  charactersWithoutEnd,
  fontWith,
  hostileFiles,
  type Kind,
  oneCharacter,
  overlappingFont,
  segmentWithoutEnd,
  svgOfFilters,
  svgOfUses,
} from '../support/hostile-files.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { jail, roomFolder } from '../support/rooms.ts'
import { clip, folder, fresh, opened, tools, withFfmpeg } from '../support/videos.ts'

const listed = [
  'unsupported_format',
  'corrupt_input',
  'too_many_pixels',
  'too_many_frames',
  'too_long',
  'time_limit',
  'memory_limit',
  'output_too_large',
  'policy_blocked',
]

const steps: Record<Kind, string> = { picture: 'flip', video: 'turn', sound: 'convert' }
const inter = join(
  dirname(createRequire(import.meta.url).resolve('@expo-google-fonts/inter/package.json')),
  '400Regular/Inter_400Regular.ttf',
)

/** Made once: some of them take a while. */
const files = hostileFiles()

const blob = (bytes: Buffer): Blob => new Blob([new Uint8Array(bytes)])

describe('hostile files', withFfmpeg, () => {
  let keepsake: Keepsake
  let photo: Blob
  let video: Blob

  before(async () => {
    keepsake = await startKeepsake({ settings: { concurrency: 2 } })
    photo = blob(await png(pattern(90, 50, 3)))
    video = blob(await readFile((await clip({ seconds: 1 })).path))
    await keepsake.configure(single('flip', 'photo_flip', { method: 'ROTATE_180' }))
    await keepsake.configure(single('turn', 'video_flip', { method: 'ROTATE_180' }))
    await keepsake.configure(single('convert', 'audio_convert', { format: 'mp3' }))
  })
  after(() => keepsake.stop())

  async function send(configuration: string, data: Blob, extras: object = {}): Promise<string> {
    const { status, body } = await keepsake.send('/api/task/', {
      configuration_name: configuration,
      data,
      extras: JSON.stringify(extras),
    })
    assert.equal(status, 202, JSON.stringify(body))
    return `/api/task/${body.task_id}/`
  }

  async function verdict(path: string): Promise<{ code: string; message: string }> {
    const { status, entries } = await keepsake.ended(path)
    return status === 'Succeeded' ? { code: status, message: '' } : entries[0].error
  }

  const judge = async (configuration: string, data: Blob, extras: object = {}) =>
    verdict(await send(configuration, data, extras))

  /** What is neither a result nor a listed code with a sentence that tells nothing of the machine. */
  const odd = (name: string, { code, message }: { code: string; message: string }): string[] =>
    (code === 'Succeeded' || listed.includes(code)) && !/keepsake-|\/tmp|0x/.test(message)
      ? []
      : [`${name}: ${code} ${message}`]

  it('two files whose index has no end do not stop the videos of others', async () => {
    const { bytes } = segmentWithoutEnd()
    const bad = await Promise.all([1, 2].map(() => send('turn', blob(bytes))))
    const good = await send('turn', video)
    assert.equal((await verdict(good)).code, 'Succeeded')
    for (const path of bad) assert.equal((await verdict(path)).code, 'corrupt_input')
  })

  it('every broken, lying or circular file ends with a listed code, while photos and videos are served', async () => {
    const sent: string[] = []
    for (const { kind, bytes } of files) sent.push(await send(steps[kind], blob(bytes)))
    const [picture, moving] = [await send('flip', photo), await send('turn', video)]
    const wrong: string[] = []
    for (const [i, { name }] of files.entries()) wrong.push(...odd(name, await verdict(sent[i] as string)))
    assert.deepEqual(wrong, [])
    assert.equal((await verdict(picture)).code, 'Succeeded')
    assert.equal((await verdict(moving)).code, 'Succeeded')
  })

  async function upload(name: string, bytes: Buffer): Promise<{ status: number; code: string }> {
    const { status, body } = await keepsake.send('/api/asset/', { name, experience_id: 'park', file: blob(bytes) })
    return { status, code: body.code ?? '' }
  }

  it('every one of them is refused or taken as an asset, and none keeps the API from answering', async () => {
    const left = [...files]
    const answers: { name: string; status: number; code: string }[] = []
    // A few at a time: how many requests are taken at once is held elsewhere.
    const uploading = [1, 2, 3, 4].map(async () => {
      for (let file = left.pop(); file; file = left.pop())
        answers.push({ name: file.name, ...(await upload(`file-${left.length}`, file.bytes)) })
    })
    await Promise.all(uploading)
    assert.equal(answers.length, files.length)
    const isListed = (status: number, code: string): boolean => status === 400 && listed.includes(code)
    assert.deepEqual(
      answers.filter(({ status, code }) => status !== 201 && !isListed(status, code)),
      [],
    )
  })

  it('drawings, fonts and look-up tables that grow when they are used end with a listed code', async () => {
    const font = await readFile(inter)
    const assets: [name: string, bytes: Buffer][] = [
      ['uses.svg', svgOfUses(9)],
      ['filters.svg', svgOfFilters(2)],
      ['wide.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="90000" height="90000"/>')],
      ['box.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1e9 1e9"><rect width="9"/></svg>')],
      ['characters.ttf', fontWith(font, charactersWithoutEnd())],
      ['overlap.ttf', overlappingFont(font)],
      ['cut.ttf', font.subarray(0, 5_000)],
      ['lies.cube', Buffer.from('LUT_3D_SIZE 65536\n0 0 0\n')],
      ['rows.cube', Buffer.from(`LUT_3D_SIZE 2\n${'0 0 0\n'.repeat(2_000_000)}`)],
      ['lines.cube', Buffer.from(`LUT_3D_SIZE 2\n${'\n'.repeat(20_000_000)}`)],
      ['line.cube', Buffer.from(`LUT_3D_SIZE 2\n${' 1'.repeat(9_000_000)}`)],
    ]
    await keepsake.configure(single('frame', 'photo_add_overlay', { overlay_file_name: '{{asset}}' }))
    await keepsake.configure(single('write', 'photo_add_text', { text: 'Hello', font_file_name: '{{asset}}' }))
    await keepsake.configure(single('look', 'photo_filter', { lut_file_name: '{{asset}}' }))
    const by: Record<string, string> = { svg: 'frame', ttf: 'write', cube: 'look' }
    const wrong: string[] = []
    for (const [name, bytes] of assets) {
      const { status, code } = await upload(name, bytes)
      if (status !== 201) {
        wrong.push(...odd(name, { code, message: '' }))
        continue
      }
      const configuration = by[name.split('.')[1] as string] as string
      const judged = judge(configuration, photo, { additional_context: { asset: name } })
      assert.equal((await judge('flip', photo)).code, 'Succeeded')
      wrong.push(...odd(name, await judged))
    }
    assert.deepEqual(wrong, [])
  })

  it('a damaged packet of a video or of its sound is the fault of the file, never of ours', async t => {
    const seed = Number(process.env.KEEPSAKE_HOSTILE_SEED ?? Date.now() % 100_000)
    t.diagnostic(`KEEPSAKE_HOSTILE_SEED=${seed}`)
    const rounds = process.env.KEEPSAKE_HOSTILE === 'long' ? 200 : 12
    const random = randomFrom(seed)
    const whole = Buffer.from(await video.arrayBuffer())
    const from = whole.indexOf('mdat') + 4
    const length = whole.readUInt32BE(from - 8) - 8
    const sent: string[] = []
    for (let i = 0; i < rounds; i++) {
      const bytes = Buffer.from(whole)
      for (let flips = [1, 20, 300][i % 3] as number; flips > 0; flips--) bytes[from + random(length)] = random(256)
      sent.push(await send('turn', blob(bytes)))
    }
    const codes: string[] = []
    for (const path of sent) codes.push((await verdict(path)).code)
    assert.deepEqual(
      codes.filter(code => code !== 'Succeeded' && code !== 'corrupt_input'),
      [],
    )
    assert.ok(codes.includes('corrupt_input'))
  })

  it('a font that one experience has uploaded draws no letter of another', async () => {
    // U+1208 has no glyph here; the font shows a letter of Inter for it.
    const strange = '\u1208'
    await upload('strange.ttf', fontWith(await readFile(inter), oneCharacter(0x1208, 40)))
    await keepsake.configure(single('plain', 'photo_add_text', { text: strange }))
    await keepsake.configure(single('own', 'photo_add_text', { text: strange, font_file_name: 'strange.ttf' }))
    const drawn = async (configuration: string): Promise<{ warnings: string[]; bytes: string }> => {
      const path = await send(configuration, photo)
      const { entries } = await keepsake.ended(path)
      assert.equal(entries[0].status, 'Succeeded', JSON.stringify(entries[0].error))
      return { warnings: entries[0].warnings, bytes: entries[0].output.sha256 }
    }
    const before = await drawn('plain')
    const own = await drawn('own')
    assert.notEqual(own.bytes, before.bytes)
    // As many as there are children, so that each is asked.
    const afterwards = await Promise.all(Array.from({ length: 8 }, () => drawn('plain')))
    for (const after of afterwards) assert.deepEqual(after, before)
    assert.deepEqual(await drawn('own'), own)
  })
})

/** The same numbers for the same seed. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed + 1
  return below => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

test('a look that never yields is ended from outside, says so, and the next file is served', async () => {
  const script = fileURLToPath(new URL('../support/looking-child.ts', import.meta.url))
  const settings = { ...loadSettings({}, fresh('.env')), data: fresh(), concurrency: 1 }
  const media = newMedia({
    settings,
    programs: tools,
    tools: Promise.resolve(tools),
    jail: Promise.resolve(jail),
    rooms: roomFolder(),
    script,
    keepWarm: 0,
    adapters: transformers,
    log: newLog('silent', 'test'),
  })
  const path = fresh('.png')
  await writeFile(path, await png(pattern(3, 3, 3)))
  const input = await opened(path)
  const work: MediaWork = { form: 'image', input, folder, entries: [], experienceId: null }
  try {
    await assert.rejects(
      media.run({ ...work, input: { ...input, mime: 'spin' } }),
      (error: unknown) => isProblem(error, 'time_limit') && /which its size does not explain/.test(error.message),
    )
    assert.equal((await media.run(work)).output.bytes, input.bytes)
    assert.equal(media.stats().pictures.crashes, 0)
  } finally {
    await media.drain()
  }
})
