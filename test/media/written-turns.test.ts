// A picture that its file says how to turn comes out upright in every format, and no viewer turns it once more.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { photoConvert } from '#adapters/transformers/photo_convert.ts'
import { photoFilter } from '#adapters/transformers/photo_filter.ts'
import { photoFlip } from '#adapters/transformers/photo_flip.ts'
import { photoResize } from '#adapters/transformers/photo_resize.ts'
import { newFolder, psnr, run, scene } from '../support/pictures.ts'

/** As a viewer shows it, who honours whatever the file says. */
async function shown(file: string | Buffer) {
  const { data, info } = await sharp(file).autoOrient().removeAlpha().raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels: info.channels }
}

const turn = { adapter: photoFlip, options: { method: 'ROTATE_180' } }
const small = { adapter: photoResize, options: { width: 60, height: 60, fit: 'inside' } }
const plain = { adapter: photoFilter, options: { preset: 'none', brightness: 1 } }

for (const format of ['avif', 'tiff', 'webp', 'png', 'jpeg'] as const)
  test(`as ${format}, from every orientation, by whichever steps`, async () => {
    await using folder = await newFolder()
    const { data, width, height } = scene(120, 80)
    const convert = { adapter: photoConvert, options: { format, quality: 90 } }
    for (let orientation = 1; orientation <= 8; orientation++) {
      const stored = sharp(data, { raw: { width, height, channels: 3 } }).withMetadata({ orientation })
      for (const [ext, bytes] of [
        ['.jpg', await stored.clone().jpeg({ quality: 95 }).toBuffer()],
        ['.tif', await stored.clone().tiff({ compression: 'none' }).toBuffer()],
      ] as const) {
        const input = await folder.file(`in${orientation}${ext}`, bytes)
        const upright = await shown(bytes)
        for (const [steps, expected] of [
          [[convert], upright],
          [[turn, turn, convert], upright],
          [[plain, convert], upright],
          [[small, convert], null],
        ] as const) {
          const { output } = await run(folder, input, [...steps])
          const seen = await shown(output.path)
          const named = `${ext} ${orientation}: ${steps.map(({ adapter }) => adapter.name).join(' > ')}`
          assert.deepEqual([seen.width, seen.height], [output.width, output.height], named)
          if (expected) assert.ok(psnr(seen, expected) > 25, `${named}: ${psnr(seen, expected)} dB`)
          const { orientation: tag = 1 } = await sharp(output.path).metadata()
          assert.equal(tag, 1, named)
        }
      }
    }
  })

test('a TIFF that is turned by its tag is not turned again', async () => {
  await using folder = await newFolder()
  const { data, width, height } = scene(120, 80)
  const raw = sharp(data, { raw: { width, height, channels: 3 } })
  const bytes = await raw.withMetadata({ orientation: 6 }).tiff({ compression: 'none' }).toBuffer()
  const input = await folder.file('in.tif', bytes)
  const once = await run(folder, input, [turn])
  assert.deepEqual([once.output.width, once.output.height], [80, 120])
  assert.equal((await sharp(once.output.path).metadata()).orientation ?? 1, 1)
  const again = await run(folder, { ...once.output, path: once.output.path }, [turn])
  assert.deepEqual(await shown(again.output.path), await shown(bytes))
})
