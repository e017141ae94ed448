import assert from 'node:assert/strict'
import { test } from 'node:test'
import { videoBoomerang } from '#adapters/transformers/video_boomerang.ts'
import { videoFlip } from '#adapters/transformers/video_flip.ts'
import { videoAdapterContract } from '../../contract/video-adapter.ts'
import { clip, frameHashes, look, run, tone, withFfmpeg } from '../../support/videos.ts'

videoAdapterContract(videoBoomerang, { options: { duration: 0.5, loops: 2 } })

/** Grey that gets lighter from frame to frame. */
const ramp = () =>
  clip({
    pattern: 'color=c=black',
    seconds: 2,
    args: [
      '-vf',
      "geq=lum='16+N*3':cb=128:cr=128",
      '-c:v',
      'libx264',
      '-qp',
      '4',
      '-pix_fmt',
      'yuv420p',
      '-c:a',
      'aac',
    ],
  })

test('it goes forth and back without a frame twice, each time from the same packets', withFfmpeg, async () => {
  const { output, entries } = await run(await ramp(), [
    { adapter: videoBoomerang, options: { start: 0.5, duration: 0.5, loops: 3 } },
  ])
  const hashes = await frameHashes(output.path)
  assert.equal(hashes.length, 3 * (15 + 13))
  assert.deepEqual(hashes.slice(0, 28), hashes.slice(28, 56))
  assert.deepEqual(entries[0]!.decisions, ['Encoded 28 frames.'])
  const { ffmpeg } = await import('../../support/videos.ts')
  const said = await ffmpeg(
    '-v',
    'info',
    '-i',
    output.path,
    '-vf',
    'signalstats,metadata=print:key=lavfi.signalstats.YAVG',
    '-frames:v',
    '28',
    '-f',
    'null',
    '-',
  )
  const light = [...said.matchAll(/YAVG=([\d.]+)/g)].map(found => Number(found[1]))
  assert.ok(
    light.slice(1, 15).every((value, i) => value > light[i]!),
    'the first half does not go forth',
  )
  assert.ok(
    light.slice(15).every((value, i) => value < light[14 + i]!),
    'the second half does not go back',
  )
})

test('melted into the next entry it repeats from memory', withFfmpeg, async () => {
  const { output } = await run(await ramp(), [
    { adapter: videoBoomerang, options: { duration: 0.5, loops: 3 } },
    { adapter: videoFlip, options: { method: 'FLIP_LEFT_RIGHT' } },
  ])
  assert.equal((await look(output.path)).frames, 3 * 28)
})

test('a moment of one or two frames goes round too', withFfmpeg, async () => {
  const of = async (speed: number, fps: number) => {
    const { output } = await run(
      await clip({ seconds: 3, args: ['-r', String(fps), '-c:v', 'libx264', '-c:a', 'aac'] }),
      [{ adapter: videoBoomerang, options: { duration: 0.2, loops: 4, speed } }],
    )
    return (await look(output.path)).frames
  }
  assert.deepEqual([await of(4, 12), await of(2, 12), await of(1, 12)], [4, 8, 4 * 4])
})

test('speed and music', withFfmpeg, async () => {
  const { output } = await run(await ramp(), [
    {
      adapter: videoBoomerang,
      options: { duration: 1, loops: 2, speed: 2 },
      assets: { audio_file_name: await tone(0.4) },
    },
  ])
  const seen = await look(output.path)
  assert.equal(seen.frames, 2 * 28)
  assert.ok(Math.abs(seen.audio!.seconds - seen.seconds) < 0.04)
})

test('more than memory holds is refused before it is tried', withFfmpeg, async () => {
  await assert.rejects(run(await ramp(), [{ adapter: videoBoomerang }], { limits: { maxMemoryBytes: 1_000_000 } }), {
    code: 'memory_limit',
  })
})

test('a moment after the end is refused', withFfmpeg, async () => {
  await assert.rejects(run(await ramp(), [{ adapter: videoBoomerang, options: { start: 5 } }]), { code: 'bad_options' })
})
