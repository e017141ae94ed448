// An index that names more samples than the file has bytes is refused at once.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { isProblem } from '#kit/errors.ts'
import { checkSampleCount } from '#media/probe/sample-count.ts'
import { clip, ffmpeg, fresh, withFfmpeg } from '../support/videos.ts'

/** A whole clip with other numbers in its tables: 20 bytes from the name of a table on. */
async function lying(tables: Record<string, number[]>): Promise<string> {
  const bytes = await readFile((await clip({ seconds: 1, size: '64x48' })).path)
  for (const [name, numbers] of Object.entries(tables)) {
    const at = bytes.indexOf(name) + 8
    for (const [i, number] of numbers.entries()) bytes.writeUInt32BE(number, at + i * 4)
  }
  const path = fresh('.mp4')
  await writeFile(path, bytes)
  return path
}

const most = 2 ** 32 - 1

test('true files are taken, whole and in fragments', withFfmpeg, async () => {
  const { path } = await clip({ seconds: 1, size: '64x48' })
  checkSampleCount(path)
  const fragments = fresh('.mp4')
  await ffmpeg('-i', path, '-c', 'copy', '-movflags', 'frag_keyframe+empty_moov', fragments)
  checkSampleCount(fragments)
})

test('a count that cannot be is found in every table', withFfmpeg, async () => {
  const lies = [{ stsz: [1, most] }, { stts: [1, most, 1] }, { stsz: [1, 20_000_000], stts: [1, 20_000_000, 1] }]
  for (const lie of lies) {
    const path = await lying(lie)
    assert.throws(
      () => checkSampleCount(path),
      error => isProblem(error, 'corrupt_input'),
      JSON.stringify(lie),
    )
  }
})

test('boxes in boxes, boxes without a size and files that are no MP4 end it soon', async () => {
  const nested = Buffer.alloc(800_000)
  for (let at = 0; at < nested.length; at += 8) {
    nested.writeUInt32BE(nested.length - at, at)
    nested.write('moov', at + 4, 'latin1')
  }
  for (const bytes of [nested, Buffer.alloc(100_000), Buffer.from('RIFF....WAVEfmt '), Buffer.alloc(3)]) {
    const path = fresh()
    await writeFile(path, bytes)
    checkSampleCount(path)
  }
})
