// photo_compositor: every kind of layer, where it lies and how it is drawn.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import jsqr from 'jsqr'
import sharp from 'sharp'
import { photoCompositor } from '#adapters/transformers/photo_compositor.ts'
import { assetUses } from '#engine/adapter.ts'
import type { JsonObject } from '#kit/json.ts'
import type { MediaFile } from '#media/file.ts'
import { type Folder, look, newFolder, png, type Raw, rawSharp, run, scene } from '../../support/pictures.ts'

const read = jsqr as unknown as typeof jsqr.default
const solid = (colour: readonly number[], width = 40, height = 40): Raw => ({
  data: Buffer.from(
    Array(width * height)
      .fill(colour)
      .flat(),
  ),
  width,
  height,
  channels: colour.length,
})
const RED = [220, 20, 30] as const
const BLUE = [20, 40, 200] as const

interface Composed extends Raw {
  warnings: string[]
  mime: string
}

async function composed(
  options: JsonObject,
  assets: (folder: Folder) => Promise<Record<string, MediaFile[]>> = async () => ({}),
  photo: Raw = solid(RED),
): Promise<Composed> {
  await using folder = await newFolder()
  const input = await folder.file('in.png', await png(photo))
  const { output, entries } = await run(folder, input, [
    { adapter: photoCompositor, options, assets: await assets(folder) },
  ])
  return { ...(await look(output.path)), warnings: entries[0]!.warnings, mime: output.mime }
}

const at = ({ data, width, channels }: Raw, x: number, y: number): number[] => [
  ...data.subarray((y * width + x) * channels, (y * width + x) * channels + 3),
]
const white = [255, 255, 255]
const canvas = { width: 100, height: 100 }

