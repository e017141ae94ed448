// Operations of steps on a video stream, as nodes of the graph. An operation that changes nothing adds no node.
import { Problem } from '#kit/errors.ts'
import { type Rate, rateText, sameRate, timeOf } from '../file/frame-rate.ts'
import type { Size } from '../file/geometry.ts'
import { hex, parseColour } from '../pixels/colour.ts'
import { isGrey } from './colour-yuv.ts'
import type { Filter, Span, VideoEncode, VideoStream } from './graph.ts'
import type { Still } from './stills.ts'

type Change = Partial<Pick<VideoStream, 'width' | 'height' | 'rate' | 'frames' | 'alpha'>>

interface Extra {
  window?: Span | null
  /** Number of frames that the filters keep in memory at once. */
  held?: number
}

export const filter = (name: string, options: Filter['options'] = {}): Filter => ({ name, options })

/** Applies filters to one or more streams. The result has the properties of the first stream, apart from `change`. */
export function through(
  inputs: readonly [VideoStream, ...VideoStream[]],
  filters: readonly Filter[],
  change: Change = {},
  extra: Extra = {},
): VideoStream {
  const { width, height, rate, frames, alpha } = inputs[0]
  const origin = { kind: 'filters', inputs, filters, window: extra.window ?? null, held: extra.held ?? 0 } as const
  return { width, height, rate, frames, alpha, ...change, origin, encode: null }
}

export const even = (n: number): number => Math.max(2, Math.round(n / 2) * 2)

export const evenUp = (n: number): number => Math.ceil(n / 2) * 2

/** The size of a frame that is only looked at: even, its longer side at most so long. */
export function previewSize({ width, height }: Size, longest: number): Size {
  const factor = Math.min(1, longest / Math.max(width, height))
  return { width: even(width * factor), height: even(height * factor) }
}

export function scaled(video: VideoStream, width: number, height: number): VideoStream {
  if (width === video.width && height === video.height) return video
  return through([video], [filter('scale', { w: width, h: height, flags: 'bicubic' }), filter('setsar', { sar: 1 })], {
    width,
    height,
  })
}

/** Where a window lies over time, in pixels and seconds; between two points it moves evenly. There is at least one. */
export type Path = readonly { readonly at: number; readonly left: number; readonly top: number }[]

function cropped(video: VideoStream, path: Path, { width, height }: Size): VideoStream {
  if (width === video.width && height === video.height) return video
  const options = { w: width, h: height, x: along(path, 'left'), y: along(path, 'top') }
  return through([video], [filter('crop', options)], { width, height })
}

/** A number, or a sum over the parts of the path, which ffmpeg works out for each frame. */
function along(path: Path, side: 'left' | 'top'): string | number {
  const start = path[0]![side]
  const moves = path.slice(1).flatMap((to, i) => {
    const from = path[i]!
    const by = to[side] - from[side]
    // The time is rounded inside, so that no rounding adds up over a long path.
    return by === 0 ? [] : [`${by.toFixed(2)}*clip((t-${from.at.toFixed(4)})/${(to.at - from.at).toFixed(4)},0,1)`]
  })
  return moves.length === 0 ? evenDown(start) : [start.toFixed(2), ...moves].join('+')
}

type Fit = 'pad' | 'cover' | 'blur_pad' | 'stretch'

export interface Frame {
  width: number
  height: number
  fit: Fit
  /** `#rrggbb` */
  background: string
  /** With `cover`: where the window lies in a frame of `coveringSize`. The middle, where none is given. */
  path?: Path
}

const BLUR = 20

/** The smallest size in the shape of a stream that fills a box. */
export function coveringSize(video: Size, { width, height }: Size): Size {
  const grow = Math.max(width / video.width, height / video.height)
  return { width: Math.max(even(video.width * grow), width), height: Math.max(even(video.height * grow), height) }
}

