// photo_add_qr: codes that a reader decodes.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import jsqr from 'jsqr'
import sharp from 'sharp'
import { photoAddQr } from '#adapters/transformers/photo_add_qr.ts'
import type { JsonObject } from '#kit/json.ts'
import { newFolder, png, rawSharp, run, scene } from '../../support/pictures.ts'

const read = jsqr as unknown as typeof jsqr.default

async function decoded(
  options: JsonObject,
  format: 'png' | 'jpeg' = 'png',
): Promise<{ data: string | null; warnings: string[]; left: number; top: number }> {
  await using folder = await newFolder()
  const bytes = format === 'png' ? await png(scene(400, 300)) : await rawSharp(scene(400, 300)).jpeg().toBuffer()
  const input = await folder.file(`in.${format}`, bytes)
  const { output, entries } = await run(folder, input, [{ adapter: photoAddQr, options }])
  const { data, info } = await sharp(output.path).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const code = read(new Uint8ClampedArray(data), info.width, info.height)
  const { x = -1, y = -1 } = code?.location.topLeftCorner ?? {}
  return { data: code?.data ?? null, warnings: entries[0]!.warnings, left: Math.round(x), top: Math.round(y) }
}

describe('photo_add_qr', () => {
  it('puts a code near the lower right corner that a reader decodes', async () => {
    const { data, left, top, warnings } = await decoded({ data: 'https://example.com/k/8f3a', size: '40%' })
    assert.equal(data, 'https://example.com/k/8f3a')
    assert.ok(left > 200 && top > 150)
    assert.deepEqual(warnings, [])
  })

  it('is read with every error correction, in other scripts, and after JPEG', async () => {
    for (const ecc of ['L', 'M', 'Q', 'H'])
      assert.equal((await decoded({ data: 'Grüße 日本', ecc, size: 180 }, 'jpeg')).data, 'Grüße 日本')
  })

  it('lies where it is told', async () => {
    const { left, top } = await decoded({ data: 'x', x: 40, y: '10%', size: 116, quiet: 4 })
    assert.deepEqual([left, top], [40 + 16, 30 + 16])
  })

  it('warns when it is too small for its modules or reaches over the edge', async () => {
    assert.match(
      (await decoded({ data: 'a longer text than ten pixels can hold', size: 10 })).warnings[0] ?? '',
      /needs \d+ pixels/,
    )
    assert.match((await decoded({ data: 'x', x: 380, y: 10, size: 60 })).warnings[0] ?? '', /over the edge/)
  })

  it('leaves the picture as it is when a placeholder left the data empty, and says so', async () => {
    const { data, warnings } = await decoded({ data: '' })
    assert.equal(data, null)
    assert.deepEqual(warnings, ['There is nothing to put into the QR code, so none was drawn.'])
  })

  it('says that the data is too long', async () => {
    await assert.rejects(decoded({ data: 'x'.repeat(2900), ecc: 'H' }), { code: 'bad_options' })
  })
})
