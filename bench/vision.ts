// What looking for people costs, beside plain work on the same photo of two megapixels with three people.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { transformers } from '#adapters/transformers.ts'
import { runImage } from '#engine/run-image.ts'
import type { JsonObject } from '#kit/json.ts'
import { withDefaults } from '#kit/schema.ts'
import { Picture } from '#media/picture/picture.ts'
import { probe } from '#media/probe/probe.ts'
import { findFaces } from '#vision/faces.ts'
import { interleaved, ratio, table } from './support/cpu.ts'

const ROUNDS = 12
const limits = {
  maxPixels: 1e8,
  maxFrames: 100,
  maxMemoryBytes: 2 ** 30,
  maxVideoSeconds: 1,
  maxVideoPixels: 1,
  maxVideoFps: 1,
}
const tools = { ffmpeg: null, ffprobe: null, jpegtran: null }
const resident = (): number => process.memoryUsage().rss / 1024 ** 2

const folder = await mkdtemp(join(tmpdir(), 'keepsake-bench-'))
try {
  const path = join(folder, 'group.jpg')
  const group = new URL('../node_modules/@vladmandic/face-api/demo/sample3.jpg', import.meta.url).pathname
  await sharp(group).resize(1700).jpeg({ quality: 90 }).toFile(path)
  const input = { ...(await probe(path, limits, tools, async (_path, facts) => facts)), path }
  const run = async (adapter: string, given: JsonObject): Promise<void> => {
    const options = withDefaults(transformers.get(adapter)!.options, given)
    const entries = [{ index: 0, adapter, options, assets: {}, context: {} }]
    const to = await mkdtemp(join(folder, 'out-'))
    const request = { kind: 'segment', form: 'image', input, entries, folder: to, limits, tools, threads: 1 } as const
    await runImage(request, transformers, () => {})
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
  ]
  console.log(table(rows))
  if (rows.some(({ value, goal }) => value > goal)) process.exitCode = 1
} finally {
  await rm(folder, { recursive: true, force: true })
}
