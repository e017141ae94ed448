// A JPEG whose colours are as fine as its light keeps them; all others are written as cameras do.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { photoConvert } from '#adapters/transformers/photo_convert.ts'
import { photoFlip } from '#adapters/transformers/photo_flip.ts'
import { photoResize } from '#adapters/transformers/photo_resize.ts'
import { look, newFolder, psnr, rawSharp, run } from '../support/pictures.ts'

/** Red and blue letters of a sign, one pixel wide. */
const stripes = () => {
  const [width, height] = [66, 42]
  const data = Buffer.from(
    Array.from({ length: width * height }, (_, i) => ((i % width) % 2 ? [200, 20, 30] : [20, 40, 210])).flat(),
  )
  return { data, width, height, channels: 3 }
}

const flip = { adapter: photoFlip, options: { method: 'ROTATE_180' } }
const keep = { adapter: photoResize, options: { width: 66, height: 42 } }
const subsampling = async (path: string) => (await sharp(path).metadata()).chromaSubsampling

test('stripes of colour stay stripes through one step and through several', async () => {
  await using folder = await newFolder()
  const bytes = await rawSharp(stripes()).jpeg({ quality: 95, chromaSubsampling: '4:4:4' }).toBuffer()
  const input = await folder.file('in.jpg', bytes)
  for (const jobs of [[flip], [keep, flip, keep], [flip, { adapter: photoConvert, options: { format: 'jpeg' } }]]) {
    const { output } = await run(folder, input, jobs)
    assert.equal(await subsampling(output.path), '4:4:4')
    const turned = await sharp(bytes).rotate(180).raw().toBuffer()
    const likeness = psnr(await look(output.path), { ...stripes(), data: turned })
    assert.ok(likeness > 35, `${likeness} dB`)
  }
})

test('a photo of a camera, and what was no JPEG before, keep colours for four pixels each', async () => {
  await using folder = await newFolder()
  const photo = await folder.file('photo.jpg', await rawSharp(stripes()).jpeg({ quality: 95 }).toBuffer())
  const graphic = await folder.file('graphic.png', await rawSharp(stripes()).png().toBuffer())
  const toJpeg = { adapter: photoConvert, options: { format: 'jpeg' } }
  for (const [input, jobs] of [
    [photo, [flip]],
    [graphic, [toJpeg]],
  ] as const) {
    const { output } = await run(folder, input, [...jobs])
    assert.equal(await subsampling(output.path), '4:2:0')
  }
})
