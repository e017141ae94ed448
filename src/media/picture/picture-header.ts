// Reads the header of a picture: all facts that are needed before a pixel is decoded.
import { open } from 'node:fs/promises'
import { isProblem, Problem } from '#kit/errors.ts'
import type { Size } from '../file/geometry.ts'
import { readWhole } from '../file/read-whole.ts'
import { fromExif, type Orientation, turnedSize, upright } from '../pixels/orientation.ts'
import { type Metadata, reading, vips } from '../pixels/vips.ts'
import { checkGif } from './gif-check.ts'
import { type HdrColours, hdrColours } from './hdr-still.ts'
import { checkScans } from './jpeg-scans.ts'
import { readSvg } from './svg.ts'

export interface Header extends Size {
  /** Media type of the file. HEIC and SVG are read, but never written. */
  mime: string
  stored: Size
  /** The turn that brings the stored pixels upright. */
  turn: Orientation
  depth: 8 | 16
  alpha: boolean
  /** `other` must be converted to sRGB. */
  profile: 'none' | 'srgb' | 'other'
  /** The profile itself, when we must apply it. */
  icc: Buffer | null
  cmyk: boolean
  /** HDR colour description, when the values mean more light than a screen has. */
  hdr: HdrColours | null
  /** Size of the blocks a JPEG is coded in. A lossless turn must not break them up. */
  block: Size | null
  /** A JPEG with full colour resolution (4:4:4), which cameras rarely write. */
  fineColours: boolean
  /** Index of the image to show, when the file holds several. */
  primary: number
  lossless: boolean
  /** Frames of an animation; null for a still. */
  frames: number | null
  delays: number[]
  loop: number
  /** Length of an animation in seconds. */
  seconds: number | null
  /** Warning about frames or pages of the file that are not shown. */
  hidden: string | null
}

/** Holds everything before the pixels of an AVIF. */
const AVIF_HEAD = 64 * 1024

export const isHeic = (mime: string): boolean => mime === 'image/heic' || mime === 'image/heif'

const heads = new Set([
  'image/jpeg',
  'image/png',
  'image/apng',
  'image/webp',
  'image/gif',
  'image/avif',
  'image/tiff',
  'image/heic',
  'image/heif',
  'image/svg+xml',
])

export async function readHeader(path: string, mime: string): Promise<Header> {
  if (!heads.has(mime))
    throw new Problem(
      'unsupported_format',
      `A file of type ${mime} is not a picture that is taken here: JPEG, PNG, WebP, GIF, AVIF, TIFF or HEIC.`,
    )
  const ends = mime !== 'image/gif' || checkGif(path)
  if (mime === 'image/jpeg') checkScans(path)
  const source = await pictureSource(path, mime)
  const meta = await reading(() => vips(source).metadata()).catch(error => {
    // The first bytes are those of a TIFF, but the data they point to is missing.
    if (mime !== 'image/tiff' || !isProblem(error, 'unsupported_format')) throw error
    throw new Problem('corrupt_input', 'The picture is damaged or ends early: it could not be read to its end.')
  })
  const animated = (mime === 'image/gif' || mime === 'image/webp') && (meta.pages ?? 1) > 1
  const stored = { width: meta.width, height: meta.height }
  // HEIC and AVIF store their own rotation, and the decoder applies it. An EXIF tag beside it is a leftover.
  const turned = isHeic(mime) || mime === 'image/avif' ? upright : fromExif(await orientation(path, mime, meta))
  const profile = meta.icc ? (isSrgb(meta.icc) ? 'srgb' : 'other') : 'none'
  const delays = animated ? (meta.delay ?? []).map(delay => Math.max(delay, 0)) : []
  return {
    ...turnedSize(stored, turned),
    mime,
    stored,
    turn: turned,
    depth: meta.depth === 'ushort' && mime !== 'image/avif' ? 16 : 8,
    alpha: meta.hasAlpha,
    profile,
    icc: profile === 'other' ? (meta.icc ?? null) : null,
    block: blockOf(meta),
    fineColours: mime === 'image/jpeg' && meta.chromaSubsampling === '4:4:4',
    primary: meta.pagePrimary ?? 0,
    cmyk: meta.space === 'cmyk',
    hdr: mime === 'image/avif' && !meta.icc ? hdrColours(await readAt(path, 0, AVIF_HEAD)) : null,
    lossless: mime === 'image/webp' && (await isLosslessWebp(path)),
    frames: animated ? (meta.pages ?? 1) : null,
    delays,
    loop: animated ? (meta.loop ?? 0) : 0,
    seconds: animated ? delays.reduce((sum, delay) => sum + delay, 0) / 1000 : null,
    hidden: (await isAvifSequence(path, mime))
      ? 'Only the first frame of the AVIF sequence is used.'
      : ends
        ? hiddenFrames(mime, meta)
        : 'The GIF does not say where it ends: frames may be missing.',
  }
}

