// Pictures of other people: every one that must be taken is, as what it is; every other one is refused clearly.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { photoConvert } from '#adapters/transformers/photo_convert.ts'
import { photoFlip } from '#adapters/transformers/photo_flip.ts'
import { photoResize } from '#adapters/transformers/photo_resize.ts'
import { Problem } from '#kit/errors.ts'
import { fileOf, look, newFolder, psnr, run } from '../support/pictures.ts'

const folderOfMedia = fileURLToPath(new URL('../../../shared/media/', import.meta.url))
const manifest = `${folderOfMedia}manifest.json`

interface Entry {
  file: string
  verdict: 'accept' | 'either' | 'reject'
  expected: {
    type: string
    display_width: number
    display_height: number
    frames?: number
    depth: number
    alpha?: boolean
  }
}

const entries: Entry[] = existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).files : []
const pictures = entries.filter(({ file }) => file.startsWith('images/'))

describe('real pictures', { skip: pictures.length === 0 && 'the collection of media is not here' }, () => {
  it('are taken for what they are and come out turned upright, in sRGB and without metadata', async () => {
    await using folder = await newFolder()
    for (const { file, expected } of pictures.filter(({ verdict }) => verdict === 'accept')) {
      const input = await fileOf(folderOfMedia + file)
      assert.equal(input.medium, 'image', file)
      assert.deepEqual([input.width, input.height], [expected.display_width, expected.display_height], file)
      const moving = ['gif', 'webp'].includes(expected.type) && (expected.frames ?? 1) > 1
      assert.equal(input.frames, moving ? expected.frames : null, file)
      const { output } = await run(folder, input, [
        { adapter: photoConvert, options: { format: moving ? 'webp' : 'png', max_side: 400 } },
      ])
      const meta = await sharp(output.path).metadata()
      assert.deepEqual(
        [meta.exif, meta.xmp, meta.icc, meta.orientation],
        [undefined, undefined, undefined, undefined],
        file,
      )
      assert.equal(output.frames, input.frames, file)
      const [wide, high] = [expected.display_width, expected.display_height]
      assert.ok(Math.abs(meta.width / meta.height - wide / high) < 0.02 * (wide / high), file)
    }
  })

  it('that are doubtful are taken or refused with a sentence', async () => {
    await using folder = await newFolder()
    for (const { file } of pictures.filter(({ verdict }) => verdict !== 'accept')) {
      const done = await fileOf(folderOfMedia + file)
        .then(input => run(folder, input, [{ adapter: photoFlip, options: { method: 'ROTATE_180' } }]))
        .catch((error: unknown) => error)
      if (done instanceof Error) assert.ok(done instanceof Problem && done.status < 500, file)
    }
  })

  it('look the same upright, whichever of the eight EXIF orientations they were stored with', async () => {
    await using folder = await newFolder()
    const shown = await Promise.all(
      [1, 2, 3, 4, 5, 6, 7, 8].map(async orientation => {
        const input = await fileOf(`${folderOfMedia}images/exif-rotation-${orientation}.jpg`)
        const { output } = await run(folder, input, [
          { adapter: photoResize, options: { width: 60, height: 80, fit: 'stretch' } },
          { adapter: photoConvert, options: { format: 'png' } },
        ])
        return look(output.path)
      }),
    )
    for (const [i, other] of shown.entries())
      assert.ok(psnr(shown[0]!, other) > 20, `orientation ${i + 1}: ${psnr(shown[0]!, other)} dB`)
  })

  it('from an iPhone are shown as it meant: its own turn, its own colours', async () => {
    await using folder = await newFolder()
    const input = await fileOf(`${folderOfMedia}images/heic-iphone-2682.heic`)
    const { output, entries: reports } = await run(folder, input, [
      { adapter: photoConvert, options: { format: 'jpeg', max_side: 800 } },
    ])
    assert.deepEqual([output.width, output.height, output.mime], [800, 600, 'image/jpeg'])
    assert.ok(reports[0]?.decisions.includes('Converted the embedded colour profile to sRGB.'))
  })
})
