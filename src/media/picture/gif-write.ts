// Writes a GIF with exact colours, when no frame has more than 256. sharp would choose its own palette and miss a few.

import type { Rect } from '../file/geometry.ts'
import type { Pixels } from '../pixels/pixels.ts'

const CLEAR = 0x1000000

interface Indexed {
  /** One index per pixel. */
  indexes: Uint8Array
  /** Red, green and blue of each colour as one number. */
  palette: number[]
  /** The index of the transparent colour, or null. */
  transparent: number | null
}

interface GifTimes {
  /** Milliseconds. */
  delays: readonly number[]
  /** Number of plays; 0 means for ever. */
  loop: number
}

/** Null when a frame has too many colours or a half-transparent pixel. */
export function exactGif(frames: readonly Pixels[], { delays, loop }: GifTimes): Buffer | null {
  const [first] = frames
  if (!first) return null
  const clear = frames.some(hasClear)
  const parts: Buffer[] = [header(first.width, first.height, loop, frames.length > 1)]
  for (const [i, frame] of frames.entries()) {
    // Without transparency, only the rectangle that changed is written over the frame before.
    const rect = clear || i === 0 ? whole(frame) : changed(frames[i - 1]!, frame)
    const indexed = indexedOf(frame, rect)
    if (!indexed) return null
    parts.push(frameBlock(indexed, rect, Math.round((delays[i] ?? 0) / 10), clear))
  }
  return Buffer.concat([...parts, Buffer.from([0x3b])])
}

const whole = ({ width, height }: Pixels): Rect => ({ left: 0, top: 0, width, height })

function hasClear({ data }: Pixels): boolean {
  for (let i = 3; i < data.length; i += 4) if (data[i] !== 255) return true
  return false
}

/** The rectangle outside which two frames are equal; one pixel when they are equal everywhere. */
function changed(before: Pixels, { data, width, height }: Pixels): Rect {
  let [left, top, right, bottom] = [width, height, -1, -1]
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      if (data.readUInt32LE(at) === before.data.readUInt32LE(at)) continue
      left = Math.min(left, x)
      right = Math.max(right, x)
      top = Math.min(top, y)
      bottom = y
    }
  }
  return right < 0
    ? { left: 0, top: 0, width: 1, height: 1 }
    : { left, top, width: right - left + 1, height: bottom - top + 1 }
}

function indexedOf({ data, width }: Pixels, rect: Rect): Indexed | null {
  const indexes = new Uint8Array(rect.width * rect.height)
  const known = new Map<number, number>()
  let out = 0
  for (let y = rect.top; y < rect.top + rect.height; y++) {
    for (let at = (y * width + rect.left) * 4, end = at + rect.width * 4; at < end; at += 4) {
      const alpha = data[at + 3]!
      if (alpha !== 0 && alpha !== 255) return null
      const colour = alpha === 0 ? CLEAR : (data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!
      let index = known.get(colour)
      if (index === undefined) {
        index = known.size
        if (index > 255) return null
        known.set(colour, index)
      }
      indexes[out++] = index
    }
  }
  return { indexes, palette: [...known.keys()], transparent: known.get(CLEAR) ?? null }
}

function header(width: number, height: number, loop: number, moving: boolean): Buffer {
  const head = Buffer.from('GIF89a\0\0\0\0\0\0\0', 'latin1')
  head.writeUInt16LE(width, 6)
  head.writeUInt16LE(height, 8)
  // The extension counts repetitions; a single play needs none.
  if (!moving || loop === 1) return head
  const again = Buffer.from('\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0', 'latin1')
  again.writeUInt16LE(loop === 0 ? 0 : loop - 1, 16)
  return Buffer.concat([head, again])
}

const KEEP = 1
const TO_BACKGROUND = 2

function frameBlock(
  { indexes, palette, transparent }: Indexed,
  { left, top, width, height }: Rect,
  centiseconds: number,
  clear: boolean,
): Buffer {
  const bits = Math.max(1, Math.ceil(Math.log2(palette.length)))
  const control = Buffer.from([
    0x21,
    0xf9,
    4,
    ((clear ? TO_BACKGROUND : KEEP) << 2) | Number(transparent !== null),
    0,
    0,
    transparent ?? 0,
    0,
  ])
  control.writeUInt16LE(centiseconds, 4)
  const descriptor = Buffer.alloc(10)
  descriptor[0] = 0x2c
  for (const [i, value] of [left, top, width, height].entries()) descriptor.writeUInt16LE(value, 1 + i * 2)
  descriptor[9] = 0x80 | (bits - 1)
  const colours = Buffer.alloc(3 * 2 ** bits)
  for (const [i, colour] of palette.entries()) if (colour !== CLEAR) colours.writeUIntBE(colour, i * 3, 3)
  return Buffer.concat([control, descriptor, colours, compressed(indexes, Math.max(2, bits))])
}

const MOST_CODES = 4096
const SLOTS = 8192

/** LZW as GIF uses it: codes of growing width, low bits first, in blocks of up to 255 bytes. */
function compressed(indexes: Uint8Array, bits: number): Buffer {
  const clearCode = 1 << bits
  const out = new BlockWriter(bits)
  const keys = new Int32Array(SLOTS)
  const codes = new Int16Array(SLOTS)
  let [next, size] = [clearCode + 2, bits + 1]
  keys.fill(-1)
  out.code(clearCode, size)
  let prefix = indexes[0]!
  for (let i = 1; i < indexes.length; i++) {
    const value = indexes[i]!
    const key = (prefix << 8) | value
    let slot = Math.imul(key, 0x9e3779b1) >>> 19
    while (keys[slot] !== -1 && keys[slot] !== key) slot = (slot + 1) & (SLOTS - 1)
    if (keys[slot] === key) {
      prefix = codes[slot]!
      continue
    }
    out.code(prefix, size)
    prefix = value
    if (next < MOST_CODES) {
      keys[slot] = key
      codes[slot] = next
      if (next === 1 << size) size++
      next++
    } else {
      out.code(clearCode, size)
      keys.fill(-1)
      next = clearCode + 2
      size = bits + 1
    }
  }
  out.code(prefix, size)
  out.code(clearCode + 1, size)
  return out.end()
}

/** Collects bits into the data blocks of a GIF. */
class BlockWriter {
  readonly #blocks: Buffer[]
  #block = Buffer.alloc(256)
  #length = 0
  #held = 0
  #count = 0

  constructor(bits: number) {
    this.#blocks = [Buffer.from([bits])]
  }

  code(code: number, size: number): void {
    this.#held |= code << this.#count
    this.#count += size
    while (this.#count >= 8) this.#shift()
  }

  #shift(): void {
    this.#block[++this.#length] = this.#held & 255
    this.#held >>>= 8
    this.#count -= 8
    if (this.#length === 255) this.#flush()
  }

  #flush(): void {
    this.#block[0] = this.#length
    this.#blocks.push(this.#block.subarray(0, this.#length + 1))
    this.#block = Buffer.alloc(256)
    this.#length = 0
  }

  end(): Buffer {
    if (this.#count > 0) {
      this.#count = 8
      this.#shift()
    }
    if (this.#length > 0) this.#flush()
    return Buffer.concat([...this.#blocks, Buffer.from([0])])
  }
}
