// photo_compositor: every kind of layer, where it lies and how it is drawn.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import jsqr from 'jsqr'
import sharp from 'sharp'
import { photoCompositor } from '#adapters/transformers/photo_compositor.ts'
import { photoConvert } from '#adapters/transformers/photo_convert.ts'
import { mergeOptions, sortExtras, validateDefaults } from '#configurations/options.ts'
import { assetUses } from '#engine/adapter.ts'
import type { JsonObject } from '#kit/json.ts'
import type { MediaFile } from '#media/file/file.ts'
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
        { parameter: 'layers[0].asset', name: 'logo', accepts: ['image'] },
        { parameter: 'badge', name: 'other', accepts: ['image'] },
        { parameter: 'open', name: 'third', accepts: ['image'] },
      ],
    )
    const over = { layers: [{ ...layer, name: 'badge' }], layer_assets: { badge: 'third' } }
    assert.deepEqual(
      assetUses(photoCompositor, over).map(({ name }) => name),
      ['third'],
    )
  })

  it('leaves out a code or an image that a placeholder left empty, and says so', async () => {
    const layers = [
      { type: 'photo' },
      { type: 'qr', data: ' ', width: 60, height: 60 },
      { type: 'image', name: 'badge' },
    ]
    const out = await composed({ canvas, layers })
    assert.deepEqual(at(out, 30, 30), [...RED])
    assert.deepEqual(out.warnings, [
      'Layer 1 has nothing to put into its QR code, so it was left out.',
      'Layer "badge" has no asset to show, so it was left out.',
    ])
  })

  it('a photo layer shows what an override brings', async () => {
    const out = await composed({ canvas, layers: [{ type: 'photo', name: 'ph' }] }, async folder => ({
      ph: [await folder.file('other.png', await png(solid(BLUE)))],
    }))
    assert.deepEqual(at(out, 50, 50), [...BLUE])
  })

  it('a code that needs more room than its box grows from its anchor, with a warning; one over the edge too', async () => {
    const qr = { type: 'qr', data: 'https://example.com/k', x: '100%', y: '100%', anchor: 'bottom_right', quiet: 0 }
    const out = await composed({ canvas, layers: [{ ...qr, width: 10, height: 10 }] })
    assert.match(out.warnings.join(), /^Layer 0: The QR code needs (\d+) pixels for its modules; 10 were asked for\.$/)
    assert.deepEqual([at(out, 99, 75), at(out, 74, 99)], [[0, 0, 0], white])
    const cut = await composed({ canvas, layers: [{ ...qr, name: 'code', width: 50, height: 50, anchor: 'center' }] })
    assert.match(cut.warnings.join(), /^Layer "code": The QR code reaches over the edge/)
  })

  it('names a damaged asset, so that nobody looks for the fault in the photo', async () => {
    const whole = await rawSharp(scene(80, 60)).jpeg().toBuffer()
    const broken = composed({ canvas, layers: [{ type: 'image' }] }, async folder => {
      await folder.bytes('cut.jpg', whole.subarray(0, whole.length / 2))
      const file = { ...(await folder.file('whole.jpg', whole)), path: `${folder.path}/cut.jpg` }
      return { 'layers[0].asset': [{ ...file, label: 'The asset "frame"' }] }
    })
    await assert.rejects(broken, { code: 'corrupt_input', message: /^The asset "frame" can’t be used: The picture/ })
    const song = composed({ canvas, layers: [{ type: 'image' }] }, async folder => ({
      'layers[0].asset': [{ ...(await folder.file('a.txt', 'no picture')), label: 'The asset "song"' }],
    }))
    await assert.rejects(song, { code: 'unsupported_format', message: /^The asset "song" is not a picture/ })
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

  it('refuses in words what no layer can have', () => {
    const wrong = (layer: object): string =>
      validateDefaults(photoCompositor, { layers: [{ type: 'photo', ...layer }] } as JsonObject, '')
        .map(({ field, message }) => `${field} ${message}`)
        .join('; ')
    assert.equal(
      wrong({ width: 0 }),
      'layers[0].width must be a number above 0 and up to 100000 or a share above "0%", not 0',
    )
    for (const size of [{ height: -5 }, { width: '0%' }, { width: '0.0%' }, { height: '-10%' }, { radius: -1 }])
      assert.notEqual(wrong(size), '', JSON.stringify(size))
    for (const size of [{ height: 0.5 }, { width: '0.1%' }, { width: '10%' }, { radius: 0 }, { x: -5, y: '-10%' }])
      assert.equal(wrong(size), '', JSON.stringify(size))
    assert.equal(wrong({ color: 'red' }), 'layers[0].color must be a colour like #rgb, #rrggbb or #rrggbbaa, not "red"')
    assert.match(wrong({ x: 'left' }), /or a share like "50%", not "left"$/)
  })

  it('looks at its layers as a whole', () => {
    const remarks = (options: object, overridden: string[] = []): string[] =>
      photoCompositor.review!(
        mergeOptions(photoCompositor, options as JsonObject, sortExtras({}, '').sorted),
        new Set(overridden),
      ).map(({ kind, field }) => `${kind} ${field}`)
    assert.deepEqual(remarks({ layers: [{ type: 'image' }, { type: 'qr' }] }), [
      'wrong layers[0].asset',
      'wrong layers[1].data',
    ])
    const badge = { type: 'image', name: 'badge' }
    assert.deepEqual(remarks({ layers: [badge] }), ['missing layers[0].asset'])
    assert.deepEqual(remarks({ layers: [badge] }, ['badge']), [])
    assert.deepEqual(remarks({ layers: [badge], layer_assets: { badge: 'logo', bagde: 'logo' } }), [
      'idle layer_assets.bagde',
    ])
    assert.deepEqual(remarks({ layers: [{ type: 'text', size_min: 40, size_max: 20 }] }), ['wrong layers[0].size_min'])
    assert.deepEqual(remarks({ layers: [{ type: 'text', size_max: 8 }] }), [])
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

  it('writes at its own quality, also behind an entry that set one', async () => {
    await using folder = await newFolder()
    const input = await folder.file('in.png', await png(scene(300, 200)))
    const bytes = async (quality: number): Promise<number> => {
      const { output } = await run(folder, input, [
        { adapter: photoConvert, options: { format: 'jpeg', quality: 70 } },
        { adapter: photoCompositor, options: { quality } },
      ])
      return output.bytes
    }
    assert.ok((await bytes(20)) * 1.5 < (await bytes(70)))
    assert.ok((await bytes(70)) * 1.2 < (await bytes(95)))
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
    const still = await run(folder, input, [{ adapter: photoCompositor, options: { canvas, format: 'jpeg' } }])
    assert.deepEqual(still.entries[0]!.warnings, ['JPEG does not move, so only the first frame is kept.'])
    const moving = await run(folder, input, [{ adapter: photoCompositor, options: { canvas, format: 'webp' } }])
    assert.deepEqual(moving.entries[0]!.warnings, [])
  })

  it('refuses a canvas that is too large', async () => {
    await assert.rejects(composed({ canvas: { width: 20_000, height: 20_000 } }), { code: 'too_many_pixels' })
  })
})
