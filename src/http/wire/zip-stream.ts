// Writes a ZIP archive as a stream: files are stored as they are, one after the other, and its length is known before the first byte.
import type { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'

export interface ZipFile {
  /** Safe and unique in the archive. */
  name: string
  bytes: number
  at: Date
  open(): Promise<Readable>
}

const U32 = 0xffff_ffff
const U16 = 0xffff
/** Names are UTF-8; the checksum follows the bytes, so that no file is read twice. */
const FLAGS = 0x0808
const PLAIN = 20
const ZIP64 = 45
/** A regular file that its owner may write and all may read. */
const ATTRIBUTES = (0o100644 << 16) >>> 0

const isLarge = ({ bytes }: ZipFile): boolean => bytes >= U32

function dosTime(at: Date): [time: number, date: number] {
  const year = Math.min(2107, Math.max(1980, at.getUTCFullYear()))
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  return [time, ((year - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()]
}

/** Little-endian fields, each given as its width in bytes and its value. */
function fields(...list: readonly [width: 2 | 4 | 8, value: number][]): Buffer {
  const buffer = Buffer.alloc(list.reduce((sum, [width]) => sum + width, 0))
  let at = 0
  for (const [width, value] of list) {
    if (width === 8) buffer.writeBigUInt64LE(BigInt(value), at)
    else buffer.writeUIntLE(value, at, width)
    at += width
  }
  return buffer
}

function localHeader(file: ZipFile): Buffer {
  const name = Buffer.from(file.name)
  const large = isLarge(file)
  const [time, date] = dosTime(file.at)
  const extra = large ? fields([2, 1], [2, 16], [8, 0], [8, 0]) : Buffer.alloc(0)
  // biome-ignore format: one line for each group of fields
  return Buffer.concat([
    fields([4, 0x0403_4b50], [2, large ? ZIP64 : PLAIN], [2, FLAGS], [2, 0], [2, time], [2, date],
      [4, 0], [4, large ? U32 : 0], [4, large ? U32 : 0], [2, name.length], [2, extra.length]),
    name,
    extra,
  ])
}

function descriptor(file: ZipFile, crc: number): Buffer {
  const width = isLarge(file) ? 8 : 4
  return fields([4, 0x0807_4b50], [4, crc], [width, file.bytes], [width, file.bytes])
}

function centralHeader(file: ZipFile, crc: number, offset: number): Buffer {
  const name = Buffer.from(file.name)
  const large = isLarge(file)
  const far = offset >= U32
  const [time, date] = dosTime(file.at)
  const wide: [8, number][] = [
    ...(large ? ([[8, file.bytes], [8, file.bytes]] as [8, number][]) : []),
    ...(far ? ([[8, offset]] as [8, number][]) : []),
  ] // biome-ignore format: one thing
  const extra = wide.length > 0 ? fields([2, 1], [2, wide.length * 8], ...wide) : Buffer.alloc(0)
  const version = large || far ? ZIP64 : PLAIN
  // biome-ignore format: one line for each group of fields
  return Buffer.concat([
    fields([4, 0x0201_4b50], [2, (3 << 8) | version], [2, version], [2, FLAGS], [2, 0], [2, time], [2, date], [4, crc],
      [4, large ? U32 : file.bytes], [4, large ? U32 : file.bytes], [2, name.length], [2, extra.length],
      [2, 0], [2, 0], [2, 0], [4, ATTRIBUTES], [4, far ? U32 : offset]),
    name,
    extra,
  ])
}

function endOf(count: number, size: number, offset: number): Buffer {
  const wide = count >= U16 || size >= U32 || offset >= U32
  const end = fields([4, 0x0605_4b50], [2, 0], [2, 0], [2, Math.min(count, U16)], [2, Math.min(count, U16)], [4, Math.min(size, U32)], [4, Math.min(offset, U32)], [2, 0]) // biome-ignore format: one record
  if (!wide) return end
  const record = fields([4, 0x0606_4b50], [8, 44], [2, (3 << 8) | ZIP64], [2, ZIP64], [4, 0], [4, 0], [8, count], [8, count], [8, size], [8, offset]) // biome-ignore format: one record
  const locator = fields([4, 0x0706_4b50], [4, 0], [8, offset + size], [4, 1])
  return Buffer.concat([record, locator, end])
}

/** How long the archive of these files is, to the byte. */
export function zipLength(files: readonly ZipFile[]): number {
  let offset = 0
  let central = 0
  for (const file of files) {
    central += centralHeader(file, 0, offset).length
    offset += localHeader(file).length + file.bytes + descriptor(file, 0).length
  }
  return offset + central + endOf(files.length, central, offset).length
}

/** Each file is opened when it is its turn. One that is shorter or longer than it said ends the stream as broken. */
export async function* zipStream(files: readonly ZipFile[]): AsyncGenerator<Buffer> {
  const headers: Buffer[] = []
  let offset = 0
  for (const file of files) {
    const header = localHeader(file)
    yield header
    let crc = 0
    let bytes = 0
    for await (const chunk of await file.open()) {
      crc = crc32(chunk as Buffer, crc)
      bytes += (chunk as Buffer).length
      yield chunk as Buffer
    }
    if (bytes !== file.bytes) throw new Error('a file of an archive has another length than was known')
    const end = descriptor(file, crc)
    yield end
    headers.push(centralHeader(file, crc, offset))
    offset += header.length + bytes + end.length
  }
  const central = Buffer.concat(headers)
  yield central
  yield endOf(files.length, central.length, offset)
}
