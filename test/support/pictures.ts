// Pictures made by code for tests, and the ways to look at what came out.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp, { type Sharp, type SharpOptions } from 'sharp'
import type { Adapter, Adapters } from '#engine/adapter.ts'
import { runImage } from '#engine/run-image.ts'
import type { SegmentEntry, SegmentResult } from '#engine/segment.ts'
import type { JsonObject } from '#kit/json.ts'
import { withDefaults } from '#kit/schema.ts'
import type { MediaFile } from '#media/file/file.ts'
import type { MediaLimits, Tools } from '#media/file/media-limits.ts'
import { probe } from '#media/probe/probe.ts'

export const limits: MediaLimits = {
  maxPixels: 150_000_000,
  maxFrames: 500,
  maxMemoryBytes: 1024 ** 3,
  maxVideoSeconds: 4 * 3600,
  maxVideoPixels: 3840 * 2160,
  maxVideoFps: 120,
}

export const noTools: Tools = { ffmpeg: null, ffprobe: null, jpegtran: null }

export interface Raw {
  data: Buffer
  width: number
  height: number
  channels: number
}

export interface Folder extends AsyncDisposable {
  path: string
  /** Writes a file and probes it. */
  file(name: string, bytes: Buffer | string): Promise<MediaFile>
  /** Writes a file that need not be anything. */
  bytes(name: string, bytes: Buffer): Promise<void>
  /** A fresh empty folder inside. */
  empty(): Promise<string>
}

export async function newFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'keepsake-test-'))
  return {
    path,
    async file(name, bytes) {
      await writeFile(join(path, name), bytes)
      return fileOf(join(path, name))
    },
    bytes: (name, bytes) => writeFile(join(path, name), bytes),
    empty: () => mkdtemp(join(path, 'out-')),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

export async function fileOf(path: string, within: MediaLimits = limits): Promise<MediaFile> {
  const facts = await probe(path, within, noTools, async (_path, known) => known)
  return { ...facts, path }
}

/** Noise-like pixels without any symmetry, the same every time. */
export function pattern(width: number, height: number, channels: 3 | 4, seed = 1): Raw {
  const data = Buffer.alloc(width * height * channels)
  let state = seed
  for (let i = 0; i < data.length; i++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    data[i] = state >>> 24
  }
  return { data, width, height, channels }
}

/** Smooth colours with a few hard edges: like a photo, so that a lossy format keeps it close. */
export function scene(width: number, height: number, channels: 3 | 4 = 3): Raw {
  const data = Buffer.alloc(width * height * channels)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * channels
      const block = x > width / 3 && x < width / 2 && y > height / 4 && y < height / 2
      data[at] = block ? 220 : Math.round((255 * x) / width)
      data[at + 1] = block ? 40 : Math.round((255 * y) / height)
      data[at + 2] = block ? 60 : Math.round(127 + 120 * Math.sin((x + 2 * y) / 17))
      if (channels === 4) data[at + 3] = (x + y) % 64 < 8 ? 90 : 255
    }
  }
  return { data, width, height, channels }
}

export const rawSharp = ({ data, width, height, channels }: Raw): Sharp =>
  sharp(data, { raw: { width, height, channels: channels as 3 | 4 } })

export const png = (raw: Raw): Promise<Buffer> => rawSharp(raw).png({ compressionLevel: 1 }).toBuffer()

/** Decodes by plain sharp, as any other program would. */
export async function look(path: string, options: SharpOptions = {}): Promise<Raw> {
  const { data, info } = await sharp(path, options).raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels: info.channels }
}

/** Decibels between two pictures of one size; Infinity when they are equal. */
export function psnr(a: Raw, b: Raw): number {
  if (a.width !== b.width || a.height !== b.height || a.channels !== b.channels) return 0
  let sum = 0
  for (let i = 0; i < a.data.length; i++) sum += (a.data[i]! - b.data[i]!) ** 2
  return sum === 0 ? Number.POSITIVE_INFINITY : 10 * Math.log10(255 ** 2 / (sum / a.data.length))
}

export interface Job {
  adapter: Adapter
  options: JsonObject
  assets?: Record<string, MediaFile[]>
}

/** Runs image entries in this process, melted as one segment. */
export async function run(
  folder: Folder,
  input: MediaFile,
  jobs: Job[],
  tools: Tools = noTools,
  within: MediaLimits = limits,
): Promise<SegmentResult> {
  const adapters: Adapters = new Map(jobs.map(({ adapter }) => [adapter.name, adapter]))
  const entries: SegmentEntry[] = jobs.map(({ adapter, options, assets = {} }, index) => ({
    index,
    adapter: adapter.name,
    options: withDefaults(adapter.options, options),
    assets,
    context: {},
  }))
  const request = {
    kind: 'segment',
    form: 'image',
    input,
    entries,
    folder: await folder.empty(),
    limits: within,
    tools,
    threads: 1,
  } as const
  return runImage(request, adapters, () => {})
}

/** A photo to send. */
export const photoOf = async (width: number, height: number): Promise<Blob> =>
  new Blob([
    new Uint8Array(
      await rawSharp(pattern(width, height, 3))
        .jpeg()
        .toBuffer(),
    ),
  ])
