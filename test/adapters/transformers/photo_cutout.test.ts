// photo_cutout: people stay, the background goes, and where that is in doubt the picture stays as it is.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import { photoCutout } from '#adapters/transformers/photo_cutout.ts'
import { photoFlip } from '#adapters/transformers/photo_flip.ts'
import { photoResize } from '#adapters/transformers/photo_resize.ts'
import type { SegmentResult } from '#engine/segment.ts'
import { isProblem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'
import { coverage, maskPeople } from '#vision/people-mask.ts'
import { drawnPeople, noPhotos, photos, turnedAway } from '../../support/people.ts'
import { type Folder, fileOf, look, newFolder, png, type Raw, run, scene } from '../../support/pictures.ts'

const at = ({ data, width, channels }: Raw, x: number, y: number): number[] => [
  ...data.subarray((y * width + x) * channels, (y * width + x + 1) * channels),
]

/** One drawn person in the middle: the face is at 200, 200. */
const person = () => drawnPeople(400, 400, [{ left: 50, top: 100, side: 300 }])

async function cut(folder: Folder, options: JsonObject, bytes?: Buffer): Promise<SegmentResult> {
  const input = await folder.file('in.png', bytes ?? (await person()))
  const beach = await folder.file('beach.png', await png(scene(80, 60)))
  const assets = options.background_file_name ? { background_file_name: [beach] } : {}
  return run(folder, input, [{ adapter: photoCutout, options, assets }])
}

describe('photo_cutout', () => {
  it('leaves the person and makes the rest transparent, a colour, a gradient, an asset or a blur', async () => {
    await using folder = await newFolder()
    const clear = await look((await cut(folder, {})).output.path)
    assert.equal(clear.channels, 4)
    assert.deepEqual([at(clear, 20, 20)[3], at(clear, 200, 240)[3], at(clear, 380, 60)[3]], [0, 255, 0])
    const original = await look((await folder.file('same.png', await person())).path)
    assert.deepEqual(at(clear, 200, 240).slice(0, 3), at(original, 200, 240))
    const red = await look((await cut(folder, { background: 'color', color: '#ff0000' })).output.path)
    assert.deepEqual(
      [at(red, 20, 20), at(red, 380, 60)],
      [
        [255, 0, 0],
        [255, 0, 0],
      ],
    )
    const fade = { background: 'gradient', color: '#000000', color_to: '#ffffff', angle: 90 }
    const gradient = await look((await cut(folder, fade)).output.path)
    assert.ok(at(gradient, 3, 20)[0]! < 6 && at(gradient, 396, 20)[0]! > 249)
    const asset = await look((await cut(folder, { background_file_name: 'beach' })).output.path)
    assert.ok(at(asset, 4, 4)[0]! < 40 && at(asset, 395, 4)[0]! > 180, 'the scene grows redder to the right')
    const blurred = await look((await cut(folder, { background: 'blur' })).output.path)
    assert.deepEqual(at(blurred, 20, 20), at(original, 20, 20), 'a plain wall stays one')
  })

  it('a colour behind them may let through, also in a gradient; a JPEG shows it on white', async () => {
    await using folder = await newFolder()
    const half = { background: 'color', color: '#ff000080', shadow: 0.5, shadow_x: 8 }
    const red = await look((await cut(folder, half)).output.path)
    assert.deepEqual([at(red, 20, 20), at(red, 200, 240)[3]], [[255, 0, 0, 128], 255])
    const opaque = await look((await cut(folder, { ...half, color: '#ff0000' })).output.path)
    assert.deepEqual(at(red, 200, 240).slice(0, 3), at(opaque, 200, 240), 'nothing of the person changes')
    const onto = (value: number, alpha: number): number => (value * alpha + 255 * (255 - alpha)) / 255
    let shaded = 0
    for (let x = 0; x < 400; x++) {
      const [[r, , , alpha], [solid]] = [at(red, x, 200), at(opaque, x, 200)] as [number[], number[]]
      assert.ok(alpha! >= 128, `${x}: a shadow or a person only adds to it`)
      if (alpha! > 130 && alpha! < 250 && r! < 250 && solid! < 250) shaded++
    }
    assert.ok(shaded > 10, `${shaded} pixels of shadow`)
    const fade = { background: 'gradient', color: '#0000ff00', color_to: '#ff0000', angle: 90 }
    const gradient = await look((await cut(folder, fade)).output.path)
    const near = (x: number, ...expected: number[]): void =>
      at(gradient, x, 20).forEach(
        (value, i) => void assert.ok(Math.abs(value - expected[i]!) <= 2, `${x}: ${at(gradient, x, 20)}`),
      )
    // As CSS does it: what cannot be seen gives no colour.
    near(100, 255, 0, 0, 64)
    near(300, 255, 0, 0, 192)
    const photo = await folder.file(
      'in.jpg',
      await sharp(await person())
        .jpeg()
        .toBuffer(),
    )
    const flat = await run(folder, photo, [
      { adapter: photoCutout, options: { background: 'color', color: '#ff000080' } },
    ])
    assert.equal(flat.output.mime, 'image/jpeg')
    assert.match(flat.entries[0]!.decisions.join(' '), /Transparent parts became white\./)
    const pink = at(await look(flat.output.path), 20, 20)
    for (const [i, value] of [255, onto(0, 128), onto(0, 128)].entries())
      assert.ok(Math.abs(pink[i]! - value) <= 3, `${pink}`)
  })

  it('shows the mask alone: white where it keeps, black where it cuts, grey at edges, also where it is in doubt', async () => {
    await using folder = await newFolder()
    const result = await cut(folder, { background: 'mask' })
    assert.deepEqual(result.entries[0]?.decisions, ['The mask of people with one face.'])
    const mask = await look(result.output.path)
    const clear = await look((await cut(folder, {})).output.path)
    assert.equal(mask.channels, 3)
    assert.deepEqual([at(mask, 20, 20), at(mask, 200, 240)].flat(), [0, 0, 0, 255, 255, 255])
    const alphas = Array.from({ length: 400 }, (_, x) => [at(mask, x, 200)[0]!, at(clear, x, 200)[3]!] as const)
    assert.ok(alphas.some(([grey]) => grey > 20 && grey < 235))
    for (const [grey, alpha] of alphas) assert.ok(Math.abs(grey - alpha) <= 2, `${grey} ${alpha}`)
    const nobody = await folder.file('wall.png', await png(scene(200, 100)))
    const empty = await run(folder, nobody, [{ adapter: photoCutout, options: { background: 'mask' } }])
    assert.match(empty.entries[0]?.decisions[0] ?? '', /^The mask: no/)
    assert.ok(Math.max(...(await look(empty.output.path)).data) < 60)
  })

  it('a shadow darkens the background beside the person and nothing of the person', async () => {
    await using folder = await newFolder()
    const white = { background: 'color', color: '#ffffff', light_wrap: 0 }
    const [plain, dark] = [
      await cut(folder, white),
      await cut(folder, { ...white, shadow: 0.8, shadow_x: 8, shadow_y: 0 }),
    ]
    const [before, after] = [await look(plain.output.path), await look(dark.output.path)]
    assert.deepEqual(at(after, 200, 240), at(before, 200, 240))
    const darker = Array.from({ length: 400 }, (_, x) => at(before, x, 200)[0]! - at(after, x, 200)[0]!)
    assert.ok(Math.max(...darker) > 60)
  })

  it('a JPEG without a background becomes a PNG, and says so', async () => {
    await using folder = await newFolder()
    const input = await folder.file(
      'in.jpg',
      await sharp(await person())
        .jpeg()
        .toBuffer(),
    )
    const { output, entries } = await run(folder, input, [{ adapter: photoCutout, options: {} }])
    assert.equal(output.mime, 'image/png')
    assert.deepEqual(entries[0]?.decisions, [
      'Cut out people with one face.',
      'A JPEG cannot be transparent, so the result is a PNG.',
    ])
    assert.equal(entries[0]?.seen[0]?.faces.length, 1)
  })

  it('where nobody is, it keeps the picture, fails or goes on, as it was told', async () => {
    await using folder = await newFolder()
    const wall = await png(scene(300, 200))
    const kept = await cut(folder, { background: 'color' }, wall)
    assert.deepEqual((await look(kept.output.path)).data, scene(300, 200).data)
    assert.deepEqual(kept.entries[0]?.decisions, ['No person was found, so the picture keeps its background.'])
    await assert.rejects(cut(folder, { on_doubt: 'fail' }, wall), (error: unknown) =>
      isProblem(error, 'people_unclear'),
    )
    const gone = await cut(folder, { background: 'color', color: '#ff0000', on_doubt: 'go_on' }, wall)
    assert.deepEqual(gone.entries[0]?.warnings, ['No person was found; what there is was cut out.'])
  })

  it('a mask without a face is in doubt: it may be anything', async () => {
    await using folder = await newFolder()
    const behind = await turnedAway(await person(), [{ left: 50, top: 100, side: 300 }])
    const mask = await look((await cut(folder, { background: 'mask' }, behind)).output.path)
    assert.ok(at(mask, 200, 340)[0]! > 200, 'there is a mask')
    const kept = await cut(folder, { background: 'color' }, behind)
    assert.deepEqual(kept.entries[0]?.decisions, ['No face was found, so the picture keeps its background.'])
    assert.deepEqual((await look(kept.output.path)).data, (await look((await folder.file('b.png', behind)).path)).data)
    await assert.rejects(cut(folder, { on_doubt: 'fail' }, behind), (error: unknown) =>
      isProblem(error, 'people_unclear'),
    )
    const gone = await cut(folder, { on_doubt: 'go_on' }, behind)
    assert.deepEqual(gone.entries[0]?.warnings, ['No face was found; what there is was cut out.'])
    const clear = await look(gone.output.path)
    assert.deepEqual([at(clear, 20, 20)[3], at(clear, 200, 340)[3]], [0, 255])
  })

  it('in an animation a face of one frame is enough, as long as there is somebody in each', async () => {
    await using folder = await newFolder()
    const turned = await turnedAway(await person(), [{ left: 50, top: 100, side: 300 }])
    const roll = async (...frames: Buffer[]): Promise<Buffer> => {
      const raw = await Promise.all(frames.map(frame => sharp(frame).resize(200).raw().toBuffer()))
      const shape = { width: 200, height: 200 * frames.length, channels: 3, pageHeight: 200 } as const
      return sharp(Buffer.concat(raw), { raw: shape }).webp({ lossless: true }).toBuffer()
    }
    const decisions = async (...frames: Buffer[]): Promise<string[] | undefined> =>
      (await cut(folder, { background: 'color' }, await roll(...frames))).entries[0]?.decisions
    assert.deepEqual(await decisions(turned, await person()), ['Cut out people with one face.'])
    const wall = await drawnPeople(400, 400, [])
    assert.match((await decisions(wall, await person()))![0]!, /^No person was found, so/)
  })

  it('takes part in a melted run: one decode, one encode', async () => {
    await using folder = await newFolder()
    const input = await folder.file('in.png', await person())
    const jobs = [
      { adapter: photoResize, options: { width: 300 } },
      { adapter: photoCutout, options: { background: 'color', color: '#00ff00' } },
      { adapter: photoFlip, options: { method: 'FLIP_LEFT_RIGHT' } },
    ]
    const { output, entries } = await run(folder, input, jobs)
    assert.deepEqual(at(await look(output.path), 10, 10), [0, 255, 0])
    assert.deepEqual(
      entries.map(({ facts }) => facts?.bytes === 0),
      [true, true, false],
    )
  })

  it('every frame of an animation is cut, and too many are refused', async () => {
    await using folder = await newFolder()
    const frame = await sharp(await person())
      .resize(200)
      .removeAlpha()
      .raw()
      .toBuffer()
    const roll = (count: number) =>
      sharp(Buffer.concat(Array.from({ length: count }, (_, i) => frame.map(value => Math.min(255, value + 12 * i)))), {
        raw: { width: 200, height: 200 * count, channels: 3, pageHeight: 200 },
      })
    const input = await folder.file(
      'in.webp',
      await roll(2)
        .webp({ lossless: true, delay: [80, 80] })
        .toBuffer(),
    )
    const { output } = await run(folder, input, [{ adapter: photoCutout, options: {} }])
    const raw = await look(output.path, { animated: true })
    assert.deepEqual([output.frames, at(raw, 5, 5)[3], at(raw, 5, 205)[3], at(raw, 100, 320)[3]], [2, 0, 0, 255])
    const many = Buffer.concat(Array.from({ length: 101 }, (_, i) => Buffer.alloc(8 * 8 * 3, (i * 53) % 256)))
    const long = sharp(many, { raw: { width: 8, height: 808, channels: 3, pageHeight: 8 } })
    const file = await folder.file('long.webp', await long.webp({ lossless: true }).toBuffer())
    await assert.rejects(run(folder, file, [{ adapter: photoCutout, options: {} }]), (error: unknown) =>
      isProblem(error, 'too_many_frames'),
    )
  })

  it('covers every face of photos, also where the whole frame alone would lose one', { skip: noPhotos }, async () => {
    await using folder = await newFolder()
    for (const { path, width, faces } of photos.slice(0, 4)) {
      const { output, entries } = await run(folder, await fileOf(path), [
        { adapter: photoResize, options: { width: 960 } },
        { adapter: photoCutout, options: { on_doubt: 'fail' } },
      ])
      const raw = await look(output.path)
      for (const [x, y] of faces)
        assert.ok(at(raw, Math.round((x * 960) / width), Math.round((y * 960) / width))[3]! > 250, path)
      assert.equal(entries[1]?.seen[0]?.faces.length, faces.length)
    }
  })
})

describe('the mask of people', () => {
  it('tells how much of a face is covered', async () => {
    const { data, info } = await sharp(await person())
      .raw()
      .toBuffer({ resolveWithObject: true })
    const pixels = { data, width: info.width, height: info.height, channels: 3, depth: 8 } as const
    const face = { left: 140, top: 195, width: 115, height: 115 }
    const wall = { left: 5, top: 5, width: 60, height: 60 }
    const mask = await maskPeople(pixels, [face, wall])
    assert.ok(mask.covered[0]! > 0.95 && mask.covered[1]! < 0.05, `${mask.covered}`)
    assert.equal(coverage(mask, { left: -50, top: -50, width: 10, height: 10 }), 0)
  })
})
