import assert from 'node:assert/strict'
import { test } from 'node:test'
import { videoSpeed } from '#adapters/transformers/video_speed.ts'
import { videoTrim } from '#adapters/transformers/video_trim.ts'
import { videoAdapterContract } from '../../contract/video-adapter.ts'
import { around, clip, level, look, near, run, withFfmpeg } from '../../support/videos.ts'

videoAdapterContract(videoSpeed, { options: { factor: 2 } })

test('the length follows the factor at the same rate, without sound by default', withFfmpeg, async () => {
  for (const [factor, frames] of [
    [0.5, 120],
    [2, 30],
    [3, 20],
  ] as const) {
    const seen = await look((await run(await clip(), [{ adapter: videoSpeed, options: { factor } }])).output.path)
    assert.deepEqual([seen.frames, seen.fps, seen.audio], [frames, '30/1', null], `factor ${factor}`)
  }
})

test('stretched sound keeps its pitch and has the new length', withFfmpeg, async () => {
  const { output } = await run(await clip(), [{ adapter: videoSpeed, options: { factor: 0.25, audio: 'stretch' } }])
  assert.ok(near((await look(output.path)).audio!.seconds, 8, 0.05))
  assert.ok((await level(output.path, 2, 6, around(440))) > (await level(output.path, 2, 6, around(110))) + 12)
})

test('kept sound plays as it was and is followed by silence', withFfmpeg, async () => {
  const { output } = await run(await clip(), [{ adapter: videoSpeed, options: { factor: 0.5, audio: 'keep' } }])
  assert.ok((await level(output.path, 0.5, 1.5)) > -30)
  assert.ok((await level(output.path, 2.5, 3.5)) < -70)
})

test('of less than a frame the first is left', withFfmpeg, async () => {
  const { output } = await run(await clip(), [
    { adapter: videoTrim, options: { end: 0.07 } },
    { adapter: videoSpeed, options: { factor: 4 } },
  ])
  assert.equal((await look(output.path)).frames, 1)
})
