// Reads the facts of a video or recording from its index in 1 to 2 ms; ffprobe is only the fallback.
import { Problem } from '#kit/errors.ts'
import type { FileFacts } from '#kit/file-facts.ts'
import type { MediaFile } from '../file/file.ts'
import { fileTypeOf } from '../file/formats.ts'
import type { Rate } from '../file/frame-rate.ts'
import { perSecond } from '../file/frame-rate.ts'
import type { MediaLimits, Tools } from '../file/media-limits.ts'
import { checkEnd } from './ends-early.ts'
import { probeWithFfprobe } from './ffprobe.ts'
import { probeIndex } from './index-probe.ts'
import { checkSampleCount } from './sample-count.ts'

interface Colour {
  primaries: string | null
  transfer: string | null
  matrix: string | null
  fullRange: boolean
}

export interface VideoTrack {
  /** Index among the video streams of the file. */
  place: number
  codec: string
  codedWidth: number
  codedHeight: number
  /** Displayed size: upright and with square pixels. */
  width: number
  height: number
  /** Degrees clockwise. */
  rotation: number
  mirrored: boolean
  squarePixels: boolean
  rate: Rate
  /** All frames have the same duration. */
  constant: boolean
  /** True for one index over the whole track. False for fragments, whose times different readers read differently. */
  whole: boolean
  start: number
  end: number
  colour: Colour
  /** 8-bit 4:2:0 and progressive: every browser plays it. */
  plain: boolean
  interlaced: boolean
  alpha: boolean
  /** Decoder configuration (`avcC`), when the container has one. */
  record: Uint8Array | null
}

export interface AudioTrack {
  place: number
  codec: string
  rate: number
  channels: number
  start: number
  end: number
}

export interface VideoProbe {
  mime: string
  /** Start of the earliest track. ffmpeg counts from there. */
  start: number
  end: number
  video: VideoTrack | null
  audio: AudioTrack | null
}

const damaged = (cause: unknown): Problem =>
  new Problem('corrupt_input', 'The recording is damaged: its index cannot be read, so nothing in it can be found.', {
    cause,
  })

export async function probeVideo(file: Pick<MediaFile, 'path' | 'mime'>, tools: Tools): Promise<VideoProbe> {
  checkEnd(file.path, file.mime)
  if (!fileTypeOf(file.mime)?.indexed) return probeWithFfprobe(file, tools)
  checkSampleCount(file.path)
  try {
    const found = await probeIndex(file)
    if (found) return found
  } catch (error) {
    if (!tools.ffprobe) throw damaged(error)
  }
  return probeWithFfprobe(file, tools)
}

/** Refuses a recording that is too long, too large or too fast, before any frame is decoded. */
export function checkVideo({ video, start, end }: VideoProbe, limits: MediaLimits): void {
  const seconds = end - start
  if (seconds > limits.maxVideoSeconds) {
    throw new Problem(
      'too_long',
      `The recording lasts ${Math.round(seconds)} s; at most ${limits.maxVideoSeconds} s are taken (KEEPSAKE_MAX_VIDEO_SECONDS).`,
    )
  }
  if (!video) return
  if (video.width * video.height > limits.maxVideoPixels) {
    throw new Problem(
      'too_many_pixels',
      `The video is ${video.width} × ${video.height} pixels; at most ${limits.maxVideoPixels} pixels a frame are taken (KEEPSAKE_MAX_VIDEO_PIXELS).`,
    )
  }
  if (perSecond(video.rate) > limits.maxVideoFps + 1) {
    throw new Problem(
      'too_many_frames',
      `The video has ${Math.round(perSecond(video.rate))} frames a second; at most ${limits.maxVideoFps} are taken (KEEPSAKE_MAX_VIDEO_FPS).`,
    )
  }
}

/** The facts of a recording, with what its type turns out to be: an MP4 without a picture is sound. */
export async function probeRecording(
  path: string,
  facts: FileFacts,
  limits: MediaLimits,
  tools: Tools,
): Promise<FileFacts> {
  const probe = await probeVideo({ path, mime: facts.mime }, tools)
  checkVideo(probe, limits)
  return recordingFacts(probe, facts)
}

function recordingFacts({ video, start, end }: VideoProbe, facts: FileFacts): FileFacts {
  const duration = Math.max(0, (video?.end ?? end) - start)
  if (video) return { ...facts, medium: 'video', width: video.width, height: video.height, duration }
  const { mime, ext } = fileTypeOf(fileTypeOf(facts.mime)?.soundOnly ?? '') ?? facts
  return { ...facts, mime, ext, medium: 'audio', width: null, height: null, duration }
}
