// A JPEG of hundreds of scans is refused by its markers; pictures as cameras and programs write them are taken.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import sharp from 'sharp'
import { checkScans } from '#media/picture/jpeg-scans.ts'
import { readHeader } from '#media/picture/picture-header.ts'
import { fresh } from '../support/videos.ts'

const jpeg = (progressive: boolean): Promise<Buffer> =>
  sharp({ create: { width: 64, height: 48, channels: 3, background: '#246' } })
    .jpeg({ progressive })
    .toBuffer()

const written = (bytes: Buffer): string => {
  const path = fresh('.jpg')
  writeFileSync(path, bytes)
  return path
}

/** With the last scan so many times more, and what does not belong to the picture behind its end. */
function repeated(picture: Buffer, times: number, between = Buffer.alloc(0)): Buffer {
  const [last, end] = [picture.lastIndexOf(Buffer.from([0xff, 0xda])), picture.length - 2]
  const scan = Buffer.concat([between, picture.subarray(last, end)])
  const more = Array.from({ length: times }, () => scan)
  const video = Buffer.concat(Array.from({ length: 500 }, () => Buffer.from([0xff, 0xda, 0, 2])))
  return Buffer.concat([picture.subarray(0, end), ...more, picture.subarray(end), video])
}

test('a picture of hundreds of scans is refused before it is decoded', async () => {
  const refused = { code: 'policy_blocked', message: /more than 100 scans/ }
  const picture = await jpeg(true)
  const path = written(repeated(picture, 300))
  assert.throws(() => checkScans(path), refused)
  await assert.rejects(readHeader(path, 'image/jpeg'), refused)
  // Markers without a length between the scans hide none of them.
  for (const bare of [
    [0xff, 0x01],
    [0xff, 0xff],
    [0xff, 0xd3],
    [0xff, 0x00],
  ])
    assert.throws(() => checkScans(written(repeated(picture, 300, Buffer.from(bare)))), refused)
})

test('one scan, ten of a progressive picture and what lies behind the end are taken', async () => {
  for (const progressive of [false, true]) {
    const path = written(repeated(await jpeg(progressive), progressive ? 20 : 0))
    checkScans(path)
    assert.equal((await readHeader(path, 'image/jpeg')).width, 64)
  }
})

test('a file that ends anywhere is no reason', async () => {
  const picture = await jpeg(true)
  for (let length = 0; length < picture.length; length += 7) checkScans(written(picture.subarray(0, length)))
})
