// Tells how far eyes are open, from points on the lids. Good for holding photos of the same people against each other, and for nothing else.
import type { Rect } from '#media/file/geometry.ts'
import type { Pixels } from '#media/pixels/pixels.ts'
import { type Face, sideOf } from './faces.ts'
import { sampled } from './fields.ts'
import { runModel } from './runtime.ts'

/** Side of the model's input, in whose pixels it answers. */
const SIDE = 192
/** The model wants a face with hair and chin: so much more than the box around it. */
const AROUND = 1.6
/** Below this side in pixels lids are guessed. */
const LEAST = 40
const MOST_FACES = 12
/** The model says how sure it is that there is a face at all. */
const SURE = 0.5

/** Of the 468 points: the corners of an eye, and two pairs on its upper and lower lid. */
const eyes = [
  { corners: [33, 133], lids: [160, 144, 158, 153] },
  { corners: [362, 263], lids: [385, 380, 387, 373] },
] as const

/** The mean over the largest faces: about 0.3 open, 0.2 or less closed. Null where no face is large enough. */
export async function eyesOpen(pixels: Pixels, faces: readonly Face[]): Promise<number | null> {
  const seen: number[] = []
  for (const face of faces.filter(each => sideOf(each) >= LEAST).slice(0, MOST_FACES)) {
    const open = await lidsOf(pixels, around(face, pixels))
    if (open !== null) seen.push(open)
  }
  return seen.length === 0 ? null : seen.reduce((sum, each) => sum + each, 0) / seen.length
}

function around({ left, top, width, height }: Rect, { width: across, height: down }: Pixels): Rect {
  const side = Math.max(width, height) * AROUND
  const [x, y] = [left + width / 2 - side / 2, top + height / 2 - side / 2]
  const from = { left: Math.max(0, Math.round(x)), top: Math.max(0, Math.round(y)) }
  return {
    ...from,
    width: Math.min(across, Math.round(x + side)) - from.left,
    height: Math.min(down, Math.round(y + side)) - from.top,
  }
}

/** How far the lids are apart, against the width of the eye. */
async function lidsOf(pixels: Pixels, part: Rect): Promise<number | null> {
  const outputs = await runModel('points', sampled(pixels, part, { side: SIDE, factor: 1 / 255, offset: 0 }))
  const [points] = outputs.filter(({ length }) => length === 468 * 3)
  const [sure] = outputs.filter(({ length }) => length === 1)
  if (!points || !sure || 1 / (1 + Math.exp(-sure[0]!)) < SURE) return null
  const apart = (one: number, other: number): number =>
    Math.hypot(
      (points[one * 3]! - points[other * 3]!) * part.width,
      (points[one * 3 + 1]! - points[other * 3 + 1]!) * part.height,
    )
  const open = eyes.map(
    ({ corners, lids }) =>
      (apart(lids[0], lids[1]) + apart(lids[2], lids[3])) / (2 * Math.max(1e-6, apart(corners[0], corners[1]))),
  )
  return (open[0]! + open[1]!) / 2
}
