import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { test } from 'node:test'
import sharp from 'sharp'
import { makePoster } from '#media/poster.ts'
import { clip, fresh, limits, tone, tools, withFfmpeg } from '../support/videos.ts'

async function room() {
  const folder = fresh()
  await mkdir(folder)
  return { tools, limits, folder, threads: 1, mime: 'video/mp4', onProgress: () => {}, decide: () => {} }
}

test('a video has a poster of at most 480 pixels, sound has none', withFfmpeg, async () => {
  const poster = await makePoster(await clip({ size: '640x360', tone: null }), await room())
  const { width, height, format } = await sharp(poster!).metadata()
  assert.deepEqual([width, height, format], [480, 270, 'jpeg'])
  assert.equal(await makePoster(await tone(1), await room()), null)
})
