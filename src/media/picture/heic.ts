// Decodes HEIC and HEIF with libheif compiled to WebAssembly, because sharp ships without HEVC.
import { Problem } from '#kit/errors.ts'
import { MediaProblem } from '../file/media-problem.ts'
import { readWhole } from '../file/read-whole.ts'
import { claim } from '../pixels/pixel-memory.ts'
import { type Pixels, toPixels, withoutAlpha } from '../pixels/pixels.ts'
import { vips } from '../pixels/vips.ts'
import { tiffOf } from './tiff.ts'

const MOST_MIB = 256
/** Bytes per pixel: the decoder's copy, and the copy that it returns. */
const DECODED_BYTES = 8

interface HeicHeader {
  alpha: boolean
  /** Index of the top-level image to show. */
  primary: number
  /** The embedded profile; null when no conversion to sRGB is needed. */
  icc: Buffer | null
}

/** The primary image in sRGB, turned as the file itself says. */
export async function decodeHeic(path: string, { alpha, primary, icc }: HeicHeader): Promise<Pixels> {
  const shown = await decode(readWhole(path, MOST_MIB, 'A HEIC picture'), primary)
  const pixels = alpha ? shown : withoutAlpha(shown)
  // Raw pixels cannot carry a profile into sharp; a TIFF can.
  return icc ? toPixels(vips(tiffOf(pixels, icc)), 8) : pixels
}

async function decode(buffer: Buffer, primary: number): Promise<Pixels> {
  try {
    const { default: heic } = await import('heic-decode')
    const images = await heic.all({ buffer })
    try {
      const image = images[primary] ?? images[0]
      if (!image) throw new Error('no image')
      // The decoder may find another size than the header reader did.
      claim(image, DECODED_BYTES)
      const { width, height, data } = await image.decode()
      return { data: Buffer.from(data.buffer, data.byteOffset, data.byteLength), width, height, channels: 4, depth: 8 }
    } finally {
      images.dispose()
    }
  } catch (error) {
    if (error instanceof Problem) throw error
    const detail = error instanceof Error ? error.message : String(error)
    const sentence = 'The HEIC picture is damaged or ends early: it could not be read to its end.'
    throw new MediaProblem('corrupt_input', sentence, { detail, cause: error })
  }
}
