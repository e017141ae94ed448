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
  /** Of a face that is seen from the side: the part of its box that it fills. */
  profile?: readonly [number, number, number, number]
  /** Places where nobody is: left, top, right and bottom. */
  grounds: readonly (readonly [number, number, number, number])[]
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
    grounds: [
      [0, 0, 330, 570],
      [780, 0, 1320, 210],
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
    profile: [395, 190, 480, 330],
    grounds: [
      [0, 0, 300, 255],
      [1800, 0, 1920, 180],
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
    grounds: [
      [0, 0, 210, 510],
      [450, 0, 1020, 180],
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
    grounds: [[1650, 0, 1920, 720]],
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
    grounds: [
      [0, 0, 240, 690],
      [1320, 0, 1890, 210],
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
    grounds: [
      [0, 0, 150, 330],
      [420, 0, 645, 135],
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

/** Lids over the eyes of a drawn person, whose drawing is 192 pixels wide. */
const lids = (x: number): string =>
  `<ellipse cx="${x}" cy="87" rx="10" ry="7" fill="#dba985"/><path d="M${x - 7} 89Q${x} 92 ${x + 7} 89" stroke="#3a2417" stroke-width="1.6" fill="none"/>`

/** The same people with their eyes closed. */
export async function asleep(
  drawn: Buffer,
  people: readonly { left: number; top: number; side: number }[],
): Promise<Buffer> {
  const closed = people.map(({ left, top, side }) => ({
    input: Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}" viewBox="0 0 192 192"><defs><filter id="s"><feGaussianBlur stdDeviation=".8"/></filter></defs><g filter="url(#s)">${lids(80)}${lids(112)}</g></svg>`,
    ),
    left,
    top,
  }))
  return sharp(drawn).composite(closed).removeAlpha().png().toBuffer()
}

/** The same people from behind: hair where their faces were. */
export async function turnedAway(
  drawn: Buffer,
  people: readonly { left: number; top: number; side: number }[],
): Promise<Buffer> {
  const hair = people.map(({ left, top, side }) => ({
    input: Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}" viewBox="0 0 192 192"><defs><filter id="s"><feGaussianBlur stdDeviation="1.3"/></filter></defs><ellipse cx="96" cy="87" rx="41" ry="53" fill="#2d1c12" filter="url(#s)"/></svg>`,
    ),
    left,
    top,
  }))
  return sharp(drawn).composite(hair).removeAlpha().png().toBuffer()
}
