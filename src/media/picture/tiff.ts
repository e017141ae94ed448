// Writes the simplest possible TIFF: raw 8-bit pixels with a colour profile.
import type { Pixels } from '../pixels/pixels.ts'

const SHORT = 3
const LONG = 4
const UNDEFINED = 7

export function tiffOf({ data, width, height, channels }: Pixels, icc: Buffer): Buffer {
  const count = channels === 4 ? 12 : 11
  const bitsAt = 8 + 2 + count * 12 + 4
  const iccAt = bitsAt + 8
  const dataAt = (iccAt + icc.length + 1) & ~1
  const head = Buffer.alloc(dataAt)
  head.write('II*\0', 'latin1')
  head.writeUInt32LE(8, 4)
  head.writeUInt16LE(count, 8)
  const entries: [tag: number, type: number, count: number, value: number][] = [
    [256, LONG, 1, width],
    [257, LONG, 1, height],
    [258, SHORT, channels, bitsAt],
    [259, SHORT, 1, 1], // not compressed
    [262, SHORT, 1, 2], // RGB
    [273, LONG, 1, dataAt],
    [277, SHORT, 1, channels],
    [278, LONG, 1, height],
    [279, LONG, 1, data.length],
    [284, SHORT, 1, 1], // channels interleaved
    ...(channels === 4 ? ([[338, SHORT, 1, 2]] as [number, number, number, number][]) : []), // unassociated alpha
    [34675, UNDEFINED, icc.length, iccAt],
  ]
  for (const [i, [tag, type, values, value]] of entries.entries()) {
    const at = 10 + i * 12
    head.writeUInt16LE(tag, at)
    head.writeUInt16LE(type, at + 2)
    head.writeUInt32LE(values, at + 4)
    head.writeUInt32LE(value, at + 8)
  }
  for (let i = 0; i < channels; i++) head.writeUInt16LE(8, bitsAt + i * 2)
  icc.copy(head, iccAt)
  return Buffer.concat([head, data])
}
