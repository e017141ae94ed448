// Small clips made by ffmpeg itself, segments run over them, and a look at what came out.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { promisify } from 'node:util'
import type { Adapter, Adapters } from '#engine/adapter.ts'
import { runVideo } from '#engine/run-video.ts'
import type { ChildEvent, SegmentEntry, SegmentResult } from '#engine/segment.ts'
import type { JsonObject } from '#kit/json.ts'
import { schemaErrors, withDefaults } from '#kit/schema.ts'
import type { MediaFile } from '#media/file/file.ts'
import type { MediaLimits, Tools } from '#media/file/media-limits.ts'
import type { PreparedAssets } from '#media/make/prepared-clips.ts'
import { probe } from '#media/probe/probe.ts'
import { probeRecording } from '#media/probe/video-probe.ts'
import { untilAnswered } from '#media/process/answer-of.ts'
import { findFfmpeg } from '#media/process/find-ffmpeg.ts'
import { fileOnceInRun, onceInRun } from './once-in-run.ts'

const exec = promisify(execFile)

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 20)

const path = process.env.PATH ?? ''
/** To ask ffmpeg what it can do costs as much as a few clips. */
const found: Awaited<ReturnType<typeof findFfmpeg>> = JSON.parse(
  await onceInRun(`ffmpeg-${digest(path)}.json`, async () =>
    JSON.stringify(
      await untilAnswered(patience => findFfmpeg({ ffmpeg: 'ffmpeg', ffprobe: 'ffprobe' }, path, patience)),
    ),
  ),
)

/** What tests that need ffmpeg are skipped with where there is none. */
export const withFfmpeg = { skip: found ? false : 'ffmpeg is not on this machine' }

export const tools: Tools = {
  ffmpeg: null,
  ffprobe: null,
  jpegtran: null,
  ...found,
  ...(found ? { ffmpegVersion: found.version } : {}),
}

export const limits: MediaLimits = {
  maxPixels: 150_000_000,
  maxFrames: 500,
  maxMemoryBytes: 1024 ** 3,
  maxVideoSeconds: 4 * 3600,
  maxVideoPixels: 3840 * 2160,
  maxVideoFps: 120,
}

export const folder = await mkdtemp(join(tmpdir(), 'keepsake-videos-'))
after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

let count = 0
export const fresh = (ext = ''): string => join(folder, `f${++count}${ext}`)

export const ffmpeg = async (...args: string[]): Promise<string> => {
  const { stderr } = await exec('ffmpeg', ['-hide_banner', '-nostdin', '-y', ...args], { maxBuffer: 64 * 1024 ** 2 })
  return stderr
}

/** The lines of every clip: H.264 as our own encoder writes it. */
/** The colours of a clip as video has them today. */
export const bt709 = [
  '-pix_fmt',
  'yuv420p',
  ...['-colorspace', '-color_primaries', '-color_trc'].flatMap(key => [key, 'bt709']),
]

export const x264 = [
  '-c:v',
  'libx264',
  '-preset',
  'veryfast',
  '-crf',
  '21',
  '-pix_fmt',
  'yuv420p',
  '-color_primaries',
  'bt709',
  '-color_trc',
  'bt709',
  '-colorspace',
  'bt709',
  '-color_range',
  'tv',
]

const clips = new Map<string, Promise<MediaFile>>()

interface Clip {
  size?: string
  rate?: string
  seconds?: number
  /** Hertz of its sound; null for none. */
  tone?: number | null
  pattern?: string
  args?: string[]
  ext?: string
}

