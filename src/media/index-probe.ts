// Reads the index of MP4, QuickTime, Matroska and sound files in this process, without starting a tool.
import {
  ADTS,
  EncodedPacketSink,
  FilePathSource,
  FLAC,
  Input,
  type InputAudioTrack,
  type InputVideoTrack,
  MATROSKA,
  MP3,
  MP4,
  OGG,
  QTFF,
  WAVE,
  WEBM,
} from 'mediabunny'
import type { MediaFile } from './file.ts'
import { sequenceFacts } from './h264.ts'
import { exactRate, type Rate, usualRate } from './rate.ts'
import type { AudioTrack, VideoProbe, VideoTrack } from './video-probe.ts'

/** Never all formats of the library: playlists among them open other files. */
const formats = [MP4, QTFF, MATROSKA, WEBM, MP3, WAVE, OGG, ADTS, FLAC]

const codecNames: Record<string, string> = { avc: 'h264' }
const rotations = new Set([90, 270])
const SAMPLE = 256

export const openIndex = (path: string): Input => new Input({ formats, source: new FilePathSource(path) })

/** Null when there is no track in it that is known here. */
export async function probeIndex(file: Pick<MediaFile, 'path' | 'mime'>): Promise<VideoProbe | null> {
  using input = openIndex(file.path)
  const [videoTrack, audioTrack, all] = await Promise.all([
    input.getPrimaryVideoTrack(),
    input.getPrimaryAudioTrack(),
    input.getTracks(),
  ])
  // A codec the library has no name for is ffprobe's to tell.
  for (const track of all)
    if ((track.isVideoTrack() || track.isAudioTrack()) && (await track.getCodec()) === null) return null
  const video = videoTrack ? await readVideo(videoTrack) : null
  const audio = audioTrack ? await readAudio(audioTrack) : null
  const tracks = [video, audio].filter(track => track !== null)
  if (tracks.length === 0) return null
  // What lies before zero is there for the decoder's sake (AAC's priming) and is never shown.
  const start = Math.max(0, Math.min(...tracks.map(track => track.start)))
  return { mime: file.mime, start, end: Math.max(...tracks.map(({ end }) => end)), video, audio }
}

async function readVideo(track: InputVideoTrack): Promise<VideoTrack | null> {
  const codec = (await track.getCodec()) ?? 'unknown'
  const [codedWidth, codedHeight, rotation, mirrored] = [
    await track.getCodedWidth(),
    await track.getCodedHeight(),
    await track.getRotation(),
    await track.getFlip(),
  ]
  const [squareWidth, squareHeight] = [await track.getSquarePixelWidth(), await track.getSquarePixelHeight()]
  const [width, height] = rotations.has(rotation) ? [squareHeight, squareWidth] : [squareWidth, squareHeight]
  const { start, end, rate, constant } = await timing(track)
  const colour = await track.getColorSpace()
  const config = await track.getDecoderConfig()
  const record = config?.description ? bytes(config.description) : null
  const h264 = codec === 'avc' && record ? sequenceFacts(record) : null
  const parameters = (await track.getCodecParameterString()) ?? ''
  return {
    place: track.number - 1,
    codec: codecNames[codec] ?? codec,
    codedWidth,
    codedHeight,
    width,
    height,
    rotation,
    mirrored,
    squarePixels: squareWidth === codedWidth && squareHeight === codedHeight,
    rate,
    constant,
    start,
    end,
    colour: {
      primaries: colour.primaries ?? null,
      transfer: colour.transfer ?? null,
      matrix: colour.matrix ?? null,
      fullRange: colour.fullRange ?? false,
    },
    plain: h264 ? h264.bits === 8 && h264.chroma === 1 && !h264.interlaced : isPlain(codec, parameters),
    interlaced: h264?.interlaced ?? false,
    alpha: await track.canBeTransparent(),
    record,
  }
}

/** By the codec string of WebCodecs: profile 0 of VP9 and AV1 and HEVC's Main are 8-bit 4:2:0 (AV1's says its depth). */
function isPlain(codec: string, parameters: string): boolean {
  if (codec === 'vp8') return true
  if (codec === 'vp9') return parameters.startsWith('vp09.00.')
  if (codec === 'av1') return /^av01\.0\.[^.]+\.08/.test(parameters)
  if (codec === 'hevc') return /^h[ev][cv]1\.1\./.test(parameters)
  return false
}

async function timing(track: InputVideoTrack): Promise<{ start: number; end: number; rate: Rate; constant: boolean }> {
  const metrics = await track.computeFrameRateMetrics({ targetPacketCount: SAMPLE })
  const start = await track.getFirstTimestamp()
  const end = (await track.getDurationFromMetadata()) ?? (await track.computeDuration())
  const constant = metrics.frameRateIsConstant && metrics.underlyingFrameRate !== null
  const guess = metrics.bestGuessFrameRate
  // A single frame has no rate; 30 serves.
  const rate =
    !Number.isFinite(guess) || guess <= 0 ? { num: 30, den: 1 } : constant ? exactRate(guess) : usualRate(guess)
  return { start, end, rate, constant }
}

async function readAudio(track: InputAudioTrack): Promise<AudioTrack> {
  const codec = (await track.getCodec()) ?? 'unknown'
  const [rate, channels] = [await track.getSampleRate(), await track.getNumberOfChannels()]
  // MP3 and ADTS have no index: their length is found by walking the frames.
  const end = (await track.getDurationFromMetadata()) ?? (await track.computeDuration())
  return { place: track.number - 1, codec, rate, channels, start: Math.max(0, await track.getFirstTimestamp()), end }
}

const bytes = (source: ArrayBufferLike | ArrayBufferView): Uint8Array =>
  ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source)

export { EncodedPacketSink }
