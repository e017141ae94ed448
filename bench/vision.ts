// What looking for people costs, beside plain work on the same photo of two megapixels with three people, and on a video of them.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { transformers } from '#adapters/transformers.ts'
import { runImage } from '#engine/run-image.ts'
import { runVideo } from '#engine/run-video.ts'
import type { JsonObject } from '#kit/json.ts'
import { withDefaults } from '#kit/schema.ts'
import type { MediaFile } from '#media/file/file.ts'
import { Picture } from '#media/picture/picture.ts'
import { probe } from '#media/probe/probe.ts'
import { probeRecording } from '#media/probe/video-probe.ts'
import { findFfmpeg } from '#media/process/find-ffmpeg.ts'
import { findFaces } from '#vision/faces.ts'
import { interleaved, type Row, ratio, table } from './support/cpu.ts'

const ROUNDS = 12
const VIDEO_ROUNDS = 3
const limits = {
  maxPixels: 1e8,
  maxFrames: 100,
  maxMemoryBytes: 2 ** 30,
  maxVideoSeconds: 60,
  maxVideoPixels: 1920 * 1080,
  maxVideoFps: 60,
}
const found = await findFfmpeg({ ffmpeg: 'ffmpeg', ffprobe: 'ffprobe' }, process.env.PATH ?? '')
if (!found) throw new Error('ffmpeg is not on this machine')
const tools = { jpegtran: null, ...found }
const resident = (): number => process.memoryUsage().rss / 1024 ** 2

async function requestFor<F extends 'image' | 'video'>(form: F, input: MediaFile, adapter: string, given: JsonObject) {
  const options = withDefaults(transformers.get(adapter)!.options, given)
  const entries = [{ index: 0, adapter, options, assets: {}, context: {} }]
  const to = await mkdtemp(join(folder, 'out-'))
  return { kind: 'segment', form, input, entries, folder: to, limits, tools, threads: 1 } as const
}

/** Three people in 720p for six seconds, the camera moving: against the plain encode of the same video, each in one thread. */
async function videoRows(group: string): Promise<Row[]> {
  const path = join(folder, 'group.mp4')
  const moving = `scale=1920:-2,crop=1280:720:x='320*(1+sin(t))':y=180,format=yuv420p`
  const made = ['-loop', '1', '-framerate', '30', '-i', group, '-vf', moving, '-t', '6', '-c:v', 'libx264', path]
  await promisify(execFile)(tools.ffmpeg, ['-v', 'error', ...made])
  const input = { ...(await probe(path, limits, tools, probeRecording)), path }
  const run = async (adapter: string, given: JsonObject): Promise<void> => {
    await runVideo(await requestFor('video', input, adapter, given), transformers, () => {})
  }
  const { plain, cutout, shape, faces } = await interleaved(
    {
      plain: () => run('video_convert', { crf: 20 }),
      cutout: () => run('video_cutout', { background: 'color' }),
      shape: () => run('video_resize', { aspect: '9:16', fit: 'cover' }),
      faces: () => run('video_resize', { aspect: '9:16', fit: 'cover', gravity: 'faces' }),
    },
    VIDEO_ROUNDS,
  )
  return [
    {
      what: 'video_cutout at 720p / the plain encode (time, one thread)',
      value: ratio(cutout.wall, plain.wall),
      goal: 5,
    },
    {
      what: 'video_resize to 9:16, following faces / the middle (time, one thread)',
      value: ratio(faces.wall, shape.wall),
      goal: 1.5,
    },
  ]
}

const folder = await mkdtemp(join(tmpdir(), 'keepsake-bench-'))
try {
  const path = join(folder, 'group.jpg')
  const group = new URL('../node_modules/@vladmandic/face-api/demo/sample3.jpg', import.meta.url).pathname
  await sharp(group).resize(1704, 1200).jpeg({ quality: 90 }).toFile(path)
  const input = { ...(await probe(path, limits, tools, async (_path, facts) => facts)), path }
  const run = async (adapter: string, given: JsonObject): Promise<void> => {
    await runImage(await requestFor('image', input, adapter, given), transformers, () => {})
  }
  for (let i = 0; i < 3; i++) await run('photo_resize', { width: 1280 })
  const before = resident()
  const { again, resize, faces, cutout } = await interleaved(
    {
      again: () => sharp(path).jpeg({ quality: 90 }).toBuffer(),
      resize: () => run('photo_resize', { width: 1280 }),
      faces: async () => findFaces(await Picture.open(input, limits)),
      cutout: () => run('photo_cutout', { background: 'color' }),
    },
    ROUNDS,
  )
  const rows = [
    { what: 'finding faces / decoding and encoding once', value: ratio(faces.cpu, again.cpu), goal: 0.5 },
    { what: 'photo_cutout, three people / photo_resize', value: ratio(cutout.cpu, resize.cpu), goal: 8 },
    { what: 'resident memory of the process grows by', value: resident() - before, goal: 100, unit: ' MiB' },
    ...(await videoRows(group)),
  ]
  console.log(table(rows))
  if (rows.some(({ value, goal }) => value > goal)) process.exitCode = 1
} finally {
  await rm(folder, { recursive: true, force: true })
}
