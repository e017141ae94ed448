// Stills that mean more light than a screen has: they come out as a screen shows them, and say so.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { photoConvert } from '#adapters/transformers/photo_convert.ts'
import { newFolder, run } from '../support/pictures.ts'

/** A grey AVIF whose header says what its numbers mean. */
async function named(grey: number, primaries: number, transfer: number): Promise<Buffer> {
  const background = { r: grey, g: grey, b: grey }
  const bytes = await sharp({ create: { width: 32, height: 16, channels: 3, background } })
    .avif({ lossless: true, effort: 0 })
    .toBuffer()
  const at = bytes.indexOf('colrnclx', 0, 'latin1')
  assert.ok(at > 0, 'sharp names the colours')
  bytes.writeUInt16BE(primaries, at + 8)
  bytes.writeUInt16BE(transfer, at + 10)
  return bytes
}

for (const [what, grey, transfer, from, to] of [
  ['white paper in PQ', 148, 16, 225, 245],
  ['a thousand candelas in PQ', 192, 16, 250, 255],
  ['deep shadow in PQ', 20, 16, 3, 20],
  ['white paper in HLG', 191, 18, 225, 245],
] as const)
  test(`${what} is between ${from} and ${to} on a screen`, async () => {
    await using folder = await newFolder()
    const input = await folder.file('in.avif', await named(grey, 9, transfer))
    const { output, entries } = await run(folder, input, [{ adapter: photoConvert, options: { format: 'png' } }])
    const [r = 0, g = 0, b = 0] = await sharp(output.path).raw().toBuffer()
    assert.ok(r >= from && r <= to && Math.abs(r - g) <= 2 && Math.abs(g - b) <= 2, `${r} ${g} ${b}`)
    assert.match(entries[0]?.decisions.join() ?? '', /Brought HDR \((PQ|HLG)\) to the brightness of a screen/)
  })

test('an ordinary AVIF keeps its numbers', async () => {
  await using folder = await newFolder()
  const input = await folder.file('in.avif', await named(148, 1, 13))
  const { output, entries } = await run(folder, input, [{ adapter: photoConvert, options: { format: 'png' } }])
  const [r = 0] = await sharp(output.path).raw().toBuffer()
  assert.ok(Math.abs(r - 148) <= 2, `${r}`)
  assert.doesNotMatch(entries[0]?.decisions.join() ?? '', /HDR/)
})
