// Lays pictures and videos over a video: position, time window, fade in and out.

import { timeOf } from '../file/frame-rate.ts'
import type { Filter, Span, VideoStream } from './graph.ts'
import { isHeld } from './graph-render.ts'
import type { Placed } from './stills.ts'
import { atRate, cutTo, filter, laidOver, lastingFrames, scaled, stillStream, through } from './video-ops.ts'

export interface Place {
  x: number
  y: number
  /** In frames of the video below. */
  window: Span
  /** Number of frames that each fade takes. */
  fade: number
}

export function layPicture(base: VideoStream, picture: Placed, place: Place): VideoStream {
  return picture.parts.reduce(
    (below, part) => layVideo(below, stillStream(part), { ...place, x: place.x + part.x, y: place.y + part.y }),
    base,
  )
}

/** `top` must have the rate of `base`. It starts with the window and is cut off at the window's end. */
export function layVideo(base: VideoStream, top: VideoStream, { x, y, window, fade }: Place): VideoStream {
  const always = window.from === 0 && window.to >= base.frames
  const shown = Math.min(window.to, base.frames) - window.from
  if (shown <= 0) return base
  const within: Span | null = always ? null : { from: window.from, to: window.from + shown }
  if (fade === 0 && isHeld(top)) return laidOver(base, top, x, y, within)
  const cut = cutTo(top, 0, shown)
  const filters: Filter[] = [
    ...(fade > 0 ? fades(base, Math.min(fade, Math.floor(shown / 2)), shown) : []),
    ...(window.from > 0 ? [filter('setpts', { expr: `PTS+${timeOf(window.from, base.rate).toFixed(6)}/TB` })] : []),
  ]
  const ready = filters.length > 0 ? through([cut], filters) : cut
  return laidOver(base, ready, x, y, within)
}

function fades({ rate }: VideoStream, frames: number, shown: number): Filter[] {
  const time = (count: number): string => timeOf(count, rate).toFixed(6)
  return [
    filter('format', { pix_fmts: 'yuva420p' }),
    filter('fade', { t: 'in', st: 0, d: time(frames), alpha: 1 }),
    filter('fade', { t: 'out', st: time(shown - frames), d: time(frames), alpha: 1 }),
  ]
}

export const translucent = (video: VideoStream, opacity: number): VideoStream =>
  opacity >= 1
    ? video
    : through([video], [filter('format', { pix_fmts: 'yuva420p' }), filter('lutyuv', { a: `val*${opacity}` })], {
        alpha: true,
      })

/** A stream whose opacity a grey stream tells: white is opaque. */
export const masked = (video: VideoStream, mask: VideoStream): VideoStream =>
  through(
    [video, scaled(lastingFrames(atRate(mask, video.rate), video.frames), video.width, video.height)],
    [filter('alphamerge'), filter('format', { pix_fmts: 'yuva420p' })],
    { alpha: true },
  )
