// Translates the graph for ffmpeg: inputs, one filter string, and the names of the output pads.

import { type Rate, rateText, timeOf } from '../file/frame-rate.ts'
import type { Size } from '../file/geometry.ts'
import { demuxerOf, inputGuards } from '../probe/demuxers.ts'
import type { FfmpegInput } from '../process/ffmpeg.ts'
import type { AudioStream, Filter, Source, Span, VideoStream } from './graph.ts'
import { audioFilters, colourFilters, stillFilters, videoFilters } from './source-filters.ts'
import type { Still } from './stills.ts'
import { filter, onTheBeat, repeating } from './video-ops.ts'

interface RenderOptions {
  maxPixels: number
  /** Number of decoder threads; 0 lets ffmpeg decide. */
  threads: number
  /** Reads only these frames of one source. All frames keep their original times until the end of the graph. */
  only?: { stream: VideoStream; span: Span }
}

interface Rendered {
  inputs: FfmpegInput[]
  /** Empty when there is no filter. */
  filters: string
  /** Value for `-map`. */
  video: string | null
  audio: string | null
}

interface Wanted {
  video: VideoStream | null
  audio: AudioStream | null
  /** Copies the stream packet by packet. */
  copyVideo?: boolean
  copyAudio?: boolean
}

type Node = VideoStream | AudioStream

const isVideo = (node: Node): node is VideoStream => 'frames' in node

/** A picture that does not move (yet): ffmpeg repeats its one frame instead of decoding it again. */
export function isHeld({ origin, frames }: VideoStream): boolean {
  if (Number.isFinite(frames)) return false
  if (origin.kind === 'still') return origin.still.delays.length === 1
  return origin.kind === 'colour' || (origin.kind === 'filters' && origin.inputs.every(isHeld))
}

function inputsOf({ origin }: Node): readonly Node[] {
  if (origin.kind === 'filters') return origin.inputs
  if (origin.kind === 'cut') return [origin.input]
  return origin.kind === 'join'
    ? [...new Set<Node>(origin.parts)].length === 1
      ? [origin.parts[0]!]
      : origin.parts
    : []
}

