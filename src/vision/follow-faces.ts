// Plans how a window moves over a video so that it keeps faces: with the same people while they are there, as still as it can be, and
// smooth where it must move. Pure.
import type { Rect, Size } from '#media/file/geometry.ts'
import type { Path } from '#media/graph/video-ops.ts'
import { headOf } from './face-window.ts'
import { overlap, sideOf } from './faces.ts'

/** Faces of one moment, in pixels of the frame that the window lies in. */
export interface Look {
  /** Seconds. */
  at: number
  faces: readonly Rect[]
}

/** Places of the window that are weighed. */
const PLACES = 64
/** Faces of one moment that are weighed, the largest. */
const MOST_FACES = 12
/** Faces of less than this share of the largest of all are in the background. */
const IN_FRONT = 0.4
/** A move by the length of the window must be worth so many looks at one more face. */
const MOVE = 4
/** How often the first and the last look of a scene count. */
const ENDS = 6
/** A window that stands still and is worth this share of one that moves is the better one. */
const STILL = 0.95
/** The window needs about so many seconds for a move of any length. */
const CALM_SECONDS = 0.5
/** A path is one expression for ffmpeg, which is worked out for each frame. */
const MOST_POINTS = 40
/** Where the middle of a face lies best in the window: people have a body below. */
const BEST = { left: 0.5, top: 0.42 }

/** The places that the window may have along the side on which it is shorter than the frame. */
interface Rail {
  side: 'left' | 'top'
  frame: Size
  window: Size
  /** How far the window can go, and how long it is. */
  room: number
  length: number
  places: number[]
}

function railOf(frame: Size, window: Size): Rail {
  const side = frame.width > window.width ? 'left' : 'top'
  const [room, length] =
    side === 'left' ? [frame.width - window.width, window.width] : [frame.height - window.height, window.height]
  const count = Math.max(1, Math.min(PLACES, Math.floor(room / 2) + 1))
  const places = Array.from({ length: count }, (_, i) => (count === 1 ? 0 : (room * i) / (count - 1)))
  return { side, frame, window, room, length, places }
}

/**
 * Null where no look shows a face. The window has the length of the frame on one side at least. `cuts`: when another scene begins, in seconds.
 * There alone the window jumps, from one frame to the next, whose length is `frameSeconds`.
 */
export function followFaces(
  looks: readonly Look[],
  frame: Size,
  window: Size,
  cuts: readonly number[] = [],
  frameSeconds = 0.04,
): Path | null {
  if (looks.every(({ faces }) => faces.length === 0)) return null
  const rail = railOf(frame, window)
  const { side } = rail
  const point = ({ at, value }: Point) => ({
    at,
    left: side === 'left' ? value : (frame.width - window.width) / 2,
    top: side === 'top' ? value : 0,
  })
  const scenes = scenesOf(looks, cuts)
  const most = Math.floor(MOST_POINTS / scenes.length)
  const plans = scenes.map(scene => planOf(scene, rail, most))
  const worth = plans.flatMap(plan => plan.worth)
  const still = bestStill(worth)
  const best = plans.reduce((sum, plan) => sum + plan.best, 0)
  if (still.worth >= best * STILL) return [point({ at: 0, value: rail.places[still.place]! })]
  return joined(
    plans.map(plan => plan.points),
    cuts,
    frameSeconds,
  ).map(point)
}

/** Looks of one scene each. One that begins after the last look has none. */
function scenesOf(looks: readonly Look[], cuts: readonly number[]): Look[][] {
  const starts = [Number.NEGATIVE_INFINITY, ...cuts]
  return starts.map((start, i) => looks.filter(({ at }) => at >= start && at < (starts[i + 1] ?? Infinity)))
}

interface Plan {
  /** Empty where the scene shows no face: then the window stays where it is. */
  points: Point[]
  /** Of each place at each look; the first and the last look count several times. */
  worth: Float64Array[]
  /** Of the path. */
  best: number
}

function planOf(looks: readonly Look[], rail: Rail, most: number): Plan {
  if (looks.every(({ faces }) => faces.length === 0)) return { points: [], worth: [], best: 0 }
  const { places, length, room } = rail
  const worth = worthOf(looks, rail)
  // Else the window would not bother to move for the ends.
  const several = (row: Float64Array): Float64Array[] => Array.from({ length: ENDS }, () => row)
  const weighed = [...several(worth[0]!), ...worth, ...several(worth.at(-1)!)]
  const moving = bestMoving(weighed, places, length)
  const still = bestStill(weighed)
  const first = looks[0]!.at
  if (still.worth >= moving.worth * STILL)
    return { points: [{ at: first, value: places[still.place]! }], worth: weighed, best: still.worth }
  const calm = smoothed(
    looks.map(look => look.at),
    moving.path.slice(ENDS, ENDS + looks.length).map(place => places[place]!),
    room,
  )
  const points = looks.map((look, i) => ({ at: look.at, value: calm[i]! }))
  return { points: simplified(points, Math.max(1, length / 300), most - 2), worth: weighed, best: moving.worth }
}

