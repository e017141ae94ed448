// The finished file of a segment: its size and digest, read once.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Facts, MediaFile } from '#media/file.ts'

export async function finished(path: string, facts: Omit<Facts, 'bytes'>): Promise<MediaFile & { sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  await pipeline(createReadStream(path), async chunks => {
    for await (const chunk of chunks as AsyncIterable<Buffer>) {
      hash.update(chunk)
      bytes += chunk.length
    }
  })
  return { ...facts, bytes, path, sha256: hash.digest('hex') }
}

export function factsOf({ mime, medium, ext, bytes, width, height, duration, frames }: Facts): Facts {
  return { mime, medium, ext, bytes, width, height, duration, frames }
}
