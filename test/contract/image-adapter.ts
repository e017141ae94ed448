// What every image adapter promises, ours and those of others: any picture in, a picture or a clear refusal out.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import type { ImageAdapter } from '#engine/adapter.ts'
import { type Code, Problem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'
import type { MediaFile } from '#media/file/file.ts'
import { type Folder, fileOf, newFolder, rawSharp, run, scene } from '../support/pictures.ts'
import { describesItsOptions } from './described.ts'

/** The codes a bad file may end with. */
const verdicts: readonly Code[] = [
  'unsupported_format',
  'corrupt_input',
  'too_many_pixels',
  'too_many_frames',
  'memory_limit',
  'output_too_large',
  'policy_blocked',
]

export interface ImageAdapterCase {
  adapter: ImageAdapter
  /** Such that it does real work. */
  options?: JsonObject
  assets?(folder: Folder): Promise<Record<string, MediaFile[]>>
}

export function imageAdapterContract({ adapter, options = {}, assets = async () => ({}) }: ImageAdapterCase): void {
  describe(`${adapter.name} keeps the contract of an image adapter`, () => {
    it('describes every option and takes no other', () => describesItsOptions(adapter))

    it('takes every kind of picture, and what it says of the result is true', async () => {
      await using folder = await newFolder()
      const given = await assets(folder)
      for (const [name, bytes] of Object.entries(await goodPictures())) {
        const input = await folder.file(name, bytes)
        const { output, entries } = await run(folder, input, [{ adapter, options, assets: given }])
        const meta = await sharp(output.path).metadata()
        assert.deepEqual(
          [output.width, output.height, output.frames],
          [meta.width, meta.height, (meta.pages ?? 1) > 1 ? meta.pages : null],
          name,
        )
        assert.equal(output.mime, meta.mediaType, name)
        assert.equal(
          output.sha256,
          createHash('sha256')
            .update(await readFile(output.path))
            .digest('hex'),
        )
        assert.deepEqual(
          [meta.exif, meta.xmp, meta.iptc, meta.orientation ?? 1],
          [undefined, undefined, undefined, 1],
          name,
        )
        assert.equal(meta.space === 'srgb' || meta.space === 'rgb16', true, `${name}: ${meta.space}`)
        assert.equal(entries.length, 1)
        assert.ok(!JSON.stringify(entries).includes(folder.path), 'no path of ours is told')
      }
    })
  })
}

/** The probe refuses them before any adapter, so one adapter stands for all. */
export function refusesBadPictures(adapter: ImageAdapter, options: JsonObject): void {
  it('refuses every bad file, with a listed code and a sentence, without a path', async () => {
    await using folder = await newFolder()
    for (const [name, bytes] of Object.entries(await badPictures())) {
      const path = `${folder.path}/${name}`
      await folder.bytes(name, bytes)
      const error = await fileOf(path)
        .then(input => run(folder, input, [{ adapter, options, assets: {} }]))
        .then(
          () => null,
          (failure: unknown) => failure,
        )
      assert.ok(error instanceof Problem, `${name} was taken: ${String(error)}`)
      assert.ok(verdicts.includes(error.code), `${name}: ${error.code} ${error.message}`)
      assert.match(error.message, /^[A-Z].*\.$/s, name)
      assert.ok(!error.message.includes(folder.path), name)
    }
  })

  it('refuses by its header what would take too much memory', async () => {
    await using folder = await newFolder()
    const bad = await badPictures()
    for (const name of ['bomb.png', 'absurd.png', 'wide.png', 'absurd.gif', 'frames.gif', 'heavy.gif']) {
      await folder.bytes(name, bad[name] as Buffer)
      await assert.rejects(fileOf(`${folder.path}/${name}`), error => error instanceof Problem, name)
    }
  })
}

let good: Promise<Record<string, Buffer>> | null = null

/** Small, and one of each kind. */
export function goodPictures(): Promise<Record<string, Buffer>> {
  good ??= makeGoodPictures()
  return good
}

async function makeGoodPictures(): Promise<Record<string, Buffer>> {
  const plain = scene(80, 60)
  const clear = scene(80, 60, 4)
  const deep = new Uint16Array(80 * 60 * 4).map((_, i) => (i * 977) % 65536)
  const roll = Buffer.concat([clear.data, Buffer.from(clear.data).reverse()])
  const moving = () => sharp(roll, { raw: { width: 80, height: 120, channels: 4, pageHeight: 60 } })
  const exif = { IFD0: { Orientation: '6', Make: 'Camera' }, IFD3: { GPSLatitudeRef: 'N' } }
  const heic = fileURLToPath(new URL('../../../shared/media/images/heic-tiny.heic', import.meta.url))
  return {
    'plain.jpg': await rawSharp(plain).jpeg().toBuffer(),
    'progressive.jpg': await rawSharp(plain).jpeg({ progressive: true }).toBuffer(),
    'turned.jpg': await rawSharp(plain).withExif(exif).jpeg().toBuffer(),
    'cmyk.jpg': await rawSharp(plain).toColourspace('cmyk').jpeg().toBuffer(),
    'grey.jpg': await rawSharp(plain).greyscale().jpeg().toBuffer(),
    'p3.jpg': await rawSharp(plain).withIccProfile('p3').jpeg().toBuffer(),
    'clear.png': await rawSharp(clear).png().toBuffer(),
    'palette.png': await rawSharp(plain).png({ palette: true }).toBuffer(),
    'deep.png': await sharp(deep, { raw: { width: 80, height: 60, channels: 4 } })
      .toColourspace('rgb16')
      .png()
      .toBuffer(),
    'grey-alpha.png': await rawSharp(clear).greyscale().png().toBuffer(),
    'interlaced.png': await rawSharp(plain).png({ progressive: true }).toBuffer(),
    'plain.webp': await rawSharp(clear).webp().toBuffer(),
    'moving.webp': await moving()
      .webp({ delay: [40, 60] })
      .toBuffer(),
    'plain.gif': await rawSharp(plain).gif().toBuffer(),
    'moving.gif': await moving()
      .gif({ delay: [40, 60] })
      .toBuffer(),
    'plain.avif': await rawSharp(plain).avif({ effort: 0 }).toBuffer(),
    'plain.tif': await rawSharp(plain).tiff().toBuffer(),
    'tiny.png': await rawSharp(scene(1, 1)).png().toBuffer(),
    ...(existsSync(heic) ? { 'tiny.heic': await readFile(heic) } : {}),
  }
}

let bad: Promise<Record<string, Buffer>> | null = null

export function badPictures(): Promise<Record<string, Buffer>> {
  bad ??= makeBadPictures()
  return bad
}

async function makeBadPictures(): Promise<Record<string, Buffer>> {
  const whole = await goodPictures()
  const kinds = [
    'plain.jpg',
    'progressive.jpg',
    'clear.png',
    'plain.webp',
    'moving.webp',
    'plain.gif',
    'moving.gif',
    'plain.avif',
    'plain.tif',
    ...('tiny.heic' in whole ? ['tiny.heic'] : []),
  ]
  const cut = kinds.flatMap(name =>
    [0.02, 0.5, 0.97].map(
      share => [`cut-${share}-${name}`, whole[name]!.subarray(0, Math.floor(whole[name]!.length * share))] as const,
    ),
  )
  return {
    ...Object.fromEntries(cut),
    empty: Buffer.alloc(0),
    'text.jpg': Buffer.from('This is not a picture, whatever it is called.'),
    'noise.png': Buffer.concat([whole['clear.png']!.subarray(0, 33), Buffer.alloc(4000, 7)]),
    'playlist.jpg': Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n'),
    'drawing.svg': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>'),
    'bitmap.bmp': Buffer.concat([Buffer.from('BM'), Buffer.alloc(200)]),
    'bomb.png': pngOf(16_000, 16_000),
    'absurd.png': pngOf(2 ** 31 - 1, 2 ** 31 - 1, 10),
    'wide.png': pngOf(1_000_000, 300, 10),
    'absurd.gif': gifOf(65_535, 65_535, 1, true),
    'frames.gif': gifOf(4, 4, 100_000),
    'heavy.gif': gifOf(1_900, 1_900, 400),
  }
}

/** A PNG of zeros: a few bytes that ask for a great many pixels. */
function pngOf(width: number, height: number, rows = height): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    check.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, check])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([1, 0, 0, 0, 0], 8)
  const pixels = deflateSync(Buffer.alloc(Math.min(rows * (Math.ceil(width / 8) + 1), 40_000_000)))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A GIF whose frames say one pixel each, or the whole canvas. */
function gifOf(width: number, height: number, frames: number, whole = false): Buffer {
  const head = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1')
  head.writeUInt16LE(width, 6)
  head.writeUInt16LE(height, 8)
  const control = Buffer.from('\x21\xf9\x04\0\x05\0\0\0', 'latin1')
  const frame = Buffer.from('\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0', 'latin1')
  if (whole) head.copy(frame, 5, 6, 10)
  return Buffer.concat([
    head,
    ...Array.from({ length: frames }, () => [control, frame]).flat(),
    Buffer.from('\x3b', 'latin1'),
  ])
}
