// photo_flip against Pillow's own table, pixel by pixel.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import { photoFlip } from '#adapters/transformers/photo_flip.ts'
import { exactGif } from '#media/picture/gif-write.ts'
import { fromExif, type Method, methods } from '#media/pixels/orientation.ts'
import { look, newFolder, noTools, pattern, png, psnr, type Raw, rawSharp, run, scene } from '../../support/pictures.ts'

/** out(x, y) = in(…), as in Pillow: written down here once more, independent of the code under test. */
const table: Record<Method, { swap: boolean; from: (x: number, y: number, W: number, H: number) => [number, number] }> =
  {
    FLIP_LEFT_RIGHT: { swap: false, from: (x, y, W) => [W - 1 - x, y] },
    FLIP_TOP_BOTTOM: { swap: false, from: (x, y, _W, H) => [x, H - 1 - y] },
    ROTATE_90: { swap: true, from: (x, y, W) => [W - 1 - y, x] },
    ROTATE_180: { swap: false, from: (x, y, W, H) => [W - 1 - x, H - 1 - y] },
    ROTATE_270: { swap: true, from: (x, y, _W, H) => [y, H - 1 - x] },
    TRANSPOSE: { swap: true, from: (x, y) => [y, x] },
    TRANSVERSE: { swap: true, from: (x, y, W, H) => [W - 1 - y, H - 1 - x] },
  }

function expected(raw: Raw, method: Method, bytes = 1): Raw {
  const { width: W, height: H, channels } = raw
  const { swap, from } = table[method]
  const [width, height] = swap ? [H, W] : [W, H]
  const size = channels * bytes
  const data = Buffer.alloc(raw.data.length)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [sx, sy] = from(x, y, W, H)
      raw.data.copy(data, (y * width + x) * size, (sy * W + sx) * size, (sy * W + sx + 1) * size)
    }
  }
  return { data, width, height, channels }
}

/** The stored pixels that a viewer who honours the tag shows as `raw`. */
const storedFor: Record<number, Method | null> = {
  1: null,
  2: 'FLIP_LEFT_RIGHT',
  3: 'ROTATE_180',
  4: 'FLIP_TOP_BOTTOM',
  5: 'TRANSPOSE',
  6: 'ROTATE_90',
  7: 'TRANSVERSE',
  8: 'ROTATE_270',
}

const names = Object.keys(methods) as Method[]

