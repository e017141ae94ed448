// photo_crop: exact rectangles, shapes, and clear words where it cannot be.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import { photoCrop } from '#adapters/transformers/photo_crop.ts'
import type { JsonObject } from '#kit/json.ts'
import { withDefaults } from '#kit/schema.ts'
import { drawnPeople } from '../../support/people.ts'
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

/** A board of orange and dark blue fields. */
function checks(side: number): Raw {
  const data = Buffer.alloc(side * side * 3)
  for (let i = 0; i < side * side; i++) {
    const isOrange = (Math.floor((i % side) / 4) + Math.floor(i / side / 4)) % 2 === 0
    data.set(isOrange ? [230, 120, 60] : [10, 20, 70], i * 3)
  }
  return { data, width: side, height: side, channels: 3 }
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

  it('one edge given, gravity decides the other', async () => {
    assert.ok((await cropped({ x: 10, width: 20, height: 20, gravity: 'top' })).data.equals(part(10, 0, 20, 20)))
    assert.ok((await cropped({ x: 10, width: 20, height: 20, gravity: 'right' })).data.equals(part(10, 30, 20, 20)))
    assert.ok((await cropped({ y: 0, width: 20, height: 20, gravity: 'right' })).data.equals(part(80, 0, 20, 20)))
    assert.ok((await cropped({ y: 5, width: 20, height: 20, gravity: 'bottom' })).data.equals(part(40, 5, 20, 20)))
    // As before: edges are rounded, and the middle is that of the picture.
    const half = await cropped({ x: 1, height: '41%', gravity: 'center' })
    assert.ok(half.data.equals(part(1, 24, 99, 32)))
    const over = await cropped({ x: 90, width: 40, height: 30, gravity: 'bottom' })
    assert.ok(over.data.equals(part(90, 50, 10, 30)))
    assert.equal(over.warnings.length, 1)
  })

  it('one edge given, what stands out decides the other, in the part that is left', async () => {
    await using folder = await newFolder()
    const grey = sharp({ create: { width: 400, height: 300, channels: 3, background: '#808080' } })
    const skin = { create: { width: 20, height: 20, channels: 3 as const, background: '#e0a080' } }
    const spots = [
      { input: skin, left: 300, top: 220 },
      { input: skin, left: 20, top: 20 },
    ]
    const input = await folder.file('in.png', await grey.composite(spots).removeAlpha().png().toBuffer())
    const kept = async (options: JsonObject): Promise<Buffer> => {
      const { output } = await run(folder, input, [{ adapter: photoCrop, options }])
      return (await look(output.path)).data
    }
    const holds = (data: Buffer): number =>
      data.filter((value, i) => i % 3 === 2 && value === 0x80 && data[i - 2] === 0xe0).length
    assert.equal(holds(await kept({ x: 280, width: 100, height: 80 })), 400)
    assert.equal(holds(await kept({ y: 200, width: 100, height: 90, gravity: 'entropy' })), 400)
  })

  it('finds what people look at wherever it lies, in pictures of any size', async () => {
    await using folder = await newFolder()
    // A spot with a pattern, so that it is bright in colour and rich in detail too.
    for (const [width, height, side] of [
      [300, 240, 80],
      [1600, 1200, 320],
    ] as const)
      for (const [left, top] of [
        [0.7, 0.65],
        [0.1, 0.6],
        [0.65, 0.05],
        [0.4, 0.4],
      ] as const) {
        const at = { left: Math.round(left * width), top: Math.round(top * height) }
        const spot = Math.round(side * 0.75)
        const drawn = await sharp({ create: { width, height, channels: 3, background: '#808080' } })
          .composite([{ input: await png(checks(spot)), ...at }])
          .removeAlpha()
          .png()
          .toBuffer()
        const input = await folder.file(`${width}-${at.left}-${at.top}.png`, drawn)
        for (const options of [
          { width: side, height: side },
          { width: side, aspect: '1:1', gravity: 'entropy' },
        ]) {
          const { output } = await run(folder, input, [{ adapter: photoCrop, options }])
          const { data } = await look(output.path)
          const seen = data.filter((value, i) => i % 3 === 0 && value === 230).length
          const says = `${JSON.stringify(options)} of ${width} x ${height}, spot at ${left}, ${top}`
          // What draws attention is a point of it, such as an edge.
          const least = ((spot * spot) / 2) * (options.gravity ? 0.9 : 0.4)
          assert.ok(seen > least, `${says}: ${seen}, not ${least}`)
        }
      }
  })

  it('one edge given, faces decide the other', async () => {
    await using folder = await newFolder()
    const input = await folder.file('in.png', await drawnPeople(900, 300, [{ left: 560, top: 0, side: 300 }]))
    const options = { y: 0, width: 200, height: 300, gravity: 'faces' }
    assert.equal(photoCrop.looksForPeople?.(withDefaults(photoCrop.options, options)), true)
    const { output, entries } = await run(folder, input, [{ adapter: photoCrop, options }])
    const { data } = await look(output.path)
    const cut = (left: number) => sharp(input.path).extract({ left, top: 0, width: 200, height: 300 }).raw().toBuffer()
    let left = 590
    while (left < 630 && !data.equals(await cut(left))) left++
    assert.ok(left < 630, 'the person is in the middle')
    // The boxes are those of the picture that came in.
    assert.deepEqual([entries[0]?.seen[0]?.width, entries[0]?.seen[0]?.height], [900, 300])
    assert.deepEqual(entries[0]?.decisions, ['Found one face.'])
    const beside = { x: 0, width: 300, height: 100, gravity: 'faces' }
    const other = await run(folder, input, [{ adapter: photoCrop, options: beside }])
    assert.deepEqual(other.entries[0]?.decisions, [
      'Found one face.',
      'No face lies in the part that can be kept, so `attention` decided.',
    ])
  })

  it('warns when the cut reaches over the edge and refuses one that lies outside', async () => {
    const out = await cropped({ x: 90, y: 70, width: 40, height: 40 })
    assert.ok(out.data.equals(part(90, 70, 10, 10)))
    assert.deepEqual(out.warnings, ['The cut reached over the edge; 10 × 10 pixels were left of it.'])
    await assert.rejects(cropped({ x: 200, y: 0, width: 10, height: 10 }), { code: 'bad_options' })
    await assert.rejects(cropped({ width: 0, height: 10 }), { code: 'bad_options' })
  })
})
