// What the options of a step ask for, held against the limits before any of it is made.
import type { Code, FieldError } from '#kit/errors.ts'
import type { Size } from './geometry.ts'
import { count, type MediaLimits, megabytes, memoryNeeded } from './media-limits.ts'

/** A size that an option asks for. */
export interface AskedSize extends Size {
  /** The option, for errors. */
  field: string
}

/** Pixels that are drawn beside the picture itself. */
export interface Bitmap extends AskedSize {
  /** Bytes a pixel, with all copies that are held at once. */
  perPixel: number
  /** One bitmap for each frame. */
  frames?: number
}

export interface Asked {
  /** Sizes that the picture goes through; the last one is handed on. Left out: it stays as it is. */
  stages?: readonly AskedSize[]
  /** What is drawn, one after the other. */
  bitmaps?: readonly Bitmap[]
  /** Bytes of frames that are held back until the last one has come, about. */
  held?: number
  /** Letters of all texts together. */
  letters?: number
  /** Seconds and frames a second of the result, where the options say it. */
  seconds?: number
  fps?: number
  /** What goes on does not move. */
  still?: boolean
}

/** An asset as it is drawn: what was decoded, and the same with transparency. */
export const assetBitmap = (field: string, { width, height }: Size): Bitmap => ({ field, width, height, perPixel: 7 })

/** Bytes a pixel of a picture inside a video: decoded, cut to what shows something, and written down. */
export const STILL_BYTES = 12

/** What is reckoned with while the rate of a video is not known. */
export const USUAL_RATE = 30

/** Bytes of so many seconds of frames. */
export const heldFor = ({ width, height }: Size, seconds: number, rate: number): number =>
  width * height * FRAME_BYTES * Math.ceil(seconds * rate)

/** Light for every pixel, colour for every four. */
const FRAME_BYTES = 1.5

/** What comes into a step. */
export interface Before extends Size {
  frames: number | null
}

/** What shares are counted of while the size is not known: they ask for nothing then. */
export const unknownSize: Size = { width: 0, height: 0 }

interface Fault extends FieldError {
  code: Code
}

/** A picture may be drawn over so often in one entry. */
const LAYERS = 10
/** More letters would take minutes to set. */
const MOST_LETTERS = 20_000
/** Bytes a pixel of a picture that is larger than what came in. */
const ENLARGED = 7

const pixels = ({ width, height }: Size): number => width * height
const sides = ({ width, height }: Size): string => `${count(width)} × ${count(height)} pixels`

export const bytesOf = (bitmap: Bitmap): number => pixels(bitmap) * bitmap.perPixel * (bitmap.frames ?? 1)

/** `before`: null where it is not known yet, and only what is certain is held against the limits. */
export function faultsOf(asked: Asked, before: Before | null, moves: boolean, limits: MediaLimits): Fault[] {
  const { stages = [], bitmaps = [], letters = 0, seconds = 0, fps = 0 } = asked
  const faults = [
    ...stages.flatMap(stage => stageFault(stage, before, moves, limits) ?? []),
    ...bitmaps.flatMap(bitmap => bitmapFault(bitmap, before, limits) ?? []),
  ]
  const drawn = bitmaps.reduce((sum, bitmap) => sum + pixels(bitmap) * (bitmap.frames ?? 1), 0)
  const most = LAYERS * Math.max(limits.maxPixels, before ? pixels(before) * (before.frames ?? 1) : 0)
  const first = bitmaps[0]?.field.replace(/\W.*/, '') ?? ''
  if (faults.length === 0 && drawn > most)
    faults.push({
      code: 'too_many_pixels',
      field: first,
      message: `ask for ${count(drawn)} pixels to be drawn; one entry draws at most ${count(most)} (${LAYERS} times KEEPSAKE_MAX_PIXELS)`,
    })
  if (letters > MOST_LETTERS)
    faults.push({
      code: 'time_limit',
      field: first,
      message: `have ${count(letters)} letters together; one entry sets at most ${count(MOST_LETTERS)}`,
    })
  if (seconds > limits.maxVideoSeconds)
    faults.push({
      code: 'too_long',
      field: 'duration',
      message: `asks for ${seconds} s; at most ${limits.maxVideoSeconds} s are made (KEEPSAKE_MAX_VIDEO_SECONDS)`,
    })
  if (fps > limits.maxVideoFps)
    faults.push({
      code: 'too_many_frames',
      field: 'fps',
      message: `asks for ${fps} frames a second; at most ${limits.maxVideoFps} are made (KEEPSAKE_MAX_VIDEO_FPS)`,
    })
  return faults
}

function stageFault(
  stage: AskedSize,
  before: Before | null,
  moves: boolean,
  { maxPixels, maxVideoPixels, maxMemoryBytes }: MediaLimits,
): Fault | null {
  const { field } = stage
  // What came in may be as large as it is; only what it grows to has to fit.
  if (!moves && before && pixels(stage) <= pixels(before)) return null
  const [most, setting] = moves
    ? [maxVideoPixels, 'KEEPSAKE_MAX_VIDEO_PIXELS' as const]
    : [maxPixels, 'KEEPSAKE_MAX_PIXELS' as const]
  if (pixels(stage) > most)
    return {
      code: 'too_many_pixels',
      field,
      message: `asks for ${sides(stage)}; at most ${count(most)} pixels are made (${setting})`,
    }
  if (moves) return null
  const frames = before?.frames ?? null
  const bytes = frames === null ? pixels(stage) * ENLARGED : memoryNeeded({ ...stage, frames })
  return bytes > maxMemoryBytes ? tooMuch(field, stage, bytes, maxMemoryBytes) : null
}

function bitmapFault(bitmap: Bitmap, before: Before | null, { maxPixels, maxMemoryBytes }: MediaLimits): Fault | null {
  const { field } = bitmap
  if (pixels(bitmap) > maxPixels)
    return {
      code: 'too_many_pixels',
      field,
      message: `asks for ${sides(bitmap)} to be drawn; at most ${count(maxPixels)} are drawn at once (KEEPSAKE_MAX_PIXELS)`,
    }
  if (before && pixels(bitmap) <= pixels(before)) return null
  const bytes = bytesOf(bitmap)
  return bytes > maxMemoryBytes ? tooMuch(field, bitmap, bytes, maxMemoryBytes) : null
}

const tooMuch = (field: string, size: Size, bytes: number, most: number): Fault => ({
  code: 'memory_limit',
  field,
  message: `asks for ${sides(size)}, which need about ${megabytes(bytes)} MB; at most ${megabytes(most)} MB may be used (KEEPSAKE_MAX_MEMORY_BYTES)`,
})
