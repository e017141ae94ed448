// photo_chroma_key: the screen goes, the person stays.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import { photoChromaKey } from '#adapters/transformers/photo_chroma_key.ts'
import type { JsonObject } from '#kit/json.ts'
import { look, newFolder, png, type Raw, rawSharp, run, scene } from '../../support/pictures.ts'

/** A person of one colour before an unevenly lit screen. */
function studio(screen: readonly [number, number, number], person: readonly [number, number, number]): Raw {
  const raw = { ...scene(100, 80), data: Buffer.alloc(100 * 80 * 3) }
  for (let y = 0; y < 80; y++) {
    for (let x = 0; x < 100; x++) {
      const inside = x >= 30 && x < 70 && y >= 20
      const light = inside ? 1 : 0.7 + (0.3 * x) / 100
      raw.data.set(
        (inside ? person : screen).map(value => Math.round(value * light)),
        (y * 100 + x) * 3,
      )
    }
  }
  return raw
}

async function keyed(raw: Raw, options: JsonObject, background?: Raw): Promise<Raw & { mime: string }> {
  await using folder = await newFolder()
  const input = await folder.file('in.png', await png(raw))
  const assets = background ? { background_file_name: [await folder.file('bg.png', await png(background))] } : {}
  const { output } = await run(folder, input, [{ adapter: photoChromaKey, options, assets }])
  return { ...(await look(output.path)), mime: output.mime }
}

const at = ({ data, width, channels }: Raw, x: number, y: number): number[] => [
  ...data.subarray((y * width + x) * channels, (y * width + x + 1) * channels),
]

describe('photo_chroma_key', () => {
  it('makes the screen transparent, in light and in shade, and keeps the person', async () => {
    const out = await keyed(studio([0, 177, 64], [210, 160, 130]), {})
    assert.deepEqual([at(out, 3, 3)[3], at(out, 95, 70)[3], at(out, 50, 50)[3]], [0, 0, 255])
    assert.deepEqual(at(out, 50, 50).slice(0, 3), [210, 160, 130])
  })

  it('puts a background in its place, covering the picture', async () => {
    const sea = { ...scene(50, 50), data: Buffer.from(Array(2500).fill([10, 20, 200]).flat()) }
    const out = await keyed(studio([0, 177, 64], [210, 160, 130]), {}, sea)
    assert.deepEqual(
      [out.channels, at(out, 3, 3), at(out, 99, 0), at(out, 50, 50)],
      [3, [10, 20, 200], [10, 20, 200], [210, 160, 130]],
    )
  })

  it('works for a blue screen and takes its colour out of what stays', async () => {
    const out = await keyed(studio([0, 71, 187], [200, 180, 220]), { key: '#0047bb', despill: 1 })
    assert.equal(at(out, 3, 3)[3], 0)
    assert.deepEqual(at(out, 50, 50), [200, 180, 200, 255])
    assert.deepEqual(
      at(await keyed(studio([0, 71, 187], [200, 180, 220]), { key: '#0047bb', despill: 0 }), 50, 50),
      [200, 180, 220, 255],
    )
  })

  it('writes a PNG where the format of the input cannot be transparent', async () => {
    await using folder = await newFolder()
    const input = await folder.file(
      'in.jpg',
      await rawSharp(studio([0, 177, 64], [210, 160, 130]))
        .jpeg({ quality: 95 })
        .toBuffer(),
    )
    const { output, entries } = await run(folder, input, [{ adapter: photoChromaKey, options: {} }])
    assert.equal(output.mime, 'image/png')
    assert.equal((await sharp(output.path).metadata()).hasAlpha, true)
    assert.deepEqual(entries[0]?.decisions, ['A JPEG cannot be transparent, so the result is a PNG.'])
  })
})
