import assert from 'node:assert/strict'
import { test } from 'node:test'
import { videoAddAudio } from '#adapters/transformers/video_add_audio.ts'
import type { JsonObject } from '#kit/json.ts'
import { videoAdapterContract } from '../../contract/video-adapter.ts'
import { around, clip, ffmpeg, frameHashes, level, look, near, run, tone, withFfmpeg } from '../../support/videos.ts'

const long = () => tone(4, 880)
const short = () => tone(0.7, 880, '.mp3')

videoAdapterContract(videoAddAudio, { assets: async () => ({ audio_file_name: await long() }) })

test('the picture is copied frame by frame and the sound is the music alone', withFfmpeg, async () => {
  const input = await clip()
  const { output, entries } = await run(input, [{ adapter: videoAddAudio, assets: { audio_file_name: await long() } }])
  assert.deepEqual(await frameHashes(output.path), await frameHashes(input.path))
  const seen = await look(output.path)
  assert.ok(near(seen.audio?.seconds ?? 0, 2, 0.03))
  assert.ok((await level(output.path, 0.2, 1.2, around(880))) > (await level(output.path, 0.2, 1.2, around(440))) + 12)
  assert.ok(entries[0]!.decisions.some(sentence => sentence.startsWith('Copied the picture')))
})

test('without a fade AAC is copied too', withFfmpeg, async () => {
  const { output, entries } = await run(await clip(), [
    { adapter: videoAddAudio, options: { fade_out: 0 }, assets: { audio_file_name: await long() } },
  ])
  assert.ok(entries[0]!.command!.join(' ').includes('-c:a copy'))
  assert.ok(near((await look(output.path)).audio?.seconds ?? 0, 2, 0.05))
})

test('short music starts over, or is followed by silence where that is not wanted', withFfmpeg, async () => {
  const music = await short()
  const again = await run(await clip(), [
    { adapter: videoAddAudio, options: { fade_out: 0 }, assets: { audio_file_name: music } },
  ])
  assert.ok((await level(again.output.path, 1.2, 1.8)) > -30)
  const once = await run(await clip(), [
    { adapter: videoAddAudio, options: { fade_out: 0, loop: false }, assets: { audio_file_name: music } },
  ])
  assert.ok((await level(once.output.path, 0.1, 0.6)) > -30)
  assert.ok((await level(once.output.path, 1.2, 1.8)) < -70)
})

test('long music starts over from where it was told to begin, too', withFfmpeg, async () => {
  // Nobody wants to hear its ten silent seconds again.
  const music = await tone(320, 880, '.wav', ['-af', 'volume=0:enable=lt(t\\,10)'])
  const input = await clip({ seconds: 330, rate: '2', size: '64x36', tone: null })
  const { output } = await run(input, [
    { adapter: videoAddAudio, options: { trim_start: 10, fade_out: 0 }, assets: { audio_file_name: music } },
  ])
  assert.ok(near((await look(output.path)).audio?.seconds ?? 0, 330, 0.6))
  for (const from of [1, 304, 311]) assert.ok((await level(output.path, from, from + 4)) > -30, `at ${from} s`)
})

test('where it starts over no gap is heard', withFfmpeg, async () => {
  for (const ext of ['.m4a', '.mp3', '.wav']) {
    const { output } = await run(await clip(), [
      { adapter: videoAddAudio, options: { fade_out: 0 }, assets: { audio_file_name: await tone(0.5, 1000, ext) } },
    ])
    const said = await ffmpeg(
      '-i',
      output.path,
      '-af',
      'atrim=end=1.95,silencedetect=n=-35dB:d=0.004',
      '-f',
      'null',
      '-',
    )
    assert.ok(!said.includes('silence_start'), `${ext}: ${said}`)
  }
})

test('sound that is trimmed away is an error, sound after the end a warning', withFfmpeg, async () => {
  const wish = async (options: JsonObject) => ({
    adapter: videoAddAudio,
    options,
    assets: { audio_file_name: await long() },
  })
  await assert.rejects(run(await clip(), [await wish({ trim_start: 5 })]), { code: 'bad_options', entry: 0 })
  const { output, entries } = await run(await clip(), [await wish({ start: 3 })])
  assert.equal(entries[0]!.warnings.length, 1)
  assert.ok((await level(output.path, 0, 2)) < -70)
})

