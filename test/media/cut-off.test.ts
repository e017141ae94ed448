// Files that end early: damaged ones are refused as such, and where nobody can tell, the entry says so.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { photoFlip } from '#adapters/transformers/photo_flip.ts'
import { newFolder, rawSharp, run, scene } from '../support/pictures.ts'

const flip = { adapter: photoFlip, options: { method: 'ROTATE_180' } }

test('a GIF that ends between two frames without an end mark says that frames may be missing', async () => {
  await using folder = await newFolder()
  const { data } = scene(40, 60)
  const roll = sharp(data, { raw: { width: 40, height: 60, channels: 3, pageHeight: 20 } })
  const bytes = await roll.gif({ delay: [100, 100, 100], dither: 0 }).toBuffer()
  const whole = await run(folder, await folder.file('whole.gif', bytes), [flip])
  assert.deepEqual(whole.entries[0]?.warnings, [])
  const cut = await run(folder, await folder.file('cut.gif', bytes.subarray(0, -1)), [flip])
  assert.deepEqual(cut.entries[0]?.warnings, ['The GIF does not say where it ends: frames may be missing.'])
  const filled = Buffer.concat([bytes, Buffer.alloc(100)])
  const padded = await run(folder, await folder.file('filled.gif', filled), [flip])
  assert.deepEqual(padded.entries[0]?.warnings, [])
})

test('a TIFF that was cut off is damaged, not of an unknown kind', async () => {
  await using folder = await newFolder()
  const bytes = await rawSharp(scene(80, 60)).tiff({ compression: 'none' }).toBuffer()
  for (const kept of [0.3, 0.6, 0.9]) {
    const cut = folder.file(`cut-${kept}.tif`, bytes.subarray(0, Math.floor(bytes.length * kept)))
    await assert.rejects(async () => run(folder, await cut, [flip]), { code: 'corrupt_input' })
  }
})