/** A clip with a moving pattern and a tone; the same wish is made once in a run, and each file has its own copy. */
export function clip({
  size = '320x180',
  rate = '30',
  seconds = 2,
  tone = 440,
  pattern = 'testsrc2',
  args = [...x264, '-g', '15', '-c:a', 'aac', '-b:a', '96k'],
  ext = '.mp4',
}: Clip = {}): Promise<MediaFile> {
  const key = JSON.stringify([size, rate, seconds, tone, pattern, args, ext])
  const known = clips.get(key)
  if (known) return known
  const made = (async () => {
    const path = fresh(ext)
    const sound = tone === null ? [] : ['-f', 'lavfi', '-i', `sine=${tone}:r=48000:d=${seconds}`]
    const separator = pattern.includes('=') ? ':' : '='
    const picture = ['-f', 'lavfi', '-i', `${pattern}${separator}s=${size}:r=${rate}:d=${seconds}`]
    await fileOnceInRun(`clip-${digest(key)}${ext}`, path, () => ffmpeg(...picture, ...sound, ...args, path))
    return opened(path)
  })()
  clips.set(key, made)
  return made
}

export async function tone(seconds: number, hertz = 880, ext = '.m4a', args: string[] = []): Promise<MediaFile> {
  const path = fresh(ext)
  const sound = ['-f', 'lavfi', '-i', `sine=${hertz}:r=48000:d=${seconds}`, ...args]
  await fileOnceInRun(`tone-${digest(JSON.stringify(sound))}${ext}`, path, () => ffmpeg(...sound, path))
  return opened(path)
}

export async function opened(path: string): Promise<MediaFile> {
  return { ...(await probe(path, limits, tools, probeRecording)), path }
}

export interface Wish {
  adapter: Adapter
  options?: JsonObject
  assets?: Record<string, MediaFile | MediaFile[]>
}

export const entryOf = ({ adapter, options = {}, assets = {} }: Wish, index: number): SegmentEntry => {
  const named = Object.fromEntries(
    Object.entries(assets).map(([parameter, files]) => [
      parameter,
      Array.isArray(files) ? files.map((_, i) => `a${i}`) : 'a',
    ]),
  )
  const complete = withDefaults(adapter.options, { ...named, ...options }) as JsonObject
  const [wrong] = schemaErrors(adapter.options, complete)
  if (wrong) throw new Error(`${wrong.field} ${wrong.message}`)
  return {
    index,
    adapter: adapter.name,
    options: complete,
    assets: Object.fromEntries(Object.entries(assets).map(([parameter, files]) => [parameter, [files].flat()])),
    context: {},
  }
}

export interface Ran extends SegmentResult {
  progress: number[]
}

/** Runs entries as one segment, as a media child would. */
export async function run(
  input: MediaFile,
  wishes: Wish[],
  over: { tools?: Partial<Tools>; limits?: Partial<MediaLimits>; threads?: number; prepared?: PreparedAssets } = {},
): Promise<Ran> {
  const work = fresh()
  await mkdir(work)
  const adapters: Adapters = new Map(wishes.map(({ adapter }) => [adapter.name, adapter]))
  const progress: number[] = []
  const request = {
    kind: 'segment',
    form: 'video',
    input,
    entries: wishes.map(entryOf),
    folder: work,
    limits: { ...limits, ...over.limits },
    tools: { ...tools, ...over.tools },
    threads: over.threads ?? 1,
  } as const
  const emit = (event: ChildEvent): void => {
    if ('progress' in event) progress.push(event.progress.fraction)
  }
  const result = await runVideo(request, adapters, emit, over.prepared ?? null)
  return { ...result, progress }
}

/** The same entries, each as a segment of its own. */
export async function oneByOne(input: MediaFile, wishes: Wish[]): Promise<Ran> {
  let last: Ran | null = null
  for (const wish of wishes) last = await run(last?.output ?? input, [wish])
  return last!
}

export interface Look {
  width: number
  height: number
  frames: number
  seconds: number
  fps: string
  codec: string
  pixelFormat: string
  colour: string
  audio: { codec: string; rate: number; channels: number; seconds: number } | null
  startsAt: number
  streams: number
}

interface Told {
  streams: (Record<string, string> & { nb_read_packets: string })[]
}