test('mixing keeps both sounds at their volumes', withFfmpeg, async () => {
  const { output } = await run(await clip(), [
    {
      adapter: videoAddAudio,
      options: { mode: 'mix', volume: 0.5, fade_out: 0 },
      assets: { audio_file_name: await long() },
    },
  ])
  const own = await level(output.path, 0.3, 1.7, around(440))
  const added = await level(output.path, 0.3, 1.7, around(880))
  assert.ok(near(own - added, 6, 1), `${own} against ${added}`)
})

test('louder than it can be is held down, not clipped', withFfmpeg, async () => {
  for (const mode of ['replace', 'mix']) {
    const options = { mode, volume: 8, original_volume: 8, fade_out: 0 }
    const { output } = await run(await clip(), [
      {
        adapter: videoAddAudio,
        options,
        assets: { audio_file_name: await tone(4, 880, '.wav', ['-af', 'volume=9dB']) },
      },
    ])
    const said = await ffmpeg('-i', output.path, '-vn', '-af', 'ebur128=peak=sample', '-f', 'null', '-')
    const peak = Number([...said.matchAll(/Peak:\s+(-?[\d.]+) dBFS/g)].at(-1)![1])
    assert.ok(peak < 0.3, `${mode} peaks at ${peak} dBFS`)
  }
})

test('music ducks under a voice', withFfmpeg, async () => {
  const wish = (duck: boolean) => async () => {
    const { output } = await run(await clip(), [
      {
        adapter: videoAddAudio,
        options: { mode: 'mix', duck, fade_out: 0 },
        assets: { audio_file_name: await long() },
      },
    ])
    return level(output.path, 0.5, 1.8, around(880))
  }
  const [plain, ducked] = [await wish(false)(), await wish(true)()]
  assert.ok(plain - ducked > 4, `${plain} against ${ducked}`)
})

test('it begins when told, from where it is told, and comes up slowly', withFfmpeg, async () => {
  const { output } = await run(await clip(), [
    {
      adapter: videoAddAudio,
      options: { start: 1, trim_start: 0.5, fade_in: 0.6 },
      assets: { audio_file_name: await long() },
    },
  ])
  assert.ok((await level(output.path, 0, 0.9)) < -70)
  assert.ok((await level(output.path, 1, 1.15)) < (await level(output.path, 1.4, 1.5)) - 6)
})

test('the length is the video’s, the sound’s or the longer one’s', withFfmpeg, async () => {
  const input = await clip()
  const frames = async (length: string, seconds: number): Promise<number> => {
    const { output } = await run(input, [
      { adapter: videoAddAudio, options: { length }, assets: { audio_file_name: await tone(seconds, 880, '.wav') } },
    ])
    return (await look(output.path)).frames
  }
  assert.equal(await frames('audio', 1), 30)
  assert.equal(await frames('longest', 1), 60)
  assert.equal(await frames('longest', 3), 90)
})

test('a video that holds its last frame keeps all others as they were', withFfmpeg, async () => {
  const input = await clip()
  const { output } = await run(input, [
    { adapter: videoAddAudio, options: { length: 'longest' }, assets: { audio_file_name: await tone(3, 880, '.wav') } },
  ])
  const [before, after] = [await frameHashes(input.path), await frameHashes(output.path)]
  assert.deepEqual(after.slice(0, 60), before)
})

test('the result is as loud as asked', withFfmpeg, async () => {
  const { output } = await run(await clip(), [
    { adapter: videoAddAudio, options: { loudness: -20, fade_out: 0 }, assets: { audio_file_name: await long() } },
  ])
  const said = await ffmpeg('-i', output.path, '-af', 'ebur128', '-f', 'null', '-')
  const loudness = Number([...said.matchAll(/I:\s+(-?[\d.]+) LUFS/g)].at(-1)![1])
  assert.ok(near(loudness, -20, 0.7), `${loudness} LUFS`)
})

test('an asset without sound and a missing asset are told apart', withFfmpeg, async () => {
  const mute = await clip({ tone: null })
  await assert.rejects(run(mute, [{ adapter: videoAddAudio, assets: { audio_file_name: mute } }]), {
    code: 'unsupported_format',
    entry: 0,
  })
  await assert.rejects(run(mute, [{ adapter: videoAddAudio }]), { code: 'asset_missing', entry: 0 })
})
