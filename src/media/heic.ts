// HEIC and HEIF: decoded by libheif compiled to WebAssembly, since sharp ships without HEVC.
import { readFile } from 'node:fs/promises'
import { Problem } from '#kit/errors.ts'
import type { Pixels } from './pixels.ts'
import { MediaProblem } from './problem.ts'

/** The primary image, turned as the file itself says. */
export async function decodeHeic(path: string): Promise<Pixels> {
  const bytes = await readFile(path)
  try {
    const { default: decode } = await import('heic-decode')
    const { width, height, data } = await decode({ buffer: bytes })
    return { data: Buffer.from(data.buffer, data.byteOffset, data.byteLength), width, height, channels: 4, depth: 8 }
  } catch (error) {
    if (error instanceof Problem) throw error
    const detail = error instanceof Error ? error.message : String(error)
    throw new MediaProblem(
      'corrupt_input',
      'The HEIC picture is damaged or ends early: it could not be read to its end.',
      { detail, cause: error },
    )
  }
}
