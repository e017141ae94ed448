// photo_collage: places, photos, and what lies below and above.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { photoCollage } from '#adapters/transformers/photo_collage.ts'
import type { JsonObject } from '#kit/json.ts'
import { look, newFolder, png, type Raw, run, scene } from '../../support/pictures.ts'

const solid = (value: number, width = 30, height = 20): Raw => ({
  ...scene(width, height),
  data: Buffer.alloc(width * height * 3, value),
})

async function collage(
  options: JsonObject,
  photos: Raw[],
  extra: { background?: Raw; overlay?: Raw } = {},
): Promise<Raw & { decisions: string[]; warnings: string[] }> {
  await using folder = await newFolder()
  const [first, ...rest] = await Promise.all(photos.map(async (raw, i) => folder.file(`${i}.png`, await png(raw))))
  const assets = {
    photo_file_names: rest,
    background_file_name: extra.background ? [await folder.file('b.png', await png(extra.background))] : [],
    overlay_file_name: extra.overlay ? [await folder.file('o.png', await png(extra.overlay))] : [],
  }
  const { output, entries } = await run(folder, first!, [{ adapter: photoCollage, options, assets }])
  const { decisions, warnings } = entries[0]!
  return { ...(await look(output.path)), decisions, warnings }
}

const at = ({ data, width, channels }: Raw, x: number, y: number): number => data[(y * width + x) * channels]!

describe('photo_collage', () => {
  it('stacks three or four photos on a strip of 600 × 1800', async () => {
    const three = await collage({ layout: 'strip3' }, [solid(10), solid(20), solid(30)])
    assert.deepEqual([three.width, three.height], [600, 1800])
    assert.deepEqual(
      [at(three, 300, 200), at(three, 300, 900), at(three, 300, 1600), at(three, 20, 20), at(three, 300, 612)],
      [10, 20, 30, 255, 255],
    )
    const four = await collage({ layout: 'strip4', background: '#000000' }, [
      solid(10),
      solid(20),
      solid(30),
      solid(40),
    ])
    assert.deepEqual([at(four, 300, 200), at(four, 300, 1700), at(four, 5, 5)], [10, 40, 0])
  })

  it('puts four photos in a grid, and repeats them when there are fewer', async () => {
    const grid = await collage({ layout: 'grid2x2', width: 200, height: 200, gap: 10, margin: 20 }, [
      solid(10),
      solid(20),
    ])
    assert.deepEqual(
      [at(grid, 30, 30), at(grid, 170, 30), at(grid, 30, 170), at(grid, 170, 170), at(grid, 100, 100)],
      [10, 20, 10, 20, 255],
    )
    assert.deepEqual(grid.decisions, ['2 photos for 4 places: they are repeated.'])
  })

  it('takes places of one’s own, and warns of photos without one', async () => {
    const cells = [
      { x: 0, y: 0, width: '50%', height: '100%' },
      { x: 60, y: 10, width: 30, height: 30 },
    ]
    const own = await collage({ layout: 'custom', width: 100, height: 80, cells }, [solid(10), solid(20), solid(30)])
    assert.deepEqual(
      [at(own, 0, 79), at(own, 49, 0), at(own, 50, 40), at(own, 60, 10), at(own, 89, 39), at(own, 90, 39)],
      [10, 10, 255, 20, 20, 255],
    )
    assert.match(own.warnings[0] ?? '', /3 photos for 2 places/)
    await assert.rejects(collage({ layout: 'custom' }, [solid(1)]), { code: 'option_missing' })
  })

  it('draws a background below and an overlay above', async () => {
    const overlay = { ...scene(10, 10, 4), data: Buffer.alloc(400) }
    overlay.data.fill(200, 0, 40)
    const sheet = await collage({ layout: 'grid2x2', width: 100, height: 100, gap: 4, margin: 10 }, [solid(10)], {
      background: solid(90),
      overlay,
    })
    assert.deepEqual([at(sheet, 5, 50), at(sheet, 50, 50), at(sheet, 30, 30)], [90, 90, 10])
    assert.ok(at(sheet, 50, 0) > 150)
  })

  it('refuses margins that leave no room', async () => {
    await assert.rejects(collage({ layout: 'strip3', margin: 400 }, [solid(1)]), { code: 'bad_options' })
  })
})