export function render(
  { video, audio, copyVideo = false, copyAudio = false }: Wanted,
  options: RenderOptions,
): Rendered {
  const inputs: FfmpegInput[] = []
  const places = new Map<string, number>()
  const readings = new Map<Source, number>()
  const chains: string[] = []
  const uses = new Map<Node, number>()
  const ready = new Map<Node, string[]>()
  let names = 0

  const count = (node: Node): void => {
    const seen = uses.get(node) ?? 0
    uses.set(node, seen + 1)
    if (seen === 0) for (const input of inputsOf(node)) count(input)
  }
  const input = (path: string, label: string, before: readonly string[], reading = 0): number => {
    const key = JSON.stringify([path, before, reading])
    const known = places.get(key)
    if (known !== undefined) return known
    places.set(key, inputs.push({ path, label, options: before }) - 1)
    return inputs.length - 1
  }
  /** What was opened twice is read twice. Read once, it would be held in memory between its two places. */
  const readingOf = (source: Source): number => {
    const known = readings.get(source) ?? readings.size
    readings.set(source, known)
    return known
  }
  const fromSource = (source: Source, before: readonly string[]): number => {
    const { file, label } = source
    const guards = inputGuards(demuxerOf(file.mime) ?? 'none', options.maxPixels)
    return input(file.path, label, [...before, ...guards], readingOf(source))
  }
  const chain = (from: readonly string[], filters: readonly Filter[], suffix = 'v'): string => {
    const name = `${suffix}${++names}`
    chains.push(`${from.map(pad => `[${pad}]`).join('')}${filters.map(filterText).join(',')}[${name}]`)
    return name
  }

  /** Returns a pad for one consumer. A node with several consumers is split. */
  const take = (node: Node): string => {
    const waiting = ready.get(node)
    if (waiting) return waiting.pop()!
    const made = isVideo(node) ? makeVideo(node) : makeAudio(node)
    const consumers = uses.get(node) ?? 1
    if (consumers === 1) return made
    const pads = Array.from({ length: consumers }, () => `s${++names}`)
    chains.push(`[${made}]${isVideo(node) ? 'split' : 'asplit'}=${consumers}${pads.map(pad => `[${pad}]`).join('')}`)
    ready.set(node, pads)
    return pads.pop()!
  }

  const makeVideo = (stream: VideoStream): string => {
    const { origin, rate } = stream
    if (origin.kind === 'still') return fromStill(origin.still, stream.alpha)
    if (origin.kind === 'made')
      return chain(
        [`${raw(origin.path, origin.label, origin.channels === 1 ? 'gray' : 'rgb24', stream)}:v:0`],
        origin.channels === 1 ? [filter('setsar', { sar: 1 })] : stillFilters(false),
      )
    if (origin.kind === 'colour') return chain([], colourFilters(origin.colour, stream))
    if (origin.kind === 'source')
      return fromVideo(stream, origin.source, origin.loop, options.only?.stream === stream ? options.only.span : null)
    if (origin.kind === 'filters') return chain(origin.inputs.map(take), origin.filters)
    if (origin.kind === 'cut') return cut(stream, origin.input, origin.span)
    if (inputsOf(stream).length > 1)
      return chain(origin.parts.map(take), [filter('concat', { n: origin.parts.length, v: 1, a: 0 })])
    // The join repeats a single part: the `loop` filter keeps its frames in memory and repeats them.
    const [part] = origin.parts
    return chain(
      [take(part!)],
      [filter('loop', { loop: origin.parts.length - 1, size: part!.frames, start: 0 }), ...onTheBeat(rate)],
    )
  }

  const fromStill = (still: Still, alpha: boolean): string => {
    const from = [`${raw(still.path, still.label, 'rgba', still)}:v:0`]
    if (still.table) return chain(from, [filter('format', { pix_fmts: 'rgb24' })])
    // What moves is held in memory, so it is enlarged behind that.
    const isEnlarged = still.shown.width !== still.width || still.shown.height !== still.height
    return isEnlarged
      ? chain(from, [...animation(still), ...stillFilters(alpha, still.shown)])
      : chain(from, [...stillFilters(alpha), ...animation(still)])
  }

  const fromVideo = (stream: VideoStream, source: Source, loop: boolean, span: Span | null): string => {
    const { rate } = stream
    // Seek a quarter of a frame early: rounding then never loses the first frame, and the rate filter puts it in its place. With a
    // variable rate the visible frame may have begun long before, so all frames from the key frame on are read.
    const { constant } = source.probe.video!
    const early = constant ? 0.25 : 0
    const seek =
      span && span.from > 0
        ? [
            ...(constant ? [] : ['-noaccurate_seek']),
            ...seekTo(source, timeOf(span.from - early, rate) + (source.shift ?? 0)),
          ]
        : []
    const place = fromSource(source, [
      ...seek,
      ...(loop ? ['-stream_loop', '-1'] : []),
      ...decoder(source, stream.alpha),
    ])
    const shown = span ? { ...stream, frames: span.to - span.from } : stream
    const pad = `${place}:v:${source.probe.video!.place}`
    const back =
      span && options.only ? [filter('setpts', { expr: `PTS+${timeOf(span.from, rate).toFixed(6)}/TB` })] : []
    return chain([pad], [...videoFilters(shown, source, seek.length > 0), ...back])
  }

  const cut = (stream: VideoStream, from: VideoStream, { from: first, to }: Span): string => {
    const { origin } = from
    if (origin.kind === 'source' && !origin.loop && uses.get(from) === 1 && !options.only)
      return fromVideo(from, origin.source, false, { from: first, to })
    if (isHeld(from)) return chain([take(from)], [...repeating(stream.rate), filter('trim', { end_frame: to - first })])
    return chain(
      [take(from)],
      [filter('trim', { start_frame: first, end_frame: to }), filter('setpts', { expr: 'PTS-STARTPTS' })],
    )
  }

  const raw = (path: string, label: string, format: string, { width, height, rate }: Size & { rate: Rate }): number =>
    input(path, label, [
      ...['-f', 'rawvideo', '-pixel_format', format],
      ...['-video_size', `${width}x${height}`, '-framerate', rateText(rate)],
    ])

  const decoder = ({ probe }: Source, alpha: boolean): string[] => {
    const { codec } = probe.video!
    // ffmpeg's own VP8 and VP9 decoders drop the alpha channel.
    const own = alpha && codec === 'vp9' ? ['-c:v', 'libvpx-vp9'] : alpha && codec === 'vp8' ? ['-c:v', 'libvpx'] : []
    return [...own, ...(options.threads > 0 ? ['-threads', String(options.threads)] : [])]
  }

  const makeAudio = (stream: AudioStream): string => {
    const { origin, seconds } = stream
    if (origin.kind === 'silence')
      return chain(
        [],
        [
          filter('anullsrc', { r: 48000, cl: 'stereo' }),
          filter('atrim', { end: seconds.toFixed(6) }),
          ...audioFilters(2).slice(1),
        ],
        'a',
      )
    if (origin.kind === 'source') return fromAudio(origin.source, origin.loop, 0)
    if (origin.kind === 'filters') return chain(origin.inputs.map(take), origin.filters, 'a')
    if (origin.kind === 'join')
      return chain(origin.parts.map(take), [filter('concat', { n: origin.parts.length, v: 0, a: 1 })], 'a')
    const { input: from, from: start, to } = origin
    const direct = from.origin.kind === 'source' && !from.origin.loop && uses.get(from) === 1
    const pad = direct && from.origin.kind === 'source' ? fromAudio(from.origin.source, false, start) : take(from)
    const begin = direct ? 0 : start
    return chain(
      [pad],
      [
        filter('atrim', { start: begin.toFixed(6), end: (begin + to - start).toFixed(6) }),
        filter('asetpts', { expr: 'PTS-STARTPTS' }),
      ],
      'a',
    )
  }

  const fromAudio = (source: Source, loop: boolean, start: number): string => {
    const place = fromSource(source, [
      ...(start > 0 ? seekTo(source, start) : []),
      ...(loop ? ['-stream_loop', '-1'] : []),
    ])
    return chain([`${place}:a:${source.probe.audio!.place}`], audioFilters(source.probe.audio!.channels, loop), 'a')
  }

  const copied = (stream: Node, kind: 'v' | 'a'): string => {
    const { origin } = stream
    if (origin.kind !== 'source') throw new TypeError('only a source can be copied')
    const { probe, shift = 0 } = origin.source
    const track = kind === 'v' ? probe.video : probe.audio
    const offset = kind === 'v' && shift !== 0 ? ['-itsoffset', (-shift).toFixed(6)] : []
    return `${fromSource(origin.source, offset)}:${kind}:${track!.place}`
  }

  if (video && !copyVideo) count(video)
  if (audio && !copyAudio) count(audio)
  const restart =
    options.only && options.only.span.from > 0
      ? [filter('setpts', { expr: `PTS-${timeOf(options.only.span.from, options.only.stream.rate).toFixed(6)}/TB` })]
      : []
  const videoPad = !video
    ? null
    : copyVideo
      ? copied(video, 'v')
      : `[${restart.length > 0 ? chain([take(video)], restart) : take(video)}]`
  const audioPad = !audio ? null : copyAudio ? copied(audio, 'a') : `[${take(audio)}]`
  return { inputs, filters: chains.join(';'), video: videoPad, audio: audioPad }
}

