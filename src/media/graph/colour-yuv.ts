// Converts colours to the YUV values of BT.709. ffmpeg 5 and 6 draw every colour with BT.601, so we compute them here.
import { parseColour } from '../pixels/colour.ts'

/** Luma and both chroma values: limited-range BT.709, 8 bits. */
export function yuv709(text: string): [y: number, u: number, v: number] {
  const [r, g, b] = parseColour(text).map(value => value / 255) as [number, number, number]
  const luma = 0.2126 * r + 0.7152 * g + 0.0722 * b
  return [
    Math.round(16 + 219 * luma),
    Math.round(128 + (224 * (b - luma)) / 1.8556),
    Math.round(128 + (224 * (r - luma)) / 1.5748),
  ]
}

/** Greys are the same in every matrix. */
export function isGrey(text: string): boolean {
  const [r, g, b] = parseColour(text)
  return r === g && g === b
}
