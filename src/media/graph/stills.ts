// Decodes and sizes pictures inside a video, and hands them to ffmpeg once as raw pixels instead of a file per frame.
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Problem } from '#kit/errors.ts'
import { STILL_BYTES, stillSize } from '../file/asked.ts'
import type { MediaFile } from '../file/file.ts'
import type { Rate } from '../file/frame-rate.ts'
import type { Size } from '../file/geometry.ts'
import { count, type MediaLimits, pictureFault } from '../file/media-limits.ts'
import { Picture } from '../picture/picture.ts'
import { readSvg } from '../picture/svg.ts'
import { bleed } from '../pixels/bleed.ts'
import { type Colour, parseColour } from '../pixels/colour.ts'
import { contentRects } from '../pixels/content-rects.ts'
import { claim } from '../pixels/pixel-memory.ts'
import { cut, type Pixels, to8, withAlpha } from '../pixels/pixels.ts'
import { reading, vips } from '../pixels/vips.ts'
import type { StillOptions } from './graph.ts'

/** A rectangle of raw pixels on disk: one frame, or all frames of an animation. */
export interface Still {
  readonly path: string
  readonly label: string
  readonly asset: boolean
  /** Digest of the pixels: equal pictures have equal digests. */
  readonly digest: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** The size to show it at. */
  readonly shown: Size
  readonly alpha: boolean
  /** The pixels are a lookup table for a filter, not colours to show, so they are not converted. */
  readonly table: boolean
  readonly rate: Rate
  /** Seconds that each frame is shown; a still picture has one element. */
  readonly delays: readonly number[]
}

/** A picture of a given size, reduced to the parts that show something. */
export interface Placed {
  width: number
  height: number
  parts: Still[]
}

interface StillJob {
  folder: string
  limits: MediaLimits
}

/** Browsers show shorter frames for 100 ms, so the author of the animation saw 100 ms. */
const SHORTEST_MS = 20
const DEFAULT_MS = 100
const SVG_DPI = 72
const MOST_SVG_DPI = 2400

let written = 0

export async function decodeStill(
  file: MediaFile,
  label: string,
  asset: boolean,
  options: StillOptions,
  job: StillJob,
): Promise<Placed> {
  const picture =
    file.mime === 'image/svg+xml' ? await drawSvg(file, options, job.limits) : await Picture.open(file, job.limits)
  const shown = sizeFor(picture, options)
  const size = stillSize(picture, shown, picture.frames)
  const all = { width: size.width, height: size.height * picture.frames }
  if (all.width * all.height > job.limits.maxPixels)
    throw new Problem(
      'too_many_pixels',
      picture.frames > 1
        ? 'The animation is too large for this video: size times frames is beyond KEEPSAKE_MAX_PIXELS.'
        : `The picture would be drawn with ${count(size.width)} × ${count(size.height)} pixels; at most ${count(job.limits.maxPixels)} are drawn (KEEPSAKE_MAX_PIXELS).`,
    )
  claim(all, STILL_BYTES)
  const decoded = (await (await picture.resize(size)).pixels()).map(pixels => withAlpha(to8(pixels)))
  const { background } = options
  const frames = background === undefined ? decoded : decoded.map(pixels => onColour(pixels, parseColour(background)))
  const delays = picture.animation?.delays.map(delay => (delay < SHORTEST_MS ? DEFAULT_MS : delay) / 1000) ?? [0]
  return place(
    frames,
    delays,
    {
      label,
      asset,
      rate: options.rate,
      opacity: options.opacity ?? 1,
      enlarged: size === shown ? null : shown,
      whole: background !== undefined || size !== shown,
    },
    job,
  )
}

export const drawnStill = (
  pixels: { data: Buffer; width: number; height: number },
  label: string,
  rate: Rate,
  job: StillJob,
): Promise<Placed> =>
  place(
    [{ ...pixels, channels: 4, depth: 8 }],
    [0],
    { label, asset: true, rate, opacity: 1, enlarged: null, whole: false },
    job,
  )

