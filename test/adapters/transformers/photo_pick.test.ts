// photo_pick: of a burst the photo that shows everybody, sharp and well lit, and why.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import { photoFlip } from '#adapters/transformers/photo_flip.ts'
import { photoPick } from '#adapters/transformers/photo_pick.ts'
import type { JsonObject } from '#kit/json.ts'
import { scores } from '#vision/rank.ts'
import { asleep, drawnPeople } from '../../support/people.ts'
import { type Folder, look, newFolder, run } from '../../support/pictures.ts'

const places = [
  { left: 60, top: 60, side: 300 },
  { left: 420, top: 60, side: 300 },
]
const pair = () => drawnPeople(800, 400, places)
const alone = () => drawnPeople(800, 400, [{ left: 60, top: 60, side: 300 }])

async function picked(folder: Folder, photos: Buffer[], options: JsonObject = {}) {
  const [input, ...others] = await Promise.all(photos.map((bytes, i) => folder.file(`${i}.png`, bytes)))
  const assets = { photo_file_names: others }
  const result = await run(folder, input!, [{ adapter: photoPick, options, assets }])
  const data = await look(result.output.path)
  const all = await Promise.all(photos.map(bytes => sharp(bytes).raw().toBuffer()))
  return { index: all.findIndex(each => each.equals(data.data)), report: result.entries[0]! }
}

describe('photo_pick', () => {
  it('takes the sharp one, the well lit one, the one that shows everybody', async () => {
    await using folder = await newFolder()
    const good = await pair()
    const blurred = await sharp(good).blur(5).png().toBuffer()
    const dark = await sharp(good).linear(0.12, 0).png().toBuffer()
    const sharpest = await picked(folder, [blurred, good])
    assert.equal(sharpest.index, 1)
    assert.match(sharpest.report.decisions[0]!, /^Picked photo 2 of 2: .*it is the sharpest/)
    assert.equal(sharpest.report.decisions.length, 3)
    assert.match(
      sharpest.report.decisions[2]!,
      /^Photo 2: 2 faces, eyes \d+, sharpness \d+, exposure \d+ of 100, mark [\d.]+\.$/,
    )
    assert.equal(sharpest.report.seen[0]?.faces.length, 2)
    assert.equal((await picked(folder, [dark, good, dark])).index, 1)
    const together = await picked(folder, [await alone(), good, await alone()])
    assert.equal(together.index, 1)
    assert.match(together.report.decisions[0]!, /most faces are seen/)
  })

  it('takes the one with open eyes, of one guest or of several', async () => {
    await using folder = await newFolder()
    const awake = await pair()
    const both = await asleep(awake, places)
    const one = await asleep(awake, places.slice(1))
    const chosen = await picked(folder, [both, one, awake])
    assert.equal(chosen.index, 2)
    assert.match(chosen.report.decisions[0]!, /^Picked photo 3 of 3: .*eyes are open widest/)
    const eyes = chosen.report.decisions.slice(1).map(line => Number(/eyes (\d+),/.exec(line)?.[1]))
    assert.ok(eyes[0]! + 4 < eyes[1]! && eyes[1]! + 4 < eyes[2]!, String(eyes))
    assert.equal((await picked(folder, [one, both])).index, 0)
  })

  it('says nothing of eyes that are too small to tell', async () => {
    await using folder = await newFolder()
    const far = await drawnPeople(900, 600, [{ left: 400, top: 250, side: 70 }])
    const { report } = await picked(folder, [far, await sharp(far).blur(2).png().toBuffer()])
    assert.match(report.decisions[1]!, /^Photo 1: (one face|no face), sharpness/)
  })

  it('keeps the input where it is the best, and where it is alone', async () => {
    await using folder = await newFolder()
    const good = await pair()
    assert.equal((await picked(folder, [good, await sharp(good).blur(6).png().toBuffer()])).index, 0)
    const single = await picked(folder, [good])
    assert.deepEqual(
      [single.index, single.report.warnings],
      [0, ['There is one photo alone, so there was nothing to pick from.']],
    )
  })

  it('hands the one it picked on to the next entry', async () => {
    await using folder = await newFolder()
    const good = await sharp(await pair())
      .resize(600)
      .png()
      .toBuffer()
    const input = await folder.file(
      'in.png',
      await sharp(await pair())
        .blur(6)
        .png()
        .toBuffer(),
    )
    const other = await folder.file('other.png', good)
    const jobs = [
      { adapter: photoPick, options: {}, assets: { photo_file_names: [other] } },
      { adapter: photoFlip, options: { method: 'ROTATE_90' } },
    ]
    const { output } = await run(folder, input, jobs)
    assert.deepEqual([output.width, output.height], [300, 600])
  })

  it('ranks without faces where none were looked for, and by what is preferred', () => {
    const [soft, sharp] = [
      { sharpness: 20, exposure: 0.9, faces: null, eyes: null },
      { sharpness: 200, exposure: 0.8, faces: null, eyes: null },
    ]
    const marks = scores([soft, sharp], 'balanced')
    assert.ok(marks[1]! > marks[0]!)
    const face = { left: 0, top: 0, width: 9, height: 9, score: 0.9 }
    const [two, one] = [
      { sharpness: 20, exposure: 1, faces: [face, face], eyes: null },
      { sharpness: 200, exposure: 1, faces: [face], eyes: null },
    ]
    const [byFaces, bySharpness] = [scores([two, one], 'faces'), scores([two, one], 'sharp')]
    assert.ok(byFaces[0]! > byFaces[1]! && bySharpness[1]! > bySharpness[0]!)
  })
})
