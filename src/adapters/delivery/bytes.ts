// What destinations share about the bytes they send: ranges of a file, progress, and whether it is still the same file.
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { Pieces } from '#kit/outbound.ts'
import type { MediaFile } from '#media/file.ts'

export interface Range {
  start: number
  /** The byte behind the last one. */
  end: number
}

/** The whole file as the body of a request. */
export const wholeFile = ({ path, bytes }: MediaFile, sent: (bytes: number) => void): Pieces => [
  { path, start: 0, end: bytes, sent },
]

/** Counts bytes and reports progress in steps of a hundredth, so that nobody drowns in it. */
export function newMeter(total: number, progress: (fraction: number) => void) {
  let reported = -1
  const meter = {
    done: 0,
    add(bytes: number) {
      meter.set(meter.done + bytes)
    },
    set(bytes: number) {
      meter.done = bytes
      const fraction = total === 0 ? 1 : Math.min(bytes / total, 1)
      if (fraction - reported < 0.01 && !(fraction === 1 && reported < 1)) return
      reported = fraction
      progress(fraction)
    },
  }
  return meter
}

/** Tells whether a half-sent file is still the same one. */
export async function fingerprint(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafeSlow(1024 ** 2)
  await using file = await open(path)
  for (;;) {
    signal.throwIfAborted()
    const { bytesRead } = await file.read(buffer)
    if (bytesRead === 0) return hash.digest('hex')
    hash.update(buffer.subarray(0, bytesRead))
  }
}
