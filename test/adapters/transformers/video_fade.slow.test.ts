import assert from 'node:assert/strict'
import { test } from 'node:test'
import { videoFade } from '#adapters/transformers/video_fade.ts'
import { videoAdapterContract } from '../../contract/video-adapter.ts'
import { clip, frameHashes, level, pixel, run, withFfmpeg } from '../../support/videos.ts'

videoAdapterContract(videoFade, { options: { fade_in: 0.3, fade_out: 0.3 } })

test('it comes out of the colour and goes into it, in the colour’s own tone', withFfmpeg, async () => {
  const input = await clip({ pattern: 'color=c=white' })
  for (const [color, rgb] of [
    ['#000000', [0, 0, 0]],
    ['#ffffff', [255, 255, 255]],
    ['#cc3311', [0xcc, 0x33, 0x11]],
  ] as const) {
    const { output } = await run(input, [{ adapter: videoFade, options: { fade_in: 0.5, fade_out: 0.5, color } }])
    const [first, middle, last] = [
      await pixel(output.path, 0, 160, 90),
      await pixel(output.path, 1, 160, 90),
      await pixel(output.path, 59 / 30, 160, 90),
    ]
    for (const [i, value] of rgb.entries()) {
      assert.ok(Math.abs(first[i]! - value) < 8, `${color} begins at ${first}`)
      assert.ok(Math.abs(last[i]! - value) < 8, `${color} ends at ${last}`)
    }
    assert.ok(
      middle.every(value => value > 245),
      `${color} is ${middle} in the middle`,
    )
  }
})

test('frames between the fades are copied', withFfmpeg, async () => {
  const input = await clip()
  const { output } = await run(input, [{ adapter: videoFade, options: { fade_in: 0.4, fade_out: 0.4 } }])
  assert.deepEqual((await frameHashes(output.path)).slice(15, 45), (await frameHashes(input.path)).slice(15, 45))
})

test('the sound fades too, unless told otherwise', withFfmpeg, async () => {
  const begin = async (audio: boolean): Promise<number> => {
    const { output } = await run(await clip(), [{ adapter: videoFade, options: { fade_in: 1, audio } }])
    return level(output.path, 0, 0.2)
  }
  assert.ok((await begin(false)) - (await begin(true)) > 10)
})
