// Probes files with ffprobe when we cannot read their index ourselves: AVI, WMV, streams without a length, odd codecs.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { Problem } from '#kit/errors.ts'
import type { MediaFile } from '../file/file.ts'
import { exactRate, perSecond, type Rate, usualRate } from '../file/frame-rate.ts'
import type { Tools } from '../file/media-limits.ts'
import { MediaProblem } from '../file/media-problem.ts'
import { isFull } from '../process/answer-of.ts'
import { cutShort } from '../process/ffmpeg-failure.ts'
import { guarded, guardsOf } from '../process/sandbox.ts'
import { demuxerOf, probeGuards } from './demuxers.ts'
import type { AudioTrack, VideoProbe, VideoTrack } from './video-probe.ts'

const run = promisify(execFile)
const MOST_OUTPUT = 64 * 1024 ** 2
const bounds = { cpuSeconds: 60, fileBytes: 0, memoryBytes: 2 * 1024 ** 3 }

interface Stream {
  index: number
  codec_type?: string
  codec_name?: string
  width?: number
  height?: number
  pix_fmt?: string
  sample_aspect_ratio?: string
  field_order?: string
  color_primaries?: string
  color_transfer?: string
  color_space?: string
  color_range?: string
  r_frame_rate?: string
  avg_frame_rate?: string
  start_time?: string
  duration?: string
  sample_rate?: string
  channels?: number
  disposition?: { attached_pic?: number }
  side_data_list?: { rotation?: number }[]
}

export async function probeWithFfprobe(file: Pick<MediaFile, 'path' | 'mime'>, tools: Tools): Promise<VideoProbe> {
  const demuxer = demuxerOf(file.mime)
  if (!demuxer)
    throw new Problem(
      'unsupported_format',
      `A file of type ${file.mime} is not a video or a recording that is taken here.`,
    )
  if (!tools.ffprobe)
    throw new Problem('tool_missing', 'ffprobe is not on this machine, so this kind of file cannot be read.')
  const told = JSON.parse(
    await ffprobe(file.path, demuxer, tools, ['-show_streams', '-show_format', '-of', 'json']),
  ) as {
    streams?: Stream[]
    format?: { start_time?: string; duration?: string }
  }
  const streams = told.streams ?? []
  const videos = streams.filter(({ codec_type, disposition }) => codec_type === 'video' && !disposition?.attached_pic)
  const audios = streams.filter(({ codec_type }) => codec_type === 'audio')
  if (videos.length + audios.length === 0)
    throw new Problem('corrupt_input', 'There is neither a picture nor sound in the recording.')
  const start = seconds(told.format?.start_time) ?? 0
  const length = seconds(told.format?.duration) ?? (await walkedLength(file.path, demuxer, tools))
  const end = start + length
  const video = videos.length > 0 ? toVideo(videos, start, end) : null
  return {
    mime: file.mime,
    start,
    end: Math.max(end, video?.end ?? 0),
    video,
    audio: audios[0] ? toAudio(audios[0], start, end) : null,
  }
}

/** A recording that was cut off while it was written states no length, so we compute it from the packets. */
async function walkedLength(path: string, demuxer: string, tools: Tools): Promise<number> {
  const told = await ffprobe(path, demuxer, tools, ['-show_entries', 'packet=pts_time,duration_time', '-of', 'csv=p=0'])
  let [first, last] = [Infinity, 0]
  for (const line of told.split('\n')) {
    const [at, lasts] = line.split(',').map(Number)
    if (at === undefined || !Number.isFinite(at)) continue
    first = Math.min(first, at)
    last = Math.max(last, at + (Number.isFinite(lasts) ? lasts! : 0))
  }
  if (last === 0 && first === Infinity)
    throw new Problem('corrupt_input', 'The recording is empty: there is no frame and no sound in it.')
  return last - first
}

/** So much later than the index says ffmpeg's demuxer shows the picture of fragments: it adds the largest negative composition offset. */
export async function pictureShift(
  file: Pick<MediaFile, 'path' | 'mime'>,
  { video, audio }: VideoProbe,
  tools: Tools,
): Promise<number> {
  const demuxer = demuxerOf(file.mime)
  if (!video || video.whole || demuxer !== 'mov' || !tools.ffprobe) return 0
  const ask = ['-show_entries', 'stream=codec_type,start_time', '-of', 'json']
  const { streams = [] } = JSON.parse(await ffprobe(file.path, demuxer, tools, ask)) as { streams?: Stream[] }
  const startOf = (kind: string, place: number): number =>
    Number(streams.filter(({ codec_type }) => codec_type === kind)[place]?.start_time)
  // What moves sound and picture alike moves neither against the other.
  const both = audio ? startOf('audio', audio.place) - audio.start : 0
  const shift = startOf('video', video.place) - video.start - (Number.isFinite(both) ? both : 0)
  return Number.isFinite(shift) && Math.abs(shift) > LEAST_SHIFT ? shift : 0
}