describe('photo_flip', () => {
  for (const method of names) {
    it(`${method} equals Pillow's pixel for pixel for all eight EXIF orientations`, async () => {
      await using folder = await newFolder()
      const upright = pattern(13, 7, 3)
      for (let orientation = 1; orientation <= 8; orientation++) {
        const stored = storedFor[orientation] ? expected(upright, storedFor[orientation] as Method) : upright
        const bytes = await rawSharp(stored).withMetadata({ orientation }).png().toBuffer()
        const input = await folder.file(`in-${orientation}.png`, bytes)
        assert.deepEqual([input.width, input.height], [13, 7])
        const { output } = await run(folder, input, [{ adapter: photoFlip, options: { method } }])
        const want = expected(upright, method)
        assert.deepEqual(await look(output.path), want, `orientation ${orientation}`)
        assert.deepEqual([output.mime, output.width, output.height], ['image/png', want.width, want.height])
        assert.equal((await sharp(output.path).metadata()).orientation, undefined)
      }
    })
  }

  for (const width of [64, 66])
    it(`mirrors a decoded JPEG ${width} wide to the very bytes that sharp would write`, async () => {
      await using folder = await newFolder()
      const bytes = await rawSharp(scene(width, 21)).jpeg({ quality: 95 }).toBuffer()
      const input = await folder.file('in.jpg', bytes)
      for (const [method, turned] of [
        ['FLIP_LEFT_RIGHT', sharp(bytes).flop()],
        ['ROTATE_180', sharp(bytes).rotate(180)],
      ] as const) {
        const { output } = await run(folder, input, [{ adapter: photoFlip, options: { method } }])
        const expected = await turned.jpeg({ quality: 90, optimiseCoding: false }).toBuffer()
        assert.deepEqual(readFileSync(output.path), expected, method)
      }
    })

  it('keeps the resolution of a PNG that is to be printed', async () => {
    await using folder = await newFolder()
    for (const width of [64, 66]) {
      const bytes = await rawSharp(scene(width, 20)).withMetadata({ density: 300 }).png().toBuffer()
      const input = await folder.file(`in-${width}.png`, bytes)
      const { output } = await run(folder, input, [{ adapter: photoFlip, options: { method: 'ROTATE_180' } }])
      assert.equal((await sharp(output.path).metadata()).density, 300)
    }
  })

  it('composes with itself as a group: four quarter turns are the picture again', async () => {
    await using folder = await newFolder()
    const raw = pattern(9, 5, 4)
    const input = await folder.file('in.png', await png(raw))
    const turn = { adapter: photoFlip, options: { method: 'ROTATE_90' } }
    const { output } = await run(folder, input, [turn, turn, turn, turn])
    assert.deepEqual(await look(output.path), raw)
  })

  it('keeps 16 bits and alpha', async () => {
    await using folder = await newFolder()
    const deep = new Uint16Array(11 * 6 * 4).map((_, i) => (i * 7919) % 65536)
    const bytes = await sharp(deep, { raw: { width: 11, height: 6, channels: 4 } })
      .toColourspace('rgb16')
      .png()
      .toBuffer()
    const input = await folder.file('deep.png', bytes)
    const { output } = await run(folder, input, [{ adapter: photoFlip, options: { method: 'TRANSVERSE' } }])
    const meta = await sharp(output.path).metadata()
    assert.deepEqual([meta.depth, meta.channels], ['ushort', 4])
    const { data } = await sharp(output.path)
      .toColourspace('rgb16')
      .raw({ depth: 'ushort' })
      .toBuffer({ resolveWithObject: true })
    const raw = { data: Buffer.from(deep.buffer), width: 11, height: 6, channels: 4 }
    assert.deepEqual(Buffer.from(data), expected(raw, 'TRANSVERSE', 2).data)
  })

  for (const format of ['gif', 'webp'] as const) {
    it(`turns every frame of an animated ${format}`, async () => {
      await using folder = await newFolder()
      const frames = [1, 2, 3].map(i => flags(20, 12, i))
      const roll = Buffer.concat(frames.map(({ data }) => data))
      const animated = sharp(roll, { raw: { width: 20, height: 36, channels: 4, pageHeight: 12 } })
      const delay = [100, 250, 70]
      const bytes = await (format === 'gif'
        ? animated.gif({ delay, loop: 2, dither: 0 })
        : animated.webp({ delay, loop: 2, lossless: true, exact: true })
      ).toBuffer()
      const input = await folder.file(`in.${format}`, bytes)
      assert.deepEqual([input.frames, input.duration], [3, 0.42])
      for (const method of names) {
        const { output } = await run(folder, input, [{ adapter: photoFlip, options: { method } }])
        const meta = await sharp(output.path).metadata()
        assert.deepEqual([meta.format, meta.pages, meta.delay, meta.loop], [format, 3, delay, 2])
        const out = await look(output.path, { animated: true })
        const height = out.height / 3
        for (const [i, frame] of frames.entries()) {
          const want = expected(frame, method)
          const data = out.data.subarray(
            i * out.width * height * out.channels,
            (i + 1) * out.width * height * out.channels,
          )
          const got = { data: Buffer.from(data), width: out.width, height, channels: out.channels }
          assert.deepEqual(withoutAlpha(got), withoutAlpha(want), `${method}, frame ${i}`)
        }
      }
    })
  }

  it('keeps all 256 colours of a GIF, what is clear in it, and how long it is shown', async () => {
    await using folder = await newFolder()
    const frames = [0, 1].map(seed => {
      const raw: Raw = { data: Buffer.alloc(32 * 16 * 4), width: 32, height: 16, channels: 4 }
      for (let i = 0; i < 32 * 16; i++)
        raw.data.set(
          i % 37 === seed ? [0, 0, 0, 0] : [i % 255, ((i % 255) * 7 + seed) % 256, 255 - (i % 255), 255],
          i * 4,
        )
      return raw
    })
    const roll = Buffer.concat(frames.map(({ data }) => data))
    const made = exactGif(
      frames.map(frame => ({ ...frame, channels: 4, depth: 8 })),
      { delays: [100_000, 40], loop: 3 },
    )
    assert.ok(made)
    assert.deepEqual(await sharp(made, { animated: true }).ensureAlpha().raw().toBuffer(), roll)
    const input = await folder.file('full.gif', made)
    const { output } = await run(folder, input, [{ adapter: photoFlip, options: { method: 'TRANSPOSE' } }])
    const meta = await sharp(output.path).metadata()
    assert.deepEqual([meta.pages, meta.delay, meta.loop, output.duration], [2, [100_000, 40], 3, 100.04])
    const out = await look(output.path, { animated: true })
    assert.deepEqual(out.data, Buffer.concat(frames.map(frame => expected(frame, 'TRANSPOSE').data)))
  })

  it('brings CMYK to sRGB', async () => {
    await using folder = await newFolder()
    const pale = scene(64, 48)
    pale.data = pale.data.map(value => 90 + value * 0.3) as Buffer
    const bytes = await rawSharp(pale).toColourspace('cmyk').jpeg({ quality: 100 }).toBuffer()
    const input = await folder.file('cmyk.jpg', bytes)
    const { output, entries } = await run(folder, input, [{ adapter: photoFlip, options: { method: 'ROTATE_180' } }])
    assert.equal((await sharp(output.path).metadata()).space, 'srgb')
    assert.ok(psnr(await look(output.path), expected(pale, 'ROTATE_180')) > 30)
    assert.deepEqual(entries[0]?.decisions, ['Converted CMYK to sRGB.'])
  })

  it('writes a lossless WebP for a lossless WebP, bit for bit', async () => {
    await using folder = await newFolder()
    const raw = pattern(17, 9, 4)
    const input = await folder.file('in.webp', await rawSharp(raw).webp({ lossless: true, exact: true }).toBuffer())
    const { output } = await run(folder, input, [{ adapter: photoFlip, options: { method: 'ROTATE_270' } }])
    assert.deepEqual(await look(output.path), expected(raw, 'ROTATE_270'))
  })

  it('drops EXIF with its GPS position and the maker notes', async () => {
    await using folder = await newFolder()
    const exif = { IFD0: { Make: 'Camera' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } }
    const input = await folder.file('gps.jpg', await rawSharp(scene(64, 64)).withExif(exif).jpeg().toBuffer())
    const { output } = await run(folder, input, [{ adapter: photoFlip, options: { method: 'ROTATE_180' } }], tools)
    const meta = await sharp(output.path).metadata()
    assert.deepEqual([meta.exif, meta.xmp, meta.icc], [undefined, undefined, undefined])
  })

  it('moves a JPEG’s own coefficients where jpegtran can, and decodes it where it cannot', {
    skip: !jpegtranPath() && 'no jpegtran here',
  }, async () => {
    await using folder = await newFolder()
    const whole = await folder.file('whole.jpg', await rawSharp(scene(64, 48)).jpeg({ quality: 80 }).toBuffer())
    const odd = await folder.file('odd.jpg', await rawSharp(scene(61, 47)).jpeg({ quality: 80 }).toBuffer())
    const options = { method: 'ROTATE_90' }
    const lossless = await run(folder, whole, [{ adapter: photoFlip, options }], tools)
    assert.deepEqual(lossless.entries[0]?.command, [
      'jpegtran',
      '-perfect',
      '-copy',
      'none',
      '-rotate',
      '270',
      '-outfile',
      '{output}',
      '{input}',
    ])
    const back = await run(
      folder,
      { ...whole, ...lossless.output },
      [{ adapter: photoFlip, options: { method: 'ROTATE_270' } }],
      tools,
    )
    assert.deepEqual(await look(back.output.path), await look(whole.path))
    const decoded = await run(folder, odd, [{ adapter: photoFlip, options }], tools)
    assert.equal(decoded.entries[0]?.command, null)
    assert.ok(psnr(await look(decoded.output.path), expected(await look(odd.path), 'ROTATE_90')) > 34)
    // Says what was done: a turn, or nothing but leaving out what is known of the place.
    const twice = await run(
      folder,
      whole,
      [
        { adapter: photoFlip, options },
        { adapter: photoFlip, options: { method: 'ROTATE_270' } },
      ],
      tools,
    )
    assert.deepEqual(
      [lossless, twice].map(({ entries }) => entries.at(-1)?.decisions),
      [
        ['Turned the JPEG without decoding it, so nothing was lost.'],
        ['Copied the JPEG without decoding it, so nothing was lost.'],
      ],
    )
  })

  it('every orientation of EXIF is undone by the method of the same place in Pillow’s order', () => {
    assert.deepEqual(fromExif(6), methods.ROTATE_270)
    assert.deepEqual(fromExif(8), methods.ROTATE_90)
    assert.deepEqual([0, 9, undefined].map(fromExif), Array(3).fill(fromExif(1)))
  })
})