/** Sound in Matroska may begin before zero, and ffmpeg would count from there. `-seek_timestamp` uses the file's own clock. */
function seekTo({ probe }: Source, seconds: number): string[] {
  const own = probe.mime === 'video/webm' || probe.mime === 'video/matroska' || probe.mime === 'audio/webm'
  return own ? ['-seek_timestamp', '1', '-ss', (probe.start + seconds).toFixed(6)] : ['-ss', seconds.toFixed(6)]
}

/** Plays the frames of an animation at their own times, again and again. */
function animation({ delays, rate }: Still): Filter[] {
  if (delays.length === 1) return []
  const period = delays.reduce((sum, delay) => sum + delay, 0)
  const usual = mostFrequent(delays)
  const frame = `mod(N,${delays.length})`
  const others = delays.flatMap((delay, i) =>
    delay === usual || i === delays.length - 1 ? [] : [`gte(${frame},${i + 1})*${(delay - usual).toFixed(3)}`],
  )
  const time = sum([`floor(N/${delays.length})*${period.toFixed(3)}`, `${frame}*${usual.toFixed(3)}`, ...others])
  return [
    filter('loop', { loop: -1, size: delays.length, start: 0 }),
    // `setpts` cuts off what is no whole tick, also of a sum that is short of one by its rounding alone.
    filter('setpts', { expr: `round(${time}/TB)` }),
    filter('fps', { fps: rateText(rate), start_time: 0 }),
  ]
}

/** In halves of halves: ffmpeg refuses what is nested a hundred deep, as a long row of sums is. */
function sum(terms: readonly string[]): string {
  if (terms.length === 1) return terms[0]!
  const half = Math.ceil(terms.length / 2)
  return `(${sum(terms.slice(0, half))}+${sum(terms.slice(half))})`
}

function mostFrequent(values: readonly number[]): number {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].reduce((best, other) => (other[1] > best[1] ? other : best))[0]
}

const harmless = /^[\w.,+\-*/()<>|@#%= ]*$/

/** Refuses every value that could end one option and begin another, wherever it comes from. */
function filterText({ name, options }: Filter): string {
  const values = Object.entries(options).map(([key, value]) => {
    const text = typeof value === 'number' ? String(value) : value
    if (!harmless.test(text)) throw new TypeError(`a filter value may not hold "${text}"`)
    return `${key}=${text.includes(',') ? `'${text}'` : text}`
  })
  return values.length === 0 ? name : `${name}=${values.join(':')}`
}