/** In seconds; less is rounding. */
const LEAST_SHIFT = 0.002

/** `code` is a number where ffprobe ended by itself. */
type ToolFailure = { stderr?: string; code?: number | string; signal?: NodeJS.Signals | null }

async function ffprobe(path: string, demuxer: string, tools: Tools, ask: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-probe-'))
  try {
    const name = extname(path) === '' ? path : join(folder, 'in')
    if (name !== path) await symlink(path, name)
    const args = ['-v', 'error', ...probeGuards(demuxer), ...ask, name]
    const [command, line] = guarded(tools.ffprobe!, args, guardsOf(tools), bounds)
    const { stdout } = await run(command, line, { env: {}, maxBuffer: MOST_OUTPUT })
    return stdout
  } catch (error) {
    if (isFull(error as Error))
      throw new MediaProblem('unavailable', 'ffprobe could not be started.', { detail: String(error), cause: error })
    const { stderr: said = String(error), code, signal = null } = error as ToolFailure
    const ended = cutShort('ffprobe', { stderr: said, code: typeof code === 'number' ? code : null, signal })
    if (ended) throw ended
    throw new MediaProblem(
      'corrupt_input',
      'The recording is damaged: its index cannot be read, so nothing in it can be found.',
      { detail: said.slice(-2000), cause: error },
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const seconds = (text: string | undefined): number | null => {
  const value = Number(text)
  return text === undefined || !Number.isFinite(value) ? null : value
}

const ratio = (text: string | undefined, by: '/' | ':'): number => {
  const [num, den] = (text ?? '').split(by).map(Number)
  return num && den ? num / den : 0
}

/** Takes the largest video stream, like ffmpeg and people do. */
function toVideo(videos: Stream[], fileStart: number, fileEnd: number): VideoTrack {
  const area = ({ width = 0, height = 0 }: Stream): number => width * height
  const stream = videos.reduce((best, other) => (area(other) > area(best) ? other : best))
  const { width: codedWidth = 0, height: codedHeight = 0, pix_fmt = '' } = stream
  if (codedWidth === 0 || codedHeight === 0) throw new Problem('corrupt_input', 'The picture of the video has no size.')
  const pixel = ratio(stream.sample_aspect_ratio, ':') || 1
  const rotation = (((-(stream.side_data_list?.find(data => data.rotation !== undefined)?.rotation ?? 0) % 360) + 360) %
    360) as number
  const square = Math.round(codedWidth * pixel)
  const turned = rotation === 90 || rotation === 270
  const [real, average] = [ratio(stream.r_frame_rate, '/'), ratio(stream.avg_frame_rate, '/')]
  const constant = real > 0 && Math.abs(real / average - 1) < 0.001
  const rate: Rate = constant ? exactRate(real) : usualRate(average || (real > 0 && real <= 120 ? real : 30))
  const start = seconds(stream.start_time) ?? fileStart
  const end = stream.duration ? start + Number(stream.duration) : fileEnd
  const interlaced = ['tt', 'bb', 'tb', 'bt'].includes(stream.field_order ?? '')
  return {
    place: videos.indexOf(stream),
    codec: stream.codec_name ?? 'unknown',
    codedWidth,
    codedHeight,
    width: turned ? codedHeight : square,
    height: turned ? square : codedHeight,
    rotation,
    mirrored: false,
    squarePixels: pixel === 1,
    // A rate beyond any real video is kept as stated, so that the limit refuses it.
    rate: perSecond(rate) < real && !(average > 0) ? exactRate(real) : rate,
    constant,
    whole: false,
    start,
    end,
    colour: {
      primaries: stream.color_primaries ?? null,
      transfer: stream.color_transfer ?? null,
      // Not every decoder tells that its frames are RGB.
      matrix: /^(0?rgb|0?bgr|argb|abgr|gbr|pal8)/.test(pix_fmt) ? 'gbr' : (stream.color_space ?? null),
      fullRange: stream.color_range === 'pc' || pix_fmt.startsWith('yuvj'),
    },
    plain: pix_fmt === 'yuv420p' && !interlaced,
    interlaced,
    alpha: /^(yuva|rgba|argb|bgra|abgr|ya|gbrap|pal8)/.test(pix_fmt),
    record: null,
  }
}

function toAudio(stream: Stream, fileStart: number, fileEnd: number): AudioTrack {
  const start = seconds(stream.start_time) ?? fileStart
  return {
    place: 0,
    codec: stream.codec_name ?? 'unknown',
    rate: Number(stream.sample_rate ?? 48000),
    channels: stream.channels ?? 2,
    start,
    end: stream.duration ? start + Number(stream.duration) : fileEnd,
  }
}
