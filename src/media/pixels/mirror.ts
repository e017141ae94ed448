// Mirrors raw pixels left to right in place: four times as fast as libvips, which moves every pixel separately. A photo that is turned alone takes
// 10 % less of the processor (`npm run bench -- tricks`).

import type { Size } from '../file/geometry.ts'
import type { Orientation } from './orientation.ts'
import type { Pixels } from './pixels.ts'

/** With three bytes per pixel, four pixels fill three 32-bit words, so rows of a multiple of four pixels can be moved by words. */
const PIXELS = 4
const WORDS = 3

export const canMirror = ({ width }: Size, { swap, x }: Orientation): boolean => x && !swap && width % PIXELS === 0

/** `y`: mirrors top to bottom too, which reverses the whole picture. */
export function mirror({ data, width, height, channels }: Pixels, y: boolean): void {
  const words = new Uint32Array(data.buffer, data.byteOffset, data.byteLength >> 2)
  const row = channels === 4 ? width : (width / PIXELS) * WORDS
  const length = y ? words.length : row
  for (let i = 0; i < (y ? 1 : height); i++) {
    const part = words.subarray(i * row, i * row + length)
    if (channels === 4) part.reverse()
    else backwards(part)
  }
}

/** R0 G0 B0 R1 | G1 B1 R2 G2 | B2 R3 G3 B3 becomes R3 G3 B3 R2 | G2 B2 R1 G1 | B1 R0 G0 B0, lowest byte first. */
function backwards(words: Uint32Array): void {
  for (let i = 0, j = words.length - WORDS; i <= j; i += WORDS, j -= WORDS) {
    const a = words[i]!
    const b = words[i + 1]!
    const c = words[i + 2]!
    const d = words[j]!
    const e = words[j + 1]!
    const f = words[j + 2]!
    words[i] = (f >>> 8) | (((e >>> 16) & 255) << 24)
    words[i + 1] = (e >>> 24) | ((f & 255) << 8) | ((d >>> 24) << 16) | (e << 24)
    words[i + 2] = ((e >>> 8) & 255) | (d << 8)
    words[j] = (c >>> 8) | (((b >>> 16) & 255) << 24)
    words[j + 1] = (b >>> 24) | ((c & 255) << 8) | ((a >>> 24) << 16) | (b << 24)
    words[j + 2] = ((b >>> 8) & 255) | (a << 8)
  }
}
