// Checks a finished graph against the limits before ffmpeg starts: frame size, length, rate and memory.
import { Problem } from '#kit/errors.ts'
import { perSecond } from '../file/frame-rate.ts'
import { count, type MediaLimits, megabytes } from '../file/media-limits.ts'
import { type AudioStream, type Streams, secondsOf, type VideoStream } from './graph.ts'

type Node = VideoStream | AudioStream

/** Intermediate frames may have this many times KEEPSAKE_MAX_VIDEO_PIXELS: a `cover` fit scales frames beyond the edges of the result. */
const ON_THE_WAY = 4
const SAMPLE_BYTES = 8

const pictures = new Set(['jpeg', 'png'])

/** The first reason why these streams cannot be made, or null. */
export function graphFault({ video, audio }: Streams, limits: MediaLimits): Problem | null {
  return (video && videoFault(video, limits)) ?? (audio && soundFault(audio, limits))
}

function videoFault(video: VideoStream, limits: MediaLimits): Problem | null {
  const still = pictures.has(video.encode?.format ?? '')
  const [most, setting] = still
    ? [limits.maxPixels, 'KEEPSAKE_MAX_PIXELS']
    : [limits.maxVideoPixels, 'KEEPSAKE_MAX_VIDEO_PIXELS']
  const size = video.width * video.height
  if (size > most)
    return new Problem(
      'too_many_pixels',
      `The result would be ${count(video.width)} × ${count(video.height)} pixels; at most ${count(most)} pixels are made (${setting}).`,
    )
  const between = Math.max(size, limits.maxVideoPixels * ON_THE_WAY)
  for (const node of nodesOf(video)) {
    if (!isVideo(node) || node.origin.kind === 'still' || node.width * node.height <= between) continue
    return new Problem(
      'too_many_pixels',
      `On the way frames of ${count(node.width)} × ${count(node.height)} pixels would be needed; at most ${count(between)} pixels are made (${ON_THE_WAY} times KEEPSAKE_MAX_VIDEO_PIXELS).`,
    )
  }
  if (Number.isFinite(video.frames) && secondsOf(video) > limits.maxVideoSeconds)
    return tooLong(secondsOf(video), limits)
  if (perSecond(video.rate) > limits.maxVideoFps + 1)
    return new Problem(
      'too_many_frames',
      `The result would have ${Math.round(perSecond(video.rate))} frames a second; at most ${limits.maxVideoFps} are made (KEEPSAKE_MAX_VIDEO_FPS).`,
    )
  return null
}

export function soundFault(audio: AudioStream, limits: MediaLimits): Problem | null {
  if (Number.isFinite(audio.seconds) && audio.seconds > limits.maxVideoSeconds) return tooLong(audio.seconds, limits)
  const bytes = nodesOf(audio).reduce((sum, node) => sum + heldSound(node), 0)
  if (bytes <= limits.maxMemoryBytes) return null
  return new Problem(
    'memory_limit',
    `About ${megabytes(bytes)} MB of sound would be held back; at most ${megabytes(limits.maxMemoryBytes)} MB may be used (KEEPSAKE_MAX_MEMORY_BYTES).`,
  )
}

/** ffmpeg keeps looped sound in memory. */
function heldSound({ origin }: Node): number {
  if (origin.kind !== 'filters') return 0
  const loops = origin.filters.filter(({ name }) => name === 'aloop')
  return loops.reduce((sum, { options }) => sum + Number(options.size) * SAMPLE_BYTES, 0)
}

const tooLong = (seconds: number, { maxVideoSeconds }: MediaLimits): Problem =>
  new Problem(
    'too_long',
    `The result would last ${Math.round(seconds)} s; at most ${maxVideoSeconds} s are made (KEEPSAKE_MAX_VIDEO_SECONDS).`,
  )

const isVideo = (node: Node): node is VideoStream => 'frames' in node

/** All streams that this one is made from, each once: a chain may use one stream many times. */
function nodesOf<T extends Node>(stream: T): T[] {
  const seen = new Set<Node>()
  const open: Node[] = [stream]
  for (let node = open.pop(); node; node = open.pop()) {
    if (seen.has(node)) continue
    seen.add(node)
    const { origin } = node
    if (origin.kind === 'filters') open.push(...origin.inputs)
    else if (origin.kind === 'join') open.push(...origin.parts)
    else if (origin.kind === 'cut') open.push(origin.input)
  }
  return [...seen] as T[]
}

/** Bytes of frames that the filters of the graph hold in memory. */
export const heldBytes = (video: VideoStream): number =>
  nodesOf(video).reduce((sum, node) => sum + heldFrames(node) * node.width * node.height * FRAME_BYTES, 0)

const FRAME_BYTES = 1.5

function heldFrames({ origin }: VideoStream): number {
  if (origin.kind === 'filters') return origin.held
  const [part] = origin.kind === 'join' ? origin.parts : []
  return part && origin.kind === 'join' && new Set(origin.parts).size === 1 ? part.frames : 0
}
