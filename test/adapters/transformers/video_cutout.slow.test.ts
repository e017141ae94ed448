// video_cutout: people stay, what is behind them goes in every frame, and where that is in doubt the video stays as it is.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import sharp from 'sharp'
import { videoCutout } from '#adapters/transformers/video_cutout.ts'
import { videoFlip } from '#adapters/transformers/video_flip.ts'
import type { MediaFile } from '#media/file/file.ts'
import { videoAdapterContract } from '../../contract/video-adapter.ts'
import { drawnPeople, turnedAway } from '../../support/people.ts'
import {
  bt709,
  clip,
  ffmpeg,
  frameHashes,
  fresh,
  look,
  near,
  opened,
  pixel,
  run,
  withFfmpeg,
  x264,
} from '../../support/videos.ts'

/** Frames a second of a video: the models look at each of them. */
const FEW = 10

videoAdapterContract(videoCutout, {
  options: { background: 'color', color: '#ff0000', on_doubt: 'go_on' },
  rate: FEW,
})

/** A drawn person who walks by 80 pixels a second before a grey wall; the face is 100 to 150 from the top. */
async function walking(seconds = 2, { isTurned = false } = {}): Promise<MediaFile> {
  const still = fresh('.png')
  const people = [{ left: 200, top: 40, side: 320 }]
  const drawn = await drawnPeople(720, 360, people)
  await writeFile(still, isTurned ? await turnedAway(drawn, people) : drawn)
  const path = fresh('.mp4')
  const moving = `crop=480:360:x='min(160,80*t)':y=0`
  await ffmpeg(
    '-loop',
    '1',
    '-framerate',
    String(FEW),
    '-i',
    still,
    '-vf',
    moving,
    '-t',
    String(seconds),
    ...x264,
    ...bt709,
    path,
  )
  return opened(path)
}

/** The middle of the person at a time. */
const middle = (seconds: number): number => Math.round(360 - Math.min(160, 80 * seconds))

const isColour = (actual: readonly number[], expected: readonly number[], by = 12): boolean =>
  actual.every((value, i) => near(value, expected[i]!, by))

test('the person stays and everything else is the background, in every frame', withFfmpeg, async () => {
  const input = await walking()
  const options = { background: 'color', color: '#ff0000' }
  const { output, entries } = await run(input, [{ adapter: videoCutout, options }])
  const seen = await look(output.path)
  assert.deepEqual([seen.width, seen.height, seen.frames], [480, 360, 20])
  for (const seconds of [0.1, 0.8, 1.5, 1.9]) {
    const x = middle(seconds)
    assert.ok(isColour(await pixel(output.path, seconds, x < 240 ? 470 : 8, 12), [255, 0, 0]), `the wall at ${seconds}`)
    const [was, is] = [await pixel(input.path, seconds, x, 220), await pixel(output.path, seconds, x, 220)]
    assert.ok(isColour(is, was), `the person at ${seconds}: ${was} became ${is}`)
  }
  assert.match(entries[0]!.decisions.join(' '), /Cut out people, with one face at once at most\./)
  assert.ok(entries[0]!.seen[0]!.faces.length === 1)
})

test('behind them is an asset, a video that starts over, a gradient or the old wall, blurred', withFfmpeg, async () => {
  const input = await walking(1.2)
  const corner = async (options: object, assets: object = {}): Promise<number[]> => {
    const { output } = await run(input, [{ adapter: videoCutout, options: { ...options }, assets: { ...assets } }])
    return pixel(output.path, 1.1, 12, 12)
  }
  const blue = fresh('.png')
  await sharp({ create: { width: 64, height: 48, channels: 3, background: '#0000ff' } })
    .png()
    .toFile(blue)
  const picture = await opened(blue)
  assert.ok(isColour(await corner({}, { background_file_name: picture }), [0, 0, 255]))
  const green = await clip({ seconds: 0.4, size: '160x120', pattern: 'color=c=0x00ff00', tone: null })
  const [, g] = await corner({}, { background_file_name: green })
  assert.ok(g! > 200)
  assert.ok(isColour(await corner({ background: 'gradient', color: '#ffffff', color_to: '#000000' }), [250, 250, 250]))
  assert.ok(isColour(await corner({ background: 'blur', blur: 5 }), await pixel(input.path, 1.1, 12, 12)))
  assert.ok(isColour(await corner({ color: '#00ffff' }), [0, 255, 255]), 'without an asset it is the colour')
})