const MOST_SEQUENCE_MIB = 256

/** The input for sharp: the path, or bytes when a path does not work. */
export async function pictureSource(path: string, mime: string): Promise<string | Buffer> {
  if (mime === 'image/svg+xml') return readSvg(path)
  if (mime !== 'image/avif') return path
  // A sequence also contains a still, but sharp 0.35 recognises a file only by the brand of a still.
  const head = await readAt(path, 0, 12)
  if (head.toString('latin1', 8, 12) !== 'avis') return path
  const bytes = readWhole(path, MOST_SEQUENCE_MIB, 'An AVIF sequence')
  bytes.write('avif', 8, 'latin1')
  return bytes
}

/** Checks the brands that the file states: the main one and the compatible ones. */
async function isAvifSequence(path: string, mime: string): Promise<boolean> {
  if (mime !== 'image/avif') return false
  const head = await readAt(path, 0, 256)
  return head.subarray(8, head.readUInt32BE(0)).includes('avis', 0, 'latin1')
}

function blockOf({ chromaSubsampling, format }: Metadata): Size | null {
  const blocks: Record<string, Size> = {
    '4:4:4': { width: 8, height: 8 },
    '4:2:2': { width: 16, height: 8 },
    '4:2:0': { width: 16, height: 16 },
  }
  return format === 'jpeg' ? (blocks[chromaSubsampling ?? ''] ?? null) : null
}

function hiddenFrames(mime: string, meta: Metadata): string | null {
  if (mime === 'image/apng') return 'Only the first frame of the animated PNG is used.'
  if (mime === 'image/tiff' && (meta.pages ?? 1) > 1)
    return `Only the first of ${meta.pages} pages of the TIFF is used.`
  return null
}

/** sharp reads a PNG's eXIf chunk only when it follows the pixel header in sharp's own order, so we read it here. */
async function orientation(path: string, mime: string, meta: Metadata): Promise<number | undefined> {
  if (meta.orientation !== undefined || (mime !== 'image/png' && mime !== 'image/apng')) return meta.orientation
  const exif = await pngChunk(path, 'eXIf')
  return exif ? exifOrientation(exif) : undefined
}

async function pngChunk(path: string, wanted: string): Promise<Buffer | null> {
  const MOST_CHUNKS = 256
  await using file = await open(path, 'r')
  let at = 8
  for (let i = 0; i < MOST_CHUNKS; i++) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(8), 0, 8, at)
    if (bytesRead < 8) return null
    const length = buffer.readUInt32BE(0)
    const type = buffer.toString('latin1', 4, 8)
    if (type === wanted)
      return length > 65536 ? null : (await file.read(Buffer.alloc(length), 0, length, at + 8)).buffer
    if (type === 'IEND') return null
    at += length + 12
  }
  return null
}

function exifOrientation(exif: Buffer): number | undefined {
  const little = exif.toString('latin1', 0, 2) === 'II'
  const u16 = (at: number): number =>
    at + 2 > exif.length ? 0 : little ? exif.readUInt16LE(at) : exif.readUInt16BE(at)
  const u32 = (at: number): number =>
    at + 4 > exif.length ? exif.length : little ? exif.readUInt32LE(at) : exif.readUInt32BE(at)
  const ifd = u32(4)
  for (let i = 0; i < u16(ifd); i++) {
    const entry = ifd + 2 + i * 12
    if (u16(entry) === 0x0112) return u16(entry + 8)
  }
  return undefined
}

/** Lossless input gives lossless output. True for a still, or an animation whose frames are all VP8L. */
async function isLosslessWebp(path: string): Promise<boolean> {
  const head = await readAt(path, 0, 64 * 1024)
  return head.includes('VP8L', 12, 'latin1') && !head.includes('VP8 ', 12, 'latin1')
}

async function readAt(path: string, at: number, length: number): Promise<Buffer> {
  await using file = await open(path, 'r')
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at)
  return buffer.subarray(0, bytesRead)
}

/** Judges by the description tag. Converting a picture that is sRGB already would only cost precision. */
function isSrgb(icc: Buffer): boolean {
  const tags = icc.length > 132 ? icc.readUInt32BE(128) : 0
  for (let i = 0; i < Math.min(tags, 64); i++) {
    const at = 132 + i * 12
    if (at + 12 > icc.length || icc.toString('latin1', at, at + 4) !== 'desc') continue
    const from = icc.readUInt32BE(at + 4)
    const text = icc
      .subarray(from, from + icc.readUInt32BE(at + 8))
      .toString('latin1')
      .replaceAll('\0', '')
    return text.includes('sRGB')
  }
  return false
}
