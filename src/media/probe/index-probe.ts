// Reads the index of MP4, QuickTime, Matroska and audio files in this process, without starting a tool.
import {
  ADTS,
  EncodedPacketSink,
  FLAC,
  Input,
  type InputAudioTrack,
  type InputTrack,
  type InputVideoTrack,
  MATROSKA,
  MP3,
  MP4,
  OGG,
  QTFF,
  WAVE,
  WEBM,
} from 'mediabunny'
import type { MediaFile } from '../file/file.ts'
import { exactRate, perSecond, sameRate, usualRate } from '../file/frame-rate.ts'
import { BoundedSource } from './bounded-source.ts'
import { sequenceFacts } from './h264.ts'
import type { AudioTrack, VideoProbe, VideoTrack } from './video-probe.ts'

/** Never all formats of the library: some are playlists, which open other files. */
const formats = [MP4, QTFF, MATROSKA, WEBM, MP3, WAVE, OGG, ADTS, FLAC]

const codecNames: Record<string, string> = { avc: 'h264' }
const rotations = new Set([90, 270])
const SAMPLE = 256

/** An error of a read-ahead that nobody awaits must not end the process. The next read reports it. */
export const openIndex = (path: string): Input =>
  new Input({ formats, source: new BoundedSource(path, { handleUnhandledError: () => {} }) })

/** Null when there is no track, or when the library does not know the codec of one. */
export async function probeIndex(file: Pick<MediaFile, 'path' | 'mime'>): Promise<VideoProbe | null> {
  using input = openIndex(file.path)
  const [videoTrack, audioTrack, all] = await Promise.all([
    input.getPrimaryVideoTrack(),
    input.getPrimaryAudioTrack(),
    input.getTracks(),
  ])
  // A codec that the library has no name for is left to ffprobe.
  for (const track of all)
    if ((track.isVideoTrack() || track.isAudioTrack()) && (await track.getCodec()) === null) return null
  const video = videoTrack ? await readVideo(videoTrack) : null
  const audio = audioTrack ? await readAudio(audioTrack) : null
  const tracks = [video, audio].filter(track => track !== null)
  if (tracks.length === 0) return null
  // Data before zero is for the decoder only (AAC priming) and is never shown.
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
  const pixel = await track.getPixelAspectRatio()
  const square = Math.round((codedWidth * pixel.num) / pixel.den)
  const [width, height] = rotations.has(rotation) ? [codedHeight, square] : [square, codedHeight]
  const { start, end, rate, constant, whole } = await timing(track)
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
    squarePixels: square === codedWidth,
    rate,
    constant,
    whole,
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

/** Reads the WebCodecs codec string: profile 0 of VP9 and AV1 and HEVC Main are 8-bit 4:2:0 (AV1 also states its depth). */
function isPlain(codec: string, parameters: string): boolean {
  if (codec === 'vp8') return true
  if (codec === 'vp9') return parameters.startsWith('vp09.00.')
  if (codec === 'av1') return /^av01\.0\.[^.]+\.08/.test(parameters)
  if (codec === 'hevc') return /^h[ev][cv]1\.1\./.test(parameters)
  return false
}

/** Beyond this a Matroska file is truncated. Within it, subtitles or tags are longer than the picture. */
const SHORT_SECONDS = 1
const SHORT_SHARE = 0.05

/** Finds the end of a track. Matroska states only the length of the whole file; MP3 and ADTS state none. Their packets are walked. */
async function endOf(track: InputTrack): Promise<{ end: number; told: boolean }> {
  const told = await track.getDurationFromMetadata()
  if (told === null) return { end: await track.computeDuration(), told: false }
  const format = await track.input.getFormat()
  if (format !== MATROSKA && format !== WEBM) return { end: told, told: true }
  const walked = await track.computeDuration()
  return { end: told - walked > Math.max(SHORT_SECONDS, told * SHORT_SHARE) ? told : walked, told: true }
}

/** A rate this close to a usual one counts as that one: timestamps in milliseconds are no more precise. */
const NEAR = 0.005

async function timing(
  track: InputVideoTrack,
): Promise<Pick<VideoTrack, 'start' | 'end' | 'rate' | 'constant' | 'whole'>> {
  const metrics = await track.computeFrameRateMetrics({ targetPacketCount: SAMPLE })
  const start = await track.getFirstTimestamp()
  const { end: walked, told } = await endOf(track)
  const last = await new EncodedPacketSink(track).getPacket(Number.POSITIVE_INFINITY, { metadataOnly: true })
  // Matroska may omit how long the last frame is shown.
  const end =
    last && last.duration === 0 && metrics.bestGuessFrameRate > 0
      ? Math.max(walked, last.timestamp + 1 / metrics.bestGuessFrameRate)
      : walked
  // A single frame is shown for the stated length of the file.
  const guess = metrics.probedPacketCount > 1 ? metrics.bestGuessFrameRate : 1 / (end - start)
  const usual = usualRate(Number.isFinite(guess) && guess > 0 ? guess : 30)
  const exact = exactRate(Number.isFinite(guess) && guess > 0 ? guess : 30)
  const steady = metrics.frameRateIsConstant && metrics.underlyingFrameRate !== null
  const odd = !sameRate(usual, exact)
  const rate = !steady || (odd && Math.abs(perSecond(usual) / guess - 1) < NEAR) ? usual : exact
  return { start, end, rate, constant: steady && sameRate(rate, exact), whole: told }
}

async function readAudio(track: InputAudioTrack): Promise<AudioTrack> {
  const codec = (await track.getCodec()) ?? 'unknown'
  const [rate, channels] = [await track.getSampleRate(), await track.getNumberOfChannels()]
  const { end } = await endOf(track)
  return { place: track.number - 1, codec, rate, channels, start: Math.max(0, await track.getFirstTimestamp()), end }
}

const bytes = (source: ArrayBufferLike | ArrayBufferView): Uint8Array =>
  ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source)
