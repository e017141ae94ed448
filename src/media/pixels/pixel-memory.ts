// Counts the pixel memory of one job. Every bitmap is claimed here first, so that a job never holds more than it may.
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Problem } from '#kit/errors.ts'
import type { Size } from '../file/geometry.ts'
import { count, type MediaLimits, megabytes } from '../file/media-limits.ts'

interface Memory {
  maxPixels: number
  /** Bytes that the job may hold at once. */
  most: number
  /** Bytes that the process held before the job began. */
  before: number
  /** Upper bound of the bytes held: freed memory is subtracted only when it is measured. */
  held: number
}

let memory: Memory | null = null

/** A media child calls this for each job and works on one job at a time. In other processes nothing is counted. */
export function openMemory({ maxPixels, maxMemoryBytes }: MediaLimits, needed: number): void {
  memory = { maxPixels, most: Math.max(maxMemoryBytes, needed), before: getHeapStatistics().external_memory, held: 0 }
}

/** Zeroed memory for a bitmap. Refuses before it allocates any. */
export const newBitmap = (size: Size, bytesPerPixel: number): Buffer =>
  Buffer.alloc(claim(size, bytesPerPixel) * bytesPerPixel)

/** The same, not zeroed, for a bitmap that is filled completely right away. */
export const newCopy = (size: Size, bytesPerPixel: number): Buffer =>
  Buffer.allocUnsafe(claim(size, bytesPerPixel) * bytesPerPixel)

/** Counts a bitmap that other code is about to make. Returns its number of pixels. */
export function claim({ width, height }: Size, bytesPerPixel: number): number {
  const pixels = width * height
  if (!memory) return pixels
  if (pixels > memory.maxPixels)
    throw new Problem(
      'too_many_pixels',
      `A bitmap of ${count(width)} × ${count(height)} pixels would be needed; at most ${count(memory.maxPixels)} pixels are made at once (KEEPSAKE_MAX_PIXELS).`,
    )
  const bytes = pixels * bytesPerPixel
  if (memory.held + bytes > memory.most) memory.held = measured(memory, bytes)
  if (memory.held + bytes > memory.most)
    throw new Problem(
      'memory_limit',
      `The pixels of this step need more than the ${megabytes(memory.most)} MB that it may hold at once (KEEPSAKE_MAX_MEMORY_BYTES).`,
    )
  memory.held += bytes
  return pixels
}

/** Measures the bytes held. When the new bitmap would not fit, collects garbage first. */
function measured({ before, most }: Memory, bytes: number): number {
  const held = (): number => Math.max(0, getHeapStatistics().external_memory - before)
  if (held() + bytes > most) collectGarbage()
  return held()
}

let collector: (() => void) | null = null

/** Node offers garbage collection only behind a flag, which may be set at run time. */
function collectGarbage(): void {
  if (!collector) {
    setFlagsFromString('--expose-gc')
    collector = runInNewContext('gc') as () => void
  }
  // The second round subtracts what the first round has freed.
  collector()
  collector()
}