test('a shadow falls beside them, and light of the background on their edges', withFfmpeg, async () => {
  const input = await walking(0.6)
  const white = { background: 'color', color: '#ffffff' }
  const [plain, shaded] = [
    await run(input, [{ adapter: videoCutout, options: white }]),
    await run(input, [
      { adapter: videoCutout, options: { ...white, shadow: 0.9, shadow_x: 12, shadow_y: 0, light_wrap: 0.6 } },
    ]),
  ]
  let darker = 0
  for (let x = 300; x < 470; x += 10) {
    const [before, after] = [await pixel(plain.output.path, 0.3, x, 300), await pixel(shaded.output.path, 0.3, x, 300)]
    if (before[0] > 240 && after[0] < 200) darker++
  }
  assert.ok(darker >= 2, `${darker} places are darker`)
})

test('it melts with its neighbours', withFfmpeg, async () => {
  const input = await walking(0.8)
  const { output, entries } = await run(input, [
    { adapter: videoFlip, options: { method: 'FLIP_LEFT_RIGHT' } },
    { adapter: videoCutout, options: { background: 'color', color: '#ff0000' } },
  ])
  assert.match(entries[1]!.decisions.join(' '), /in one filter graph/)
  assert.ok(isColour(await pixel(output.path, 0.4, 470, 12), [255, 0, 0]))
})

test('where nobody is found the video stays as it is, fails, or goes on, as it is told to', withFfmpeg, async () => {
  const input = await clip({ seconds: 1, rate: String(FEW), pattern: 'color=c=0x305070' })
  const kept = await run(input, [{ adapter: videoCutout, options: { background: 'color', color: '#ff0000' } }])
  assert.match(kept.entries[0]!.decisions.join(' '), /No person was found, so the video keeps its background\./)
  assert.deepEqual(await frameHashes(kept.output.path), await frameHashes(input.path))
  await assert.rejects(run(input, [{ adapter: videoCutout, options: { on_doubt: 'fail' } }]), {
    code: 'people_unclear',
    entry: 0,
  })
  const { output, entries } = await run(input, [
    { adapter: videoCutout, options: { background: 'color', color: '#ff0000', on_doubt: 'go_on' } },
  ])
  assert.match(entries[0]!.warnings.join(' '), /No person was found; what there is was cut out\./)
  assert.ok(isColour(await pixel(output.path, 0.5, 20, 20), [255, 0, 0]))
})

test('where no look finds a face it is in doubt as well, although there is a mask', withFfmpeg, async () => {
  const input = await walking(0.6, { isTurned: true })
  const red = { background: 'color', color: '#ff0000' }
  const kept = await run(input, [{ adapter: videoCutout, options: red }])
  assert.match(kept.entries[0]!.decisions.join(' '), /No face was found, so the video keeps its background\./)
  assert.deepEqual(await frameHashes(kept.output.path), await frameHashes(input.path))
  const { output, entries } = await run(input, [{ adapter: videoCutout, options: { ...red, on_doubt: 'go_on' } }])
  assert.match(entries[0]!.warnings.join(' '), /No face was found; what there is was cut out\./)
  const x = middle(0.3)
  assert.ok(isColour(await pixel(output.path, 0.3, x, 340), await pixel(input.path, 0.3, x, 340)))
  assert.ok(isColour(await pixel(output.path, 0.3, 8, 12), [255, 0, 0]))
})

test('one that is too long is refused before anything is looked at', withFfmpeg, async () => {
  const input = await clip({ seconds: 181, size: '32x32', pattern: 'color=c=gray', tone: null })
  await assert.rejects(run(input, [{ adapter: videoCutout }]), { code: 'too_long', entry: 0 })
})
