// Files that end early: damaged ones are refused as such, and where nobody can tell, the entry says so.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { test } from 'node:test'
import sharp from 'sharp'
import { audioConvert } from '#adapters/transformers/audio_convert.ts'
import { photoFlip } from '#adapters/transformers/photo_flip.ts'
import { videoConvert } from '#adapters/transformers/video_convert.ts'
import type { MediaFile } from '#media/file/file.ts'
import { newFolder, rawSharp, run, scene } from '../support/pictures.ts'
import { clip, fresh, near, opened, run as runVideo, tone, withFfmpeg, x264 } from '../support/videos.ts'

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

const sound = ['-c:a', 'libopus']
// In real time this encoder follows the clock, so each file would be another: a cut that falls between two clusters cannot be told.
const picture = ['-c:v', 'libvpx', '-deadline', 'good', '-cpu-used', '5', '-c:a', 'libvorbis']
const recordings: [string, () => Promise<MediaFile>][] = [
  ['Ogg (Vorbis)', () => tone(3, 880, '.ogg', ['-c:a', 'libvorbis'])],
  ['Ogg (Opus)', () => tone(3, 880, '.ogg', sound)],
  ['Ogg (video)', () => clip({ seconds: 2, ext: '.ogv', args: ['-c:v', 'libtheora', '-c:a', 'libvorbis'] })],
  ['WebM (sound)', () => tone(3, 880, '.webm', sound)],
  ['WebM', () => clip({ seconds: 2, ext: '.webm', args: picture })],
  ['WebM as it is recorded', () => clip({ seconds: 2, ext: '.webm', args: [...picture, '-live', '1'] })],
  ['Matroska', () => clip({ seconds: 2, ext: '.mkv' })],
  ['AVI', () => clip({ seconds: 2, ext: '.avi', args: ['-c:v', 'mpeg4', '-c:a', 'mp3'] })],
  ['MP4', () => clip({ seconds: 2 })],
  [
    'MP4 with its index in front',
    () => clip({ seconds: 2, args: [...x264, '-c:a', 'aac', '-movflags', '+faststart'] }),
  ],
  ['WAV', () => tone(3, 880, '.wav')],
  ['AIFF', () => tone(3, 880, '.aiff')],
  ['FLAC', () => tone(3, 880, '.flac')],
  ['ADTS', () => tone(3, 880, '.aac')],
  ['FLV', () => clip({ seconds: 2, ext: '.flv', args: [...x264, '-c:a', 'aac', '-ar', '44100'] })],
]

for (const [what, make] of recordings)
  test(`a recording that was cut off is damaged, and never a shorter one: ${what}`, withFfmpeg, async () => {
    const whole = await make()
    const bytes = await readFile(whole.path)
    const work = (file: MediaFile) =>
      runVideo(file, [{ adapter: file.medium === 'audio' ? audioConvert : videoConvert }])
    const { output } = await work(whole)
    assert.ok(near(output.duration ?? 0, whole.duration ?? 0, 0.1), `${output.duration} of ${whole.duration}`)
    for (const share of [0.4, 0.7, 0.9, 0.97]) {
      const path = fresh(extname(whole.path))
      await writeFile(path, bytes.subarray(0, Math.floor(bytes.length * share)))
      const verdict = await opened(path)
        .then(work)
        .then(
          ({ output }) => `made ${output.duration} s`,
          error => error.code,
        )
      assert.equal(verdict, 'corrupt_input', `${share} of it`)
    }
  })

test('a stream of AAC that ends anywhere in a frame is damaged, in its head too', withFfmpeg, async () => {
  const bytes = await readFile((await tone(1, 880, '.aac')).path)
  const lengthAt = (at: number): number => ((bytes[at + 3]! & 3) << 11) | (bytes[at + 4]! << 3) | (bytes[at + 5]! >> 5)
  let frame = 0
  for (let i = 0; i < 20; i++) frame += lengthAt(frame)
  assert.equal(bytes[frame], 0xff, 'a frame begins here')
  const verdict = async (length: number, behind = ''): Promise<string> => {
    const path = fresh('.aac')
    await writeFile(path, Buffer.concat([bytes.subarray(0, length), Buffer.from(behind)]))
    return opened(path).then(
      () => 'taken',
      error => error.code,
    )
  }
  for (const left of [1, 2, 6, 7, 8, 40])
    assert.equal(await verdict(frame + left), 'corrupt_input', `${left} bytes of it`)
  assert.equal(await verdict(frame), 'taken')
  assert.equal(await verdict(bytes.length, `TAG${'x'.repeat(125)}`), 'taken')
})

test('tags of other programs behind a recording are no reason to refuse it', withFfmpeg, async () => {
  for (const file of [await tone(1, 880, '.ogg', sound), await clip({ seconds: 1, ext: '.mkv' })]) {
    const path = fresh(extname(file.path))
    await writeFile(path, Buffer.concat([await readFile(file.path), Buffer.from(`TAG${'x'.repeat(125)}`)]))
    assert.ok((await opened(path)).duration)
  }
})
