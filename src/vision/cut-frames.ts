// Cuts people out of a video, frame by frame: a mask that is smoothed in time, and faces that are looked for every few frames.
import { perSecond, type Rate } from '#media/file/frame-rate.ts'
import type { Size } from '#media/file/geometry.ts'
import { type FrameWriter, type Graph, secondsOf, type VideoStream } from '#media/graph/graph.ts'
import { previewSize } from '#media/graph/video-ops.ts'
import type { Pixels } from '#media/pixels/pixels.ts'
import type { CutLook } from './compose-cutout.ts'
import { NO_FACE, NOBODY } from './cutout.ts'
import { awayFrom, shadowOf } from './edges.ts'
import { type Face, facesOnWhole, inside, scaledBy } from './faces.ts'
import { blurredGround } from './grounds.ts'
import { alphaReader, type Matte, matteOf } from './matte.ts'
import { COVERED, coverage, type Mask, maskOf, shareOf } from './people-mask.ts'

interface FrameLook extends CutLook {
  /** How far the old ground is blurred, in shares of the longer side; null where another ground is taken. */
  blur: number | null
}

interface CutFrames {
  /** Grey: white is a person. */
  people: VideoStream
  shadow: VideoStream | null
  wrap: VideoStream | null
  ground: VideoStream | null
  /** Of the moment with the most of them, in pixels of the video. */
  faces: Face[]
  /** Why the cut-out may be wrong, as the end of a sentence; null where nothing speaks against it. */
  doubt: string | null
}

/** The longest side of a frame that is looked at. */
const SIDE = 384
/** Frames a second that are looked at; of a long video fewer, but never less than the second. */
const MOST_A_SECOND = 30
const FEWEST_A_SECOND = 10
/** They lie on the disk for a while. */
const MOST_FRAMES = 1_800
export const LONGEST_SECONDS = MOST_FRAMES / FEWEST_A_SECOND

/** Faces are looked for so often. */
const CHECK_SECONDS = 0.4
/** Bodies that the whole frame does not show are looked at one by one in every frame. */
const MOST_BODIES = 4
/** Of each mask so much is new; the rest is the one before it, which takes flicker away. */
const NEW = 0.6
/** A face that is not covered at more than this share of the checks is in doubt. */
const OFTEN = 0.1

/** The rate at which frames of a video are looked at; null where it is too long. */
export function cutRate(video: VideoStream): Rate | null {
  const seconds = secondsOf(video)
  if (!(seconds <= LONGEST_SECONDS)) return null
  const most = Math.min(MOST_A_SECOND, MOST_FRAMES / seconds)
  if (perSecond(video.rate) <= most) return video.rate
  // Every second, third … frame, so that each mask belongs to a frame.
  const every = Math.ceil(perSecond(video.rate) / most)
  return { num: video.rate.num, den: video.rate.den * every }
}

export async function cutFrames(
  graph: Graph,
  video: VideoStream,
  rate: Rate,
  look: FrameLook,
  onProgress: (fraction: number) => void,
): Promise<CutFrames> {
  const small = previewSize(video, SIDE)
  const writers = await openWriters(graph, small, rate, look)
  const every = Math.max(1, Math.round(CHECK_SECONDS * perSecond(rate)))
  const all = Math.max(1, Math.round(secondsOf(video) * perSecond(rate)))
  const tally = { checks: 0, open: 0, empty: 0, most: [] as Face[] }
  let bodies: Face[] = []
  let before: Mask | null = null
  let count = 0
  try {
    for await (const pixels of graph.frames(video, small, rate)) {
      const checked = count % every === 0 ? await check(pixels, tally) : null
      if (checked) bodies = checked.bodies
      const mask = smoothed(checked?.mask ?? (await maskOf(pixels, bodies)), before)
      await writeFrame(pixels, mask, look, writers)
      before = mask
      onProgress(++count / all)
    }
  } catch (error) {
    for (const writer of Object.values(writers)) await writer?.end()
    throw error
  }
  const scale = video.width / small.width
  return {
    people: await writers.people.end(),
    shadow: (await writers.shadow?.end()) ?? null,
    wrap: (await writers.wrap?.end()) ?? null,
    ground: (await writers.ground?.end()) ?? null,
    faces: tally.most.map(face => inside(scaledBy(face, scale), video)),
    doubt: doubtOf(tally),
  }
}

