// Operations of steps on sound, as nodes of the graph. An operation that changes nothing adds no node.
import type { AudioEncode, AudioStream, Filter } from './graph.ts'
import { filter } from './video-ops.ts'

const ENOUGH = 1e-6

export const throughAudio = (
  inputs: readonly [AudioStream, ...AudioStream[]],
  filters: readonly Filter[],
  seconds = inputs[0].seconds,
): AudioStream => ({
  origin: { kind: 'filters', inputs, filters },
  seconds,
  encode: null,
})

export const silence = (seconds: number): AudioStream => ({ origin: { kind: 'silence' }, seconds, encode: null })

const time = (seconds: number): string => seconds.toFixed(6)

export function louder(audio: AudioStream, volume: number): AudioStream {
  return volume === 1 ? audio : throughAudio([audio], [filter('volume', { volume: Number(volume.toFixed(6)) })])
}

export const gained = (audio: AudioStream, decibels: number): AudioStream =>
  Math.abs(decibels) < 0.05 ? audio : throughAudio([audio], [filter('volume', { volume: `${decibels.toFixed(2)}dB` })])

/** Filters that look ahead return a few milliseconds less than they got, so their output is padded and cut. */
const padded = (seconds: number): Filter[] => [
  filter('apad', { whole_dur: time(seconds) }),
  filter('atrim', { end: time(seconds) }),
]

/** Keeps peaks below -1 dBTP and does not change quieter sound. */
export const limited = (audio: AudioStream): AudioStream =>
  throughAudio(
    [audio],
    [
      filter('alimiter', { limit: 0.891, attack: 2, release: 60, level: 'false', latency: 1 }),
      ...padded(audio.seconds),
    ],
  )

export function cutAudio(audio: AudioStream, from: number, to: number): AudioStream {
  const end = Math.min(to, audio.seconds)
  if (from < ENOUGH && end > audio.seconds - ENOUGH) return audio
  return { origin: { kind: 'cut', input: audio, from, to: end }, seconds: Math.max(0, end - from), encode: null }
}

/** Makes the stream exactly this long: cuts it or appends silence. */
export function lasting(audio: AudioStream, seconds: number): AudioStream {
  if (audio.seconds > seconds + ENOUGH) return cutAudio(audio, 0, seconds)
  if (audio.seconds >= seconds - ENOUGH) return audio
  return throughAudio([audio], padded(seconds), seconds)
}

/**
 * Pads and cuts to exactly this length, whatever length the stream claims. Decoded AAC is up to one packet longer than claimed, and that
 * adds up over joined parts.
 */
export const exactlyLasting = (audio: AudioStream, seconds: number): AudioStream =>
  throughAudio([lasting(audio, seconds)], padded(seconds), seconds)

/** In seconds. Longer sound is not held in memory. */
export const LONGEST_REPEATED = 300

/** Repeats for ever, without the gap that an encoder leaves at both ends of a file. */
export const repeated = (audio: AudioStream): AudioStream =>
  throughAudio(
    [audio],
    [
      // Decoded AAC is longer than its stated length and is cut off. Decoded MP3 is shorter and is taken whole.
      filter('atrim', { end: time(audio.seconds) }),
      filter('aloop', { loop: -1, size: Math.round(audio.seconds * 48_000) }),
      filter('asetpts', { expr: 'N/SR/TB' }),
    ],
    Number.POSITIVE_INFINITY,
  )

export function delayed(audio: AudioStream, seconds: number): AudioStream {
  if (seconds < ENOUGH) return audio
  return throughAudio(
    [audio],
    [filter('adelay', { delays: `${Math.round(seconds * 48_000)}S`, all: 1 })],
    audio.seconds + seconds,
  )
}

export function fadedAudio(audio: AudioStream, fadeIn: number, fadeOut: number, from = 0): AudioStream {
  const [rise, fall] = [Math.min(fadeIn, audio.seconds), Math.min(fadeOut, audio.seconds)]
  const filters = [
    ...(rise > 0 ? [filter('afade', { t: 'in', st: time(from), d: time(rise) })] : []),
    ...(fall > 0 ? [filter('afade', { t: 'out', st: time(audio.seconds - fall), d: time(fall) })] : []),
  ]
  return filters.length === 0 ? audio : throughAudio([audio], filters)
}

/** Adds up both streams, each at its own volume. The result is as long as the first. */
export function mixed(first: AudioStream, second: AudioStream): AudioStream {
  return limited(
    throughAudio(
      [first, lasting(second, first.seconds)],
      [filter('amix', { inputs: 2, duration: 'first', dropout_transition: 0, normalize: 0 })],
    ),
  )
}

/** Lowers `music` while `voice` speaks. */
export function ducked(music: AudioStream, voice: AudioStream): AudioStream {
  return throughAudio(
    [music, lasting(voice, music.seconds)],
    [filter('sidechaincompress', { threshold: 0.03, ratio: 8, attack: 20, release: 400 })],
  )
}

export function joinedAudio(parts: readonly AudioStream[]): AudioStream {
  const flat = parts.flatMap(part => (part.origin.kind === 'join' ? part.origin.parts : [part]))
  return flat.length === 1
    ? flat[0]!
    : {
        origin: { kind: 'join', parts: flat },
        seconds: flat.reduce((sum, { seconds }) => sum + seconds, 0),
        encode: null,
      }
}

/** Not `acrossfade`: with three parts in a row, ffmpeg 5.1 loses the last two. */
export function crossfadedAudio(before: AudioStream, after: AudioStream, seconds: number): AudioStream {
  const offset = before.seconds - seconds
  const whole = offset + after.seconds
  const going = exactlyLasting(fadedAudio(before, 0, seconds), whole)
  const coming = exactlyLasting(delayed(fadedAudio(after, seconds, 0), offset), whole)
  return throughAudio(
    [going, coming],
    [filter('amix', { inputs: 2, duration: 'first', dropout_transition: 0, normalize: 0 })],
    whole,
  )
}

const SLOWEST = 0.5
const FASTEST = 2

/** Changes the tempo at the same pitch, in steps within the range of one `atempo` filter. */
export function atTempo(audio: AudioStream, factor: number): AudioStream {
  if (factor === 1) return audio
  const filters: Filter[] = []
  let left = factor
  while (left < SLOWEST || left > FASTEST) {
    const step = left < SLOWEST ? SLOWEST : FASTEST
    filters.push(filter('atempo', { tempo: step }))
    left /= step
  }
  filters.push(filter('atempo', { tempo: Number(left.toFixed(6)) }))
  return throughAudio([audio], filters, audio.seconds / factor)
}

export const writtenAudio = (audio: AudioStream, encode: AudioEncode): AudioStream => ({ ...audio, encode })
