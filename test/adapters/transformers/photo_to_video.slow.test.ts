import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { photoToVideo } from '#adapters/transformers/photo_to_video.ts'
import type { MediaFile } from '#media/file/file.ts'
import { videoAdapterContract } from '../../contract/video-adapter.ts'
import { clip, fresh, look, opened, pixel, run, tone, withFfmpeg } from '../../support/videos.ts'

/** White with a blue disc in the middle. */
async function photo(width = 640, height = 480): Promise<MediaFile> {
  const path = fresh('.png')
  const disc = Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#ffffff"/><circle cx="50%" cy="50%" r="100" fill="#2255ee"/></svg>`,
  )
  await sharp(disc).png().toFile(path)
  return opened(path)
}

videoAdapterContract(photoToVideo, { input: photo, options: { duration: 0.5 } })

/** How many of the pixels across the middle are blue. */
async function breadth(path: string, seconds: number): Promise<number> {
  let count = 0
  for (let x = 0; x < 640; x += 10) if ((await pixel(path, seconds, x, 240))[0] < 140) count++
  return count * 10
}

test('zooming in makes it larger, zooming out smaller, and nothing stays as it is', withFfmpeg, async () => {
  const input = await photo()
  const grow = async (motion: string): Promise<number> => {
    const { output } = await run(input, [{ adapter: photoToVideo, options: { motion, duration: 0.5, fps: 10 } }])
    const seen = await look(output.path)
    assert.deepEqual([seen.width, seen.height, seen.frames, seen.colour], [640, 480, 5, 'bt709/bt709/bt709/tv'])
    return (await breadth(output.path, 0.4)) - (await breadth(output.path, 0))
  }
  const [none, zoomIn, zoomOut] = [await grow('none'), await grow('zoom_in'), await grow('zoom_out')]
  assert.ok(none === 0 && zoomIn >= 20 && zoomOut <= -20, `${none} ${zoomIn} ${zoomOut}`)
})

test('panning moves it across', withFfmpeg, async () => {
  const { output } = await run(await photo(), [
    { adapter: photoToVideo, options: { motion: 'pan', duration: 0.5, fps: 10 } },
  ])
  const left = async (seconds: number): Promise<number> => {
    for (let x = 0; x < 640; x += 4) if ((await pixel(output.path, seconds, x, 240))[0] < 140) return x
    return -1
  }
  assert.ok((await left(0)) - (await left(0.4)) > 40)
})

test('colours are the picture’s, sizes are bounded and even, music is cut to length', withFfmpeg, async () => {
  const { output } = await run(await photo(2401, 1801), [
    { adapter: photoToVideo, options: { motion: 'none', duration: 1 }, assets: { audio_file_name: await tone(0.3) } },
  ])
  const seen = await look(output.path)
  assert.deepEqual([seen.width, seen.height, seen.frames], [1920, 1440, 30])
  assert.ok(Math.abs(seen.audio!.seconds - 1) < 0.03)
  const [r, g, b] = await pixel(output.path, 0.5, 960, 720)
  assert.ok(Math.abs(r - 0x22) < 5 && Math.abs(g - 0x55) < 5 && Math.abs(b - 0xee) < 5, `${r} ${g} ${b}`)
})

test('a given size cuts the picture to its shape', withFfmpeg, async () => {
  const { output } = await run(await photo(), [
    { adapter: photoToVideo, options: { width: 180, height: 320, duration: 0.5 } },
  ])
  assert.deepEqual([output.width, output.height], [180, 320])
})

test('a video is not a picture', withFfmpeg, async () => {
  await assert.rejects(run(await clip(), [{ adapter: photoToVideo }]), { code: 'unsupported_format', entry: 0 })
})

for (const format of ['gif', 'webp'] as const)
  test(`an animation plays on, again and again (${format})`, withFfmpeg, async () => {
    const path = fresh(`.${format}`)
    const frames = ['#ff0000', '#0000ff'].map(background =>
      sharp({ create: { width: 64, height: 48, channels: 3, background } })
        .png()
        .toBuffer(),
    )
    await sharp(await Promise.all(frames), { join: { animated: true } })
      .toFormat(format, { delay: [200, 200] })
      .toFile(path)
    const { output } = await run(await opened(path), [
      { adapter: photoToVideo, options: { motion: 'none', duration: 1, fps: 10 } },
    ])
    const seen = await look(output.path)
    assert.deepEqual([seen.width, seen.height, seen.frames], [64, 48, 10])
    const red = async (seconds: number): Promise<boolean> => (await pixel(output.path, seconds, 32, 24))[0] > 128
    assert.deepEqual([await red(0.1), await red(0.3), await red(0.5), await red(0.7)], [true, false, true, false])
  })
