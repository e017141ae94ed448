// Faces in real photos and in what is no photo: found, kept whole by every adapter that cuts, and never a crash.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import { photoCollage } from '#adapters/transformers/photo_collage.ts'
import { photoCompositor } from '#adapters/transformers/photo_compositor.ts'
import { photoCrop } from '#adapters/transformers/photo_crop.ts'
import { photoResize } from '#adapters/transformers/photo_resize.ts'
import type { Rect } from '#media/file/geometry.ts'
import { Picture } from '#media/picture/picture.ts'
import { faceWindow } from '#vision/face-window.ts'
import { type Face, findFaces } from '#vision/faces.ts'
import { drawnPeople, holds, noPhotos, type PeoplePhoto, photos } from '../support/people.ts'
import { fileOf, limits, newFolder, run } from '../support/pictures.ts'

const found = new Map<string, Promise<Face[]>>()

/** Each photo is looked at once. */
function facesOf({ path }: PeoplePhoto): Promise<Face[]> {
  const faces =
    found.get(path) ??
    fileOf(path)
      .then(file => Picture.open(file, limits))
      .then(picture => findFaces(picture))
  found.set(path, faces)
  return faces
}

describe('photos of people', { skip: noPhotos }, () => {
  it('every face is found, and nothing else', async () => {
    for (const photo of photos) {
      const faces = await facesOf(photo)
      assert.equal(faces.length, photo.faces.length, photo.path)
      for (const middle of photo.faces)
        assert.equal(faces.filter(face => holds(face, middle)).length, 1, `${photo.path} ${middle}`)
    }
  })

  it('of the faces that fit into a crop at least 98 % are whole in it', async () => {
    let [fitting, whole] = [0, 0]
    for (const photo of photos) {
      const faces = await facesOf(photo)
      for (const shape of [1, 4 / 5, 9 / 16, 2 / 3]) {
        const size = { width: Math.round(photo.height * shape), height: photo.height }
        const inside = (left: number): number =>
          faces.filter(face => face.left >= left && face.left + face.width <= left + size.width).length
        const lefts = Array.from({ length: photo.width - size.width + 1 }, (_, left) => inside(left))
        fitting += Math.max(...lefts)
        whole += inside(faceWindow(faces, photo, size).left)
      }
    }
    assert.ok(whole >= fitting * 0.98, `${whole} of ${fitting}`)
  })

  it('small faces are found by tiles', async () => {
    const [{ path, faces }] = [photos[2]!]
    await using folder = await newFolder()
    const small = await sharp(path).resize(400).toBuffer()
    const { width = 0, height = 0 } = await sharp(small).metadata()
    const field = sharp({ create: { width: 1600, height: 1100, channels: 3, background: '#5a6b52' } })
    const input = await folder.file(
      'far.png',
      await field
        .composite([{ input: small, left: 1150, top: 700 }])
        .png()
        .toBuffer(),
    )
    const seen = await findFaces(await Picture.open(input, limits), 'thorough')
    assert.equal(seen.length, 3)
    for (const [x, y] of faces) {
      const middle = [1150 + (x * width) / 1920, 700 + (y * height) / 1350] as const
      assert.ok(
        seen.some(face => holds(face, middle)),
        `${middle}`,
      )
    }
  })
})

/** Two people at the right of a wide sheet. */
const pair = () =>
  drawnPeople(1400, 400, [
    { left: 900, top: 90, side: 260 },
    { left: 1130, top: 90, side: 260 },
  ])
const faces: Rect[] = [
  { left: 985, top: 175, width: 90, height: 90 },
  { left: 1215, top: 175, width: 90, height: 90 },
]

