// Finds hard cuts in a video: two looks that differ much are suspect, and the frames between them tell where the scene changes.
import { frameAt, type Rate, timeOf } from '#media/file/frame-rate.ts'
import { type Graph, secondsOf, type VideoStream } from '#media/graph/graph.ts'
import { previewSize } from '#media/graph/video-ops.ts'
import type { Pixels } from '#media/pixels/pixels.ts'
import { sampled } from './fields.ts'

/** Mean colours of a grid of squares, 0 to 1. */
type Colours = Float32Array

const GRID = 16
/** Looks that differ less show one scene, however the camera moves. */
const SUSPECT = 0.06
/** A cut changes this much from one frame to the next, and so many times as much as the frames around it do. */
const CUT = 0.05
const SUDDEN = 4
/** What is shorter is a flash, or over before anybody sees where the window lies. */
const SHORTEST_SECONDS = 0.6
/** Each scene takes at least two points of the window's path. */
const MOST_CUTS = 9
/** The longest side of the frames that are compared. */
const SIDE = 64

export const coloursOf = (pixels: Pixels): Colours =>
  sampled(pixels, { left: 0, top: 0, ...pixels }, { side: GRID, factor: 1 / 255, offset: 0 })

function difference(one: Colours, other: Colours): number {
  let sum = 0
  for (let i = 0; i < one.length; i++) sum += Math.abs(one[i]! - other[i]!)
  return sum / one.length
}

/**
 * When each scene but the first begins, in seconds. `looks`: frames as far apart as `rate` says. Where two of them are suspect, all frames are
 * looked at once, so a video without cuts costs nothing more.
 */
export async function cutsOf(
  graph: Graph,
  video: VideoStream,
  looks: readonly Colours[],
  rate: Rate,
): Promise<number[]> {
  const suspects = looks.slice(1).flatMap((look, i) => (difference(looks[i]!, look) > SUSPECT ? [i] : []))
  if (suspects.length === 0) return []
  const changes = await changesOf(graph, video)
  const cuts: { at: number; before: number }[] = []
  for (const before of suspects) {
    const at = cutBetween(changes, video.rate, timeOf(before, rate), timeOf(before + 1, rate))
    if (at === null || at < SHORTEST_SECONDS || secondsOf(video) - at < SHORTEST_SECONDS) continue
    const last = cuts.at(-1)
    const isShort = last !== undefined && at - last.at < SHORTEST_SECONDS
    if (isShort) cuts.pop()
    // Behind a flash all is as it was before.
    if (!isShort || difference(looks[last.before]!, looks[before + 1]!) > SUSPECT) cuts.push({ at, before })
  }
  return cuts.slice(0, MOST_CUTS).map(({ at }) => at)
}

/** How much each frame differs from the one before; the first does not. */
async function changesOf(graph: Graph, video: VideoStream): Promise<number[]> {
  const changes: number[] = []
  let before: Colours | null = null
  for await (const pixels of graph.frames(video, previewSize(video, SIDE), video.rate)) {
    const now = coloursOf(pixels)
    changes.push(before ? difference(before, now) : 0)
    before = now
  }
  return changes
}

/** The time of the first frame of another scene between two looks, or null. */
function cutBetween(changes: readonly number[], rate: Rate, from: number, to: number): number | null {
  // A look may show the frame before its time or the one after.
  const first = Math.max(1, frameAt(from, rate))
  const between = changes.slice(first, frameAt(to, rate) + 2)
  if (between.length === 0) return null
  const most = Math.max(...between)
  const usual = between.toSorted((a, b) => a - b)[Math.floor((between.length - 1) / 2)]!
  const isSudden = between.length < 3 || most >= usual * SUDDEN
  return most >= CUT && isSudden ? timeOf(first + between.indexOf(most), rate) : null
}
