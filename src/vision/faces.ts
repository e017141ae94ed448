// Finds faces in a picture: on the whole frame, and on overlapping tiles where faces may be small.
import type { Rect, Size } from '#media/file/geometry.ts'
import type { Picture } from '#media/picture/picture.ts'
import { flattened, type Pixels, to8 } from '#media/pixels/pixels.ts'
import { sampled } from './fields.ts'
import { runModel } from './runtime.ts'

/** A box around brows, cheeks and chin, in pixels of the picture. */
export interface Face extends Rect {
  /** 0 to 1: how sure the model is. */
  score: number
}

/** `usual`: tiles only where the whole frame shows nothing or only small faces. `thorough`: also faces of a few dozen pixels. */
type Effort = 'usual' | 'thorough'

/** Side of the model's input, and of its grid of cells. */
const SIDE = 192
const CELLS = 48
/** Numbers of each cell: a box, and six points that are not used. */
const NUMBERS = 16

const SURE = 0.5
/** Tiles show hands and folds as large as faces. */
const SURE_IN_TILE = 0.6
/** Two boxes that share more than this are one face. */
const SAME = 0.3

/** The longest side of what is looked at whole. libjpeg decodes a photo of a phone at an eighth or a quarter for it. */
const WHOLE = 320
/** The same for tiles. */
const TILED: Record<Effort, number> = { usual: 768, thorough: 1600 }
/** The side of a tile, of which a third overlaps its neighbour. */
const TILE: Record<Effort, number> = { usual: 384, thorough: 320 }
const MOST_TILES = 48

/** Faces below this share of the longer side may have neighbours that the whole frame does not show. */
const SMALL = 0.07

/** A picture made smaller, and by how much. */
export interface Preview {
  pixels: Pixels
  factor: number
}

/** The largest first. `shown`: a preview that the caller has anyway, of at least the size that is looked at whole. */
export async function findFaces(picture: Picture, effort: Effort = 'usual', shown?: Preview): Promise<Face[]> {
  const { pixels, factor } = shown ?? (await preview(picture, WHOLE))
  const found = (await facesOnWhole(pixels)).map(face => scaledBy(face, 1 / factor))
  const longest = Math.max(picture.width, picture.height)
  const largest = Math.max(0, ...found.map(sideOf))
  if (effort === 'thorough' || largest < longest * SMALL) found.push(...(await facesOnTiles(picture, effort)))
  return merged(found)
    .map(face => inside(face, picture))
    .sort((a, b) => sideOf(b) - sideOf(a))
}

/** One look at all of it: faces of a twentieth of the longer side or more. */
export const facesOnWhole = (pixels: Pixels): Promise<Face[]> =>
  look(pixels, { left: 0, top: 0, width: pixels.width, height: pixels.height }, SURE)

async function facesOnTiles(picture: Picture, effort: Effort): Promise<Face[]> {
  const { pixels, factor } = await preview(picture, TILED[effort])
  const found: Face[] = []
  for (const tile of tilesOf(pixels, TILE[effort])) found.push(...(await look(pixels, tile, SURE_IN_TILE)))
  return found.map(face => scaledBy(face, 1 / factor))
}

export const scaledBy = ({ left, top, width, height, score }: Face, factor: number): Face => ({
  left: left * factor,
  top: top * factor,
  width: width * factor,
  height: height * factor,
  score,
})

/** Whole pixels of the picture. */
export function inside({ left, top, width, height, score }: Face, picture: Size): Face {
  const [x0, y0] = [bounded(left, 0, picture.width - 1), bounded(top, 0, picture.height - 1)]
  return {
    left: x0,
    top: y0,
    width: bounded(left + width, x0 + 1, picture.width) - x0,
    height: bounded(top + height, y0 + 1, picture.height) - y0,
    score: Math.round(score * 1000) / 1000,
  }
}

const bounded = (value: number, least: number, most: number): number =>
  Math.min(Math.max(Math.round(value), least), most)

/** The first frame, opaque, with 8 bits, at most so long. */
export async function preview(picture: Picture, longest: number): Promise<Preview> {
  const factor = Math.min(1, longest / Math.max(picture.width, picture.height))
  const size = {
    width: Math.max(1, Math.round(picture.width * factor)),
    height: Math.max(1, Math.round(picture.height * factor)),
  }
  const [pixels] = await (await picture.firstFrame().resize(size)).pixels()
  return { pixels: flattened(to8(pixels!)), factor }
}

export const sideOf = ({ width, height }: Size): number => Math.sqrt(width * height)