/** Brings a stream to a size: with bars, cropped, stretched, or over a blurred copy of itself. */
export function fitted(video: VideoStream, { width, height, fit, background, path }: Frame): VideoStream {
  if (video.width === width && video.height === height) return video
  if (fit === 'stretch') return scaled(video, width, height)
  if (fit === 'cover') {
    const whole = coveringSize(video, { width, height })
    const middle = { at: 0, left: (whole.width - width) / 2, top: (whole.height - height) / 2 }
    return cropped(scaled(video, whole.width, whole.height), path ?? [middle], { width, height })
  }
  const grow = Math.min(width / video.width, height / video.height)
  const [w, h] = [even(video.width * grow), even(video.height * grow)]
  const inner = scaled(video, Math.min(w, width), Math.min(h, height))
  const [x, y] = [evenDown((width - inner.width) / 2), evenDown((height - inner.height) / 2)]
  if (inner.width === width && inner.height === height) return inner
  if (fit === 'pad') return padded(inner, x, y, width, height, background)
  // Blurring a small copy costs a fraction and looks the same.
  const small = fitted(video, { width: even(width / 4), height: even(height / 4), fit: 'cover', background })
  const blurred = through([small], [filter('gblur', { sigma: BLUR / 4 }), filter('eq', { brightness: -0.06 })])
  return laidOver(scaled(blurred, width, height), inner, x, y)
}

function padded(
  video: VideoStream,
  x: number,
  y: number,
  width: number,
  height: number,
  background: string,
): VideoStream {
  if (isGrey(background))
    return through([video], [filter('pad', { w: width, h: height, x, y, color: colourText(background) })], {
      width,
      height,
    })
  return laidOver(cutTo(plane(background, width, height, video.rate), 0, video.frames), video, x, y)
}

/** An endless stream of one colour. */
export const plane = (colour: string, width: number, height: number, rate: Rate, alpha = false): VideoStream => ({
  origin: { kind: 'colour', colour },
  width,
  height,
  rate,
  frames: Number.POSITIVE_INFINITY,
  alpha,
  encode: null,
})

/** Of a number that is whole but for how it was worked out. */
export const evenDown = (n: number): number => Math.max(0, Math.floor(n / 2 + 1e-6) * 2)

/** The colour in ffmpeg's notation; a video ignores its alpha. */
const colourText = (text: string): string => hex(parseColour(text)).replace('#', '0x')

export function laidOver(
  base: VideoStream,
  top: VideoStream,
  x: number,
  y: number,
  window: Span | null = null,
): VideoStream {
  const options = {
    x,
    y,
    eof_action: 'repeat',
    format: 'yuv420',
    ...(window ? { enable: between(window, base.rate) } : {}),
  }
  return through([base, top], [filter('overlay', options)], {}, { window })
}

/** True inside the window. Half a frame of leeway, so that rounding never moves an edge. */
const between = ({ from, to }: Span, rate: Rate): string =>
  `gte(t,${timeOf(from - 0.5, rate).toFixed(6)})${Number.isFinite(to) ? `*lt(t,${timeOf(to - 0.5, rate).toFixed(6)})` : ''}`

export const stillStream = (still: Still): VideoStream => ({
  origin: { kind: 'still', still },
  ...still.shown,
  rate: still.rate,
  frames: Number.POSITIVE_INFINITY,
  alpha: still.alpha,
  encode: null,
})

export function atRate(video: VideoStream, rate: Rate): VideoStream {
  if (sameRate(video.rate, rate)) return video
  const frames = Math.round((video.frames * video.rate.den * rate.num) / (video.rate.num * rate.den))
  return exactly(
    through([video], [filter('fps', { fps: rateText(rate), start_time: 0 })], { rate, frames: Math.max(1, frames) }),
  )
}

/** Filters that change the rate may be one frame off at the end. This pads or cuts to the planned number. */
function exactly(video: VideoStream): VideoStream {
  if (!Number.isFinite(video.frames)) return video
  return through(
    [video],
    [filter('tpad', { stop: 2, stop_mode: 'clone' }), filter('trim', { end_frame: video.frames })],
    {},
  )
}

export function cutTo(video: VideoStream, from: number, to: number): VideoStream {
  const end = Math.min(to, video.frames)
  if (from === 0 && end === video.frames) return video
  if (end <= from)
    throw new Problem('bad_options', 'Nothing would be left of the video: the cut ends before it begins.')
  const { width, height, rate, alpha } = video
  const { origin } = video
  const [input, span] =
    origin.kind === 'cut'
      ? [origin.input, { from: origin.span.from + from, to: origin.span.from + end }]
      : [video, { from, to: end }]
  return { origin: { kind: 'cut', input, span }, width, height, rate, frames: end - from, alpha, encode: null }
}

