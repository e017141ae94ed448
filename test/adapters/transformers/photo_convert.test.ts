// photo_convert: formats, qualities, and what a format cannot hold.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import { photoConvert } from '#adapters/transformers/photo_convert.ts'
import { photoFlip } from '#adapters/transformers/photo_flip.ts'
import { look, newFolder, png, psnr, rawSharp, run, scene } from '../../support/pictures.ts'

describe('photo_convert', () => {
  for (const format of ['jpeg', 'png', 'webp', 'avif'] as const) {
    it(`writes ${format} that shows the same picture`, async () => {
      await using folder = await newFolder()
      const input = await folder.file('in.png', await png(scene(120, 80)))
      const { output } = await run(folder, input, [{ adapter: photoConvert, options: { format } }])
      assert.equal(output.mime, `image/${format}`)
      assert.ok(psnr(await look(output.path), scene(120, 80)) > 33)
    })
  }

  it('makes files smaller with a lower quality', async () => {
    await using folder = await newFolder()
    const input = await folder.file('in.png', await png(scene(300, 200)))
    const [fine, coarse] = await Promise.all(
      [95, 30].map(quality => run(folder, input, [{ adapter: photoConvert, options: { quality } }])),
    )
    assert.ok(coarse!.output.bytes < fine!.output.bytes / 2)
  })

  it('bounds the longest side and leaves smaller pictures alone', async () => {
    await using folder = await newFolder()
    const input = await folder.file('in.png', await png(scene(300, 200)))
    const sizes = await Promise.all(
      [150, 1000].map(max_side => run(folder, input, [{ adapter: photoConvert, options: { max_side } }])),
    )
    assert.deepEqual(
      sizes.map(({ output }) => [output.width, output.height]),
      [
        [150, 100],
        [300, 200],
      ],
    )
  })

  it('puts transparent parts on white for a JPEG, also for the steps that follow', async () => {
    await using folder = await newFolder()
    const clear = { ...scene(16, 16, 4), data: Buffer.alloc(16 * 16 * 4) }
    const input = await folder.file('in.png', await png(clear))
    const { output } = await run(folder, input, [
      { adapter: photoConvert, options: {} },
      { adapter: photoFlip, options: { method: 'ROTATE_90' } },
    ])
    assert.equal(output.mime, 'image/jpeg')
    assert.ok((await look(output.path)).data.every(value => value > 250))
  })

  it('keeps an animation where the format moves, and says so where it does not', async () => {
    await using folder = await newFolder()
    const roll = Buffer.concat([scene(20, 16, 4).data, Buffer.alloc(20 * 16 * 4, 255)])
    const gif = await sharp(roll, { raw: { width: 20, height: 32, channels: 4, pageHeight: 16 } })
      .gif({ delay: [50, 70], loop: 3 })
      .toBuffer()
    const input = await folder.file('in.gif', gif)
    const webp = await run(folder, input, [{ adapter: photoConvert, options: { format: 'webp' } }])
    const meta = await sharp(webp.output.path).metadata()
    assert.deepEqual([meta.pages, meta.delay, meta.loop, webp.output.duration], [2, [50, 70], 3, 0.12])
    const still = await run(folder, input, [{ adapter: photoConvert, options: { format: 'png' } }])
    assert.equal(still.output.frames, null)
    assert.deepEqual(still.entries[0]?.warnings, ['PNG does not move, so only the first frame is kept.'])
  })

  it('brings other colour profiles to sRGB, in 8 and in 16 bits', async () => {
    await using folder = await newFolder()
    const raw = scene(60, 40)
    raw.data = raw.data.map(value => 60 + value * 0.5) as Buffer
    const p3 = await rawSharp(raw).withIccProfile('p3').png().toBuffer()
    // sharp takes 16-bit pixels for P3 already, so these are the converted ones.
    const stored = await sharp(p3, { ignoreIcc: true }).raw().toBuffer()
    const words = Uint16Array.from(stored, value => value * 257)
    const deep = await sharp(words, { raw: { width: 60, height: 40, channels: 3 } })
      .toColourspace('rgb16')
      .withIccProfile('p3')
      .png()
      .toBuffer()
    for (const [name, bytes] of Object.entries({ p3, deep })) {
      const input = await folder.file(`${name}.png`, bytes)
      const { output, entries } = await run(folder, input, [{ adapter: photoConvert, options: { format: 'png' } }])
      assert.deepEqual(entries[0]?.decisions, ['Converted the embedded colour profile to sRGB.'], name)
      const shown = await sharp(output.path).toColourspace('srgb').raw().toBuffer()
      assert.ok(psnr({ ...raw, data: shown }, raw) > 38, `${name}: ${psnr({ ...raw, data: shown }, raw)}`)
    }
  })

  it('leaves what is sRGB already bit for bit', async () => {
    await using folder = await newFolder()
    const raw = scene(60, 40)
    const input = await folder.file('tagged.png', await rawSharp(raw).withIccProfile('srgb').png().toBuffer())
    const { output } = await run(folder, input, [{ adapter: photoConvert, options: { format: 'png' } }])
    assert.ok((await look(output.path)).data.equals((await look(input.path, { ignoreIcc: true })).data))
  })
})
