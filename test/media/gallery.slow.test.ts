// Every example of the video and audio pages, made by the real code and put on one sheet to look at.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import sharp from 'sharp'
import { transformers as adapters } from '#adapters/transformers.ts'
import { formOf } from '#engine/adapter.ts'
import { adapterFrames } from '../../scripts/adapter-frames.ts'
import { withFfmpeg } from '../support/videos.ts'

const ROW = 160
const WIDTH = 900

test('every adapter that works on videos or sound shows something on its page', withFfmpeg, async t => {
  const rows: { name: string; picture: Buffer }[] = []
  await adapterFrames(async (name, picture) => void rows.push({ name, picture }))
  const expected = [...adapters.values()].filter(adapter => formOf(adapter) === 'video').map(({ name }) => name)
  assert.deepEqual(rows.map(({ name }) => name).sort(), expected.sort())
  for (const { name, picture } of rows) {
    const { channels } = await sharp(picture).stats()
    assert.ok(
      channels.some(({ stdev }) => stdev > 12),
      `${name} shows nothing`,
    )
  }
  const sheet = await contactSheet(rows.map(({ picture }) => picture))
  assert.equal((await sharp(sheet).metadata()).height, rows.length * ROW)
  const kept = process.env.GALLERY ?? (await mkdtemp(join(tmpdir(), 'keepsake-gallery-')))
  await sharp(sheet).toFile(join(kept, 'gallery.jpg'))
  if (process.env.GALLERY) t.diagnostic(`look at ${join(kept, 'gallery.jpg')}`)
  else await rm(kept, { recursive: true })
})

async function contactSheet(pictures: Buffer[]): Promise<Buffer> {
  const sized = await Promise.all(
    pictures.map(picture =>
      sharp(picture)
        .resize({ width: WIDTH, height: ROW - 8, fit: 'inside' })
        .png()
        .toBuffer(),
    ),
  )
  return sharp({ create: { width: WIDTH, height: ROW * pictures.length, channels: 3, background: '#888888' } })
    .composite(sized.map((input, i) => ({ input, left: 0, top: i * ROW })))
    .jpeg({ quality: 80 })
    .toBuffer()
}
