// A media file on disk.
import type { FileFacts } from '#kit/file-facts.ts'

export interface MediaFile extends FileFacts {
  path: string
  /** How an operator knows it, where it is not the input: `The asset "frame"`. */
  label?: string
  /** SHA-256 of its content, where it is known. */
  sha256?: string
}
