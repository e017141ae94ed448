// Chooses the ffmpeg demuxer for a file by its sniffed type, and limits what that demuxer may open.
import { fileTypeOf } from '../file/formats.ts'

export const demuxerOf = (mime: string): string | null => fileTypeOf(mime)?.demuxer ?? null

/** Decoders that may run on files from outside. All other decoders of an ffmpeg build stay disabled. */
const decoders = [
  'h264,hevc,vp8,vp9,libvpx,libvpx-vp9,av1,libdav1d,libaom-av1,mpeg4,mpeg1video,mpeg2video,mjpeg,prores,qtrle,png,gif,theora',
  'ffv1,flv,h263,rawvideo,dvvideo,dnxhd,msmpeg4,msmpeg4v2,wmv1,wmv2,wmv3,vc1',
  'aac,mp3,mp3float,mp2,mp2float,opus,libopus,vorbis,libvorbis,flac,alac,ac3,eac3,amrnb,libopencore_amrnb,amrwb,libopencore_amrwb,wmav1,wmav2',
  'pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_s32be,pcm_f32le,pcm_f32be,pcm_u8,pcm_s8,pcm_mulaw,pcm_alaw,adpcm_ima_wav,adpcm_ms,adpcm_ima_qt',
].join(',')

/** Options before every `-i` of a file from outside. */
export const inputGuards = (demuxer: string, maxPixels: number): string[] => [
  ...['-protocol_whitelist', 'file', '-format_whitelist', demuxer, '-codec_whitelist', decoders],
  ...[
    '-max_pixels',
    String(maxPixels),
    '-max_streams',
    '32',
    '-probesize',
    '10000000',
    '-analyzeduration',
    '10000000',
    '-f',
    demuxer,
  ],
]

/** ffprobe has no `-max_pixels` option. */
export const probeGuards = (demuxer: string): string[] => {
  const guards = inputGuards(demuxer, 0)
  guards.splice(guards.indexOf('-max_pixels'), 2)
  return guards
}
