// A media file on disk.
import type { FileFacts } from '#kit/file-facts.ts'

export interface MediaFile extends FileFacts {
  path: string
  /** Name for the operator when the file is not the input: `The asset "frame"`. */
  label?: string
  /** SHA-256 of its content, where it is known. */
  sha256?: string
}
