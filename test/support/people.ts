// Photos of people for tests: those that a development package ships, with the faces that a person sees in them.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import type { Rect } from '#media/file/geometry.ts'
import { drawnPerson } from '#vision/sight-check.ts'
import { root } from './markdown.ts'

export interface PeoplePhoto {
  path: string
  width: number
  height: number
  /** The middle of every face that can be seen. */
  faces: readonly (readonly [x: number, y: number])[]
}

const shipped = (name: string): string =>
  fileURLToPath(new URL(`node_modules/@vladmandic/face-api/demo/${name}`, `file://${root}`))

/** Looked at one by one. They are used where they lie and never copied into the project. */
export const photos: readonly PeoplePhoto[] = [
  {
    path: shipped('sample1.jpg'),
    width: 1920,
    height: 1280,
    faces: [
      [483, 489],
      [924, 559],
      [1551, 332],
    ],
  },
  {
    path: shipped('sample2.jpg'),
    width: 1920,
    height: 1367,
    faces: [
      [407, 266],
      [996, 341],
      [1528, 289],
    ],
  },
  {
    path: shipped('sample3.jpg'),
    width: 1920,
    height: 1350,
    faces: [
      [678, 464],
      [1165, 375],
      [1598, 450],
    ],
  },
  {
    path: shipped('sample4.jpg'),
    width: 1920,
    height: 1448,
    faces: [
      [344, 329],
      [738, 196],
      [1040, 306],
      [1342, 280],
    ],
  },
  {
    path: shipped('sample5.jpg'),
    width: 1920,
    height: 1398,
    faces: [
      [470, 1031],
      [867, 226],
      [719, 548],
      [1183, 314],
      [1482, 532],
    ],
  },
  {
    path: shipped('sample6.jpg'),
    width: 1920,
    height: 1537,
    faces: [
      [364, 638],
      [758, 491],
      [1280, 460],
      [1572, 418],
    ],
  },
]

/** Why tests with photos are left out; false where they can run. */
export const noPhotos: string | false = photos.every(({ path }) => existsSync(path))
  ? false
  : 'the photos of @vladmandic/face-api are not installed'

/** A drawn person of `side` pixels at each place of a plain canvas. */
export async function drawnPeople(
  width: number,
  height: number,
  places: readonly { left: number; top: number; side: number }[],
): Promise<Buffer> {
  const { pixels } = await drawnPerson()
  const raw = { width: pixels.width, height: pixels.height, channels: 3 } as const
  const layers = await Promise.all(
    places.map(async ({ left, top, side }) => ({
      input: await sharp(pixels.data, { raw }).resize(side, side).png().toBuffer(),
      left,
      top,
    })),
  )
  return sharp({ create: { width, height, channels: 3, background: '#8b97a3' } })
    .composite(layers)
    .removeAlpha()
    .png({ compressionLevel: 1 })
    .toBuffer()
}

export const holds = ({ left, top, width, height }: Rect, [x, y]: readonly [number, number]): boolean =>
  x >= left && x < left + width && y >= top && y < top + height
