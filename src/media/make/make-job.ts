// What the makers of results share: where they work, what they may take, and the small words of a command.
import { join } from 'node:path'
import type { MediaLimits, Tools } from '../file/media-limits.ts'
import { type Container, containers } from './encode.ts'
import type { PreparedAssets } from './prepared-clips.ts'

export interface MakeJob {
  tools: Tools
  limits: MediaLimits
  folder: string
  /** Where assets are kept in the form that a join needs; null keeps none. */
  prepared: PreparedAssets | null
  threads: number
  /** Of the file that the first entry got: sound alone stays in its format. */
  mime: string
  /** Frames and sound are handed on without loss and always encoded: for entries run one by one. */
  lossless?: boolean
  signal?: AbortSignal
  onProgress(fraction: number): void
  decide(sentence: string): void
}

export interface Made {
  path: string
  container: Container
  /** How it was made. */
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
  join(folder, `output${containers[container].ext}`)
