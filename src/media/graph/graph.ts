// The filter graph that neighbouring video entries build together: immutable streams that know how they are made.
import type { MediaFile } from '../file/file.ts'
import type { Rate } from '../file/frame-rate.ts'
import type { Size } from '../file/geometry.ts'
import type { Pixels } from '../pixels/pixels.ts'
import type { VideoProbe } from '../probe/video-probe.ts'
import type { Loudness } from './loudness.ts'
import type { Placed, Still } from './stills.ts'

/** A file that streams start from. */
export interface Source {
  readonly file: MediaFile
  readonly probe: VideoProbe
  /** Seconds that ffmpeg's times of the picture are later than those of `probe`. */
  readonly shift?: number
  /** Name in recorded commands: `input`, or `asset:NAME`. */
  readonly label: string
  /** True for assets, false for the guest's file. Clips made from assets alone are worth storing. */
  readonly asset: boolean
}

/** One ffmpeg filter. Its values are our own numbers and words, never text from outside. */
export interface Filter {
  readonly name: string
  readonly options: Readonly<Record<string, string | number>>
}

/** Frames from `from` up to, but not including, `to`. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Output format, when a step sets it; null means the default (MP4, H.264, AAC). */
export type VideoEncode =
  | { readonly format: 'mp4' | 'mov' | 'webm'; readonly crf: number; readonly preset: string }
  | { readonly format: 'gif' | 'webp'; readonly maxBytes: number }
  /** `size`: a corner of the frame, whose sides may be odd. */
  | { readonly format: 'jpeg' | 'png'; readonly quality: number; readonly size: Size }

export interface AudioEncode {
  readonly format: 'mp3' | 'm4a' | 'ogg' | 'wav' | 'flac'
  readonly bitrate: string
}

export type VideoOrigin =
  /** Frames of a file, made upright, square, progressive, constant in rate and BT.709. `loop` repeats them for ever. */
  | { readonly kind: 'source'; readonly source: Source; readonly loop: boolean }
  /** One picture or a short animation, decoded by us. */
  | { readonly kind: 'still'; readonly still: Still }
  /** Frames that a step has made, as raw pixels on disk. */
  | { readonly kind: 'made'; readonly path: string; readonly label: string; readonly channels: 1 | 3 }
  /** A plane of one colour (`#rrggbb`). */
  | { readonly kind: 'colour'; readonly colour: string }
  /** `window`: outside these frames the filters do not change the first input. `held`: number of frames the filters keep in memory. */
  | {
      readonly kind: 'filters'
      readonly inputs: readonly VideoStream[]
      readonly filters: readonly Filter[]
      readonly window: Span | null
      readonly held: number
    }
  /** A part of the input. */
  | { readonly kind: 'cut'; readonly input: VideoStream; readonly span: Span }
  /** Parts one after another, all of the same size and rate. */
  | { readonly kind: 'join'; readonly parts: readonly VideoStream[] }

export interface VideoStream {
  readonly origin: VideoOrigin
  /** Displayed size, always even. */
  readonly width: number
  readonly height: number
  readonly rate: Rate
  /** `Infinity` for a picture or a loop that no step has cut yet. */
  readonly frames: number
  readonly alpha: boolean
  readonly encode: VideoEncode | null
}

type AudioOrigin =
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

/** Input and output of an entry. A stream that is still its source at the end is copied, not encoded. */
export interface Streams {
  readonly video: VideoStream | null
  readonly audio: AudioStream | null
}

export interface OpenOptions {
  /** Repeats the file for ever. */
  loop?: boolean
}

export interface StillOptions {
  /** The box that the picture must fill or stay inside. */
  width: number
  height: number
  fit: 'contain' | 'cover' | 'stretch' | 'none'
  scale?: number
  opacity?: number
  /** Colour behind transparent pixels. With it the picture is not reduced to its visible parts. */
  background?: string
  rate: Rate
}

export interface FrameWriter {
  write(frame: Uint8Array): Promise<void>
  end(): Promise<VideoStream>
}

/** Services that a step may use while it adds to the graph. */
export interface Graph {
  /** The input of the first entry. */
  readonly input: MediaFile
  /** Opens another file as streams and checks it against the limits. */
  open(file: MediaFile, parameter: string, options?: OpenOptions): Promise<Streams>
  /** Decodes a picture to fit a box; an animation becomes a loop. */
  still(file: MediaFile, parameter: string, options: StillOptions): Promise<Placed>
  /** Adds pixels (RGBA) that a step has drawn itself. */
  drawn(pixels: { data: Buffer; width: number; height: number }, label: string, rate: Rate): Promise<Placed>
  /** Adds a colour table (Hald) for lookup filters. */
  table(pixels: { data: Buffer; width: number; height: number }, rate: Rate): Promise<Still>
  /** Frames of a stream at which a copy may begin or end; null when the stream must be encoded. */
  keyFrames(video: VideoStream): Promise<readonly number[] | null>
  /** Decodes a stream for looking at it: frames of three channels, in this size, so many a second. */
  frames(video: VideoStream, size: Size, rate: Rate): AsyncIterable<Pixels>
  /** Takes frames that a step makes one by one, of grey or of three channels. */
  writer(size: Size, channels: 1 | 3, rate: Rate, label: string): Promise<FrameWriter>
  /** Measures the loudness of a stream (EBU R128). */
  loudness(audio: AudioStream): Promise<Loudness>
  readonly maxMemoryBytes: number
}

export const secondsOf = (video: VideoStream): number => (video.frames * video.rate.den) / video.rate.num
