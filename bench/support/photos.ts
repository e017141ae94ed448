// Photos, an overlay and the chain that the photo benchmarks work on.
import { mkdirSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { photoAddOverlay } from '#adapters/transformers/photo_add_overlay.ts'
import { photoFilter } from '#adapters/transformers/photo_filter.ts'
import { photoFlip } from '#adapters/transformers/photo_flip.ts'
import { photoResize } from '#adapters/transformers/photo_resize.ts'
import type { Adapters } from '#engine/adapter.ts'
import { runImage } from '#engine/run-image.ts'
import type { SegmentEntry, SegmentRequest, SegmentResult } from '#engine/segment.ts'
import type { MediaFile } from '#media/file/file.ts'
import type { MediaLimits, Tools } from '#media/file/media-limits.ts'
import { probe } from '#media/probe/probe.ts'

export const limits: MediaLimits = {
  maxPixels: 150e6,
  maxFrames: 500,
  maxMemoryBytes: 2 ** 30,
  maxVideoSeconds: 1,
  maxVideoPixels: 1,
  maxVideoFps: 1,
}
export const noTools: Tools = { ffmpeg: null, ffprobe: null, jpegtran: null }

const adapters: Adapters = new Map(
  [photoFilter, photoFlip, photoResize, photoAddOverlay].map(adapter => [adapter.name, adapter]),
)

export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-bench-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export async function fileOf(path: string): Promise<MediaFile> {
  return { ...(await probe(path, limits, noTools, async (_path, facts) => facts)), path }
}

export async function saved(folder: string, name: string, bytes: Buffer): Promise<MediaFile> {
  await writeFile(join(folder, name), bytes)
  return fileOf(join(folder, name))
}

/** Smooth colours, edges and grain: compresses like a photo. */
export function photo(width: number, height: number, channels: 3 | 4 = 3): ReturnType<typeof sharp> {
  const data = Buffer.alloc(width * height * channels)
  let noise = 1
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += channels) {
      noise = (Math.imul(noise, 1664525) + 1013904223) >>> 0
      const grain = (noise >>> 28) - 8
      const wave = 40 * Math.sin(x / 41) * Math.cos(y / 37)
      const edge = ((x >> 7) + (y >> 7)) & 1 ? 25 : 0
      data[at] = clamp((160 * x) / width + 50 + wave + grain + edge)
      data[at + 1] = clamp((150 * y) / height + 60 + grain - edge)
      data[at + 2] = clamp(120 + wave / 2 + grain + edge / 2)
      if (channels === 4) data[at + 3] = x < width / 8 ? (255 * 8 * x) / width : 255
    }
  }
  return sharp(data, { raw: { width, height, channels } })
}

const clamp = (value: number): number => Math.min(Math.max(Math.round(value), 0), 255)

/** A frame as events have them: bands at the edges, soft inside, with a name below. */
export const frame = (width: number, height: number): Promise<Buffer> =>
  sharp(
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
      <rect x="20" y="20" width="${width - 40}" height="${height - 40}" fill="none" stroke="#c8102e" stroke-width="40"/>
      <rect x="0" y="${height - 160}" width="${width}" height="160" fill="#102040" fill-opacity="0.7"/>
      <text x="${width / 2}" y="${height - 60}" font-size="70" text-anchor="middle" fill="#ffffff">Summer party</text></svg>`),
  )
    .png()
    .toBuffer()

export const resize = (width: number, height: number): SegmentEntry => ({
  index: 0,
  adapter: 'photo_resize',
  options: { width, height, fit: 'cover', gravity: 'center', enlarge: false, background: '#ffffff' },
  assets: {},
  context: {},
})

export const filter = (preset: string): SegmentEntry => ({
  index: 0,
  adapter: 'photo_filter',
  options: { preset, brightness: 1, contrast: 1, saturation: 1, sharpen: 0, blur: 0, lut_file_name: '' },
  assets: {},
  context: {},
})

export const chain = (width: number, height: number, overlay: MediaFile): SegmentEntry[] => [
  { index: 0, adapter: 'photo_flip', options: { method: 'ROTATE_180' }, assets: {}, context: {} },
  { ...resize(width, height), index: 1 },
  {
    index: 2,
    adapter: 'photo_add_overlay',
    options: {
      overlay_file_name: 'frame',
      overlay_portrait_file_name: '',
      fit: 'stretch',
      position: 'center',
      opacity: 1,
      blend: 'over',
    },
    assets: { overlay_file_name: [overlay] },
    context: {},
  },
]

export function segment(
  input: MediaFile,
  entries: SegmentEntry[],
  folder: string,
  tools: Tools = noTools,
): SegmentRequest {
  return { kind: 'segment', form: 'image', input, entries, folder, limits, tools, threads: 1 }
}

/** Melted: what the service does. */
export const melted = (
  input: MediaFile,
  entries: SegmentEntry[],
  folder: string,
  tools = noTools,
): Promise<SegmentResult> => runImage(segment(input, entries, folder, tools), adapters, () => {})

/** Our own entries, each run for itself. */
export async function apart(input: MediaFile, entries: SegmentEntry[], folder: string): Promise<void> {
  let file = input
  for (const entry of entries) {
    const own = join(folder, `apart-${entry.index}`)
    mkdirSync(own, { recursive: true })
    file = (await melted(file, [entry], own)).output
  }
}

/** The same steps as most would write them: a pass of sharp each, a file in between. */
export async function oneByOne(
  { path, ext }: MediaFile,
  width: number,
  height: number,
  overlay: MediaFile,
  folder: string,
) {
  const [turned, smaller, framed] = ['turned', 'smaller', 'framed'].map(name => join(folder, `${name}${ext}`)) as [
    string,
    string,
    string,
  ]
  const write = (pass: Sharp, to: string) => (ext === '.png' ? pass.png() : pass.jpeg({ quality: 90 })).toFile(to)
  await write(sharp(path).rotate(180), turned)
  await write(sharp(turned).resize(width, height), smaller)
  await write(sharp(smaller).composite([{ input: overlay.path }]), framed)
}
