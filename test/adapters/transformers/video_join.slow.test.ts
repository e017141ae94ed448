import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { videoJoin } from '#adapters/transformers/video_join.ts'
import { videoAdapterContract } from '../../contract/video-adapter.ts'
import {
  around,
  clip,
  frameHashes,
  fresh,
  level,
  look,
  near,
  opened,
  pixel,
  run,
  withFfmpeg,
  x264,
} from '../../support/videos.ts'

const intro = () => clip({ seconds: 1, pattern: 'color=c=red', tone: 880 })
const other = () =>
  clip({
    seconds: 1,
    pattern: 'color=c=blue',
    size: '640x480',
    rate: '25',
    tone: null,
    args: ['-c:v', 'libx264', '-pix_fmt', 'yuv444p'],
  })

videoAdapterContract(videoJoin, { assets: async () => ({ intro_file_name: await other() }) })

test('clips of equal parameters are joined without encoding a frame', withFfmpeg, async () => {
  const [input, first] = [await clip(), await intro()]
  const { output, entries } = await run(input, [{ adapter: videoJoin, assets: { intro_file_name: first } }])
  assert.deepEqual(await frameHashes(output.path), [
    ...(await frameHashes(first.path)),
    ...(await frameHashes(input.path)),
  ])
  assert.deepEqual(entries[0]!.decisions, ['Copied 90 frames as they were.'])
  const seen = await look(output.path)
  assert.ok(near(seen.seconds, 3, 0.001) && near(seen.audio!.seconds, 3, 0.03), JSON.stringify(seen))
  assert.ok((await level(output.path, 0.1, 0.9, around(880))) > (await level(output.path, 1.1, 2.9, around(880))) + 12)
})

test(
  'an intro that differs in everything is brought to the input’s form, and the input is copied',
  withFfmpeg,
  async () => {
    const input = await clip()
    const { output, entries } = await run(input, [{ adapter: videoJoin, assets: { intro_file_name: await other() } }])
    assert.deepEqual((await frameHashes(output.path)).slice(30), await frameHashes(input.path))
    assert.deepEqual(entries[0]!.decisions, [
      'Added silence to the asset of intro_file_name, which has no sound.',
      'Copied 60 frames as they were, encoded 30 frames.',
    ])
    const [r, g, b] = await pixel(output.path, 0.5, 160, 90)
    assert.ok(b > 230 && r < 25 && g < 25, `${r} ${g} ${b}`)
    const [left] = await pixel(output.path, 0.5, 10, 90)
    assert.ok(left < 10, 'there are no bars')
  },
)

test(
  'an intro whose parameter sets clash with the input’s is encoded beside it, however long it is',
  withFfmpeg,
  async () => {
    const clashing = await clip({
      seconds: 3,
      pattern: 'color=c=red',
      args: [...x264, '-profile:v', 'baseline', '-g', '15', '-c:a', 'aac'],
    })
    const input = await clip()
    const { output, entries } = await run(input, [{ adapter: videoJoin, assets: { intro_file_name: clashing } }])
    assert.deepEqual(entries[0]!.decisions, ['Copied 60 frames as they were, encoded 90 frames.'])
    assert.deepEqual((await frameHashes(output.path)).slice(90), await frameHashes(input.path))
  },
)

test('every decoder gets the frames: what was joined by copy decodes without a word', withFfmpeg, async () => {
  const { ffmpeg } = await import('../../support/videos.ts')
  const { output } = await run(await clip(), [{ adapter: videoJoin, assets: { intro_file_name: await other() } }])
  assert.equal((await ffmpeg('-v', 'warning', '-i', output.path, '-f', 'null', '-')).trim(), '')
})

test('the order is as told, with clips and pictures between', withFfmpeg, async () => {
  const path = fresh('.png')
  await sharp({ create: { width: 90, height: 90, channels: 4, background: '#00ff00' } })
    .png()
    .toFile(path)
  const { output } = await run(await clip({ pattern: 'color=c=white', seconds: 1 }), [
    {
      adapter: videoJoin,
      options: { order: ['input', 'clips', 'intro'], still_duration: 1, background: '#ff00ff' },
      assets: { intro_file_name: await intro(), clip_file_names: [await opened(path)] },
    },
  ])
  assert.equal((await look(output.path)).frames, 90)
  assert.ok((await pixel(output.path, 0.5, 160, 90)).every(value => value > 240))
  const [r, g, b] = await pixel(output.path, 1.5, 160, 90)
  assert.ok(g > 230 && r < 30 && b < 30)
  const bars = await pixel(output.path, 1.5, 10, 90)
  assert.ok(bars[0] > 230 && bars[1] < 30 && bars[2] > 230, 'the bars have not the background’s colour')
  assert.ok((await pixel(output.path, 2.5, 160, 90))[0] > 230)
})

test('a crossfade mixes both sides and takes its length off the sum', withFfmpeg, async () => {
  const { output } = await run(await clip({ pattern: 'color=c=blue', seconds: 1 }), [
    {
      adapter: videoJoin,
      options: { transition: 'crossfade', transition_duration: 0.4 },
      assets: { intro_file_name: await intro() },
    },
  ])
  const seen = await look(output.path)
  assert.equal(seen.frames, 48)
  assert.ok(near(seen.audio!.seconds, 1.6, 0.03))
  const [r, , b] = await pixel(output.path, 0.8, 160, 90)
  assert.ok(r > 60 && b > 60, `${r} ${b}`)
})

test('a fade to black is black in the middle and keeps the length', withFfmpeg, async () => {
  const { output } = await run(await clip({ pattern: 'color=c=blue', seconds: 1 }), [
    {
      adapter: videoJoin,
      options: { transition: 'fade_to_black', transition_duration: 0.4 },
      assets: { intro_file_name: await intro() },
    },
  ])
  assert.equal((await look(output.path)).frames, 60)
  assert.ok((await pixel(output.path, 1, 160, 90)).every(value => value < 25))
})

test('size, rate and fit can be chosen; sound can be left out', withFfmpeg, async () => {
  const { output } = await run(await clip(), [
    {
      adapter: videoJoin,
      options: { width: 180, height: 320, fps: 25, fit: 'blur_pad', audio: 'none' },
      assets: { outro_file_name: await intro() },
    },
  ])
  const seen = await look(output.path)
  assert.deepEqual([seen.width, seen.height, seen.fps, seen.frames, seen.audio], [180, 320, '25/1', 75, null])
})

test('a transition longer than a clip is refused with both lengths', withFfmpeg, async () => {
  const wish = {
    adapter: videoJoin,
    options: { transition: 'crossfade', transition_duration: 3 },
    assets: { intro_file_name: await intro() },
  }
  await assert.rejects(
    run(await clip(), [wish]),
    (error: Error & { code: string }) =>
      error.code === 'bad_options' && error.message.includes('3 s') && error.message.includes('1.0 s'),
  )
})

test('an open GOP is never cut: it is encoded instead', withFfmpeg, async () => {
  const open = await clip({
    pattern: 'testsrc2',
    args: [...x264, '-g', '15', '-x264-params', 'open-gop=1:bframes=3', '-c:a', 'aac'],
  })
  const { entries } = await run(open, [{ adapter: videoJoin, assets: { intro_file_name: await intro() } }])
  assert.ok(entries[0]!.decisions.at(-1)!.includes('encoded 60 frames'), entries[0]!.decisions.join())
})
