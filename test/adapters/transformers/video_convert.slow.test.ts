import assert from 'node:assert/strict'
import { test } from 'node:test'
import { videoConvert } from '#adapters/transformers/video_convert.ts'
import { videoAdapterContract } from '../../contract/video-adapter.ts'
import { clip, look, run, ssim, withFfmpeg } from '../../support/videos.ts'

videoAdapterContract(videoConvert)

test('each format holds its own codecs', withFfmpeg, async () => {
  const expected = {
    mp4: ['video/mp4', 'h264', 'aac'],
    mov: ['video/quicktime', 'h264', 'aac'],
    webm: ['video/webm', 'vp9', 'opus'],
  }
  for (const [format, [mime, video, audio]] of Object.entries(expected)) {
    const { output } = await run(await clip({ seconds: 1 }), [{ adapter: videoConvert, options: { format } }])
    const seen = await look(output.path)
    assert.deepEqual([output.mime, seen.codec, seen.audio?.codec, seen.frames], [mime, video, audio, 30])
  }
})

test('only a higher video is scaled down, in its own shape', withFfmpeg, async () => {
  const size = async (max_height: number | null): Promise<string> => {
    const { output } = await run(await clip({ seconds: 1 }), [{ adapter: videoConvert, options: { max_height } }])
    return `${output.width}x${output.height}`
  }
  assert.deepEqual([await size(90), await size(1080), await size(null)], ['160x90', '320x180', '320x180'])
  // Heights of videos are even, so an odd limit leaves one line less.
  assert.deepEqual([await size(91), await size(179), await size(181)], ['160x90', '316x178', '320x180'])
})

test('a higher crf is smaller and worse, and the rate can be changed', withFfmpeg, async () => {
  const input = await clip({ seconds: 1 })
  const fine = await run(input, [{ adapter: videoConvert, options: { crf: 18 } }])
  const coarse = await run(input, [{ adapter: videoConvert, options: { crf: 40 } }])
  assert.ok(fine.output.bytes > coarse.output.bytes * 1.5)
  assert.ok((await ssim(input.path, fine.output.path)) > (await ssim(input.path, coarse.output.path)))
  const { output } = await run(input, [{ adapter: videoConvert, options: { fps: 12 } }])
  assert.deepEqual([(await look(output.path)).fps, (await look(output.path)).frames], ['12/1', 12])
})
