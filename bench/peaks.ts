// What picture adapters take at the largest sizes that they allow, beside what was counted for it before they began.
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp, { type Sharp } from 'sharp'
import { transformers } from '#adapters/transformers.ts'
import type { Adapter } from '#engine/adapter.ts'
import { mediaLimits, newMedia } from '#engine/children/media.ts'
import { planSizes } from '#engine/children/sizes.ts'
import type { SegmentEntry } from '#engine/segment.ts'
import type { JsonObject } from '#kit/json.ts'
import { newLog } from '#kit/log.ts'
import { withDefaults } from '#kit/schema.ts'
import { loadSettings } from '#kit/settings.ts'
import type { MediaFile } from '#media/file/file.ts'
import { noJail } from '#media/process/jail.ts'
import { type Row, table } from './support/cpu.ts'

const MB = 1e6
/** What a child grows by itself while it works. */
const OWN_MB = 24
const folder = await mkdtemp(join(tmpdir(), 'keepsake-bench-'))
const settings = { ...loadSettings({}, join(folder, '.env')), data: folder, concurrency: 1 }
const limits = mediaLimits(settings)

/** The most memory that a process below this one has had, of those that still are there. */
function peakBelow(): number {
  const number = (text: string, field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0)
  const all = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(pid => {
      try {
        return readFileSync(`/proc/${pid}/status`, 'latin1')
      } catch {
        return []
      }
    })
    .map(text => ({ pid: number(text, 'Pid'), parent: number(text, 'PPid'), peak: number(text, 'VmHWM') * 1024 }))
  const below = new Set([process.pid])
  // Children of children are found in as many rounds as they are deep.
  for (let before = 0; below.size > before; ) {
    before = below.size
    for (const { pid, parent } of all) if (below.has(parent)) below.add(pid)
  }
  below.delete(process.pid)
  return Math.max(0, ...all.filter(({ pid }) => below.has(pid)).map(({ peak }) => peak))
}

const writers = {
  jpg: (flat: Sharp) => flat.jpeg(),
  png: (flat: Sharp) => flat.png({ compressionLevel: 1 }),
  png16: (flat: Sharp) => flat.toColourspace('rgb16').png({ compressionLevel: 1 }),
  avif: (flat: Sharp) => flat.avif({ effort: 0, quality: 30 }),
  webp: (flat: Sharp) => flat.webp({ effort: 0 }),
}
const mimes = { jpg: 'image/jpeg', png: 'image/png', png16: 'image/png', avif: 'image/avif', webp: 'image/webp' }

async function picture(width: number, height: number, kind: keyof typeof writers): Promise<MediaFile> {
  const path = join(folder, `${width}x${height}.${kind}`)
  const channels = kind === 'jpg' ? 3 : 4
  const flat = sharp({ create: { width, height, channels, background: '#4080c090' }, limitInputPixels: false })
  const { size: bytes } = await writers[kind](flat).toFile(path)
  const ext = kind === 'png16' ? '.png' : `.${kind}`
  return { path, bytes, ext, mime: mimes[kind], medium: 'image', width, height, duration: null, frames: null }
}

const tiny = await picture(2, 2, 'png')
const SIDE = 12_000
const jpg = await picture(SIDE, SIDE, 'jpg')
const png = await picture(SIDE, SIDE, 'png')
const fine = await picture(8_000, 8_000, 'png16')
const frame = await picture(8_000, 8_000, 'png')
const avif = await picture(6_000, 6_000, 'avif')
const webp = await picture(8_000, 8_000, 'webp')

/** The largest square of one option that is not refused. */
function largest(name: string, options: (side: number) => JsonObject): JsonObject {
  let [low, high] = [1, 20_000]
  while (low < high) {
    const side = Math.ceil((low + high) / 2)
    try {
      planSizes([entry(name, options(side))], transformers, tiny, limits)
      low = side
    } catch {
      high = side - 1
    }
  }
  return options(low)
}

function entry(adapter: string, options: JsonObject, assets: Record<string, MediaFile[]> = {}): SegmentEntry {
  const { options: schema } = transformers.get(adapter) as Adapter
  return { index: 0, adapter, options: withDefaults(schema, options), assets, context: {} } as unknown as SegmentEntry
}

