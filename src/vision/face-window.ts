// Chooses where a window of a given size lies, so that it keeps as many faces whole as it can. Pure.
import type { Rect, Size } from '#media/file/geometry.ts'
import { overlap, sideOf } from './faces.ts'

/** What belongs to a head around its face, in shares of the face: hair above, chin below, ears. */
const HAIR = 0.45
const CHIN = 0.2
const EARS = 0.2

/** Faces of less than this share of the largest are in the background. */
const IN_FRONT = 0.4

/** Where the middle of the faces lies in the window, from its top: people have a body below. */
const EYE_LEVEL = 0.42

/** The face with its hair, chin and ears, as far as the picture goes. */
export function headOf(face: Rect, picture: Size): Rect {
  const left = Math.max(0, face.left - face.width * EARS)
  const top = Math.max(0, face.top - face.height * HAIR)
  return {
    left,
    top,
    width: Math.min(picture.width, face.left + face.width * (1 + EARS)) - left,
    height: Math.min(picture.height, face.top + face.height * (1 + CHIN)) - top,
  }
}

/** The window inside of the picture; `faces` must not be empty. */
export function faceWindow(faces: readonly Rect[], picture: Size, size: Size): { left: number; top: number } {
  const room = { x: picture.width - size.width, y: picture.height - size.height }
  const heads = faces.map(face => headOf(face, picture))
  const largest = Math.max(...faces.map(sideOf))
  const front = faces.map(face => sideOf(face) >= largest * IN_FRONT)
  const parts = { faces, heads, front, size }
  let best: { left: number; top: number } = { left: 0, top: 0 }
  let bestScore: number[] = []
  for (const left of edges(heads, faces, room.x, size.width, 'left', 'width'))
    for (const top of edges(heads, faces, room.y, size.height, 'top', 'height')) {
      const score = scoreOf({ left, top, ...size }, parts)
      if (bestScore.length > 0 && !isBetter(score, bestScore)) continue
      best = { left, top }
      bestScore = score
    }
  const kept = heads.filter(
    (head, i) => contains({ ...best, ...size }, head) || contains({ ...best, ...size }, faces[i]!),
  )
  return centred(kept.length > 0 ? kept : [heads[0]!], best, bestScore, room, parts)
}

interface Parts {
  faces: readonly Rect[]
  heads: readonly Rect[]
  front: readonly boolean[]
  size: Size
}

/** Windows that end where a head or a face ends; one of those keeps as much as any other. */
function edges(
  heads: readonly Rect[],
  faces: readonly Rect[],
  room: number,
  length: number,
  side: 'left' | 'top',
  extent: 'width' | 'height',
): number[] {
  const all = [...heads, ...faces].flatMap(box => [
    Math.floor(box[side]),
    Math.ceil(box[side] + box[extent]) - length,
    Math.round(box[side] + (box[extent] - length) / 2),
  ])
  const unique = [...new Set([0, Math.round(room / 2), room, ...all.map(at => Math.min(Math.max(at, 0), room))])]
  return unique.length <= MOST_EDGES
    ? unique
    : unique.sort((a, b) => a - b).filter((_, i) => i % Math.ceil(unique.length / MOST_EDGES) === 0)
}

/** A crowd of fifty in both directions is weighed in a few dozen milliseconds. */
const MOST_EDGES = 90

/** The more important first: whole faces in front, whole heads, all whole faces, what is seen of those in front. */
function scoreOf(window: Rect, { faces, heads, front }: Parts): number[] {
  let [inFront, wholeHeads, whole, seen, broken] = [0, 0, 0, 0, 0]
  for (const [i, face] of faces.entries()) {
    const isWhole = contains(window, face)
    const share = overlap(window, face) / (face.width * face.height)
    if (isWhole) whole++
    else if (share > 0.05) broken++
    if (isWhole && contains(window, heads[i]!)) wholeHeads++
    if (!front[i]) continue
    if (isWhole) inFront++
    seen += share * face.width * face.height
  }
  // Where none can be whole, much of one is better than nothing of any.
  return [inFront, whole, wholeHeads, whole > 0 ? -broken : 0, seen]
}

function isBetter(a: readonly number[], b: readonly number[]): boolean {
  for (const [i, value] of a.entries()) if (Math.abs(value - b[i]!) > 1e-6) return value > b[i]!
  return false
}

/** Moves the window to where the kept heads look best in it, as far as nothing is lost by it. */
function centred(
  kept: readonly Rect[],
  best: { left: number; top: number },
  bestScore: readonly number[],
  room: { x: number; y: number },
  parts: Parts,
): { left: number; top: number } {
  const { size } = parts
  const box = around(kept)
  const ideal = {
    left: bounded(box.left + box.width / 2 - size.width / 2, room.x),
    top: bounded(box.top + box.height / 2 - size.height * EYE_LEVEL, room.y),
  }
  // Halfway and quarter way too: the middle may cut another face that the edge spares.
  for (const share of [1, 0.75, 0.5, 0.25]) {
    const between = {
      left: bounded(best.left + (ideal.left - best.left) * share, room.x),
      top: bounded(best.top + (ideal.top - best.top) * share, room.y),
    }
    if (!isBetter(bestScore, scoreOf({ ...between, ...size }, parts))) return between
  }
  return best
}

const bounded = (value: number, room: number): number => Math.round(Math.min(Math.max(value, 0), room))

function around(boxes: readonly Rect[]): Rect {
  const left = Math.min(...boxes.map(box => box.left))
  const top = Math.min(...boxes.map(box => box.top))
  return {
    left,
    top,
    width: Math.max(...boxes.map(box => box.left + box.width)) - left,
    height: Math.max(...boxes.map(box => box.top + box.height)) - top,
  }
}

const contains = (window: Rect, box: Rect): boolean =>
  box.left >= window.left - 0.5 &&
  box.top >= window.top - 0.5 &&
  box.left + box.width <= window.left + window.width + 0.5 &&
  box.top + box.height <= window.top + window.height + 0.5
