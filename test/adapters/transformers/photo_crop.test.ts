// photo_crop: exact rectangles, shapes, and clear words where it cannot be.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { photoCrop } from '#adapters/transformers/photo_crop.ts'
import type { JsonObject } from '#kit/json.ts'
import { look, newFolder, pattern, png, type Raw, run } from '../../support/pictures.ts'

const raw = pattern(100, 80, 3)

async function cropped(options: JsonObject): Promise<Raw & { warnings: string[] }> {
  await using folder = await newFolder()
  const input = await folder.file('in.png', await png(raw))
  const { output, entries } = await run(folder, input, [{ adapter: photoCrop, options }])
  return { ...(await look(output.path)), warnings: entries[0]!.warnings }
}

function part(left: number, top: number, width: number, height: number): Buffer {
  const rows = Array.from({ length: height }, (_, y) =>
    raw.data.subarray(((top + y) * 100 + left) * 3, ((top + y) * 100 + left + width) * 3),
  )
  return Buffer.concat(rows)
}

describe('photo_crop', () => {
  it('cuts the very pixels asked for', async () => {
    const out = await cropped({ x: 10, y: 20, width: 30, height: 40 })
    assert.deepEqual([out.width, out.height], [30, 40])
    assert.ok(out.data.equals(part(10, 20, 30, 40)))
  })

  it('takes shares of the picture', async () => {
    const out = await cropped({ x: '50%', y: '25%', width: '50%', height: '50%' })
    assert.ok(out.data.equals(part(50, 20, 50, 40)))
  })

  it('two halves of an odd picture meet, and neither reaches over the edge', async () => {
    await using folder = await newFolder()
    const input = await folder.file('odd.png', await png(pattern(101, 81, 3)))
    const options = { x: '50%', y: '50%', width: '50%', height: '50%' }
    const { output, entries } = await run(folder, input, [{ adapter: photoCrop, options }])
    assert.deepEqual([output.width, output.height, entries[0]?.warnings], [50, 40, []])
    const left = { x: 0, y: 0, width: '50%', height: '50%' }
    const other = await run(folder, input, [{ adapter: photoCrop, options: left }])
    assert.deepEqual([other.output.width, other.output.height], [51, 41])
  })

  it('warns when it is larger than the picture', async () => {
    const out = await cropped({ width: 2000, height: 50 })
    assert.deepEqual([out.width, out.height], [100, 50])
    assert.deepEqual(out.warnings, ['The cut reached over the edge; 100 × 50 pixels were left of it.'])
  })

  it('cuts the largest piece of a shape', async () => {
    assert.deepEqual(((out: Raw) => [out.width, out.height])(await cropped({ aspect: '4:5' })), [64, 80])
    assert.deepEqual(
      ((out: Raw) => [out.width, out.height])(await cropped({ aspect: '2:1', gravity: 'top' })),
      [100, 50],
    )
    assert.deepEqual(
      ((out: Raw) => [out.width, out.height])(await cropped({ aspect: '1:2', width: 20, gravity: 'center' })),
      [20, 40],
    )
  })

  it('keeps the part that gravity names', async () => {
    assert.ok((await cropped({ width: 40, height: 30, gravity: 'bottom_right' })).data.equals(part(60, 50, 40, 30)))
    assert.ok((await cropped({ width: 40, height: 30, gravity: 'top_left' })).data.equals(part(0, 0, 40, 30)))
  })

  it('warns when the cut reaches over the edge and refuses one that lies outside', async () => {
    const out = await cropped({ x: 90, y: 70, width: 40, height: 40 })
    assert.ok(out.data.equals(part(90, 70, 10, 10)))
    assert.deepEqual(out.warnings, ['The cut reached over the edge; 10 × 10 pixels were left of it.'])
    await assert.rejects(cropped({ x: 200, y: 0, width: 10, height: 10 }), { code: 'bad_options' })
    await assert.rejects(cropped({ width: 0, height: 10 }), { code: 'bad_options' })
  })
})