/** Writes a colour table (Hald) as a picture for lookup filters. */
export async function tableStill(
  { data, width, height }: { data: Buffer; width: number; height: number },
  rate: Rate,
  { folder }: StillJob,
): Promise<Still> {
  const path = join(folder, `table-${++written}`)
  await writeFile(path, data)
  const digest = createHash('sha256').update(data).digest('hex')
  return {
    path,
    label: 'table',
    asset: true,
    digest,
    x: 0,
    y: 0,
    width,
    height,
    shown: { width, height },
    alpha: false,
    table: true,
    rate,
    delays: [0],
  }
}

interface How {
  label: string
  asset: boolean
  rate: Rate
  opacity: number
  enlarged: Size | null
  /** All of it is one part. */
  whole: boolean
}

async function place(
  frames: Pixels[],
  delays: number[],
  { label, asset, rate, opacity, enlarged, whole }: How,
  { folder }: StillJob,
): Promise<Placed> {
  const [first] = frames
  if (!first) throw new Problem('corrupt_input', 'The picture is empty.')
  const { width, height } = first
  if (opacity < 1)
    for (const { data } of frames) for (let i = 3; i < data.length; i += 4) data[i] = Math.round(data[i]! * opacity)
  const rects = whole
    ? [{ left: 0, top: 0, width, height }]
    : contentRects(
        frames.map(({ data }) => data),
        width,
        height,
      )
  const parts: Still[] = []
  for (const rect of rects) {
    const shown = frames.map(frame => cut(frame, rect).data)
    for (const data of shown) bleed(data, rect.width, rect.height)
    const bytes = Buffer.concat(shown)
    const path = join(folder, `still-${++written}`)
    await writeFile(path, bytes)
    const digest = createHash('sha256').update(bytes).digest('hex')
    parts.push({
      path,
      label,
      asset,
      digest,
      x: rect.left,
      y: rect.top,
      width: rect.width,
      height: rect.height,
      shown: enlarged ?? { width: rect.width, height: rect.height },
      alpha: isTransparent(bytes),
      table: false,
      rate,
      delays,
    })
  }
  return { ...(enlarged ?? { width, height }), parts }
}

function onColour(pixels: Pixels, [r, g, b]: Colour): Pixels {
  const { data } = pixels
  for (let i = 0; i < data.length; i += 4) {
    const a = data[i + 3]! / 255
    data[i] = Math.round(data[i]! * a + r * (1 - a))
    data[i + 1] = Math.round(data[i + 1]! * a + g * (1 - a))
    data[i + 2] = Math.round(data[i + 2]! * a + b * (1 - a))
    data[i + 3] = 255
  }
  return pixels
}

function isTransparent(rgba: Buffer): boolean {
  for (let i = 3; i < rgba.length; i += 4) if (rgba[i] !== 255) return true
  return false
}

/** Renders the SVG at the size it is shown, instead of enlarging it later. */
async function drawSvg(file: MediaFile, options: StillOptions, limits: MediaLimits): Promise<Picture> {
  const bytes = await readSvg(file.path)
  const { width, height } = await reading(() => vips(bytes).metadata())
  const size = sizeFor({ width, height }, options)
  const dpi = Math.min(
    MOST_SVG_DPI,
    Math.max(SVG_DPI, Math.ceil(SVG_DPI * Math.max(size.width / width, size.height / height))),
  )
  const drawn = { width: Math.ceil((width * dpi) / SVG_DPI), height: Math.ceil((height * dpi) / SVG_DPI) }
  const fault = pictureFault({ ...drawn, frames: null }, limits)
  if (fault) throw fault
  claim(drawn, 4)
  const { data, info } = await reading(() =>
    vips(bytes, { density: dpi }).ensureAlpha().toColourspace('srgb').raw().toBuffer({ resolveWithObject: true }),
  )
  return Picture.of({ data, width: info.width, height: info.height, channels: 4, depth: 8 }, limits)
}

function sizeFor(
  picture: { width: number; height: number },
  { width, height, fit, scale = 1 }: StillOptions,
): { width: number; height: number } {
  const [wide, high] = [width / picture.width, height / picture.height]
  const grow = fit === 'cover' ? Math.max(wide, high) : fit === 'contain' ? Math.min(wide, high) : 1
  const sized = (own: number, box: number): number =>
    Math.max(1, Math.round((fit === 'stretch' ? box : own * grow) * scale))
  return { width: sized(picture.width, width), height: sized(picture.height, height) }
}
