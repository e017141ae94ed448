// Writes a picture to a file: once, in its format, and without data about where it was taken.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type FormatKind, formats } from '../file/formats.ts'
import type { Tools } from '../file/media-limits.ts'
import { isUpright } from '../pixels/orientation.ts'
import { fromPixels, type Pixels, to8, withAlpha } from '../pixels/pixels.ts'
import { reading, type Sharp } from '../pixels/vips.ts'
import { exactGif } from './gif-write.ts'
import { turnLosslessly } from './jpegtran.ts'
import type { Picture } from './picture.ts'

interface Written {
  path: string
  mime: string
  ext: string
  width: number
  height: number
  frames: number | null
  duration: number | null
  command: string[] | null
  decisions: string[]
}

/** The picture cannot be used afterwards. */
export async function writePicture(picture: Picture, folder: string, tools: Tools): Promise<Written> {
  const { format } = picture.output
  const kind = formats[format]
  const path = join(folder, `output${kind.ext}`)
  const animated = picture.animation !== null && kind.animated
  const decisions: string[] = []
  if (picture.animation && !animated)
    decisions.push(`${format.toUpperCase()} does not move: only the first of ${picture.frames} frames is kept.`)
  const written: Written = {
    path,
    mime: kind.mime,
    ext: kind.ext,
    width: picture.width,
    height: picture.height,
    frames: animated ? picture.frames : null,
    duration: animated ? (picture.animation?.delays ?? []).reduce((sum, delay) => sum + delay, 0) / 1000 : null,
    command: null,
    decisions,
  }
  const command = await turnLosslessly(picture, path, tools)
  if (command) {
    const done = picture.turnAlone && isUpright(picture.turnAlone.plan.turn) ? 'Copied' : 'Turned'
    return {
      ...written,
      command,
      decisions: [...decisions, `${done} the JPEG without decoding it, so nothing was lost.`],
    }
  }
  if (picture.hasAlpha && !kind.alpha) decisions.push('Transparent parts became white.')
  await reading(
    async () =>
      void (await (animated || format === 'gif' ? writeFrames(picture, path) : writeStill(picture, kind, path))),
  )
  return written
}

async function writeStill(picture: Picture, kind: FormatKind, path: string): Promise<void> {
  const isJpeg = picture.output.format === 'jpeg'
  // Only JPEG encodes so fast that our own mirroring is worth it; a PNG would lose its print resolution. AVIF and TIFF would write the
  // file's orientation again although the pixels are already turned, so these get new pixels.
  const anew = isJpeg ? picture.mirrored : kind.keepsTurn && picture.hasTurn
  const ready = anew ? await picture.settle() : picture
  await encoding(still(ready, kind), ready).toFile(path)
  ready.release()
}

function still(picture: Picture, kind: FormatKind): Sharp {
  const flat = picture.hasAlpha && !kind.alpha ? picture.still.flatten({ background: '#ffffff' }) : picture.still
  return picture.depth === 16 && !kind.deep ? flat.toColourspace('srgb') : flat
}

const ONCE = { delays: [], loop: 1 }

async function writeFrames(picture: Picture, path: string): Promise<void> {
  const frames = (await picture.pixels()).map(pixels => withAlpha(to8(pixels)))
  const exact = picture.output.format === 'gif' ? exactGif(frames, picture.animation ?? ONCE) : null
  if (exact) return writeFile(path, exact)
  const data = Buffer.concat(frames.map(frame => frame.data))
  const roll: Pixels = { ...(frames[0] as Pixels), height: picture.height * frames.length, data }
  await encoding(fromPixels(roll, picture.height), picture).toFile(path)
}

/** The longest delay in ms that sharp writes; a GIF may show a frame ten times as long. */
const MOST_DELAY = 65_535

/** Efforts measured on photos: AVIF at 2 costs five times as much as at 1, WebP at 4 twice as much as at 2, for hardly smaller files. */
function encoding(pipeline: Sharp, { output, animation }: Picture): Sharp {
  const { format, quality, lossless, fineColours } = output
  const moving = animation
    ? { loop: animation.loop, delay: animation.delays.map(delay => Math.min(delay, MOST_DELAY)) }
    : {}
  switch (format) {
    case 'jpeg':
      return pipeline.jpeg({
        quality: quality ?? 90,
        // The standard Huffman tables: a quarter more photos a second, for files that are 9 % larger.
        optimiseCoding: false,
        chromaSubsampling: fineColours ? '4:4:4' : '4:2:0',
      })
    case 'png':
      return pipeline.png({ compressionLevel: 6 })
    case 'webp':
      return pipeline.webp({
        ...moving,
        effort: 2,
        ...(lossless && quality === null ? { lossless: true, exact: true } : { quality: quality ?? 90 }),
      })
    case 'gif':
      return pipeline.gif({ ...moving, dither: 0, keepDuplicateFrames: true })
    case 'avif':
      return pipeline.avif({ quality: quality ?? 75, effort: 1 })
    case 'tiff':
      return pipeline.tiff({ compression: 'deflate', predictor: 'horizontal' })
  }
}