describe('photo_compositor', () => {
  it('without layers shows the photo over the whole canvas, and without a canvas takes the input’s size', async () => {
    const alone = await composed({})
    assert.deepEqual([alone.width, alone.height, at(alone, 5, 5)], [40, 40, [...RED]])
    const larger = await composed({ canvas: { width: 60, height: 90 } })
    assert.deepEqual([larger.width, larger.height, at(larger, 59, 89)], [60, 90, [...RED]])
  })

  it('places a layer by pixels, shares and its anchor', async () => {
    const layer = { type: 'photo', width: 20, height: '20%' }
    const left = await composed({ canvas, layers: [{ ...layer, x: 10, y: 10 }] })
    assert.deepEqual(
      [at(left, 9, 10), at(left, 10, 10), at(left, 29, 29), at(left, 30, 29)],
      [white, [...RED], [...RED], white],
    )
    const corner = await composed({ canvas, layers: [{ ...layer, x: '100%', y: '100%', anchor: 'bottom_right' }] })
    assert.deepEqual([at(corner, 79, 80), at(corner, 80, 80), at(corner, 99, 99)], [white, [...RED], [...RED]])
    const middle = await composed({ canvas, layers: [{ ...layer, x: '50%', y: '50%', anchor: 'center' }] })
    assert.deepEqual(
      [at(middle, 39, 50), at(middle, 40, 40), at(middle, 59, 59), at(middle, 60, 50)],
      [white, [...RED], [...RED], white],
    )
  })

  it('fits the photo by cover, contain and stretch', async () => {
    const halves: Raw = {
      ...scene(40, 20),
      data: Buffer.from(Array.from({ length: 800 }, (_, i) => (i % 40 < 20 ? RED : BLUE)).flat()),
    }
    const fitted = (name: string) => composed({ canvas, layers: [{ type: 'photo', fit: name }] }, undefined, halves)
    const [cover, contain, stretch] = [await fitted('cover'), await fitted('contain'), await fitted('stretch')]
    assert.deepEqual([at(cover, 2, 2), at(cover, 97, 97)], [[...RED], [...BLUE]])
    assert.deepEqual([at(contain, 50, 10), at(contain, 10, 50), at(contain, 50, 90)], [white, [...RED], white])
    assert.deepEqual([at(stretch, 2, 2), at(stretch, 97, 2), at(stretch, 2, 97)], [[...RED], [...BLUE], [...RED]])
  })

  it('paints in order, with opacity, blend, round corners and rotation', async () => {
    const shape = { type: 'shape', color: '#0000ff', x: 20, y: 20, width: 60, height: 60 }
    assert.deepEqual(at(await composed({ canvas, layers: [{ type: 'photo' }, shape] }), 50, 50), [0, 0, 255])
    assert.deepEqual(at(await composed({ canvas, layers: [shape, { type: 'photo' }] }), 50, 50), [...RED])
    assert.deepEqual(at(await composed({ canvas, layers: [{ ...shape, opacity: 0.5 }] }), 50, 50), [127, 127, 255])
    assert.deepEqual(
      at(
        await composed({
          canvas: { ...canvas, background: '#ffff00' },
          layers: [{ ...shape, color: '#ff00ff', blend: 'multiply' }],
        }),
        50,
        50,
      ),
      [255, 0, 0],
    )
    const circle = await composed({ canvas, layers: [{ type: 'photo', radius: '50%' }] })
    assert.deepEqual(
      [at(circle, 2, 2), at(circle, 97, 2), at(circle, 50, 50), at(circle, 50, 1)],
      [white, white, [...RED], [...RED]],
    )
    const turned = await composed({ canvas, layers: [{ ...shape, rotate: 45 }] })
    assert.deepEqual([at(turned, 22, 22), at(turned, 50, 12), at(turned, 50, 50)], [white, [0, 0, 255], [0, 0, 255]])
  })

  it('draws ellipses and outlines', async () => {
    const layers = [
      {
        type: 'shape',
        shape: 'ellipse',
        color: '#00ff00',
        stroke: { color: '#000000', width: 10 },
        x: 10,
        y: 10,
        width: 80,
        height: 80,
      },
    ]
    const out = await composed({ canvas, layers })
    assert.deepEqual(
      [at(out, 12, 12), at(out, 50, 50), at(out, 14, 50), at(out, 50, 86)],
      [white, [0, 255, 0], [0, 0, 0], [0, 0, 0]],
    )
  })

  it('shows assets by the layer’s place or its name', async () => {
    const image = async (folder: Folder): Promise<MediaFile> => folder.file('logo.png', await png(solid(BLUE, 10, 10)))
    const layer = { type: 'image', asset: 'logo', x: 0, y: 0, width: 50, height: 50 }
    const byPlace = await composed({ canvas, layers: [layer] }, async folder => ({
      'layers[0].asset': [await image(folder)],
    }))
    const byName = await composed({ canvas, layers: [{ ...layer, name: 'badge' }] }, async folder => ({
      badge: [await image(folder)],
    }))
    assert.deepEqual([at(byPlace, 25, 25), at(byName, 25, 25), at(byName, 60, 60)], [[...BLUE], [...BLUE], white])
    assert.deepEqual(
      assetUses(photoCompositor, {
        layers: [layer, { ...layer, name: 'badge', asset: 'other' }],
        layer_assets: { open: 'third' },
      }),
      [
        { parameter: 'layers[0].asset', name: 'logo' },
        { parameter: 'badge', name: 'other' },
        { parameter: 'open', name: 'third' },
      ],
    )
    await assert.rejects(composed({ canvas, layers: [layer] }), {
      code: 'asset_missing',
      message: /Layer 0 shows an image/,
    })
  })

  it('writes text and codes that can be read', async () => {
    const layers = [
      { type: 'text', text: 'Thank you', x: 0, y: 0, width: 300, height: 60, font: 'Inter Bold' },
      { type: 'qr', data: 'https://example.com/k', x: 50, y: 70, width: 200, height: 220 },
      { type: 'text', name: 'odd', text: '\u{10F900}', x: 0, y: 290, width: 300, height: 10, size_min: 4 },
    ]
    const out = await composed({ canvas: { width: 300, height: 300 }, layers })
    assert.ok(out.data.subarray(0, 300 * 60 * 3).some(value => value < 60))
    const { data } = await rawSharp({ ...out })
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    assert.equal(read(new Uint8ClampedArray(data), 300, 300)?.data, 'https://example.com/k')
    assert.match(out.warnings[0] ?? '', /^Layer "odd": No font here has/)
  })

  it('has a background asset below and an overlay asset above all layers', async () => {
    const half: Raw = { ...solid([0, 0, 0, 0], 10, 10) }
    half.data.fill(Buffer.from([0, 255, 0, 255]), 0, 200)
    const out = await composed(
      { canvas, layers: [{ type: 'photo', x: 25, y: 25, width: 50, height: 50 }] },
      async folder => ({
        background_file_name: [await folder.file('b.png', await png(solid(BLUE)))],
        overlay_file_name: [await folder.file('o.png', await png(half))],
      }),
    )
    assert.deepEqual([at(out, 2, 90), at(out, 50, 70), at(out, 50, 30)], [[...BLUE], [...RED], [0, 255, 0]])
  })

  it('takes its canvas and layers from a template asset, with placeholders, and checks it', async () => {
    const template = {
      canvas: { width: 80, height: 60, background: '#000000' },
      layers: [{ type: 'shape', color: '#00ff00', width: '50%' }],
    }
    const given = (value: unknown) => async (folder: Folder) => ({
      template_file_name: [await folder.file('t.json', JSON.stringify(value))],
    })
    const out = await composed({}, given(template))
    assert.deepEqual([out.width, out.height, at(out, 10, 30), at(out, 70, 30)], [80, 60, [0, 255, 0], [0, 0, 0]])
    const wider = await composed({ canvas: { width: 120, height: 60 } }, given(template))
    assert.equal(wider.width, 120)
    await assert.rejects(composed({}, given({ layers: [{ type: 'nothing' }] })), {
      code: 'bad_options',
      message: /The template is not valid at/,
    })
    await assert.rejects(composed({}, given([1, 2])), { code: 'bad_options' })
  })

  it('writes the format asked for, else that of the input, and keeps transparency', async () => {
    assert.equal((await composed({})).mime, 'image/png')
    assert.equal((await composed({ format: 'jpeg' })).mime, 'image/jpeg')
    assert.equal((await composed({ format: 'webp' })).mime, 'image/webp')
    const clear = await composed({
      canvas: { ...canvas, background: '#00000000' },
      layers: [{ type: 'photo', width: 50 }],
    })
    assert.deepEqual([clear.channels, clear.data[3], clear.data[99 * 4 + 3]], [4, 255, 0])
  })

  it('composes every frame of an animation', async () => {
    await using folder = await newFolder()
    const roll = Buffer.concat([solid([...RED, 255]).data, solid([...BLUE, 255]).data])
    const gif = await sharp(roll, { raw: { width: 40, height: 80, channels: 4, pageHeight: 40 } })
      .gif({ delay: [100, 200] })
      .toBuffer()
    const input = await folder.file('in.gif', gif)
    const { output } = await run(folder, input, [
      {
        adapter: photoCompositor,
        options: { canvas, layers: [{ type: 'photo', x: 30, y: 30, width: 40, height: 40 }] },
      },
    ])
    assert.deepEqual([output.mime, output.frames, output.duration], ['image/gif', 2, 0.3])
    const frames = await look(output.path, { animated: true })
    assert.deepEqual([at(frames, 50, 50), at(frames, 50, 150)], [[...RED], [...BLUE]])
  })

  it('refuses a canvas that is too large', async () => {
    await assert.rejects(composed({ canvas: { width: 20_000, height: 20_000 } }), { code: 'too_many_pixels' })
  })
})