export function joined(parts: readonly VideoStream[]): VideoStream {
  const [first] = parts
  if (!first) throw new Problem('internal', 'Nothing to join.')
  if (parts.length === 1) return first
  const flat = parts.flatMap(part => (part.origin.kind === 'join' ? part.origin.parts : [part]))
  const { width, height, rate } = first
  const frames = flat.reduce((sum, part) => sum + part.frames, 0)
  return { origin: { kind: 'join', parts: flat }, width, height, rate, frames, alpha: false, encode: null }
}

export function crossfaded(before: VideoStream, after: VideoStream, frames: number): VideoStream {
  const { rate } = before
  const options = {
    transition: 'fade',
    duration: timeOf(frames, rate).toFixed(6),
    offset: timeOf(before.frames - frames, rate).toFixed(6),
  }
  return exactly(
    through([before, after], [filter('xfade', options)], { frames: before.frames + after.frames - frames }),
  )
}

/** Fades in from a colour or out to it. `from` counts frames of the stream. Only the first and the last frames can be faded. */
export function faded(
  video: VideoStream,
  direction: 'in' | 'out',
  from: number,
  frames: number,
  colour: string,
): VideoStream {
  if (frames <= 0) return video
  const { width, height, rate } = video
  const window = { from, to: direction === 'in' ? from + frames : video.frames }
  // The first frame of a fade-in and the last frame of a fade-out show only the colour.
  const begin = direction === 'in' ? from : Math.max(0, from - 1)
  const d = timeOf(Math.max(0.5, direction === 'in' ? frames : from + frames - 1 - begin), rate).toFixed(6)
  if (isGrey(colour)) {
    const options = { t: direction, st: timeOf(begin, rate).toFixed(6), d, color: colourText(colour) }
    return through([video], [filter('fade', options)], {}, { window })
  }
  // Other colours are a plane on top of the video, whose alpha fades out over the first frames or in over the last.
  const away = { t: direction === 'in' ? 'out' : 'in', st: 0, d, alpha: 1 }
  const curtain = through(
    [cutTo(plane(colour, width, height, rate, true), 0, window.to - begin)],
    [filter('fade', away), filter('setpts', { expr: `PTS+${timeOf(begin, rate).toFixed(6)}/TB` })],
  )
  return laidOver(video, curtain, 0, 0, window)
}

export function faster(video: VideoStream, factor: number): VideoStream {
  if (factor === 1) return video
  const frames = Math.max(1, Math.round(video.frames / factor))
  // ffmpeg's `fps` leaves nothing of what lasts less than half a frame.
  if (frames === 1) return cutTo(video, 0, 1)
  return exactly(
    through(
      [video],
      [
        filter('setpts', { expr: `(PTS-STARTPTS)/${factor}` }),
        filter('fps', { fps: rateText(video.rate), start_time: 0 }),
      ],
      { frames },
    ),
  )
}

/** Gives the frames new timestamps at this rate, whatever timestamps they had. */
export const onTheBeat = (rate: Rate): Filter[] => [
  filter('settb', { expr: `${rate.den}/${rate.num}` }),
  filter('setpts', { expr: 'N' }),
  filter('fps', { fps: rateText(rate) }),
]

/** Repeats one frame for ever at this rate. */
export const repeating = (rate: Rate): Filter[] => [filter('loop', { loop: -1, size: 1, start: 0 }), ...onTheBeat(rate)]

/** Repeats the last frame this many times. */
function heldLast(video: VideoStream, frames: number): VideoStream {
  const filters = [...repeating(video.rate), filter('trim', { end_frame: frames })]
  return through([cutTo(video, video.frames - 1, video.frames)], filters, { frames })
}

/** Makes the stream last this many frames: cuts it, or repeats its last frame. */
export function lastingFrames(video: VideoStream, frames: number): VideoStream {
  if (frames <= video.frames) return cutTo(video, 0, frames)
  return joined([video, heldLast(video, frames - video.frames)])
}

/** The `reverse` filter holds every frame in memory until the last has arrived. */
export const backwards = (video: VideoStream): VideoStream =>
  through([video], [filter('reverse')], {}, { held: video.frames })

export const written = (video: VideoStream, encode: VideoEncode): VideoStream => ({ ...video, encode })
