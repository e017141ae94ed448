// Finds truncated recordings that their readers would take for the whole.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { Problem } from '#kit/errors.ts'

interface Bytes {
  size: number
  read(at: number, length: number): Buffer
}

/** By container. The readers of MP4, FLAC, FLV and MP3 with a header notice it; other MP3s and MPEG streams have no marked end. */
const readers: Record<string, (file: Bytes) => boolean> = {
  'audio/ogg': oggEndsEarly,
  'video/ogg': oggEndsEarly,
  'video/webm': matroskaEndsEarly,
  'audio/webm': matroskaEndsEarly,
  'video/matroska': matroskaEndsEarly,
  'video/vnd.avi': listEndsEarly,
  'audio/wav': listEndsEarly,
  'audio/aiff': listEndsEarly,
  'audio/aac': adtsEndsEarly,
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

/** In a whole file, the last page is complete and carries the end-of-stream flag. */
function oggEndsEarly({ size, read }: Bytes): boolean {
  // Tags of other programs may follow the last page. A truncated page is shorter than the largest one.
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
/** The check stops after this many elements. Each costs a read of a few bytes. */
const MOST_ELEMENTS = 2_000_000

/** True when an element reaches beyond the end of the file. Elements of unknown length (live recordings) are entered. */
function matroskaEndsEarly({ size, read }: Bytes): boolean {
  let end = size
  let elements = 0
  for (let at = 0; at < end && elements++ < MOST_ELEMENTS; ) {
    const head = read(at, 12)
    const idLength = Math.clz32(head[0] ?? 0) - 23
    // Not the start of an element, so we cannot tell.
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

/** Null when the length is unknown, which Matroska writes as all ones. */
function elementLength(bytes: Buffer): number | null {
  const first = bytes[0]! & (0xff >> bytes.length)
  const isUnknown = first === 0xff >> bytes.length && bytes.subarray(1).every(byte => byte === 0xff)
  return isUnknown ? null : bytes.subarray(1).reduce((value, byte) => value * 256 + byte, first)
}

/** Some programs also count the header of the list. */
const SLACK = 8
/** Programs that do not know the length yet write at least this value. */
const UNKNOWN = 0x7ffff000

/**
 * True when a top-level list reaches beyond the end of the file. A list without a length was never finished, or its program wrote to
 * a pipe: then the data in the file is the whole.
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

const ADTS_HEAD = 7
/** The file is read in blocks of this size: frames are short and many. */
const BLOCK = 256 * 1024

/** True when a frame reaches beyond the end of the file. ffmpeg takes one of which hardly more than its head is left for nothing. */
function adtsEndsEarly({ size, read }: Bytes): boolean {
  let [block, from] = [read(0, BLOCK), 0]
  for (let at = behindTag(block); at < size; ) {
    if (at + ADTS_HEAD > from + block.length) [block, from] = [read(at, BLOCK), at]
    const head = block.subarray(at - from, at - from + ADTS_HEAD)
    // Tags of other programs may follow the last frame.
    if (head[0] !== 0xff || (head.length > 1 && (head[1]! & 0xf6) !== 0xf0)) return false
    if (head.length < ADTS_HEAD) return true
    const length = ((head[3]! & 3) << 11) | (head[4]! << 3) | (head[5]! >> 5)
    if (length < ADTS_HEAD) return false
    at += length
    if (at > size) return true
  }
  return false
}

/** Where an ID3 tag at the beginning ends; 0 without one. */
function behindTag(head: Buffer): number {
  if (head.length < 10 || head.toString('latin1', 0, 3) !== 'ID3') return 0
  return 10 + head.subarray(6, 10).reduce((length, byte) => length * 128 + (byte & 0x7f), 0)
}