/** One path of all scenes. At a cut the window is at once where the next scene wants it. */
function joined(scenes: readonly (readonly Point[])[], cuts: readonly number[], frameSeconds: number): Point[] {
  const path: Point[] = []
  for (const [i, points] of scenes.entries()) {
    const [first] = points
    if (!first) continue
    const [before, cut] = [path.at(-1), cuts[i - 1]]
    if (before && cut !== undefined) {
      // No frame lies between the two.
      const [leaves, arrives] = [cut - 0.75 * frameSeconds, cut - 0.25 * frameSeconds]
      while (path.length > 0 && path.at(-1)!.at >= leaves) path.pop()
      path.push({ at: leaves, value: before.value }, { at: arrives, value: first.value })
    }
    path.push(...points.filter(point => point.at > (path.at(-1)?.at ?? Number.NEGATIVE_INFINITY)))
  }
  return path
}

/** What each place is worth at each look: whole heads in front count, bare faces and those at the edge less, broken ones against it. */
function worthOf(looks: readonly Look[], { places, frame, window, side, length }: Rail): Float64Array[] {
  const largest = Math.max(...looks.map(({ faces }) => Math.max(0, ...faces.map(sideOf))))
  return looks.map(({ faces }) => {
    const front = faces
      .filter(face => sideOf(face) >= largest * IN_FRONT)
      .toSorted((a, b) => sideOf(b) - sideOf(a))
      .slice(0, MOST_FACES)
    return Float64Array.from(places, place => {
      const rect = { left: 0, top: 0, ...window, [side]: place }
      return front.reduce((sum, face) => {
        const share = shareIn(rect, face)
        const middle = face[side] + (side === 'left' ? face.width : face.height) / 2
        const off = Math.abs((middle - place) / length - BEST[side])
        const isHeadWhole = shareIn(rect, headOf(face, frame)) > 0.98
        const whole = isHeadWhole
          ? 1 - 0.3 * off
          : share > 0.98
            ? 0.6 - 0.3 * off
            : share > 0.05
              ? 0.25 * share - 0.15
              : 0
        return sum + (whole * sideOf(face)) / largest
      }, 0)
    })
  })
}

const shareIn = (window: Rect, box: Rect): number => overlap(window, box) / (box.width * box.height)

function bestStill(worth: readonly Float64Array[]): { place: number; worth: number } {
  const sums = new Float64Array(worth[0]!.length)
  for (const row of worth) for (let i = 0; i < sums.length; i++) sums[i]! += row[i]!
  const place = sums.indexOf(Math.max(...sums))
  return { place, worth: sums[place]! }
}

/** The path that is worth most, moves taken off (Viterbi). */
function bestMoving(
  worth: readonly Float64Array[],
  places: readonly number[],
  length: number,
): { path: number[]; worth: number } {
  const price = MOVE / length
  let sums = Float64Array.from(worth[0]!)
  const froms: Uint8Array[] = []
  for (const row of worth.slice(1)) {
    const next = new Float64Array(places.length)
    const from = new Uint8Array(places.length)
    for (let to = 0; to < places.length; to++) {
      let best = Number.NEGATIVE_INFINITY
      for (let i = 0; i < places.length; i++) {
        const sum = sums[i]! - Math.abs(places[to]! - places[i]!) * price
        if (sum <= best) continue
        best = sum
        from[to] = i
      }
      next[to] = best + row[to]!
    }
    froms.push(from)
    sums = next
  }
  let place = sums.indexOf(Math.max(...sums))
  const total = sums[place]!
  const path = [place]
  for (const from of froms.toReversed()) {
    place = from[place]!
    path.push(place)
  }
  return { path: path.reverse(), worth: total }
}

/** A mean over the time around each look, so that no move is sudden. Before the first and behind the last one a move goes on as it is there. */
function smoothed(times: readonly number[], values: readonly number[], room: number): number[] {
  const last = values.length - 1
  const every = last > 0 ? times[1]! - times[0]! : 1
  const reach = Math.min(last, Math.ceil((3 * CALM_SECONDS) / every))
  const valueAt = (i: number): number =>
    i < 0 ? 2 * values[0]! - values[-i]! : i > last ? 2 * values[last]! - values[2 * last - i]! : values[i]!
  return values.map((_, i) => {
    let [sum, weights] = [0, 0]
    for (let j = i - reach; j <= i + reach; j++) {
      const distance = ((j - i) * every) / CALM_SECONDS
      const weight = Math.exp((-distance * distance) / 2)
      sum += valueAt(j) * weight
      weights += weight
    }
    return Math.min(Math.max(sum / weights, 0), room)
  })
}

interface Point {
  at: number
  value: number
}

/** As few points as stay this near to all of them; farther where they would be too many (Ramer, Douglas and Peucker). */
function simplified(points: readonly Point[], tolerance: number, most: number): Point[] {
  const kept = new Set([0, points.length - 1])
  const open: [number, number][] = [[0, points.length - 1]]
  for (let span = open.pop(); span; span = open.pop()) {
    const [from, to] = span
    let [farthest, most] = [-1, tolerance]
    for (let i = from + 1; i < to; i++) {
      const off = distanceFrom(points[from]!, points[to]!, points[i]!)
      if (off > most) [farthest, most] = [i, off]
    }
    if (farthest < 0) continue
    kept.add(farthest)
    open.push([from, farthest], [farthest, to])
  }
  if (kept.size > Math.max(2, most)) return simplified(points, tolerance * 1.5, most)
  return [...kept].sort((a, b) => a - b).map(i => points[i]!)
}

const distanceFrom = (from: Point, to: Point, { at, value }: Point): number =>
  Math.abs(value - from.value - ((to.value - from.value) * (at - from.at)) / (to.at - from.at))
