// Context that all makers of results share, and helpers for their ffmpeg command lines.
import { join } from 'node:path'
import { fileTypes } from '../file/formats.ts'
import type { MediaLimits, Tools } from '../file/media-limits.ts'
import type { Container } from './encode.ts'
import type { PreparedAssets } from './prepared-clips.ts'

export interface MakeJob {
  tools: Tools
  limits: MediaLimits
  folder: string
  /** Store of assets already encoded for a join; null when there is none. */
  prepared: PreparedAssets | null
  threads: number
  /** Media type of the first entry's input. Audio without video keeps this format. */
  mime: string
  /** Hands on frames and sound without loss and encodes always. For entries that run one by one. */
  lossless?: boolean
  signal?: AbortSignal
  onProgress(fraction: number): void
  decide(sentence: string): void
}

export interface MadeVideo {
  path: string
  container: Container
  plan: 'copy' | 'pieces' | 'encode'
  command: string[]
}

export const renderOptions = ({ limits, threads }: MakeJob): { maxPixels: number; threads: number } => ({
  maxPixels: limits.maxVideoPixels * 2,
  threads,
})

export const filtering = (filters: string, threads: number): string[] =>
  filters === ''
    ? []
    : ['-filter_complex', filters, ...(threads > 0 ? ['-filter_complex_threads', String(threads)] : [])]

export const outputPath = ({ folder }: MakeJob, container: Container): string =>
  join(folder, `output${fileTypes[container].ext}`)
