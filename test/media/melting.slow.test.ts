// Melted equals one by one: neighbouring entries share one decode and one encode, and nobody can tell.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import { photoConvert } from '#adapters/transformers/photo_convert.ts'
import { photoFlip } from '#adapters/transformers/photo_flip.ts'
import { photoResize } from '#adapters/transformers/photo_resize.ts'
import type { MediaFile } from '#media/file/file.ts'
import { methods } from '#media/pixels/orientation.ts'
import { type Case, pictureCases } from '../support/picture-cases.ts'
import {
  type Folder,
  fileOf,
  type Job,
  limits,
  look,
  newFolder,
  noTools,
  pattern,
  png,
  psnr,
  type Raw,
  rawSharp,
  run,
  scene,
} from '../support/pictures.ts'

async function melted(folder: Folder, input: MediaFile, jobs: Job[]): Promise<Raw> {
  return lookDeep((await run(folder, input, jobs)).output.path)
}

async function oneByOne(folder: Folder, input: MediaFile, jobs: Job[]): Promise<Raw> {
  let file = input
  for (const job of jobs) file = (await run(folder, file, [job])).output
  return lookDeep(file.path)
}

/** With all the bits there are, and every frame. */
async function lookDeep(path: string): Promise<Raw> {
  const { depth } = await sharp(path).metadata()
  if (depth !== 'ushort') return look(path, { animated: true })
  const { data, info } = await sharp(path)
    .toColourspace('rgb16')
    .raw({ depth: 'ushort' })
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels: info.channels }
}

const seers = new Set(['photo_cutout', 'photo_blur_faces', 'photo_pick'])

/** Those that look for people take long: each of them is tried before and behind two that change pixels and size. */
const isCostly = (pair: Case[]): boolean =>
  pair.some(({ adapter }) => seers.has(adapter.name)) &&
  !pair.some(({ adapter }) => adapter.name === 'photo_flip' || adapter.name === 'photo_filter')

async function everyPair(
  input: (folder: Folder) => Promise<MediaFile>,
  except: (pair: Case[]) => boolean = () => false,
): Promise<void> {
  await using folder = await newFolder()
  const file = await input(folder)
  const cases = await pictureCases(folder)
  for (const first of cases) {
    // What the first makes alone is the same whatever comes behind it.
    let alone: MediaFile | undefined
    for (const second of cases) {
      const pair = [first, second]
      if (except(pair) || isCostly(pair)) continue
      alone ??= (await run(folder, file, [first])).output
      const [together, apart] = [await melted(folder, file, pair), await oneByOne(folder, alone, [second])]
      const name = `${first.adapter.name} > ${second.adapter.name}`
      assert.deepEqual(
        [together.width, together.height, together.channels],
        [apart.width, apart.height, apart.channels],
        name,
      )
      assert.ok(together.data.equals(apart.data), `${name}: ${psnr(together, apart).toFixed(1)} dB`)
    }
  }
}

