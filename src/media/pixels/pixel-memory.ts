// Memory for the pixels of one job: every bitmap is asked for here first, so that none is made that the job may not hold.
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Problem } from '#kit/errors.ts'
import type { Size } from '../file/geometry.ts'
import { count, type MediaLimits, megabytes } from '../file/media-limits.ts'

interface Memory {
  maxPixels: number
  /** Bytes that the job may hold at once. */
  most: number
  /** Held by the process before the job began. */
  before: number
  /** No less than what is held: what was given back is taken off only when it is measured. */
  held: number
}

let memory: Memory | null = null

/** Called by a media child, which works on one job at a time. Elsewhere nothing is counted. */
export function openMemory({ maxPixels, maxMemoryBytes }: MediaLimits, needed: number): void {
  memory = { maxPixels, most: Math.max(maxMemoryBytes, needed), before: getHeapStatistics().external_memory, held: 0 }
}

/** Zeroed memory for a bitmap, or a refusal before any of it is taken. */
export const newBitmap = (size: Size, bytesPerPixel: number): Buffer =>
  Buffer.alloc(claim(size, bytesPerPixel) * bytesPerPixel)

/** The same for a bitmap that is filled from end to end right away. */
export const newCopy = (size: Size, bytesPerPixel: number): Buffer =>
  Buffer.allocUnsafe(claim(size, bytesPerPixel) * bytesPerPixel)

/** Counts a bitmap that somebody else is about to make; answers its pixels. */
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

/** What is held in truth; where that leaves no room, after all that nobody needs any more has been given back. */
function measured({ before, most }: Memory, bytes: number): number {
  const held = (): number => Math.max(0, getHeapStatistics().external_memory - before)
  if (held() + bytes > most) collectGarbage()
  return held()
}

let collector: (() => void) | null = null

/** Node has a way to ask for it only behind a flag, which may be set while it runs. */
function collectGarbage(): void {
  if (!collector) {
    setFlagsFromString('--expose-gc')
    collector = runInNewContext('gc') as () => void
  }
  // What the first round has freed is counted off in the second.
  collector()
  collector()
}
