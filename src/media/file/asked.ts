// Checks what a step's options ask for (sizes, lengths, memory) against the limits, before anything is made.
import type { Code, FieldError } from '#kit/errors.ts'
import type { Size } from './geometry.ts'
import { count, type MediaLimits, megabytes, memoryNeeded } from './media-limits.ts'

/** A size that an option asks for. */
interface AskedSize extends Size {
  /** Name of the option, for errors. */
  field: string
}

/** A bitmap that a step draws besides the picture itself. */
export interface Bitmap extends AskedSize {
  /** Bytes per pixel, counting all copies that are in memory at once. */
  perPixel: number
  /** Number of frames, when each frame has its own bitmap. */
  frames?: number
}

export interface Asked {
  /** Sizes the picture goes through, in order; the last one is the output. Omitted: the size does not change. */
  stages?: readonly AskedSize[]
  /** Bitmaps, drawn one after another. */
  bitmaps?: readonly Bitmap[]
  /** Approximate bytes of frames that filters hold until the last frame has arrived. */
  held?: number
  /** Number of characters in all texts together. */
  letters?: number
  /** Length in seconds and frame rate of the result, when the options set them. */
  seconds?: number
  fps?: number
  /** The output is a still picture. */
  still?: boolean
}

/** Memory for drawing an asset: the decoded pixels, and a copy with alpha. */
export const assetBitmap = (field: string, { width, height }: Size): Bitmap => ({ field, width, height, perPixel: 7 })

/** Bytes per pixel of a picture inside a video: decoded, cropped to its visible parts, and written to disk. */
export const STILL_BYTES = 12

/** The size that a picture inside a video is decoded at: an animation is enlarged frame by frame, while it plays. */
export const stillSize = (own: Size, shown: Size, frames: number): Size =>
  frames > 1 && pixels(shown) > pixels(own) ? { width: own.width, height: own.height } : shown

/** Assumed frame rate while the rate of a video is unknown. */
export const USUAL_RATE = 30

/** Bytes of this many seconds of frames. */
export const heldFor = ({ width, height }: Size, seconds: number, rate: number): number =>
  width * height * FRAME_BYTES * Math.ceil(seconds * rate)

/** 4:2:0: one luma byte per pixel, two chroma bytes per four pixels. */
const FRAME_BYTES = 1.5

/** The input of a step. */
export interface Before extends Size {
  frames: number | null
}

/** Stands for an unknown input: sizes relative to it are 0 and ask for nothing. */
export const unknownSize: Size = { width: 0, height: 0 }

interface Fault extends FieldError {
  code: Code
}

/** One entry may draw as many pixels as this many pictures of the largest size. */
const LAYERS = 10
/** More characters would take minutes to typeset. */
const MOST_LETTERS = 20_000
/** Bytes per pixel of a picture that becomes larger than the input. */
const ENLARGED = 7

const pixels = ({ width, height }: Size): number => width * height
const sides = ({ width, height }: Size): string => `${count(width)} × ${count(height)} pixels`

export const bytesOf = (bitmap: Bitmap): number => pixels(bitmap) * bitmap.perPixel * (bitmap.frames ?? 1)

/** `before`: null when the input is unknown; then only certain faults are reported. */
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
  // The input may have any size. Only what it grows to must fit.
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
