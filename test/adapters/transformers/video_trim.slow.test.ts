import assert from 'node:assert/strict'
import { test } from 'node:test'
import { videoTrim } from '#adapters/transformers/video_trim.ts'
import { videoAdapterContract } from '../../contract/video-adapter.ts'
import { clip, frameHashes, look, near, run, ssim, withFfmpeg, x264 } from '../../support/videos.ts'

videoAdapterContract(videoTrim, { options: { start: 0.3, end: 1.2 } })

const input = () => clip({ seconds: 3 })

test('an exact cut has the very frames; whole groups inside are copied', withFfmpeg, async () => {
  const file = await input()
  const { output, entries } = await run(file, [{ adapter: videoTrim, options: { start: 0.7, end: 2.3 } }])
  const [before, after] = [await frameHashes(file.path), await frameHashes(output.path)]
  assert.equal(after.length, 48)
  assert.deepEqual(after.slice(9, 39), before.slice(30, 60))
  assert.deepEqual(entries[0]!.decisions, ['Copied 30 frames as they were, encoded 18 frames.'])
  assert.ok(near((await look(output.path)).audio!.seconds, 1.6, 0.03))
})

test('what is encoded at the cuts is the right frame too', withFfmpeg, async () => {
  const file = await input()
  const { output } = await run(file, [{ adapter: videoTrim, options: { start: 0.7, duration: 1.6 } }])
  const { ffmpeg, fresh } = await import('../../support/videos.ts')
  const reference = fresh('.mkv')
  await ffmpeg(
    '-v',
    'error',
    '-i',
    file.path,
    '-vf',
    'trim=start_frame=21:end_frame=69,setpts=PTS-STARTPTS',
    '-an',
    '-c:v',
    'ffv1',
    reference,
  )
  assert.ok((await ssim(output.path, reference)) > 0.98)
})

test('an inexact cut goes to the key frames around and encodes nothing', withFfmpeg, async () => {
  const file = await input()
  const { output, entries } = await run(file, [{ adapter: videoTrim, options: { start: 0.7, end: 2.3, exact: false } }])
  assert.deepEqual(await frameHashes(output.path), (await frameHashes(file.path)).slice(15, 75))
  assert.deepEqual(entries[0]!.decisions, ['Copied 60 frames as they were.'])
})

test('a codec that is not proven safe is encoded', withFfmpeg, async () => {
  const file = await clip({
    args: [
      '-c:v',
      'libx265',
      '-x265-params',
      'log-level=error',
      '-preset',
      'ultrafast',
      '-tag:v',
      'hvc1',
      '-c:a',
      'aac',
    ],
  })
  const { output, entries } = await run(file, [{ adapter: videoTrim, options: { start: 0.5 } }])
  assert.deepEqual([(await look(output.path)).frames, (await look(output.path)).codec], [45, 'h264'])
  assert.deepEqual(entries[0]!.decisions, ['Encoded everything once, in one filter graph.'])
})

test('nothing to cut copies the whole', withFfmpeg, async () => {
  const file = await clip({ args: [...x264, '-g', '15', '-c:a', 'aac'] })
  const { entries } = await run(file, [{ adapter: videoTrim }])
  assert.ok(entries[0]!.decisions[0]!.startsWith('Copied the picture'))
})

test('a part beyond the end is refused or cut off with a warning', withFfmpeg, async () => {
  await assert.rejects(run(await input(), [{ adapter: videoTrim, options: { start: 9 } }]), { code: 'bad_options' })
  await assert.rejects(run(await input(), [{ adapter: videoTrim, options: { start: 2, end: 1 } }]), {
    code: 'bad_options',
  })
  await assert.rejects(run(await input(), [{ adapter: videoTrim, options: { end: 1, duration: 1 } }]), {
    code: 'bad_options',
  })
  const { output, entries } = await run(await input(), [{ adapter: videoTrim, options: { start: 2, end: 9 } }])
  assert.equal((await look(output.path)).frames, 30)
  assert.equal(entries[0]!.warnings.length, 1)
})