const tools = {
  ...noTools,
  jpegtran: jpegtranPath(),
  prlimit: existsSync('/usr/bin/prlimit') ? '/usr/bin/prlimit' : null,
}

function jpegtranPath(): string | null {
  try {
    const path = execFileSync('sh', ['-c', 'command -v jpegtran'], { encoding: 'utf8' }).trim()
    return existsSync(path) ? path : null
  } catch {
    return null
  }
}

/** A few plain colours without symmetry, so that a palette holds them exactly. */
function flags(width: number, height: number, seed: number): Raw {
  const colours = [
    [255, 0, 0],
    [0, 160, 60],
    [20, 30, 200],
    [250, 220, 10],
    [0, 0, 0],
    [255, 255, 255],
  ] as const
  const data = Buffer.alloc(width * height * 4)
  for (let i = 0; i < width * height; i++) {
    const [r, g, b] = colours[
      (((i % width) >> 1) * 3 + Math.floor(i / width) * seed + (i % 7)) % colours.length
    ] as readonly [number, number, number]
    data.set([r, g, b, 255], i * 4)
  }
  return { data, width, height, channels: 4 }
}

function withoutAlpha({ data, width, height, channels }: Raw): number[][] {
  return Array.from({ length: width * height }, (_, i) => [...data.subarray(i * channels, i * channels + 3)])
}
