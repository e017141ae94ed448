// Files that hold more than one picture of which only one can be used: it is used, and a warning says so.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import { photoFlip } from '#adapters/transformers/photo_flip.ts'
import { newFolder, run } from '../support/pictures.ts'

const red = { width: 32, height: 16, channels: 3 as const, background: '#cc2020' }

/** A sequence names itself by another brand; its still is where that of any AVIF is. */
async function avifSequence(): Promise<Buffer> {
  const bytes = await sharp({ create: red }).avif({ effort: 0 }).toBuffer()
  bytes.write('avis', 8, 'latin1')
  return bytes
}

/** The chunk that says how many frames there are stands in front of the pixels. */
async function movingPng(): Promise<Buffer> {
  const bytes = await sharp({ create: red }).png().toBuffer()
  const body = Buffer.from([...Buffer.from('acTL'), 0, 0, 0, 2, 0, 0, 0, 0])
  const chunk = Buffer.alloc(body.length + 8)
  chunk.writeUInt32BE(8)
  body.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(body), chunk.length - 4)
  const afterHeader = 8 + 25
  return Buffer.concat([bytes.subarray(0, afterHeader), chunk, bytes.subarray(afterHeader)])
}

for (const { name, bytes, warning } of [
  { name: 'moving.avif', bytes: await avifSequence(), warning: 'Only the first frame of the AVIF sequence is used.' },
  { name: 'moving.png', bytes: await movingPng(), warning: 'Only the first frame of the animated PNG is used.' },
])
  test(`${name}: ${warning}`, async () => {
    await using folder = await newFolder()
    const { output, entries } = await run(folder, await folder.file(name, bytes), [
      { adapter: photoFlip, options: { method: 'ROTATE_90' } },
    ])
    assert.deepEqual([output.width, output.height, output.frames], [16, 32, null])
    assert.deepEqual(entries[0]?.warnings, [warning])
  })

test('a still says nothing', async () => {
  await using folder = await newFolder()
  const still = await folder.file('still.avif', await sharp({ create: red }).avif({ effort: 0 }).toBuffer())
  const { entries } = await run(folder, still, [{ adapter: photoFlip, options: { method: 'ROTATE_180' } }])
  assert.deepEqual(entries[0]?.warnings, [])
})