describe('melted pictures', () => {
  it('every ordered pair of adapters equals one by one, exactly, without alpha', () =>
    everyPair(async folder => folder.file('in.png', await png(scene(80, 60)))))

  it('every ordered pair equals one by one, exactly, with alpha', () =>
    everyPair(async folder => folder.file('in.png', await png(scene(80, 60, 4)))))

  it('every ordered pair equals one by one, exactly, with 16 bits', () =>
    everyPair(async folder => {
      const deep = new Uint16Array(80 * 60 * 3).map((_, i) => (i * 40503) % 65536)
      return folder.file(
        'in.png',
        await sharp(deep, { raw: { width: 80, height: 60, channels: 3 } })
          .toColourspace('rgb16')
          .png()
          .toBuffer(),
      )
    }))

  it('every ordered pair equals one by one, exactly, in every frame of an animation', () =>
    everyPair(
      async folder => {
        const frames = [1, 2].map(seed => ({
          ...scene(24, 18, 4),
          data: scene(24, 18, 4).data.map(value => value ^ (seed * 8)) as Buffer,
        }))
        const roll = Buffer.concat(frames.map(({ data }) => data))
        const webp = sharp(roll, { raw: { width: 24, height: 36, channels: 4, pageHeight: 18 } }).webp({
          lossless: true,
          exact: true,
          delay: [50, 80],
        })
        return folder.file('in.webp', await webp.toBuffer())
        // The compositor and the converter were asked for PNG, which does not move, and what comes after a lossy WebP differs.
      },
      pair => pair.some(({ adapter }) => ['photo_compositor', 'photo_convert', 'photo_collage'].includes(adapter.name)),
    ))

  it('a turn before or after a resize is exact where nothing is left out while decoding', async () => {
    await using folder = await newFolder()
    const input = await folder.file('in.png', await png(pattern(120, 80, 3)))
    const resize = { adapter: photoResize, options: { width: 50, height: 40, fit: 'stretch' } }
    for (const method of Object.keys(methods)) {
      const turn = { adapter: photoFlip, options: { method } }
      for (const jobs of [
        [turn, resize],
        [resize, turn],
        [turn, resize, turn],
        [resize, turn, { ...resize, options: { width: 30, height: 20, fit: 'stretch' } }],
      ]) {
        const [together, apart] = [await melted(folder, input, jobs), await oneByOne(folder, input, jobs)]
        assert.ok(together.data.equals(apart.data), `${method}: ${psnr(together, apart)}`)
      }
    }
  })

  it('stays above 44 dB where a large JPEG is shrunk while it is decoded', async () => {
    await using folder = await newFolder()
    const bytes = await rawSharp(scene(1600, 1200)).jpeg({ quality: 95 }).toBuffer()
    const jpeg = await folder.file('in.jpg', bytes)
    const lossless = await folder.file('in.png', await sharp(bytes).png({ compressionLevel: 1 }).toBuffer())
    for (const method of ['ROTATE_180', 'ROTATE_90']) {
      const jobs = [
        { adapter: photoFlip, options: { method } },
        { adapter: photoResize, options: { width: 300, height: 300 } },
        { adapter: photoConvert, options: { format: 'png' } },
      ]
      const decibels = psnr(await melted(folder, jpeg, jobs), await oneByOne(folder, lossless, jobs))
      assert.ok(decibels > 44 && decibels < Number.POSITIVE_INFINITY, `${method}: ${decibels}`)
    }
  })

  it('the first entry to fail owns the error', async () => {
    await using folder = await newFolder()
    const input = await folder.file('in.png', await png(scene(80, 60)))
    const turn = { adapter: photoFlip, options: { method: 'ROTATE_90' } }
    const tooBig = { adapter: photoResize, options: { width: 20_000, height: 20_000, enlarge: true } }
    await assert.rejects(run(folder, input, [turn, tooBig, turn]), { code: 'too_many_pixels', entry: 1 })
    const bytes = await rawSharp(scene(300, 200)).png().toBuffer()
    const broken = await folder.file('cut.png', bytes.subarray(0, bytes.length - 2000))
    await assert.rejects(run(folder, broken, [turn, turn]), { code: 'corrupt_input', entry: 0 })
  })

  it('reports of every entry what it made, and the file on the last', async () => {
    await using folder = await newFolder()
    const input = await folder.file('in.png', await png(scene(80, 60)))
    const turn = { adapter: photoFlip, options: { method: 'ROTATE_90' } }
    const { entries, output, versions } = await run(folder, input, [turn, turn], noTools, limits)
    assert.deepEqual(
      entries.map(({ index, facts }) => [index, facts?.mime, facts?.width, facts?.height, facts?.bytes === 0]),
      [
        [0, 'image/png', 60, 80, true],
        [1, 'image/png', 80, 60, false],
      ],
    )
    assert.equal((await fileOf(output.path)).bytes, output.bytes)
    assert.ok(versions.libvips)
  })
})
