// Checks a GIF block by block, because a truncated GIF reads without an error, only with fewer frames.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { Problem } from '#kit/errors.ts'

const TRAILER = 0x3b
const EXTENSION = 0x21
const IMAGE = 0x2c

/** A buffer, or a file with only a window of it in memory. */
interface Bytes {
  length: number
  at(place: number): number | undefined
}

/** Refuses a truncated GIF. Returns whether the file ends with the trailer. */
export function checkGif(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const gif = windowed(file)
    if (!isWhole(gif))
      throw new Problem('corrupt_input', 'The GIF is damaged or ends early: its last frames are missing.')
    // Some programs add zeros after the trailer.
    let last = gif.length - 1
    while (last > 0 && gif.at(last) === 0) last--
    return gif.at(last) === TRAILER
  } finally {
    closeSync(file)
  }
}

const WINDOW = 64 * 1024

/** Reads forwards and backwards without reading the same bytes again and again. */
function windowed(file: number): Bytes {
  const held = Buffer.allocUnsafe(WINDOW)
  const { size } = fstatSync(file)
  let [from, to] = [0, 0]
  return {
    length: size,
    at(place) {
      if (place < from || place >= to) {
        from = place - (place % WINDOW)
        to = from + readSync(file, held, 0, WINDOW, from)
      }
      return place < to ? held[place - from] : undefined
    },
  }
}

/** Walks to the trailer. Some encoders omit it; then the file must end between two blocks. */
export function isWhole(gif: Bytes): boolean {
  let at = 13 + tableLength(gif.at(10) ?? 0)
  let images = 0
  while (at < gif.length) {
    const kind = gif.at(at)
    if (kind === TRAILER) return images > 0
    if (kind === EXTENSION) at = afterBlocks(gif, at + 2)
    else if (kind === IMAGE) {
      at = afterBlocks(gif, at + 11 + tableLength(gif.at(at + 9) ?? 0))
      images++
    } else return images > 0 && isEmpty(gif, at)
  }
  return at === gif.length && images > 0
}

function isEmpty(gif: Bytes, from: number): boolean {
  for (let at = from; at < gif.length; at++) if (gif.at(at) !== 0) return false
  return true
}

/** Length in bytes of the colour table that a flag byte announces. */
const tableLength = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

/** The position after a run of data blocks (each begins with its length, an empty one ends the run); beyond the end when truncated. */
function afterBlocks(gif: Bytes, start: number): number {
  let at = start
  while (at < gif.length) {
    const length = gif.at(at) ?? 0
    at += length + 1
    if (length === 0) return at
  }
  return gif.length + 1
}
