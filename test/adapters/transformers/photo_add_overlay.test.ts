// photo_add_overlay: drawn as any other program would, and quicker.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { photoAddOverlay } from '#adapters/transformers/photo_add_overlay.ts'
import type { JsonObject } from '#kit/json.ts'
import type { MediaFile } from '#media/file/file.ts'
import { blends } from '#media/pixels/blend.ts'
import { look, newFolder, pattern, png, type Raw, rawSharp, run, scene } from '../../support/pictures.ts'

async function drawn(base: Raw, over: Raw, options: JsonObject = {}): Promise<Raw> {
  await using folder = await newFolder()
  const input = await folder.file('in.png', await png(base))
  const overlay = await folder.file('over.png', await png(over))
  const { output } = await run(folder, input, [
    { adapter: photoAddOverlay, options, assets: { overlay_file_name: [overlay] } },
  ])
  return await look(output.path)
}

function worst(a: Raw, b: Raw): number {
  assert.deepEqual([a.width, a.height, a.channels], [b.width, b.height, b.channels])
  return a.data.reduce((most, value, i) => Math.max(most, Math.abs(value - b.data[i]!)), 0)
}

async function byLibvips(base: Raw, over: Raw, blend: string, left = 0, top = 0): Promise<Raw> {
  const input = await png(over)
  const { data, info } = await rawSharp(base)
    .composite([{ input, blend: blend.replace('_', '-').replace('color', 'colour') as 'over', left, top }])
    .raw()
    .toBuffer({ resolveWithObject: true })
  const whole = { data, width: info.width, height: info.height, channels: info.channels }
  return base.channels === 3
    ? { ...whole, channels: 3, data: Buffer.from(data.filter((_, i) => info.channels === 3 || i % 4 < 3)) }
    : whole
}

describe('photo_add_overlay', () => {
  it('draws over an opaque picture within one level of libvips', async () => {
    const [base, over] = [pattern(64, 48, 3, 5), pattern(64, 48, 4, 9)]
    assert.ok(worst(await drawn(base, over), await byLibvips(base, over, 'over')) <= 1)
  })

  it('draws over a transparent picture as libvips does', async () => {
    const [base, over] = [scene(64, 48, 4), pattern(64, 48, 4, 9)]
    assert.ok(worst(await drawn(base, over), await byLibvips(base, over, 'over')) <= 2)
  })

  for (const blend of blends.filter(name => name !== 'add')) {
    it(`mixes colours by ${blend} as libvips does`, async () => {
      const [base, over] = [pattern(32, 24, 3, 5), pattern(32, 24, 4, 9)]
      for (let i = 3; i < over.data.length; i += 4) over.data[i] = 255
      assert.ok(worst(await drawn(base, over, { blend }), await byLibvips(base, over, blend)) <= 2)
    })
  }

  it('mixes colours in shares: half transparent is half way', async () => {
    const [base, over] = [pattern(32, 24, 3, 5), pattern(32, 24, 4, 9)]
    for (let i = 3; i < over.data.length; i += 4) over.data[i] = 255
    for (const blend of blends) {
      const [whole, half] = [await drawn(base, over, { blend }), await drawn(base, over, { blend, opacity: 0.5 })]
      const between = {
        ...whole,
        data: whole.data.map((value, i) => Math.round((value + base.data[i]!) / 2)) as Buffer,
      }
      assert.ok(worst(half, between) <= 1, blend)
    }
  })

  it('lies where it is told and at the size it is told', async () => {
    const [base, over] = [scene(100, 80), { ...scene(20, 20, 4), data: Buffer.alloc(20 * 20 * 4, 255) }]
    const at = ({ data, width }: Raw, x: number, y: number): boolean =>
      data[(y * width + x) * 3]! === 255 && data[(y * width + x) * 3 + 1]! === 255
    const corner = await drawn(base, over, { fit: 'none', position: 'bottom_right' })
    assert.deepEqual(
      [at(corner, 99, 79), at(corner, 80, 60), at(corner, 79, 60), at(corner, 50, 40)],
      [true, true, false, false],
    )
    const contained = await drawn(base, over, { fit: 'contain', position: 'left' })
    assert.deepEqual([at(contained, 0, 0), at(contained, 79, 79), at(contained, 81, 40)], [true, true, false])
    assert.ok((await drawn(base, over, { fit: 'stretch' })).data.every(value => value === 255))
  })

  it('fades with opacity', async () => {
    const base = { ...scene(8, 8), data: Buffer.alloc(8 * 8 * 3, 0) }
    const over = { ...scene(8, 8, 4), data: Buffer.alloc(8 * 8 * 4, 255) }
    assert.ok((await drawn(base, over, { opacity: 0.5 })).data.every(value => value === 128))
    assert.ok((await drawn(base, over, { opacity: 0 })).data.every(value => value === 0))
  })

  it('takes the portrait overlay for pictures that are higher than wide', async () => {
    await using folder = await newFolder()
    const solid = async (name: string, value: number): Promise<MediaFile> =>
      folder.file(name, await png({ ...scene(4, 4), data: Buffer.alloc(48, value) }))
    const assets = {
      overlay_file_name: [await solid('wide.png', 10)],
      overlay_portrait_file_name: [await solid('high.png', 200)],
    }
    const shown = async (width: number, height: number): Promise<number> => {
      const input = await folder.file(`${width}.png`, await png(scene(width, height)))
      return (await look((await run(folder, input, [{ adapter: photoAddOverlay, options: {}, assets }])).output.path))
        .data[0]!
    }
    assert.deepEqual([await shown(20, 10), await shown(10, 20), await shown(15, 15)], [10, 200, 10])
  })

  it('says that it has no overlay', async () => {
    await using folder = await newFolder()
    const input = await folder.file('in.png', await png(scene(8, 8)))
    await assert.rejects(run(folder, input, [{ adapter: photoAddOverlay, options: {} }]), {
      code: 'asset_missing',
      entry: 0,
    })
  })
})
