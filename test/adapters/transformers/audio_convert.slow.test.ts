import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audioConvert } from '#adapters/transformers/audio_convert.ts'
import { videoAdapterContract } from '../../contract/video-adapter.ts'
import { around, clip, ffmpeg, fresh, level, look, near, opened, run, tone, withFfmpeg } from '../../support/videos.ts'

videoAdapterContract(audioConvert, { input: () => tone(1) })

test('every format holds the same sound', withFfmpeg, async () => {
  const input = await tone(2, 440, '.wav')
  const expected = {
    mp3: ['audio/mpeg', 'mp3'],
    m4a: ['audio/mp4', 'aac'],
    ogg: ['audio/ogg', 'opus'],
    wav: ['audio/wav', 'pcm_s16le'],
  }
  for (const [format, [mime, codec]] of Object.entries(expected)) {
    const { output } = await run(input, [{ adapter: audioConvert, options: { format } }])
    const { audio } = await look(output.path)
    assert.deepEqual([output.mime, output.medium, audio?.codec, audio?.channels], [mime, 'audio', codec, 2])
    assert.ok(near(output.duration ?? 0, 2, 0.06), `${format} lasts ${output.duration}`)
    assert.ok(near(await level(output.path, 0.2, 1.8), await level(input.path, 0.2, 1.8), 0.6), format)
  }
})

test('a lower bit rate is smaller', withFfmpeg, async () => {
  const input = await tone(2, 440, '.wav')
  const bytes = async (bitrate: string): Promise<number> =>
    (await run(input, [{ adapter: audioConvert, options: { bitrate } }])).output.bytes
  assert.ok((await bytes('64k')) * 2 < (await bytes('192k')))
})

test('it takes the sound of a video and mixes 5.1 down', withFfmpeg, async () => {
  const video = await run(await clip(), [{ adapter: audioConvert }])
  assert.equal(video.output.medium, 'audio')
  assert.ok((await level(video.output.path, 0.2, 1.8, around(440))) > -30)
  const path = fresh('.m4a')
  await ffmpeg(
    '-v',
    'error',
    '-f',
    'lavfi',
    '-i',
    'sine=440:d=1:r=48000',
    '-af',
    'pan=5.1|FL=c0|FR=c0|FC=c0|LFE=c0|BL=c0|BR=c0',
    '-c:a',
    'aac',
    path,
  )
  const { output } = await run(await opened(path), [{ adapter: audioConvert }])
  assert.equal((await look(output.path)).audio?.channels, 2)
})

test('a video without sound has nothing to convert', withFfmpeg, async () => {
  await assert.rejects(run(await clip({ tone: null }), [{ adapter: audioConvert }]), {
    code: 'unsupported_format',
    entry: 0,
  })
})