/** Even steps over the picture, so that the last tile is no narrower than the others. */
export function tilesOf({ width, height }: Size, wanted: number): Rect[] {
  const shortest = Math.min(width, height)
  // A picture that is hardly larger than a tile has been looked at already.
  if (Math.max(width, height) < wanted * 1.2) return []
  let side = Math.min(wanted, Math.max(shortest, 1))
  const steps = (length: number): number => Math.max(1, Math.ceil((length - side / 3) / ((side * 2) / 3)))
  while (steps(width) * steps(height) > MOST_TILES) side *= 1.1
  const starts = (length: number): number[] => {
    const count = steps(length)
    const free = Math.max(0, length - side)
    return Array.from({ length: count }, (_, i) => Math.floor(count === 1 ? free / 2 : (free * i) / (count - 1)))
  }
  const size = { width: Math.min(width, Math.ceil(side)), height: Math.min(height, Math.ceil(side)) }
  return starts(height).flatMap(top =>
    starts(width).map(left => ({
      left: Math.min(left, width - size.width),
      top: Math.min(top, height - size.height),
      ...size,
    })),
  )
}

/** Runs the model on a part of the picture. */
async function look(pixels: Pixels, part: Rect, sure: number): Promise<Face[]> {
  const isWhole = part.width === pixels.width && part.height === pixels.height
  const input = sampled(pixels, part, { side: SIDE, filled: within(part, SIDE), factor: 1 / 127.5, offset: -1 })
  const [boxes, scores] = await runModel('faces', input)
  const scale = Math.max(part.width, part.height)
  const inset = { x: (scale - part.width) / 2, y: (scale - part.height) / 2 }
  const found: Face[] = []
  for (let cell = 0; cell < CELLS * CELLS; cell++) {
    const score = 1 / (1 + Math.exp(-scores![cell]!))
    if (!(score >= sure)) continue
    const at = cell * NUMBERS
    const across = boxes![at]! / SIDE + ((cell % CELLS) + 0.5) / CELLS
    const down = boxes![at + 1]! / SIDE + (Math.floor(cell / CELLS) + 0.5) / CELLS
    const width = (boxes![at + 2]! / SIDE) * scale
    const height = (boxes![at + 3]! / SIDE) * scale
    const face = {
      left: part.left + across * scale - inset.x - width / 2,
      top: part.top + down * scale - inset.y - height / 2,
      width,
      height,
      score,
    }
    if (width > 0 && height > 0 && (isWhole || isWellInside(face, part, pixels))) found.push(face)
  }
  return merged(found)
}

/** Where a part lies in the middle of a square, as large as it fits. */
function within({ width, height }: Size, side: number): Rect {
  const scale = side / Math.max(width, height)
  const size = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
  return { left: Math.floor((side - size.width) / 2), top: Math.floor((side - size.height) / 2), ...size }
}

/** A face at the edge of a tile is cut in two; the neighbour shows all of it. */
function isWellInside(face: Rect, part: Rect, whole: Size): boolean {
  const slack = face.width * 0.1
  return (
    (part.left === 0 || face.left > part.left + slack) &&
    (part.top === 0 || face.top > part.top + slack) &&
    (part.left + part.width >= whole.width || face.left + face.width < part.left + part.width - slack) &&
    (part.top + part.height >= whole.height || face.top + face.height < part.top + part.height - slack)
  )
}

/** Boxes of one face become one, each weighing as much as the model is sure of it. */
export function merged(faces: readonly Face[]): Face[] {
  const left = faces.toSorted((a, b) => b.score - a.score)
  const found: Face[] = []
  while (left.length > 0) {
    const best = left[0]!
    const same = left.filter(face => face === best || isSame(best, face))
    const weight = same.reduce((sum, { score }) => sum + score, 0)
    const mean = (value: (face: Face) => number): number =>
      same.reduce((sum, face) => sum + value(face) * face.score, 0) / weight
    found.push({
      left: mean(face => face.left),
      top: mean(face => face.top),
      width: mean(face => face.width),
      height: mean(face => face.height),
      score: best.score,
    })
    for (const face of same) left.splice(left.indexOf(face), 1)
  }
  return found
}

function isSame(a: Rect, b: Rect): boolean {
  const shared = overlap(a, b)
  const [one, other] = [a.width * a.height, b.width * b.height]
  return shared / (one + other - shared) > SAME || shared / Math.min(one, other) > 0.7
}

export function overlap(a: Rect, b: Rect): number {
  const across = Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left)
  const down = Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top)
  return Math.max(0, across) * Math.max(0, down)
}
