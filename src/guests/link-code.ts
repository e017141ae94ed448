// The QR code of a link, as a file: for screens, prints and the guest desk.
import { crc32, deflateSync } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import qrcode from 'qrcode'

const errorCorrectionLevel = 'M'
/** White modules around the code. */
const MARGIN = 4

/** Without a size of its own, so it fills its place. */
export const qrSvg = (text: string): Promise<string> =>
  qrcode.toString(text, { errorCorrectionLevel, margin: MARGIN, type: 'svg' })

/** Bytes of one bit a pixel that a module is wide: about 1,000 pixels for a link. */
const BYTES = 3
const drawn = new LRUCache<string, Buffer>({ max: 500 })

export function qrPng(text: string): Buffer {
  const known = drawn.get(text)
  if (known) return known
  const picture = png(qrcode.create(text, { errorCorrectionLevel }).modules)
  drawn.set(text, picture)
  return picture
}

/** A general encoder takes a hundred times as long for the same. */
function png(modules: qrcode.BitMatrix): Buffer {
  const across = modules.size + 2 * MARGIN
  const side = across * BYTES * 8
  const line = 1 + across * BYTES
  const head = Buffer.alloc(13)
  head.writeUInt32BE(side, 0)
  head.writeUInt32BE(side, 4)
  // One bit of grey.
  head[8] = 1
  const rows = Buffer.alloc(side * line, 255)
  // Each line begins with the number of its filter: none.
  for (let y = 0; y < side; y++) rows[y * line] = 0
  for (let row = 0; row < modules.size; row++) {
    const first = (row + MARGIN) * BYTES * 8 * line
    for (let column = 0; column < modules.size; column++) {
      const at = first + 1 + (column + MARGIN) * BYTES
      if (modules.get(row, column)) rows.fill(0, at, at + BYTES)
    }
    for (let y = 1; y < BYTES * 8; y++) rows.copyWithin(first + y * line, first, first + line)
  }
  const chunks = [chunk('IHDR', head), chunk('IDAT', deflateSync(rows, { level: 1 })), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}
