// Walks through the blocks of a GIF: one that was cut off reads without an error, as one with fewer frames.
import { readFile } from 'node:fs/promises'
import { Problem } from '#kit/errors.ts'

const TRAILER = 0x3b
const EXTENSION = 0x21
const IMAGE = 0x2c

/** Answers whether it says where it ends. */
export async function checkGif(path: string): Promise<boolean> {
  const gif = await readFile(path)
  if (!isWhole(gif))
    throw new Problem('corrupt_input', 'The GIF is damaged or ends early: its last frames are missing.')
  // Some programs fill up what follows.
  return gif[gif.findLastIndex(byte => byte !== 0)] === TRAILER
}

/** To the trailer; some encoders leave it out, and then the file must end between two blocks. */
export function isWhole(gif: Buffer): boolean {
  let at = 13 + tableLength(gif[10] ?? 0)
  let images = 0
  while (at < gif.length) {
    const kind = gif[at]
    if (kind === TRAILER) return images > 0
    if (kind === EXTENSION) at = afterBlocks(gif, at + 2)
    else if (kind === IMAGE) {
      at = afterBlocks(gif, at + 11 + tableLength(gif[at + 9] ?? 0))
      images++
    } else return images > 0 && gif.subarray(at).every(byte => byte === 0)
  }
  return at === gif.length && images > 0
}

/** Bytes of the colour table that a flag byte announces. */
const tableLength = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

/** Behind a run of data blocks, each with its length in front, ended by an empty one; past the end when it is cut off. */
function afterBlocks(gif: Buffer, start: number): number {
  let at = start
  while (at < gif.length) {
    const length = gif[at]!
    at += length + 1
    if (length === 0) return at
  }
  return gif.length + 1
}
