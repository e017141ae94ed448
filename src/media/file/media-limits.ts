// Size limits and tool paths, sent to every media child with its work.
import { Problem } from '#kit/errors.ts'
import type { FileFacts } from '#kit/file-facts.ts'
import { own } from '#kit/json.ts'

export interface MediaLimits {
  maxPixels: number
  maxFrames: number
  maxMemoryBytes: number
  maxVideoSeconds: number
  maxVideoPixels: number
  maxVideoFps: number
}

/** Absolute paths of the tools found at start; null for a missing tool. */
export interface Tools {
  ffmpeg: string | null
  ffprobe: string | null
  jpegtran: string | null
  /** Sets the limits of a tool; null when the machine lacks it. */
  prlimit?: string | null
  /** Memory limit of the media child. Its tools cannot have more. */
  mostMemoryBytes?: number
  ffmpegVersion?: string
}

export const count = (n: number): string => n.toLocaleString('en')

export const megabytes = (bytes: number): string => count(Math.round(bytes / 1e6))

/** Memory limit of a media child beyond the counted pixels: for Node itself, the libraries and their caches. */
export const OWN_MEMORY = 1536 * 1024 ** 2

/**
 * Peak memory in bytes of work on a picture, estimated from its header. Measured at 48 megapixels, in bytes per pixel: 1 to 2 when it
 * is resized first, 9 for a turn, 13 for a turn and an overlay at full size. An animation is in memory decoded, changed and joined.
 */
export function memoryNeeded(
  { width, height, frames }: Pick<FileFacts, 'width' | 'height' | 'frames'>,
  perPixel = STILL,
): number {
  return (width ?? 0) * (height ?? 0) * (frames === null ? perPixel : frames * ANIMATED)
}

const STILL = 13
const ANIMATED = 12
/** 16-bit samples take twice the memory in some of the copies. */
const DEEP = 18
/** Total for formats whose decoders and encoders need more. `bench/peaks.ts` measures these numbers. */
const STILLS: Readonly<Record<string, number>> = {
  'image/avif': 36,
  'image/heic': 24,
  'image/heif': 24,
  'image/tiff': DEEP,
  'image/webp': 19,
}

/** Bytes per pixel of a still that is read from this type or written to it. */
export const stillBytes = (mime: string, isDeep = false): number => own(STILLS, mime) ?? (isDeep ? DEEP : STILL)

/** Refuses a picture by what its header says, before anything is decoded. */
export function checkPicture(facts: Pick<FileFacts, 'width' | 'height' | 'frames'>, limits: MediaLimits): void {
  const fault = pictureFault(facts, limits)
  if (fault) throw fault
}

export function pictureFault(
  facts: Pick<FileFacts, 'width' | 'height' | 'frames'>,
  limits: MediaLimits,
): Problem | null {
  const { width, height, frames } = facts
  if (width === null || height === null) return null
  if (frames !== null && frames > limits.maxFrames) {
    return new Problem(
      'too_many_frames',
      `The animation has ${count(frames)} frames; at most ${count(limits.maxFrames)} are taken (KEEPSAKE_MAX_FRAMES).`,
    )
  }
  const bytes = memoryNeeded(facts)
  if (frames !== null && bytes > limits.maxMemoryBytes) {
    return new Problem(
      'memory_limit',
      `The animation needs about ${megabytes(bytes)} MB; at most ${megabytes(limits.maxMemoryBytes)} MB may be used (KEEPSAKE_MAX_MEMORY_BYTES).`,
    )
  }
  if (width * height > limits.maxPixels) {
    return new Problem(
      'too_many_pixels',
      `The picture is ${count(width)} × ${count(height)} pixels; at most ${count(limits.maxPixels)} pixels are taken (KEEPSAKE_MAX_PIXELS).`,
    )
  }
  return null
}
