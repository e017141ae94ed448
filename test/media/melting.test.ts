// Melted equals one by one: neighbouring entries share one decode and one encode, and nobody can tell.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import { photoConvert } from '#adapters/transformers/photo_convert.ts'
import { photoFlip } from '#adapters/transformers/photo_flip.ts'
import { photoResize } from '#adapters/transformers/photo_resize.ts'
import { methods } from '#media/pixels/orientation.ts'
import { fileOf, limits, newFolder, noTools, pattern, png, psnr, rawSharp, run, scene } from '../support/pictures.ts'
import { everyPair, looksForPeople, melted, oneByOne } from './melted.ts'

describe('melted pictures', () => {
  it('every ordered pair of adapters equals one by one, exactly, without alpha', () =>
    everyPair(async folder => folder.file('in.png', await png(scene(80, 60))), looksForPeople))

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
