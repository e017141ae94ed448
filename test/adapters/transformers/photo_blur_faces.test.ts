// photo_blur_faces: bystanders lose all detail, faces that are kept do not change by a bit.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import { photoBlurFaces } from '#adapters/transformers/photo_blur_faces.ts'
import { runImage } from '#engine/run-image.ts'
import type { JsonObject } from '#kit/json.ts'
import { withDefaults } from '#kit/schema.ts'
import type { Rect } from '#media/file/geometry.ts'
import { Picture } from '#media/picture/picture.ts'
import { findFaces } from '#vision/faces.ts'
import { drawnPeople } from '../../support/people.ts'
import { type Folder, limits, look, newFolder, noTools, type Raw, run } from '../../support/pictures.ts'

/** Two large faces in front, one small one behind. */
const places = [
  { left: 60, top: 250, side: 340 },
  { left: 420, top: 260, side: 330 },
  { left: 820, top: 80, side: 110 },
]
const group = () => drawnPeople(1000, 620, places)

/** The drawn face lies here in its square. */
const faceOf = ({ left, top, side }: (typeof places)[number]): Rect => ({
  left: Math.round(left + side * 0.33),
  top: Math.round(top + side * 0.36),
  width: Math.round(side * 0.34),
  height: Math.round(side * 0.3),
})

/** Detail: how far a pixel is from the middle of its neighbours, on the mean. A slope has none. */
function detail({ data, width, channels }: Raw, { left, top, width: wide, height: high }: Rect): number {
  let sum = 0
  for (let y = top; y < top + high; y++)
    for (let x = left; x < left + wide; x++) {
      const at = (y * width + x) * channels
      sum += Math.abs(2 * data[at]! - data[at - channels]! - data[at + channels]!)
    }
  return sum / (wide * high)
}

const colours = ({ data, width, channels }: Raw, { left, top, width: wide, height: high }: Rect): number =>
  new Set(
    Array.from({ length: wide * high }, (_, i) => {
      const at = ((top + Math.floor(i / wide)) * width + left + (i % wide)) * channels
      return data.readUIntBE(at, 3)
    }),
  ).size

function part({ data, width, channels }: Raw, { left, top, width: wide, height: high }: Rect): Buffer {
  const rows = Array.from({ length: high }, (_, y) =>
    data.subarray(((top + y) * width + left) * channels, ((top + y) * width + left + wide) * channels),
  )
  return Buffer.concat(rows)
}

async function hidden(folder: Folder, options: JsonObject, bytes?: Buffer) {
  const input = await folder.file('in.png', bytes ?? (await group()))
  const { output, entries } = await run(folder, input, [{ adapter: photoBlurFaces, options }])
  return { before: await look(input.path), after: await look(output.path), report: entries[0]! }
}

describe('photo_blur_faces', () => {
  it('keeps the large ones bit by bit and takes all detail from the others', async () => {
    await using folder = await newFolder()
    for (const method of ['blur', 'pixelate']) {
      const { before, after, report } = await hidden(folder, { method })
      const [first, second, small] = places.map(faceOf) as [Rect, Rect, Rect]
      assert.ok(part(after, first).equals(part(before, first)))
      assert.ok(part(after, second).equals(part(before, second)))
      if (method === 'blur') assert.ok(detail(after, small) < detail(before, small) / 4)
      else assert.ok(colours(after, small) <= 49 && colours(before, small) > 300)
      assert.equal(
        report.decisions[0],
        `Found 3 faces: 2 kept clear, 1 ${method === 'blur' ? 'blurred' : 'pixelated'}.`,
      )
      assert.equal(report.seen[0]?.faces.length, 3)
      for (const box of report.seen[0]!.faces.slice(0, 2)) assert.ok(part(after, box).equals(part(before, box)))
    }
  })

  it('keeps a number of them, or none', async () => {
    await using folder = await newFolder()
    const one = await hidden(folder, { keep: 1 })
    assert.equal(one.report.decisions[0], 'Found 3 faces: 1 kept clear, 2 blurred.')
    const none = await hidden(folder, { keep: 'none', strength: 1 })
    const { data, width, height } = none.after
    const picture = Picture.of({ data, width, height, channels: 3, depth: 8 }, limits)
    assert.deepEqual(await findFaces(picture, 'thorough'), [], 'nothing that was hidden is taken for a face')
    const all = await hidden(folder, { keep: 50 })
    assert.ok(all.after.data.equals(all.before.data))
  })

  it('keeps as many as the task has guests', async () => {
    await using folder = await newFolder()
    const input = await folder.file('in.png', await group())
    for (const [context, kept] of [
      [{ guest_count: 2 }, 2],
      [{ guest_count: 0 }, 1],
      [{}, 1],
    ] as const) {
      const options = withDefaults(photoBlurFaces.options, { keep: 'guests' })
      const entries = [{ index: 0, adapter: 'photo_blur_faces', options, assets: {}, context }]
      const request = {
        kind: 'segment',
        form: 'image',
        input,
        entries,
        folder: await folder.empty(),
        limits,
        tools: noTools,
        threads: 1,
      } as const
      const result = await runImage(request, new Map([['photo_blur_faces', photoBlurFaces]]), () => {})
      assert.equal(result.entries[0]?.decisions[0], `Found 3 faces: ${kept} kept clear, ${3 - kept} blurred.`)
    }
  })

  it('without a face nothing changes, and it says so', async () => {
    await using folder = await newFolder()
    const wall = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#777777' } })
      .png()
      .toBuffer()
    const { before, after, report } = await hidden(folder, { keep: 'none' }, wall)
    assert.ok(after.data.equals(before.data))
    assert.deepEqual(report.decisions, ['No face was found, so nothing was blurred.'])
  })
})
