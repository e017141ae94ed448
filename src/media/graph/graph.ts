// The filter graph that neighbouring video entries grow together: immutable streams that know how they are made.
import type { MediaFile } from '../file/file.ts'
import type { Rate } from '../file/frame-rate.ts'
import type { VideoProbe } from '../probe/video-probe.ts'
import type { Loudness } from './loudness.ts'
import type { Placed, Still } from './stills.ts'

/** A file that streams start from. */
export interface Source {
  readonly file: MediaFile
  readonly probe: VideoProbe
  /** How commands call it: `input`, or `asset:NAME`. */
  readonly label: string
  /** Not the guest's own file, so that what is made of it alone is worth keeping. */
  readonly asset: boolean
}

/** One ffmpeg filter. Values are numbers and words of ours, never a text that came from outside. */
export interface Filter {
  readonly name: string
  readonly options: Readonly<Record<string, string | number>>
}

/** Frames `from` up to but not including `to`. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** How a result is written when a step says so; null leaves it to the defaults (MP4, H.264, AAC). */
export type VideoEncode =
  | { readonly format: 'mp4' | 'mov' | 'webm'; readonly crf: number; readonly preset: string }
  | { readonly format: 'gif' | 'webp'; readonly maxBytes: number }
  | { readonly format: 'jpeg' | 'png'; readonly quality: number }

export interface AudioEncode {
  readonly format: 'mp3' | 'm4a' | 'ogg' | 'wav' | 'flac'
  readonly bitrate: string
}

export type VideoOrigin =
  /** Frames of a file, made upright, square, progressive, constant in rate and BT.709. `loop` starts it over for ever. */
  | { readonly kind: 'source'; readonly source: Source; readonly loop: boolean }
  /** One picture or a short animation, decoded by us. */
  | { readonly kind: 'still'; readonly still: Still }
  /** A plane of one colour (`#rrggbb`). */
  | { readonly kind: 'colour'; readonly colour: string }
  /** `window`: outside of these frames the filters change nothing of the first input. `held`: frames kept in memory. */
  | {
      readonly kind: 'filters'
      readonly inputs: readonly VideoStream[]
      readonly filters: readonly Filter[]
      readonly window: Span | null
      readonly held: number
    }
  /** A part of the input. */
  | { readonly kind: 'cut'; readonly input: VideoStream; readonly span: Span }
  /** One after the other; all of one size and rate. */
  | { readonly kind: 'join'; readonly parts: readonly VideoStream[] }

export interface VideoStream {
  readonly origin: VideoOrigin
  /** As a person sees it, always even. */
  readonly width: number
  readonly height: number
  readonly rate: Rate
  /** `Infinity` for a picture or a loop that nobody has cut yet. */
  readonly frames: number
  readonly alpha: boolean
  readonly encode: VideoEncode | null
}

export type AudioOrigin =
  | { readonly kind: 'source'; readonly source: Source; readonly loop: boolean }
  | { readonly kind: 'silence' }
  | { readonly kind: 'filters'; readonly inputs: readonly AudioStream[]; readonly filters: readonly Filter[] }
  | { readonly kind: 'cut'; readonly input: AudioStream; readonly from: number; readonly to: number }
  | { readonly kind: 'join'; readonly parts: readonly AudioStream[] }

/** Inside the graph all sound is 48 kHz stereo. */
export interface AudioStream {
  readonly origin: AudioOrigin
  readonly seconds: number
  readonly encode: AudioEncode | null
}

/** What an entry gets and hands on. A stream that still is its source in the end is copied, not encoded. */
export interface Streams {
  readonly video: VideoStream | null
  readonly audio: AudioStream | null
}

export interface OpenOptions {
  /** Starts over for ever. */
  loop?: boolean
}

export interface StillOptions {
  /** The box the picture has to fill or stay inside of. */
  width: number
  height: number
  fit: 'contain' | 'cover' | 'stretch' | 'none'
  scale?: number
  opacity?: number
  /** Colour behind what is transparent; the picture is then taken whole. */
  background?: string
  rate: Rate
}

/** What a step may ask for while it adds to the graph. */
export interface Graph {
  /** What the first entry got. */
  readonly input: MediaFile
  /** Opens one more file as streams, checked against the limits. */
  open(file: MediaFile, parameter: string, options?: OpenOptions): Promise<Streams>
  /** Decodes a picture to fit a box; an animated one becomes a loop. */
  still(file: MediaFile, parameter: string, options: StillOptions): Promise<Placed>
  /** Pixels (RGBA) that a step has drawn itself. */
  drawn(pixels: { data: Buffer; width: number; height: number }, label: string, rate: Rate): Promise<Placed>
  /** A table of colours (Hald) for filters that look them up. */
  table(pixels: { data: Buffer; width: number; height: number }, rate: Rate): Promise<Still>
  /** Frames of a stream at which a copy may begin or end; null where it has to be encoded. */
  keyFrames(video: VideoStream): Promise<readonly number[] | null>
  /** Measures a stream as it would sound (EBU R128). */
  loudness(audio: AudioStream): Promise<Loudness>
  readonly maxMemoryBytes: number
}

export const secondsOf = (video: VideoStream): number => (video.frames * video.rate.den) / video.rate.num
