import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audioConvert } from '#adapters/transformers/audio_convert.ts'
import { audioNormalize } from '#adapters/transformers/audio_normalize.ts'
import { videoAdapterContract } from '../../contract/video-adapter.ts'
import { clip, ffmpeg, frameHashes, near, run, tone, withFfmpeg } from '../../support/videos.ts'

videoAdapterContract(audioNormalize, { input: () => tone(1) })

async function loudness(path: string): Promise<number> {
  const said = await ffmpeg('-i', path, '-af', 'ebur128', '-f', 'null', '-')
  return Number([...said.matchAll(/I:\s+(-?[\d.]+) LUFS/g)].at(-1)![1])
}

test('quiet and loud recordings end at the same loudness, in their own format', withFfmpeg, async () => {
  for (const [volume, ext] of [
    ['-30dB', '.mp3'],
    ['10dB', '.wav'],
    ['0dB', '.flac'],
    ['-6dB', '.ogg'],
  ] as const) {
    const { output } = await run(await tone(3, 1000, ext, ['-af', `volume=${volume}`]), [{ adapter: audioNormalize }])
    assert.ok(near(await loudness(output.path), -16, 0.7), `${ext} is at ${await loudness(output.path)}`)
    assert.equal(output.ext, ext)
  }
})

test('behind audio_convert the format and the bit rate stay', withFfmpeg, async () => {
  const bytes = async (bitrate: string): Promise<number> => {
    const { output } = await run(await tone(3, 1000, '.wav', ['-af', 'volume=-30dB']), [
      { adapter: audioConvert, options: { format: 'ogg', bitrate } },
      { adapter: audioNormalize },
    ])
    assert.equal(output.ext, '.ogg')
    assert.ok(near(await loudness(output.path), -16, 0.7))
    return output.bytes
  }
  assert.ok((await bytes('64k')) * 1.5 < (await bytes('192k')))
})

test('the picture of a video is copied', withFfmpeg, async () => {
  const input = await clip()
  const { output } = await run(input, [{ adapter: audioNormalize, options: { loudness: -23 } }])
  assert.deepEqual(await frameHashes(output.path), await frameHashes(input.path))
  assert.ok(near(await loudness(output.path), -23, 0.7))
})

test('silence stays silent, with a warning', withFfmpeg, async () => {
  const { entries } = await run(await tone(1, 440, '.wav', ['-af', 'volume=0']), [{ adapter: audioNormalize }])
  assert.equal(entries[0]!.warnings.length, 1)
})

test('short peaks are held under the ceiling and the loudness is reached all the same', withFfmpeg, async () => {
  const bursts = "aeval='val(0)+if(lt(mod(t,1),0.004),0.9*sin(2*PI*300*t),0)'"
  const input = await tone(6, 440, '.wav', ['-af', `volume=-4dB,${bursts}`])
  const { output, entries } = await run(input, [{ adapter: audioNormalize, options: { loudness: -14 } }])
  const said = await ffmpeg('-i', output.path, '-af', 'ebur128=peak=true', '-f', 'null', '-')
  const peak = Number([...said.matchAll(/Peak:\s+(-?[\d.]+) dBFS/g)].at(-1)![1])
  assert.ok(near(await loudness(output.path), -14, 0.6), `${await loudness(output.path)} LUFS`)
  assert.ok(peak < -0.5, `peaks at ${peak} dBTP`)
  assert.deepEqual(entries[0]!.warnings, [])
})

test('a loudness that the peaks leave no room for is told', withFfmpeg, async () => {
  const bursts = "aeval='0.1*val(0)+if(lt(mod(t,1),0.03),0.9*sin(2*PI*200*t),0)'"
  const { output, entries } = await run(await tone(6, 440, '.wav', ['-af', bursts]), [
    { adapter: audioNormalize, options: { loudness: -8 } },
  ])
  assert.match(entries[0]!.warnings.join(), /LUFS and not -8/)
  assert.ok((await loudness(output.path)) < -9)
})
