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
/** See `followFaces`. */
const ENDS = 6
/** A window that stands still and is worth this share of one that moves is the better one. */
const STILL = 0.95
/** The window needs about so many seconds for a move of any length. */
const CALM_SECONDS = 0.5
/** A path is one expression for ffmpeg, which is worked out for each frame. */
const MOST_POINTS = 40
/** Where the middle of a face lies best in the window: people have a body below. */
const BEST = { left: 0.5, top: 0.42 }

/** Null where no look shows a face. The window has the length of the frame on one side at least. */
export function followFaces(looks: readonly Look[], frame: Size, window: Size): Path | null {
  if (looks.every(({ faces }) => faces.length === 0)) return null
  const side = frame.width > window.width ? 'left' : 'top'
  const [room, length] =
    side === 'left' ? [frame.width - window.width, window.width] : [frame.height - window.height, window.height]
  const count = Math.max(1, Math.min(PLACES, Math.floor(room / 2) + 1))
  const places = Array.from({ length: count }, (_, i) => (count === 1 ? 0 : (room * i) / (count - 1)))
  const worth = worthOf(looks, places, frame, window, side)
  // The first and the last look count several times: else the window would not bother to move for the ends.
  const several = (row: Float64Array): Float64Array[] => Array.from({ length: ENDS }, () => row)
  const weighed = [...several(worth[0]!), ...worth, ...several(worth.at(-1)!)]
  const moving = bestMoving(weighed, places, length)
  const still = bestStill(weighed)
  const at = (time: number, place: number) => ({
    at: time,
    left: side === 'left' ? place : (frame.width - window.width) / 2,
    top: side === 'top' ? place : 0,
  })
  if (still.worth >= moving.worth * STILL) return [at(0, places[still.place]!)]
  const wanted = moving.path.slice(ENDS, ENDS + looks.length).map(place => places[place]!)
  const calm = smoothed(
    looks.map(look => look.at),
    wanted,
    room,
  )
  const points = looks.map((look, i) => ({ at: look.at, value: calm[i]! }))
  return simplified(points, Math.max(1, length / 300)).map(point => at(point.at, point.value))
}

/** What each place is worth at each look: whole heads in front count, bare faces and those at the edge less, broken ones against it. */
function worthOf(
  looks: readonly Look[],
  places: readonly number[],
  frame: Size,
  window: Size,
  side: 'left' | 'top',
): Float64Array[] {
  const largest = Math.max(...looks.map(({ faces }) => Math.max(0, ...faces.map(sideOf))))
  const length = side === 'left' ? window.width : window.height
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
function simplified(points: readonly Point[], tolerance: number): Point[] {
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
  if (kept.size > MOST_POINTS) return simplified(points, tolerance * 1.5)
  return [...kept].sort((a, b) => a - b).map(i => points[i]!)
}

const distanceFrom = (from: Point, to: Point, { at, value }: Point): number =>
  Math.abs(value - from.value - ((to.value - from.value) * (at - from.at)) / (to.at - from.at))
