// What is known of a file: the facts from its header that are stored, shown and passed to media children, and its digest.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'

export type Medium = 'image' | 'video' | 'audio' | 'file'

export interface FileFacts {
  mime: string
  medium: Medium
  /** With its dot: `.jpg`. Empty when unknown. */
  ext: string
  bytes: number
  /** As a person sees it: orientation and display matrix applied. */
  width: number | null
  height: number | null
  /** Seconds; null for what does not move. */
  duration: number | null
  /** Frames of an animated picture; null for anything else. */
  frames: number | null
}

/** The SHA-256 of all its bytes, in hex. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
