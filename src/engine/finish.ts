// The finished file of a segment: its size and digest, read once.
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { Facts, MediaFile } from '#media/file.ts'

const PIECE_BYTES = 1024 ** 2

export async function finished(path: string, facts: Omit<Facts, 'bytes'>): Promise<MediaFile & { sha256: string }> {
  const hash = createHash('sha256')
  const piece = Buffer.allocUnsafe(PIECE_BYTES)
  let bytes = 0
  await using file = await open(path)
  for (;;) {
    const { bytesRead } = await file.read(piece)
    if (bytesRead === 0) break
    hash.update(piece.subarray(0, bytesRead))
    bytes += bytesRead
  }
  return { ...facts, bytes, path, sha256: hash.digest('hex') }
}

export function factsOf({ mime, medium, ext, bytes, width, height, duration, frames }: Facts): Facts {
  return { mime, medium, ext, bytes, width, height, duration, frames }
}
