// Pictures that neighbouring entries make together, and one after the other.
import assert from 'node:assert/strict'
import sharp from 'sharp'
import type { MediaFile } from '#media/file/file.ts'
import { type Case, pictureCases } from '../support/picture-cases.ts'
import { type Folder, type Job, look, newFolder, psnr, type Raw, run } from '../support/pictures.ts'

export async function melted(folder: Folder, input: MediaFile, jobs: Job[]): Promise<Raw> {
  return lookDeep((await run(folder, input, jobs)).output.path)
}

export async function oneByOne(folder: Folder, input: MediaFile, jobs: Job[]): Promise<Raw> {
  let file = input
  for (const job of jobs) file = (await run(folder, file, [job])).output
  return lookDeep(file.path)
}

/** With all the bits there are, and every frame. */
async function lookDeep(path: string): Promise<Raw> {
  const { depth } = await sharp(path).metadata()
  if (depth !== 'ushort') return look(path, { animated: true })
  const { data, info } = await sharp(path)
    .toColourspace('rgb16')
    .raw({ depth: 'ushort' })
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels: info.channels }
}

const seers = ['photo_cutout', 'photo_blur_faces', 'photo_pick']
export const looksForPeople = (pair: Case[]): boolean => pair.some(({ adapter }) => seers.includes(adapter.name))

/** Those that look for people take long: each of them is tried before and behind two that change pixels and size. */
const isCostly = (pair: Case[]): boolean =>
  looksForPeople(pair) && !pair.some(({ adapter }) => adapter.name === 'photo_flip' || adapter.name === 'photo_filter')

export async function everyPair(
  input: (folder: Folder) => Promise<MediaFile>,
  except: (pair: Case[]) => boolean = () => false,
): Promise<void> {
  await using folder = await newFolder()
  const file = await input(folder)
  const cases = await pictureCases(folder)
  for (const first of cases) {
    // What the first makes alone is the same whatever comes behind it.
    let alone: MediaFile | undefined
    for (const second of cases) {
      const pair = [first, second]
      if (except(pair) || isCostly(pair)) continue
      alone ??= (await run(folder, file, [first])).output
      const [together, apart] = [await melted(folder, file, pair), await oneByOne(folder, alone, [second])]
      const name = `${first.adapter.name} > ${second.adapter.name}`
      assert.deepEqual(
        [together.width, together.height, together.channels],
        [apart.width, apart.height, apart.channels],
        name,
      )
      assert.ok(together.data.equals(apart.data), `${name}: ${psnr(together, apart).toFixed(1)} dB`)
    }
  }
}
