import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { videoChromaKey } from '#adapters/transformers/video_chroma_key.ts'
import type { MediaFile } from '#media/file/file.ts'
import { videoAdapterContract } from '../../contract/video-adapter.ts'
import { bt709, clip, ffmpeg, frame, fresh, look, opened, pixel, run, withFfmpeg, x264 } from '../../support/videos.ts'

async function blue(): Promise<MediaFile> {
  const path = fresh('.png')
  await sharp({ create: { width: 400, height: 100, channels: 3, background: '#2255ee' } })
    .png()
    .toFile(path)
  return opened(path)
}

/** A red square before a wall of a colour. */
async function before(wall: string): Promise<MediaFile> {
  const path = fresh('.mp4')
  const graph = `color=c=${wall}:s=320x180:r=30:d=1,drawbox=x=120:y=60:w=80:h=60:color=0xd02020:t=fill,format=gbrp,scale=out_color_matrix=bt709`
  await ffmpeg('-v', 'error', '-f', 'lavfi', '-i', graph, ...bt709, '-color_range', 'tv', path)
  return opened(path)
}

videoAdapterContract(videoChromaKey, { assets: async () => ({ background_file_name: await blue() }) })

test('the wall becomes the background and what stands before it stays', withFfmpeg, async () => {
  for (const [wall, key] of [
    ['0x00b140', '#00b140'],
    ['0x0047bb', '#0047bb'],
  ] as const) {
    const { output } = await run(await before(wall), [
      { adapter: videoChromaKey, options: { key, tolerance: 0.1 }, assets: { background_file_name: await blue() } },
    ])
    const [out, middle] = [await pixel(output.path, 0.5, 20, 20), await pixel(output.path, 0.5, 160, 90)]
    assert.ok(
      Math.abs(out[0] - 0x22) < 12 && Math.abs(out[1] - 0x55) < 12 && Math.abs(out[2] - 0xee) < 12,
      `${key}: ${out}`,
    )
    assert.ok(middle[0] > 180 && middle[1] < 60 && middle[2] < 60, `${key}: ${middle}`)
  }
})

test('a video behind starts over and the input decides the length', withFfmpeg, async () => {
  const behind = await clip({ pattern: 'color=c=white', seconds: 0.4, size: '200x200', rate: '25', tone: null })
  const { output } = await run(await before('0x00b140'), [
    { adapter: videoChromaKey, assets: { background_file_name: behind } },
  ])
  assert.equal((await look(output.path)).frames, 30)
  assert.ok((await pixel(output.path, 0.9, 20, 20)).every(value => value > 240))
})

test('without a background it says so', withFfmpeg, async () => {
  await assert.rejects(run(await before('0x00b140'), [{ adapter: videoChromaKey }]), { code: 'asset_missing' })
})

test('an edge across the pixels shows nothing of the wall', withFfmpeg, async () => {
  const skin = (inside: number, wall: number): string => `'if(gt(X,1.4*Y+40),${inside},${wall})'`
  const drawn = `format=rgb24,geq=r=${skin(224, 0)}:g=${skin(169, 177)}:b=${skin(129, 64)}`
  const input = await clip({
    seconds: 0.2,
    pattern: 'color=c=black',
    args: ['-vf', `${drawn},scale=out_color_matrix=bt709:out_range=tv,format=yuv420p`, ...x264, '-crf', '12', '-an'],
  })
  const path = fresh('.png')
  await sharp({ create: { width: 320, height: 180, channels: 3, background: '#d0d0d8' } })
    .png()
    .toFile(path)
  const { output } = await run(input, [
    { adapter: videoChromaKey, assets: { background_file_name: await opened(path) } },
  ])
  const { data } = await frame(output.path, 0.1)
  let worst = 0
  for (let i = 0; i < data.length; i += 3) worst = Math.max(worst, data[i + 1]! - Math.max(data[i]!, data[i + 2]!))
  assert.ok(worst < 10, `a pixel is greener than it is red or blue by ${worst}`)
})
