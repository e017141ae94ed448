// The clips that are measured, and the work on them as Keepsake does it.
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { transformers as adapters } from '#adapters/transformers.ts'
import { runVideo } from '#engine/run-video.ts'
import type { SegmentEntry, SegmentResult } from '#engine/segment.ts'
import type { JsonObject } from '#kit/json.ts'
import { withDefaults } from '#kit/schema.ts'
import type { MediaFile } from '#media/file/file.ts'
import type { MediaLimits, Tools } from '#media/file/media-limits.ts'
import type { PreparedAssets } from '#media/make/prepared-clips.ts'
import { probe } from '#media/probe/probe.ts'
import { probeRecording } from '#media/probe/video-probe.ts'
import { findFfmpeg } from '#media/process/find-ffmpeg.ts'
import { AAC, COLOUR, END, line, quiet } from './ffmpeg-line.ts'

const found = await findFfmpeg({ ffmpeg: 'ffmpeg', ffprobe: 'ffprobe' }, process.env.PATH ?? '')
if (!found) throw new Error('The benchmark of videos needs ffmpeg.')

/** As the service runs it, with the limits that this machine can set. */
export const tools: Tools = { ...found, jpegtran: null, ffmpegVersion: found.version }

export const limits: MediaLimits = {
  maxPixels: 1.5e8,
  maxFrames: 500,
  maxMemoryBytes: 2 ** 30,
  maxVideoSeconds: 14_400,
  maxVideoPixels: 3840 * 2160,
  maxVideoFps: 120,
}

const folder = await mkdtemp(join(tmpdir(), 'keepsake-bench-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
process.on('SIGINT', () => process.exit(130))
process.on('SIGTERM', () => process.exit(143))

let count = 0
export const fresh = (ext = ''): string => join(folder, `f${++count}${ext}`)

/** A textured pan with a moving insert and grain, at the bit rate of a phone. */
export async function recording(seconds: number, size: string, rate = 30, hertz = 440): Promise<MediaFile> {
  const path = fresh('.mp4')
  const [width = 0, height = 0] = size.split('x').map(Number)
  const texture = await textured(width * 2, height)
  const pan = `[1:v]format=yuv420p,loop=loop=-1:size=1:start=0,settb=expr=1/${rate},setpts=expr=N,fps=${rate},trim=end_frame=${seconds * rate},crop=${width}:${height}:x='t*20':y=0,noise=alls=10:allf=t[a]`
  const insert = `testsrc2=s=${Math.round(width / 8) * 2}x${Math.round(height / 8) * 2}:r=${rate}:d=${seconds}[b]`
  const graph = `${pan};${insert};[a][b]overlay=x='60+30*t':y=60,format=yuv420p[v]`
  const codec = line`-c:v libx264 -preset ultrafast -b:v ${Math.round(width * height * 0.0048)}k -pix_fmt yuv420p -g 60
    ${COLOUR} -x264-params bframes=3:ref=2:cabac=1`
  await quiet(line`-f lavfi -i sine=${hertz}:r=48000:d=${seconds} -i ${texture} -filter_complex ${graph}
    -map [v] -map 0:a ${codec} ${AAC} ${END} ${path}`)
  return opened(path)
}

/** Detail of every size, as a photo has it. */
async function textured(width: number, height: number): Promise<string> {
  const path = fresh('.png')
  const layer = (side: number, mean: number): Promise<Buffer> =>
    sharp({
      create: {
        width: Math.ceil(width / side),
        height: Math.ceil(height / side),
        channels: 3,
        background: '#808080',
        noise: { type: 'gaussian', mean, sigma: 40 },
      },
    })
      .resize(width, height, { fit: 'fill', kernel: 'cubic' })
      .png({ compressionLevel: 1 })
      .toBuffer()
  const fine = await sharp(await layer(3, 128))
    .ensureAlpha(0.4)
    .png({ compressionLevel: 1 })
    .toBuffer()
  await sharp(await layer(40, 120))
    .composite([{ input: fine }])
    .tint({ r: 230, g: 170, b: 110 })
    .png({ compressionLevel: 1 })
    .toFile(path)
  return path
}

/** The same again and again: as long as wanted for the price of a copy. */
export async function again(file: MediaFile, times: number): Promise<MediaFile> {
  const [silent, looped, path] = [fresh('.mp4'), fresh('.mp4'), fresh('.mp4')]
  await quiet(line`-i ${file.path} -an -c copy ${silent}`)
  await quiet(line`-stream_loop ${times - 1} -i ${silent} -c copy ${looped}`)
  const sound = `sine=440:r=48000:d=${(file.duration ?? 0) * times}`
  await quiet(line`-i ${looped} -f lavfi -i ${sound} -c:v copy ${AAC} ${END} ${path}`)
  return opened(path)
}

export async function music(seconds: number): Promise<MediaFile> {
  const path = fresh('.m4a')
  await quiet(line`-f lavfi -i sine=880:r=48000:d=${seconds} ${AAC} ${path}`)
  return opened(path)
}

export async function logo(): Promise<MediaFile> {
  const path = fresh('.png')
  const drawing =
    '<svg xmlns="http://www.w3.org/2000/svg" width="160" height="160"><circle cx="80" cy="80" r="76" fill="#d62828"/><path d="M48 112 V48 L112 112 V48" fill="none" stroke="#fff" stroke-width="18"/></svg>'
  await sharp(Buffer.from(drawing)).png().toFile(path)
  return opened(path)
}

const opened = async (path: string): Promise<MediaFile> => ({
  ...(await probe(path, limits, tools, probeRecording)),
  path,
})

export interface Wish {
  adapter: string
  options?: JsonObject
  assets?: Record<string, MediaFile>
}

/** The entries as one segment, as a media child runs them. */
export async function keepsake(
  input: MediaFile,
  wishes: Wish[],
  over: Partial<Tools> = {},
  prepared: PreparedAssets | null = null,
): Promise<SegmentResult> {
  const work = fresh()
  await mkdir(work)
  const entries: SegmentEntry[] = wishes.map(({ adapter, options = {}, assets = {} }, index) => ({
    index,
    adapter,
    options: withDefaults(adapters.get(adapter)!.options, options) as JsonObject,
    assets: Object.fromEntries(Object.entries(assets).map(([name, file]) => [name, [file]])),
    context: {},
  }))
  return runVideo(
    { kind: 'segment', form: 'video', input, entries, folder: work, limits, tools: { ...tools, ...over }, threads: 0 },
    adapters,
    () => {},
    prepared,
  )
}
