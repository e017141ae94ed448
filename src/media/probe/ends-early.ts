// Finds recordings that were cut off where their readers notice nothing: what is left would be taken for the whole.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { Problem } from '#kit/errors.ts'

interface Bytes {
  size: number
  read(at: number, length: number): Buffer
}

/** By the container: MP4, FLAC, ADTS, FLV and MP3 with a header are told by their readers; other MP3s and MPEG streams have no end. */
const readers: Record<string, (file: Bytes) => boolean> = {
  'audio/ogg': oggEndsEarly,
  'video/ogg': oggEndsEarly,
  'video/webm': matroskaEndsEarly,
  'audio/webm': matroskaEndsEarly,
  'video/matroska': matroskaEndsEarly,
  'video/vnd.avi': listEndsEarly,
  'audio/wav': listEndsEarly,
  'audio/aiff': listEndsEarly,
}

export function checkEnd(path: string, mime: string): void {
  const endsEarly = Object.hasOwn(readers, mime) ? readers[mime] : undefined
  if (!endsEarly) return
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    const read = (at: number, length: number): Buffer => {
      const piece = Buffer.alloc(Math.max(0, Math.min(length, size - at)))
      return piece.subarray(0, readSync(file, piece, 0, piece.length, at))
    }
    if (endsEarly({ size, read }))
      throw new Problem('corrupt_input', 'The recording ends early: its last part is missing.')
  } finally {
    closeSync(file)
  }
}

const LARGEST_PAGE = 27 + 255 + 255 * 255
const END_OF_STREAM = 4

/** The last page is whole and says that it is the last. */
function oggEndsEarly({ size, read }: Bytes): boolean {
  // Behind the last page there may be tags of other programs; a page that is cut off is shorter than the largest.
  const from = Math.max(0, size - 2 * LARGEST_PAGE)
  const tail = read(from, 2 * LARGEST_PAGE)
  const at = tail.lastIndexOf('OggS\0', undefined, 'latin1')
  if (at < 0) return false
  const parts = tail[at + 26]
  if (parts === undefined || tail.length < at + 27 + parts) return true
  const length = tail.subarray(at + 27, at + 27 + parts).reduce((sum, part) => sum + part, 27 + parts)
  return at + length > tail.length || ((tail[at + 5] ?? 0) & END_OF_STREAM) === 0
}

const SEGMENT = 0x18538067
/** Beyond this many nobody looks; each is a few bytes to read. */
const MOST_ELEMENTS = 2_000_000

/** An element reaches over the end of the file. Those of unknown length, as in live recordings, are gone through. */
function matroskaEndsEarly({ size, read }: Bytes): boolean {
  let end = size
  let elements = 0
  for (let at = 0; at < end && elements++ < MOST_ELEMENTS; ) {
    const head = read(at, 12)
    const idLength = Math.clz32(head[0] ?? 0) - 23
    // No element begins like this: what it is instead is not ours to tell.
    if (idLength > 4) return false
    const sizeLength = Math.clz32(head[idLength] ?? 1) - 23
    if (sizeLength > 8) return false
    if (head.length < idLength + sizeLength) return true
    const inner = at + idLength + sizeLength
    const length = elementLength(head.subarray(idLength, idLength + sizeLength))
    if (length !== null && inner + length > size) return true
    const isSegment = head.readUIntBE(0, idLength) === SEGMENT
    if (isSegment && length !== null) end = inner + length
    at = isSegment || length === null ? inner : inner + length
  }
  return false
}

/** Null where it is not known, which is written as ones alone. */
function elementLength(bytes: Buffer): number | null {
  const first = bytes[0]! & (0xff >> bytes.length)
  const isUnknown = first === 0xff >> bytes.length && bytes.subarray(1).every(byte => byte === 0xff)
  return isUnknown ? null : bytes.subarray(1).reduce((value, byte) => value * 256 + byte, first)
}

/** Some programs count the head of the list as well. */
const SLACK = 8
/** Written by those who don't know the length yet. */
const UNKNOWN = 0x7ffff000

/**
 * A list of the top reaches over the end of the file. One without a length was never finished, or is of a program that writes to
 * somebody else: what is there is the whole.
 */
function listEndsEarly({ size, read }: Bytes): boolean {
  for (let at = 0; at < size; ) {
    const head = read(at, 8)
    if (head.length < 8) return false
    const name = head.toString('latin1', 0, 4)
    if (name !== 'RIFF' && name !== 'FORM') return false
    const length = name === 'RIFF' ? head.readUInt32LE(4) : head.readUInt32BE(4)
    if (length === 0 || length >= UNKNOWN) return false
    if (at + 8 + length > size + SLACK) return true
    at += 8 + length + (length % 2)
  }
  return false
}
