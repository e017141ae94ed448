// What destinations share about the bytes they send: ranges of a file, progress, and whether it is still the same file.
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { Pieces } from '#kit/net/outbound.ts'
import type { MediaFile } from '#media/file/file.ts'

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
export const fingerprint = async (path: string, signal: AbortSignal): Promise<string> =>
  (await hashed('sha256', path, { start: 0, end: Infinity }, signal)).toString('hex')

/** As `Content-MD5` wants it: the target compares what arrives with it. */
export const md5Of = async (path: string, range: Range, signal: AbortSignal): Promise<string> =>
  (await hashed('md5', path, range, signal)).toString('base64')

async function hashed(algorithm: string, path: string, { start, end }: Range, signal: AbortSignal): Promise<Buffer> {
  const hash = createHash(algorithm)
  const buffer = Buffer.allocUnsafeSlow(256 * 1024)
  await using file = await open(path)
  for (let at = start; ; ) {
    signal.throwIfAborted()
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, end - at), at)
    if (bytesRead === 0) return hash.digest()
    hash.update(buffer.subarray(0, bytesRead))
    at += bytesRead
  }
}