type Case = [name: string, input: MediaFile, options: JsonObject, assets?: Record<string, MediaFile[]>]
const cases: Case[] = [
  ['photo_add_qr', tiny, largest('photo_add_qr', size => ({ data: 'https://example.org', size }))],
  ['photo_add_qr', jpg, { data: 'x', size: '100%' }],
  ['photo_add_text', tiny, largest('photo_add_text', side => ({ text: 'Hello', width: side, height: side }))],
  [
    'photo_add_text',
    tiny,
    largest('photo_add_text', side => ({ text: 'Hello', width: side, height: side, stroke: { width: 9 } })),
  ],
  [
    'photo_add_text',
    tiny,
    largest('photo_add_text', side => ({
      text: 'Hello',
      width: side,
      height: side,
      stroke: { width: 9 },
      shadow: { x: 3, y: 3, blur: 9 },
    })),
  ],
  ['photo_add_text', jpg, { text: 'Hello' }],
  ['photo_resize', tiny, largest('photo_resize', side => ({ width: side, height: side, enlarge: true }))],
  ['photo_resize', tiny, largest('photo_resize', side => ({ width: side, height: side, fit: 'contain' }))],
  ['photo_resize', tiny, largest('photo_resize', side => ({ width: side, height: side, fit: 'cover', enlarge: true }))],
  ['photo_resize', jpg, { width: 1000 }],
  ['photo_crop', jpg, { width: 11_000, height: 11_000 }],
  ['photo_crop', jpg, { width: 9_000, height: 9_000, gravity: 'attention' }],
  ['photo_convert', jpg, { format: 'png' }],
  ['photo_convert', png, { format: 'jpeg' }],
  ['photo_convert', jpg, { format: 'webp' }],
  ['photo_convert', fine, { format: 'png' }],
  ['photo_flip', jpg, { method: 'ROTATE_90' }],
  ['photo_flip', png, { method: 'TRANSPOSE' }],
  ['photo_flip', fine, { method: 'ROTATE_90' }],
  ['photo_flip', avif, { method: 'ROTATE_90' }],
  ['photo_convert', avif, { format: 'jpeg' }],
  ['photo_flip', webp, { method: 'ROTATE_90' }],
  ['photo_filter', jpg, {}],
  ['photo_filter', jpg, { preset: 'sepia', blur: 20, sharpen: 1 }],
  ['photo_filter', fine, { preset: 'sepia', blur: 20 }],
  ['photo_add_overlay', jpg, { fit: 'cover' }, { overlay_file_name: [frame] }],
  ['photo_add_overlay', fine, { fit: 'cover', blend: 'multiply' }, { overlay_file_name: [frame] }],
  ['photo_add_overlay', tiny, { fit: 'none' }, { overlay_file_name: [frame] }],
  ['photo_chroma_key', jpg, { key: '#00ff00' }],
  ['photo_chroma_key', jpg, { key: '#00ff00' }, { background_file_name: [frame] }],
  ['photo_collage', tiny, largest('photo_collage', side => ({ width: side, height: side }))],
  ['photo_compositor', tiny, largest('photo_compositor', side => ({ canvas: { width: side, height: side } }))],
  [
    'photo_compositor',
    tiny,
    largest('photo_compositor', side => ({ layers: [{ type: 'qr', data: 'x', width: side, height: side }] })),
  ],
  [
    'photo_compositor',
    tiny,
    largest('photo_compositor', side => ({ layers: [{ type: 'shape', width: side, height: side }] })),
  ],
  [
    'photo_compositor',
    tiny,
    largest('photo_compositor', side => ({ layers: [{ type: 'shape', width: side, height: side, rotate: 45 }] })),
  ],
  [
    'photo_compositor',
    tiny,
    largest('photo_compositor', side => ({ layers: [{ type: 'photo', width: side, height: side }] })),
  ],
  [
    'photo_compositor',
    tiny,
    largest('photo_compositor', side => ({ layers: [{ type: 'text', text: 'Hello', width: side, height: side }] })),
  ],
  [
    'photo_compositor',
    jpg,
    { layers: [{ type: 'photo' }, { type: 'shape', width: '100%', height: '100%', opacity: 0.5 }] },
  ],
]

/** `npm run bench -- peaks` takes all of them; `node bench/peaks.ts WORD …` those whose line has one of the words. */
const noTools = { ffmpeg: null, ffprobe: null, jpegtran: null }
const wanted = process.argv.slice(2)
const rows: Row[] = []
for (const [name, input, options, assets = {}] of cases) {
  const what = `${name} ${JSON.stringify(options)} on ${input.width} x ${input.height} ${input.path.split('.').at(-1)}`
  if (wanted.length > 0 && !wanted.some(word => what.includes(word))) continue
  const entries = [entry(name, options, assets)]
  let counted: number
  try {
    counted = planSizes(entries, transformers, input, limits, input === fine).bytes
  } catch (error) {
    console.error(`${name} ${JSON.stringify(options)}: ${(error as Error).message}`)
    continue
  }
  const media = newMedia({
    settings: { ...settings, maxMemoryBytes: Math.max(settings.maxMemoryBytes, counted) },
    programs: noTools,
    tools: Promise.resolve(noTools),
    jail: Promise.resolve(noJail),
    rooms: join(folder, `rooms-${rows.length}`),
    script: fileURLToPath(new URL('../src/child.ts', import.meta.url)),
    keepWarm: 1,
    adapters: transformers,
    log: newLog('silent', 'bench'),
  })
  const run = async (input: MediaFile, entries: SegmentEntry[]): Promise<void> => {
    const out = await mkdtemp(join(folder, 'out-'))
    await mkdir(out, { recursive: true })
    await media.run({ form: 'image', input, entries, folder: out, experienceId: null })
    await rm(out, { recursive: true })
  }
  try {
    await run(tiny, [entry('photo_flip', { method: 'ROTATE_180' })])
    const before = peakBelow()
    const begun = performance.now()
    await run(input, entries)
    const value = (peakBelow() - before) / MB
    rows.push({ what, value, goal: Math.round(counted / MB) + OWN_MB, unit: ' MB' })
    console.error(
      `${value > counted / MB + OWN_MB ? '!!' : 'ok'} ${value.toFixed(0)} of ${(counted / MB).toFixed(0)} MB in ${((performance.now() - begun) / 1000).toFixed(1)} s  ${what}`,
    )
  } catch (error) {
    console.error(`${name} ${JSON.stringify(options)}: ${(error as Error).message}`)
  } finally {
    await media.drain()
  }
}
console.log(table(rows))
await rm(folder, { recursive: true, force: true })
