// The finished file of a segment: its size and digest, read once.
import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import type { FileFacts } from '#kit/file-facts.ts'
import type { MediaFile } from '#media/file/file.ts'

/** One for all files, read and hashed without a pause in between: a new one each time would keep the garbage collector busy. */
const piece = Buffer.allocUnsafeSlow(256 * 1024)

/** Without the thread pool: a media child has nothing else to do. */
export function withDigest(path: string, facts: Omit<FileFacts, 'bytes'>): MediaFile & { sha256: string } {
  const hash = createHash('sha256')
  const file = openSync(path, 'r')
  let bytes = 0
  try {
    for (let read = -1; read !== 0; ) {
      read = readSync(file, piece)
      hash.update(piece.subarray(0, read))
      bytes += read
    }
  } finally {
    closeSync(file)
  }
  return { ...facts, bytes, path, sha256: hash.digest('hex') }
}

export function factsOf({ mime, medium, ext, bytes, width, height, duration, frames }: FileFacts): FileFacts {
  return { mime, medium, ext, bytes, width, height, duration, frames }
}
