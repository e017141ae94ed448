// photo_resize: sizes, shapes and what is kept of a picture.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import { photoConvert } from '#adapters/transformers/photo_convert.ts'
import { photoResize } from '#adapters/transformers/photo_resize.ts'
import type { JsonObject } from '#kit/json.ts'
import { look, newFolder, pattern, png, psnr, type Raw, rawSharp, run, scene } from '../../support/pictures.ts'

async function resized(raw: Raw, options: JsonObject): Promise<Raw> {
  await using folder = await newFolder()
  const input = await folder.file('in.png', await png(raw))
  return await look((await run(folder, input, [{ adapter: photoResize, options }])).output.path)
}

const size = ({ width, height }: Raw): string => `${width}x${height}`

describe('photo_resize', () => {
  it('covers exactly the size asked for and cuts off the rest in the middle', async () => {
    const out = await resized(scene(300, 200), { width: 100, height: 100 })
    const { data } = await rawSharp(scene(300, 200))
      .resize(100, 100, { fit: 'cover' })
      .raw()
      .toBuffer({ resolveWithObject: true })
    assert.equal(size(out), '100x100')
    assert.ok(psnr(out, { ...out, data }) > 45)
  })

  it('makes no larger picture than is taken', async () => {
    const huge = { width: 20_000, height: 20_000, fit: 'contain' }
    await assert.rejects(resized(scene(80, 60), huge), { code: 'too_many_pixels' })
  })

  it('contains all of it on a background, inside keeps its shape, stretch does not', async () => {
    const contained = await resized(scene(200, 100), { width: 100, height: 100, fit: 'contain', background: '#ff0000' })
    assert.equal(size(contained), '100x100')
    assert.deepEqual([...contained.data.subarray(0, 3)], [255, 0, 0])
    assert.notDeepEqual([...contained.data.subarray((50 * 100 + 50) * 3, (50 * 100 + 50) * 3 + 3)], [255, 0, 0])
    assert.equal(size(await resized(scene(200, 100), { width: 100, height: 100, fit: 'inside' })), '100x50')
    assert.equal(size(await resized(scene(200, 100), { width: 90, height: 80, fit: 'stretch' })), '90x80')
  })

  it('follows the picture’s own shape when one side is left out', async () => {
    assert.equal(size(await resized(scene(300, 200), { width: 150 })), '150x100')
    assert.equal(size(await resized(scene(300, 200), { height: 50 })), '75x50')
  })

  it('makes nothing larger unless asked to, but keeps the shape', async () => {
    assert.equal(size(await resized(scene(80, 60), { width: 400, height: 400 })), '60x60')
    assert.equal(size(await resized(scene(80, 60), { width: 400, height: 400, enlarge: true })), '400x400')
    assert.equal(size(await resized(scene(80, 60), { width: 400, fit: 'inside' })), '80x60')
    const contained = await resized(scene(80, 60), { width: 100, height: 100, fit: 'contain' })
    assert.equal(size(contained), '100x100')
    assert.deepEqual(
      [...contained.data.subarray((20 * 100 + 10) * 3, (20 * 100 + 10) * 3 + 3)],
      [...scene(80, 60).data.subarray(0, 3)],
    )
  })

  it('keeps the side that gravity names', async () => {
    const raw = pattern(120, 60, 3)
    const left = await resized(raw, { width: 60, height: 60, gravity: 'left' })
    const right = await resized(raw, { width: 60, height: 60, gravity: 'bottom_right' })
    const column = (x: number) => [...raw.data.subarray(x * 3, x * 3 + 3)]
    assert.deepEqual([...left.data.subarray(0, 3)], column(0))
    assert.deepEqual([...right.data.subarray(59 * 3, 60 * 3)], column(119))
  })

  it('looks for what people look at', async () => {
    const raw = { ...scene(400, 100), data: Buffer.alloc(400 * 100 * 3, 128) }
    for (let y = 30; y < 70; y++) for (let x = 320; x < 370; x++) raw.data.set([230, 60, 40], (y * 400 + x) * 3)
    const out = await resized(raw, { width: 100, height: 100, gravity: 'attention' })
    assert.ok(out.data.includes(Buffer.from([230, 60, 40])))
  })

  it('says what is missing when no size is given', async () => {
    await assert.rejects(resized(scene(10, 10), {}), { code: 'option_missing' })
  })

  it('every pixel of a JPEG counts, also at its edges where its sides are odd', async () => {
    await using folder = await newFolder()
    for (const [width, height] of [
      [1607, 807],
      [1604, 804],
      [1604, 800],
      [1601, 803],
      [1600, 800],
    ] as const) {
      const data = Buffer.alloc(width * height * 3, 255)
      for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++)
          if (x >= width - 7 || y >= height - 7) data.fill(0, (y * width + x) * 3 + 1, (y * width + x) * 3 + 3)
      const raw = { data, width, height, channels: 3 }
      const jpeg = await folder.file(
        'in.jpg',
        await rawSharp(raw).jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer(),
      )
      const lossless = await folder.file('in.png', await png(raw))
      for (const to of [60, 100, 160, 190, 300, 500]) {
        const jobs = [
          { adapter: photoResize, options: { width: to } },
          { adapter: photoConvert, options: { format: 'png' } },
        ]
        const [ours, expected] = [
          await look((await run(folder, jpeg, jobs)).output.path),
          await look((await run(folder, lossless, jobs)).output.path),
        ]
        // The last column, and the last row.
        const at = ({ data, width, height }: Raw): number[] => [
          data[((height >> 1) * width + width - 1) * 3 + 1]!,
          data[((height - 1) * width + (width >> 1)) * 3 + 1]!,
        ]
        for (const [i, value] of at(ours).entries())
          assert.ok(
            Math.abs(value - at(expected)[i]!) <= 12,
            `${width}x${height} to ${to}: ${at(ours)}, not ${at(expected)}`,
          )
      }
    }
  })

  it('keeps 16 bits', async () => {
    await using folder = await newFolder()
    const deep = new Uint16Array(40 * 30 * 3).map((_, i) => (i * 977) % 65536)
    const input = await folder.file(
      'deep.png',
      await sharp(deep, { raw: { width: 40, height: 30, channels: 3 } })
        .toColourspace('rgb16')
        .png()
        .toBuffer(),
    )
    const { output } = await run(folder, input, [
      { adapter: photoResize, options: { width: 50, height: 50, fit: 'contain' } },
    ])
    assert.equal((await sharp(output.path).metadata()).depth, 'ushort')
  })
})
