// Computes the SHA-256 of a file, and caches it as long as the file does not change.
import { stat } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'
import { sha256Of } from '#kit/file-facts.ts'

const digests = new LRUCache<string, string>({ max: 256 })

export async function digestOf(path: string): Promise<string> {
  const { ino, size, mtimeMs } = await stat(path)
  const key = `${path}|${ino}|${size}|${mtimeMs}`
  const known = digests.get(key)
  if (known) return known
  const digest = await sha256Of(path)
  digests.set(key, digest)
  return digest
}
