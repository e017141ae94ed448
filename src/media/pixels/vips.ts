// The only access to sharp: trusted loaders only, no cache, one thread per picture, and errors in our own words.
import { createRequire } from 'node:module'
import type { default as LoadedSharp, Metadata, Sharp, SharpOptions } from 'sharp'
import { Problem } from '#kit/errors.ts'
import { MediaProblem } from '../file/media-problem.ts'

type SharpModule = typeof LoadedSharp

const kinds = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif', 'Tiff']

let loaded: SharpModule | null = null

/** Loaded at first use: libvips is large, and the API and the worker know every adapter but never touch a pixel. A media child loads it at its start. */
export function loadVips(): SharpModule {
  if (loaded) return loaded
  const sharp = createRequire(import.meta.url)('sharp') as SharpModule
  // An SVG opened by path reads files beside it; an SVG from a buffer does not.
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({
    operation: [
      ...kinds.flatMap(kind => [`VipsForeignLoad${kind}File`, `VipsForeignLoad${kind}Buffer`]),
      'VipsForeignLoadSvgBuffer',
    ],
  })
  sharp.cache(false)
  sharp.concurrency(1)
  loaded = sharp
  return sharp
}

/** sharp's own pixel limit is off: we count pixels from the header, against our own limits. */
export const vips = (input: string | Buffer | Uint16Array, options: SharpOptions = {}): Sharp =>
  loadVips()(input, { failOn: 'error', limitInputPixels: false, ...options })

/** A picture that is generated, not read: text or a plain colour. */
export const drawn = (options: SharpOptions): Sharp => loadVips()(options)

export function vipsVersions(): { sharp: string; libvips: string } {
  const { versions } = loadVips()
  return { sharp: versions.sharp ?? '', libvips: versions.vips }
}

/** Runs sharp and turns its errors into a sentence for the operator. */
export async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw inOurWords(error)
  }
}

function inOurWords(error: unknown): Error {
  if (error instanceof Problem) return error
  const said = error instanceof Error ? error.message : String(error)
  // sharp words its argument checks like this: our fault, not the file's.
  if (error instanceof TypeError || said.startsWith('Expected ')) return error as Error
  const as = (
    code: 'corrupt_input' | 'unsupported_format' | 'memory_limit' | 'output_too_large',
    sentence: string,
  ): MediaProblem => new MediaProblem(code, sentence, { detail: said, cause: error })
  if (/unsupported image format|operation is blocked|unsupported codec|No decoding plugin/i.test(said)) {
    return as(
      'unsupported_format',
      'The file is not a picture of a kind that is taken here: JPEG, PNG, WebP, GIF, AVIF, TIFF or HEIC.',
    )
  }
  // The file existed when the work began, so the file store is gone. Nothing is known of the picture.
  if (/Input file is missing/.test(said))
    return new Problem('unavailable', 'The file store cannot be used now.', { cause: error })
  if (/unable to open for write|write error|No space left/i.test(said)) {
    return new Problem('unavailable', 'The result could not be written: the disk may be full.', { cause: error })
  }
  if (/out of memory|memory allocation|Could not allocate/i.test(said))
    return as(
      'memory_limit',
      'The picture needs more memory than a media process may take (KEEPSAKE_MAX_MEMORY_BYTES).',
    )
  if (/exceeds|too large for|dimensions/i.test(said))
    return as('output_too_large', 'The result is too large for its format.')
  return as('corrupt_input', 'The picture is damaged or ends early: it could not be read to its end.')
}

export type { Metadata, Sharp }