interface Writers {
  people: FrameWriter
  shadow: FrameWriter | null
  wrap: FrameWriter | null
  ground: FrameWriter | null
}

async function openWriters(graph: Graph, small: Size, rate: Rate, look: FrameLook): Promise<Writers> {
  return {
    people: await graph.writer(small, 1, rate, 'people'),
    shadow: look.shadow > 0 ? await graph.writer(small, 1, rate, 'shadow') : null,
    wrap: look.wrap > 0 ? await graph.writer(small, 1, rate, 'light') : null,
    ground: look.blur === null ? null : await graph.writer(small, 3, rate, 'ground'),
  }
}

interface Tally {
  checks: number
  /** Checks with a face that stays uncovered. */
  open: number
  /** Checks without anybody. */
  empty: number
  most: Face[]
}

/** Looks for faces. `bodies`: those that the whole frame does not show, the largest first; `mask`: with them. */
async function check(pixels: Pixels, tally: Tally): Promise<{ bodies: Face[]; mask: Mask }> {
  const faces = await facesOnWhole(pixels)
  const whole = await maskOf(pixels, [])
  const lost = faces.filter(face => coverage(whole, face) < COVERED).sort((a, b) => b.width - a.width)
  const bodies = lost.slice(0, MOST_BODIES)
  const mask = bodies.length > 0 ? await maskOf(pixels, bodies) : whole
  tally.checks++
  if (lost.some(face => coverage(mask, face) < COVERED)) tally.open++
  if (faces.length === 0 && shareOf(mask) < NOBODY) tally.empty++
  if (faces.length > tally.most.length) tally.most = faces
  return { bodies, mask }
}

function doubtOf({ checks, open, empty, most }: Tally): string | null {
  if (empty === checks) return 'no person was found'
  if (most.length === 0) return NO_FACE
  if (open <= checks * OFTEN) return null
  return `a face is not covered as a whole in ${Math.round((open / checks) * 100)} % of the looks`
}

function smoothed(mask: Mask, before: Mask | null): Mask {
  if (!before) return mask
  const { alpha } = mask
  for (let i = 0; i < alpha.length; i++) alpha[i] = alpha[i]! * NEW + before.alpha[i]! * (1 - NEW) + 0.5
  return mask
}

async function writeFrame(pixels: Pixels, mask: Mask, look: FrameLook, writers: Writers): Promise<void> {
  const matte = matteOf(pixels, mask)
  const alpha = alphaOf(pixels, matte, look.softness)
  await writers.people.write(bytesOf(alpha, value => value))
  const { width, height } = pixels
  if (writers.wrap) {
    const away = awayFrom(alpha, pixels)
    await writers.wrap.write(bytesOf(alpha, (value, i) => value * away[i]! * look.wrap))
  }
  if (writers.shadow) {
    const shade = shadowOf(alpha, pixels, look)
    await writers.shadow.write(bytesOf(shade, value => value * look.shadow))
  }
  if (writers.ground && look.blur !== null)
    await writers.ground.write((await blurredGround(pixels, matte, { width, height }, look.blur)).data)
}

function alphaOf(pixels: Pixels, matte: Matte, softness: number): Float32Array {
  const { width, height } = pixels
  const read = alphaReader(matte, pixels, softness)
  const out = new Float32Array(width * height)
  for (let y = 0; y < height; y++) read(y, out.subarray(y * width, (y + 1) * width))
  return out
}

function bytesOf(values: Float32Array, share: (value: number, i: number) => number): Uint8Array {
  const out = new Uint8Array(values.length)
  for (let i = 0; i < values.length; i++) out[i] = Math.min(1, Math.max(0, share(values[i]!, i))) * 255 + 0.5
  return out
}
