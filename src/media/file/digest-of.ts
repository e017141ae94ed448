// Computes the SHA-256 of a file, and caches it as long as the file does not change.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { LRUCache } from 'lru-cache'

const digests = new LRUCache<string, string>({ max: 256 })

export async function digestOf(path: string): Promise<string> {
  const { ino, size, mtimeMs } = await stat(path)
  const key = `${path}|${ino}|${size}|${mtimeMs}`
  const known = digests.get(key)
  if (known) return known
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  const digest = hash.digest('hex')
  digests.set(key, digest)
  return digest
}
