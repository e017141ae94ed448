import assert from 'node:assert/strict'
import { test } from 'node:test'
import { videoFlip } from '#adapters/transformers/video_flip.ts'
import { videoAdapterContract } from '../../contract/video-adapter.ts'
import { bt709, ffmpeg, fresh, opened, pixel, run, withFfmpeg } from '../../support/videos.ts'

videoAdapterContract(videoFlip, { options: { method: 'ROTATE_90' }, everyShape: true })

/** Red, green, blue and white corners, from the top left with the clock. */
async function corners() {
  const path = fresh('.mp4')
  const quarter = (colour: string): string => `color=c=${colour}:s=80x60:r=30:d=0.5`
  const tiles = ['red', 'lime', 'white', 'blue'].flatMap(colour => ['-f', 'lavfi', '-i', quarter(colour)])
  await ffmpeg(
    '-v',
    'error',
    ...tiles,
    '-filter_complex',
    '[0][1]hstack[a];[2][3]hstack[b];[a][b]vstack,scale=out_color_matrix=bt709',
    ...bt709,
    path,
  )
  return opened(path)
}

const named = ([r, g, b]: number[]): string =>
  r! > 180 ? (g! > 180 ? 'white' : 'red') : g! > 180 ? 'green' : b! > 180 ? 'blue' : '?'

/** From the top left with the clock, by the table of photo_flip. */
const expected = {
  FLIP_LEFT_RIGHT: 'green red white blue',
  FLIP_TOP_BOTTOM: 'white blue green red',
  ROTATE_90: 'green blue white red',
  ROTATE_180: 'blue white red green',
  ROTATE_270: 'white red green blue',
  TRANSPOSE: 'red white blue green',
  TRANSVERSE: 'blue green red white',
}

test('every method puts every corner where it belongs', withFfmpeg, async () => {
  const input = await corners()
  for (const [method, colours] of Object.entries(expected)) {
    const { output } = await run(input, [{ adapter: videoFlip, options: { method } }])
    const [w, h] = [output.width!, output.height!]
    const places = [
      [10, 10],
      [w - 10, 10],
      [w - 10, h - 10],
      [10, h - 10],
    ] as const
    const seen = await Promise.all(places.map(([x, y]) => pixel(output.path, 0.1, x, y)))
    assert.equal(seen.map(named).join(' '), colours, method)
  }
})

test('a video that is stored turned is seen upright first', withFfmpeg, async () => {
  const input = await corners()
  const path = fresh('.mp4')
  await ffmpeg('-v', 'error', '-i', input.path, '-c', 'copy', '-metadata:s:v', 'rotate=90', path)
  const turned = await opened(path)
  assert.deepEqual([turned.width, turned.height], [120, 160])
  const { output, entries } = await run(turned, [{ adapter: videoFlip, options: { method: 'ROTATE_180' } }])
  assert.deepEqual([output.width, output.height], [120, 160])
  assert.ok(entries[0]!.decisions.some(sentence => sentence.includes('upright')))
  const upright = await ffmpeg('-v', 'error', '-i', path, '-frames:v', '1', `${path}.png`).then(() =>
    pixel(`${path}.png`, 0, 10, 10),
  )
  assert.equal(named(await pixel(output.path, 0.1, 110, 150)), named(upright))
})
