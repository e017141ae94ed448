// Builds encoder options, and decides which container and audio codec fit which video codec.
import { own } from '#kit/json.ts'
import { fileTypes } from '../file/formats.ts'
import { perSecond } from '../file/frame-rate.ts'
import type { AudioEncode, AudioStream, VideoEncode, VideoStream } from '../graph/graph.ts'
import type { AudioTrack, VideoTrack } from '../probe/video-probe.ts'

/** What results are written as: file types that have a muxer. */
export type Container =
  | ('mp4' | 'mov' | 'webm' | 'mkv')
  | ('gif' | 'webp' | 'jpeg' | 'png')
  | ('mp3' | 'm4a' | 'ogg' | 'wav' | 'flac')

export const DEFAULT_CRF = 21
export const DEFAULT_PRESET = 'veryfast'
const KEY_FRAME_SECONDS = 2

export interface Tags {
  /** Write colour tags? False when the track also holds packets of a source that has none. */
  colour: boolean
  /** Id of the parameter sets. It must differ from the ids of copied sources in the same track. */
  spsId: number
}

const plainTags: Tags = { colour: true, spsId: 0 }

const colourTags = ['-color_primaries', 'bt709', '-color_trc', 'bt709', '-colorspace', 'bt709', '-color_range', 'tv']

const keyFrameEvery = (video: VideoStream): number => Math.max(1, Math.round(perSecond(video.rate) * KEY_FRAME_SECONDS))

export function x264(
  video: VideoStream,
  crf: number,
  preset: string,
  threads: number,
  { colour, spsId }: Tags = plainTags,
): string[] {
  return [
    ...[
      '-c:v',
      'libx264',
      '-preset',
      preset,
      '-crf',
      String(crf),
      '-pix_fmt',
      'yuv420p',
      '-g',
      String(keyFrameEvery(video)),
    ],
    ...(colour ? colourTags : []),
    ...(spsId > 0 ? ['-x264-params', `sps-id=${spsId}`] : []),
    ...(threads > 0 ? ['-threads', String(threads)] : []),
  ]
}

/** VP9 settings fast enough that a guest can wait for the result. */
const vp9 = (video: VideoStream, crf: number, threads: number): string[] => [
  ...[
    '-c:v',
    'libvpx-vp9',
    '-b:v',
    '0',
    '-crf',
    String(Math.min(63, crf + 10)),
    '-deadline',
    'good',
    '-cpu-used',
    '5',
    '-row-mt',
    '1',
  ],
  ...['-pix_fmt', 'yuv420p', '-g', String(keyFrameEvery(video) * 2), ...colourTags],
  ...(threads > 0 ? ['-threads', String(threads)] : []),
]

/** Lossless intermediate file, for entries that run one by one. */
export const lossless = (video: VideoStream, threads: number): string[] => [
  '-c:v',
  'libx264',
  '-preset',
  'ultrafast',
  '-qp',
  '0',
  '-pix_fmt',
  'yuv420p',
  '-g',
  String(keyFrameEvery(video)),
  ...colourTags,
  ...(threads > 0 ? ['-threads', String(threads)] : []),
]

export function videoCodec(video: VideoStream, encode: VideoEncode | null, threads: number): string[] {
  if (!encode) return x264(video, DEFAULT_CRF, DEFAULT_PRESET, threads)
  if (encode.format === 'mp4' || encode.format === 'mov') return x264(video, encode.crf, encode.preset, threads)
  if (encode.format === 'webm') return vp9(video, encode.crf, threads)
  if (encode.format === 'gif') return ['-c:v', 'gif', '-loop', '0']
  if (encode.format === 'webp')
    return ['-c:v', 'libwebp_anim', '-loop', '0', '-quality', '75', '-compression_level', '4']
  return ['-c:v', 'png', '-frames:v', '1', '-f', 'image2', '-update', '1']
}

const AAC = ['-c:a', 'aac', '-b:a', '128k', '-ar', '48000', '-ac', '2']

export function audioCodec(container: Container, encode: AudioEncode | null): string[] {
  const bitrate = encode?.bitrate
  switch (container) {
    case 'webm':
      return ['-c:a', 'libopus', '-b:a', '128k', '-ar', '48000', '-ac', '2']
    case 'mkv':
      return ['-c:a', 'flac']
    case 'mp3':
      return ['-c:a', 'libmp3lame', '-b:a', bitrate ?? '192k', '-ar', '48000', '-ac', '2']
    case 'ogg':
      return ['-c:a', 'libopus', '-b:a', bitrate ?? '128k', '-ar', '48000', '-ac', '2']
    case 'wav':
      return ['-c:a', 'pcm_s16le', '-ar', '48000', '-ac', '2']
    case 'flac':
      return ['-c:a', 'flac', '-sample_fmt', 's16', '-ar', '48000', '-ac', '2']
    case 'm4a':
      return ['-c:a', 'aac', '-b:a', bitrate ?? '192k', '-ar', '48000', '-ac', '2']
    default:
      return AAC
  }
}

/** Drops all metadata (place, device) and chapters, and puts the index first. */
export function wrapping(container: Container): string[] {
  const stripped = ['-map_metadata', '-1', '-map_chapters', '-1', '-dn', '-sn', '-fflags', '+bitexact']
  const faststart = ['mp4', 'mov', 'm4a'].includes(container) ? ['-movflags', '+faststart'] : []
  return [...stripped, ...faststart, '-f', fileTypes[container].muxer as string]
}

const playable: Record<string, Container> = { h264: 'mp4', hevc: 'mp4', av1: 'mp4', vp9: 'webm', vp8: 'webm' }

/** The container that takes the packets of a track unchanged, or null when they must be encoded again. */
export function copyContainer({ codec, plain }: VideoTrack, mime: string): Container | null {
  // Browsers refuse H.264 beyond 8-bit 4:2:0, so it is encoded again. HEVC from phones is copied at any bit depth.
  if (codec === 'h264' && !plain) return null
  // Matroska stores no decoding times. ffmpeg makes them up for MP4, and that shortens the end.
  if ((codec === 'h264' || codec === 'hevc') && mime === 'video/matroska') return null
  if (codec === 'av1' && mime === 'video/webm') return 'webm'
  if (codec === 'vp9' && mime !== 'video/webm' && mime !== 'video/matroska') return 'mp4'
  return own(playable, codec) ?? null
}

const sounds: Partial<Record<Container, readonly string[]>> = {
  mp4: ['aac', 'mp3'],
  mov: ['aac', 'mp3'],
  webm: ['opus', 'vorbis'],
  m4a: ['aac'],
  mp3: ['mp3'],
  ogg: ['opus', 'vorbis'],
  flac: ['flac'],
}

export const soundFits = ({ codec }: AudioTrack, container: Container): boolean =>
  sounds[container]?.includes(codec) ?? false

/** Audio without video keeps its format when we can write that format. */
export function audioContainer({ encode }: AudioStream, mime: string): Container {
  if (encode) return encode.format
  const same: Record<string, Container> = {
    'audio/mpeg': 'mp3',
    'audio/wav': 'wav',
    'audio/flac': 'flac',
    'audio/ogg': 'ogg',
    'audio/mp4': 'm4a',
    'audio/aac': 'm4a',
    'audio/webm': 'ogg',
  }
  return own(same, mime) ?? 'm4a'
}
