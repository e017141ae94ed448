// Brings a source into the form the graph works in: upright, square pixels, even size, constant rate, BT.709, 48 kHz stereo.

import { rateText } from '../file/frame-rate.ts'
import type { Size } from '../file/geometry.ts'
import type { VideoTrack } from '../probe/video-probe.ts'
import { yuv709 } from './colour-yuv.ts'
import type { Filter, Source, VideoStream } from './graph.ts'
import { filter } from './video-ops.ts'

const SD_HEIGHT = 720
/** Brightness of white paper in HDR (BT.2408), in cd/m². Everything brighter is a highlight. */
const HDR_WHITE = 203

export const isHdr = ({ colour }: VideoTrack): boolean =>
  ['pq', 'hlg', 'smpte2084', 'arib-std-b67'].includes(colour.transfer ?? '')

/** By convention, untagged video is BT.601 when small and BT.709 when large. */
export const isBt709 = ({ colour, codedHeight }: VideoTrack): boolean =>
  !colour.fullRange &&
  (colour.matrix === null || colour.matrix === 'unknown' ? codedHeight >= SD_HEIGHT : colour.matrix === 'bt709')

/** Tags every frame, so that no later conversion has to guess. */
const isBt709Now = filter('setparams', {
  range: 'tv',
  color_primaries: 'bt709',
  color_trc: 'bt709',
  colorspace: 'bt709',
})

/** `seeked`: reading began in the middle of the file, at the first wanted frame. */
export function videoFilters(video: VideoStream, { probe }: Source, seeked: boolean): Filter[] {
  const track = probe.video!
  const exact = Number.isFinite(video.frames)
  const [oddWidth, oddHeight] = [track.width, track.height].map(n => n % 2 === 1)
  const late = Math.max(0, track.start - probe.start)
  return [
    // Demuxers treat edit lists in fragmented files differently. The index says when the first frame is shown.
    ...(seeked ? [] : [filter('setpts', { expr: late > 0 ? `PTS-STARTPTS+${late.toFixed(6)}/TB` : 'PTS-STARTPTS' })]),
    ...(track.interlaced ? [filter('bwdif', { mode: 'send_frame', deint: 'interlaced' })] : []),
    // Rate before size: dropped frames then need no scaling.
    filter('fps', { fps: rateText(video.rate), start_time: 0 }),
    ...(exact ? [filter('tpad', { stop: 2, stop_mode: 'clone' }), filter('trim', { end_frame: video.frames })] : []),
    ...toBt709(track),
    ...(track.squarePixels ? [] : [filter('scale', { w: track.width, h: track.height, flags: 'bicubic' })]),
    ...(oddWidth || oddHeight ? [filter('crop', { w: video.width, h: video.height, x: 0, y: 0 })] : []),
    filter('setsar', { sar: 1 }),
    filter('format', { pix_fmts: video.alpha ? 'yuva420p' : 'yuv420p' }),
    isBt709Now,
  ]
}

function toBt709(track: VideoTrack): Filter[] {
  if (isHdr(track)) {
    return [
      filter('zscale', { t: 'linear', npl: HDR_WHITE }),
      filter('format', { pix_fmts: 'gbrpf32le' }),
      filter('zscale', { p: 'bt709' }),
      // Keeps shadows and mid-tones and compresses only brighter values, so a face looks as it does on the phone.
      filter('tonemap', { tonemap: 'mobius', desat: 0 }),
      filter('zscale', { t: 'bt709', m: 'bt709', r: 'tv' }),
    ]
  }
  if (isBt709(track)) return []
  const { matrix, fullRange } = track.colour
  const from =
    { bt709: 'bt709', 'bt2020-ncl': 'bt2020', bt2020nc: 'bt2020', fcc: 'fcc', smpte240m: 'smpte240m' }[matrix ?? ''] ??
    'bt601'
  const assumed = (matrix === null || matrix === 'unknown') && track.codedHeight >= SD_HEIGHT ? 'bt709' : from
  return [
    filter('scale', {
      in_color_matrix: assumed,
      out_color_matrix: 'bt709',
      in_range: fullRange ? 'pc' : 'tv',
      out_range: 'tv',
    }),
  ]
}

/** Converts our raw RGBA for overlay and encoder with the BT.709 matrix; ffmpeg's default is BT.601. */
export const stillFilters = (alpha: boolean, larger: Size | null = null): Filter[] => [
  filter('scale', {
    ...(larger ? { w: larger.width, h: larger.height, flags: 'bicubic' } : {}),
    out_color_matrix: 'bt709',
    out_range: 'tv',
  }),
  filter('setsar', { sar: 1 }),
  filter('format', { pix_fmts: alpha ? 'yuva420p' : 'yuv420p' }),
  isBt709Now,
]

/**
 * Converts to RGB with the graph's matrix, BT.709. ffmpeg's defaults would use BT.601, and one colour for four pixels where colours
 * change.
 */
export const toRgb = (): Filter[] => [
  filter('scale', {
    in_color_matrix: 'bt709',
    in_range: 'tv',
    out_range: 'pc',
    flags: 'bicubic+accurate_rnd+full_chroma_int',
  }),
  filter('format', { pix_fmts: 'rgb24' }),
]

/** One frame of one colour. */
export function colourFilters(colour: string, { width, height, rate, alpha }: VideoStream): Filter[] {
  const [y, u, v] = yuv709(colour)
  return [
    filter('color', { c: 'black', s: `${width}x${height}`, r: rateText(rate) }),
    filter('trim', { end_frame: 1 }),
    filter('format', { pix_fmts: alpha ? 'yuva420p' : 'yuv420p' }),
    filter('lutyuv', { y, u, v }),
    filter('setsar', { sar: 1 }),
    isBt709Now,
  ]
}

/**
 * In seconds. Smaller differences between the times of sound and its length are taken for jitter. ffmpeg's own 0.1 is too much: without
 * an edit list, sound has a gap behind its first packet that is as long as the picture's reordering (45 ms at 30 frames per second).
 */
const JITTER = 0.03

/** Fills a late start and gaps with silence, so that sound and picture stay in sync. A loop has no picture of its own and runs through. */
export const audioFilters = (channels: number, loop = false): Filter[] => [
  filter('aresample', { sample_rate: 48000, async: 1, first_pts: 0, ...(loop ? {} : { min_hard_comp: JITTER }) }),
  // ffmpeg would lower mono by 3 dB.
  ...(channels === 1 ? [filter('pan', { args: 'stereo|c0=c0|c1=c0' })] : []),
  filter('aformat', { sample_fmts: 'fltp', channel_layouts: 'stereo' }),
  // Six channels added up may be louder than stereo can hold.
  ...(channels > 2 ? [filter('alimiter', { limit: 0.944, attack: 2, release: 60, level: 'false', latency: 1 })] : []),
]
