// photo_filter: colours by numbers, presets, look-up tables, blur and sharpness.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import { photoFilter } from '#adapters/transformers/photo_filter.ts'
import type { JsonObject } from '#kit/json.ts'
import { parseCube } from '#media/pixels/cube.ts'
import { look, newFolder, pattern, png, type Raw, run, scene } from '../../support/pictures.ts'

async function filtered(raw: Raw, options: JsonObject, cube?: string): Promise<Raw> {
  await using folder = await newFolder()
  const input = await folder.file('in.png', await png(raw))
  const assets = cube ? { lut_file_name: [await folder.file('look.cube', cube)] } : {}
  return await look((await run(folder, input, [{ adapter: photoFilter, options, assets }])).output.path)
}

const plain = (r: number, g: number, b: number): Raw => ({
  data: Buffer.from(Array(4).fill([r, g, b]).flat()),
  width: 2,
  height: 2,
  channels: 3,
})
const first = ({ data }: Raw): number[] => [...data.subarray(0, 3)]

const swap =
  'TITLE "swap"\n# red and blue\nLUT_3D_SIZE 2\nDOMAIN_MIN 0 0 0\nDOMAIN_MAX 1 1 1\n0 0 0\n0 0 1\n0 1 0\n0 1 1\n1 0 0\n1 0 1\n1 1 0\n1 1 1\n'

describe('photo_filter', () => {
  it('leaves a picture bit for bit when nothing is asked of it', async () => {
    assert.ok((await filtered(pattern(20, 15, 4), {})).data.equals(pattern(20, 15, 4).data))
  })

  it('counts brightness, contrast and saturation from the picture as it is', async () => {
    assert.deepEqual(first(await filtered(plain(100, 50, 20), { brightness: 2 })), [200, 100, 40])
    assert.deepEqual(first(await filtered(plain(200, 50, 20), { brightness: 0 })), [0, 0, 0])
    assert.deepEqual(first(await filtered(plain(200, 0, 255), { contrast: 0 })), [128, 128, 128])
    assert.deepEqual(first(await filtered(plain(200, 100, 50), { contrast: 2 })), [255, 73, 0])
    const [r, g, b] = first(await filtered(plain(200, 100, 50), { saturation: 0 }))
    assert.deepEqual([r, g, b], Array(3).fill(Math.round(0.2126 * 200 + 0.7152 * 100 + 0.0722 * 50)))
  })

  it('rounds every value of the formula to the nearest, halves up, and keeps what lies beyond at the ends', async () => {
    const colours = pattern(64, 48, 3)
    const [lr, lg, lb] = [0.2126, 0.7152, 0.0722]
    for (const { options, of } of [
      { options: { preset: 'bw' }, of: (r: number, g: number, b: number) => Array(3).fill(lr * r + lg * g + lb * b) },
      {
        options: { preset: 'sepia' },
        of: (r: number, g: number, b: number) => [
          0.393 * r + 0.769 * g + 0.189 * b,
          0.349 * r + 0.686 * g + 0.168 * b,
          0.272 * r + 0.534 * g + 0.131 * b,
        ],
      },
      { options: { brightness: 0.5 }, of: (...rgb: number[]) => rgb.map(value => value * 0.5) },
      { options: { contrast: 3 }, of: (...rgb: number[]) => rgb.map(value => (value - 127.5) * 3 + 127.5) },
    ]) {
      const { data } = await filtered(colours, options)
      for (let i = 0; i < data.length; i += 3) {
        const [r, g, b] = colours.data.subarray(i, i + 3) as unknown as [number, number, number]
        // A half that the computer's numbers miss by a hair is a half.
        const expected = of(r, g, b).map((value: number) => Math.round(Math.min(Math.max(value + 1e-9, 0), 255)))
        assert.deepEqual([...data.subarray(i, i + 3)], expected, `${JSON.stringify(options)} of ${[r, g, b]}`)
      }
    }
  })

  it('counts with 16 bits where the picture has them', async () => {
    await using folder = await newFolder()
    const values = Uint16Array.from({ length: 30 }, (_, i) => i * 2200 + 1)
    const deep = sharp(values, { raw: { width: 5, height: 2, channels: 3 } }).toColourspace('rgb16')
    const input = await folder.file('deep.png', await deep.png().toBuffer())
    const { output } = await run(folder, input, [{ adapter: photoFilter, options: { brightness: 1.5 }, assets: {} }])
    const made = await sharp(output.path).toColourspace('rgb16').raw({ depth: 'ushort' }).toBuffer()
    const seen = new Uint16Array(made.buffer, made.byteOffset, made.length / 2)
    assert.deepEqual(
      [...seen],
      [...values].map(value => Math.min(Math.round(value * 1.5), 65535)),
    )
  })

  it('has presets that do what they say', async () => {
    const [r, g, b] = first(await filtered(plain(200, 100, 50), { preset: 'bw' })) as [number, number, number]
    assert.ok(r === g && g === b)
    const sepia = first(await filtered(plain(120, 120, 120), { preset: 'sepia' })) as [number, number, number]
    assert.ok(sepia[0] > sepia[1] && sepia[1] > sepia[2])
    const vivid = first(await filtered(plain(160, 110, 100), { preset: 'vivid' })) as [number, number, number]
    assert.ok(vivid[0] - vivid[2] > 80)
    const vintage = first(await filtered(plain(0, 0, 0), { preset: 'vintage' })) as [number, number, number]
    assert.ok(Math.min(...vintage) > 5)
  })

  it('applies a look-up table, and one that changes nothing changes nothing', async () => {
    assert.deepEqual(first(await filtered(plain(200, 100, 50), {}, swap)), [50, 100, 200])
    const steps = [0, 0.25, 0.5, 0.75, 1]
    const same = `LUT_3D_SIZE 5\n${steps.flatMap(b => steps.flatMap(g => steps.map(r => `${r} ${g} ${b}`))).join('\n')}\n`
    assert.ok((await filtered(pattern(30, 20, 3), {}, same)).data.equals(pattern(30, 20, 3).data))
    assert.deepEqual(first(await filtered(plain(255, 128, 0), {}, 'LUT_1D_SIZE 2\n1 1 1\n0 0 0\n')), [0, 127, 255])
  })

  it('says what is wrong with a look-up table', async () => {
    await assert.rejects(filtered(plain(1, 2, 3), {}, 'LUT_3D_SIZE 3\n0 0 0\n'), {
      code: 'corrupt_input',
      message: /27 rows were expected, 1 came/,
    })
    assert.throws(() => parseCube('LUT_3D_SIZE 2\nnan'), { code: 'corrupt_input' })
    assert.throws(() => parseCube('LUT_3D_SIZE 500\n'), { code: 'corrupt_input' })
    assert.throws(() => parseCube('1 2\n'), { code: 'corrupt_input' })
  })

  it('blurs and sharpens', async () => {
    const roughness = ({ data }: Raw): number =>
      data.reduce((sum, value, i) => sum + Math.abs(value - (data[i - 3] ?? value)), 0)
    const before = roughness(scene(60, 40))
    assert.ok(roughness(await filtered(scene(60, 40), { blur: 4 })) < before * 0.9)
    assert.ok(roughness(await filtered(scene(60, 40), { sharpen: 2 })) > before)
  })
})