describe('gravity faces', () => {
  it('photo_crop, photo_resize, photo_collage and a photo layer keep both faces; the defaults do not', async () => {
    await using folder = await newFolder()
    const input = await folder.file('in.png', await pair())
    const cell = { x: 0, y: 0, width: 400, height: 400 }
    const jobs = [
      { adapter: photoCrop, options: { aspect: '1:1' }, plain: 'center' },
      { adapter: photoResize, options: { width: 400, height: 400 }, plain: 'center' },
      { adapter: photoCollage, options: { layout: 'custom', width: 400, height: 400, cells: [cell] }, plain: 'center' },
    ]
    for (const { adapter, options, plain } of jobs) {
      const seen = await run(folder, input, [{ adapter, options: { ...options, gravity: 'faces' } }])
      assert.ok(await shows(seen.output.path), adapter.name)
      assert.deepEqual(seen.entries[0]?.decisions.slice(0, 1), ['Found 2 faces.'], adapter.name)
      assert.equal(seen.entries[0]?.seen[0]?.faces.length, 2)
      const middle = await run(folder, input, [{ adapter, options: { ...options, gravity: plain } }])
      assert.ok(!(await shows(middle.output.path)), adapter.name)
      assert.deepEqual(middle.entries[0]?.seen, [])
    }
    const canvas = { width: 400, height: 400, background: '#ffffff' }
    const layer = { type: 'photo', gravity: 'faces' }
    const composed = await run(folder, input, [{ adapter: photoCompositor, options: { canvas, layers: [layer] } }])
    assert.ok(await shows(composed.output.path))
  })

  it('without a face attention decides, and says so', async () => {
    await using folder = await newFolder()
    const plain = await sharp({ create: { width: 600, height: 200, channels: 3, background: '#445566' } })
      .png()
      .toBuffer()
    const input = await folder.file('plain.png', plain)
    const options = { aspect: '1:1', gravity: 'faces' }
    const { entries, output } = await run(folder, input, [{ adapter: photoCrop, options }])
    assert.deepEqual([output.width, output.height], [200, 200])
    assert.deepEqual(entries[0]?.decisions, ['No face was found, so `attention` decided what is kept.'])
    assert.deepEqual(entries[0]?.seen, [{ width: 600, height: 200, faces: [] }])
  })

  it('looks for nobody where nothing is cut off', async () => {
    await using folder = await newFolder()
    const input = await folder.file('in.png', await pair())
    const options = { width: 700, height: 200, gravity: 'faces' }
    const { entries } = await run(folder, input, [{ adapter: photoResize, options }])
    assert.deepEqual([entries[0]?.decisions, entries[0]?.seen], [[], []])
  })

  it('takes one pixel, a line, CMYK, an animation and 150 megapixels, in bounded time', async () => {
    await using folder = await newFolder()
    const grey = (width: number, height: number) =>
      sharp({ create: { width, height, channels: 3, background: '#808080' } })
    const roll = await sharp(
      await drawnPeople(600, 400, [
        { left: 350, top: 0, side: 200 },
        { left: 350, top: 200, side: 200 },
      ]),
    )
      .raw()
      .toBuffer()
    const moving = sharp(roll, { raw: { width: 600, height: 400, channels: 3, pageHeight: 200 } })
    const inputs = {
      'one.png': await grey(1, 1).png().toBuffer(),
      'line.png': await grey(3000, 1).png().toBuffer(),
      'cmyk.jpg': await sharp(await pair())
        .toColourspace('cmyk')
        .jpeg()
        .toBuffer(),
      'moving.gif': await moving.gif({ delay: [100, 100] }).toBuffer(),
      'huge.jpg': await grey(15_000, 10_000).jpeg().toBuffer(),
    }
    for (const [name, bytes] of Object.entries(inputs)) {
      const input = await folder.file(name, bytes)
      const spent = process.cpuUsage()
      const { output, entries } = await run(folder, input, [
        { adapter: photoResize, options: { width: 100, height: 100, gravity: 'faces', enlarge: true } },
      ])
      const { user, system } = process.cpuUsage(spent)
      assert.deepEqual([output.width, output.height], [100, 100], name)
      assert.ok((user + system) / 1e6 < 10, `${name} took ${(user + system) / 1e6} s`)
      const expected = { 'cmyk.jpg': 2, 'moving.gif': 1 }[name] ?? 0
      assert.equal(entries[0]?.seen[0]?.faces.length ?? 0, expected, name)
    }
  })
})

/** Whether the dark hair of both people is in the 400 × 400 pixels, a distance of 230 apart. */
async function shows(path: string): Promise<boolean> {
  const { data, info } = await sharp(path).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const columns = Array.from({ length: info.width }, (_, x) => {
    const at = (Math.round(info.height * 0.375) * info.width + x) * 3
    return data[at]! < 90 && data[at + 2]! < 60
  })
  const first = columns.indexOf(true)
  const last = columns.lastIndexOf(true)
  return info.width === 400 && first > 5 && last < 394 && last - first > faces[1]!.left - faces[0]!.left
}