/** The facts of a file as ffprobe, a witness of its own, tells them. */
export async function look(path: string): Promise<Look> {
  const { stdout } = await exec('ffprobe', ['-v', 'error', '-count_packets', '-show_streams', '-of', 'json', path], {
    maxBuffer: 64 * 1024 ** 2,
  })
  const { streams } = JSON.parse(stdout) as Told
  const video = streams.find(({ codec_type }) => codec_type === 'video')
  const audio = streams.find(({ codec_type }) => codec_type === 'audio')
  return {
    width: Number(video?.width ?? 0),
    height: Number(video?.height ?? 0),
    frames: Number(video?.nb_read_packets ?? 0),
    seconds: Number(video?.duration ?? 0),
    fps: video?.avg_frame_rate ?? '',
    codec: video?.codec_name ?? '',
    pixelFormat: video?.pix_fmt ?? '',
    colour: `${video?.color_primaries}/${video?.color_transfer}/${video?.color_space}/${video?.color_range}`,
    audio: audio
      ? {
          codec: audio.codec_name!,
          rate: Number(audio.sample_rate),
          channels: Number(audio.channels),
          seconds: Number(audio.duration),
        }
      : null,
    startsAt: Number(video?.start_time ?? audio?.start_time ?? 0),
    streams: streams.length,
  }
}

/** Structural similarity of two videos, 0 to 1. */
export async function ssim(a: string, b: string): Promise<number> {
  const said = await ffmpeg(
    '-v',
    'info',
    '-i',
    a,
    '-i',
    b,
    '-lavfi',
    '[0:v]setpts=N/TB/30[a];[1:v]setpts=N/TB/30[b];[a][b]ssim',
    '-f',
    'null',
    '-',
  )
  return Number(/All:([\d.]+)/.exec(said)?.[1] ?? Number.NaN)
}

interface Frame {
  data: Buffer
  width: number
  height: number
}

const frames = new Map<string, Promise<Frame>>()

/** The frame that is shown at a time, as red, green and blue. */
export function frame(path: string, seconds: number): Promise<Frame> {
  const key = `${path} ${seconds}`
  const known = frames.get(key)
  if (known) return known
  const made = (async () => {
    const chosen = `select=gte(t\\,${Math.max(0, seconds - 0.001)}),scale=in_color_matrix=bt709,format=rgb24`
    const { stdout } = await exec(
      'ffmpeg',
      ['-v', 'error', '-i', path, '-vf', chosen, '-frames:v', '1', '-f', 'image2pipe', '-c:v', 'ppm', '-'],
      { encoding: 'buffer', maxBuffer: 64 * 1024 ** 2 },
    )
    const [head = '', size = ''] = stdout.toString('latin1', 0, 40).split('\n')
    const [width = 0, height = 0] = size.split(' ').map(Number)
    return { data: stdout.subarray(head.length + size.length + 6), width, height }
  })()
  frames.set(key, made)
  return made
}

/** The colour of one of its pixels. */
export async function pixel(path: string, seconds: number, x: number, y: number): Promise<[number, number, number]> {
  const { data, width } = await frame(path, seconds)
  const at = (y * width + x) * 3
  return [data[at]!, data[at + 1]!, data[at + 2]!]
}

/** Root mean square of the sound between two times in dBFS. */
export async function level(path: string, from: number, to: number, filter = ''): Promise<number> {
  const said = await ffmpeg(
    '-v',
    'info',
    '-i',
    path,
    '-vn',
    '-af',
    `${filter}atrim=${from}:${to},volumedetect`,
    '-f',
    'null',
    '-',
  )
  return Number(/mean_volume: (-?[\d.]+) dB/.exec(said)?.[1] ?? Number.NEGATIVE_INFINITY)
}

/** Only what lies around a frequency. */
export const around = (hertz: number): string => `bandpass=f=${hertz}:width_type=h:w=60,`

/** A hash of every decoded frame. */
export async function frameHashes(path: string): Promise<string[]> {
  const { stdout } = await exec('ffmpeg', ['-v', 'error', '-i', path, '-map', '0:v', '-f', 'framemd5', '-'], {
    maxBuffer: 64 * 1024 ** 2,
  })
  return stdout
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => line.split(',').at(-1)!.trim())
}

export const near = (actual: number, expected: number, by: number): boolean => Math.abs(actual - expected) <= by
