// The size of a picture from its first bytes, as the decoder sees it.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import sharp from 'sharp'
import { sizeFromHead } from '#media/file/head-size.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keepsake-head-'))
})
after(() => rm(folder, { recursive: true, force: true }))

async function sizeOf(bytes: Uint8Array): Promise<unknown> {
  const path = join(folder, 'file')
  await writeFile(path, bytes)
  return sizeFromHead(path)
}

const plain = () => sharp({ create: { width: 301, height: 207, channels: 3, background: '#356' } })

test('JPEG and PNG say their size in their first bytes, whatever lies before it', async () => {
  const size = { width: 301, height: 207 }
  for (const bytes of [
    await plain().jpeg().toBuffer(),
    await plain()
      .jpeg({ progressive: true })
      .withMetadata({ orientation: 6 })
      .withExif({ IFD0: { Copyright: 'x'.repeat(30_000) } })
      .toBuffer(),
    await plain().png({ progressive: true }).toBuffer(),
  ])
    assert.deepEqual(await sizeOf(bytes), size)
})

test('what says it elsewhere, or nothing at all, is not guessed at', async () => {
  const jpeg = await plain().jpeg().toBuffer()
  for (const bytes of [
    await plain().webp().toBuffer(),
    await plain().tiff().toBuffer(),
    jpeg.subarray(0, 60),
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0]),
    Buffer.from('PNG'),
    Buffer.alloc(0),
  ])
    assert.equal(await sizeOf(bytes), null)
})
