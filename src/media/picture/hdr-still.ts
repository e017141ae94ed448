// Converts HDR still pictures (PQ, HLG), whose values mean up to thousands of cd/m², to sRGB as a screen shows it.
import type { Pixels } from '../pixels/pixels.ts'

/** The colour description of an AVIF (ITU-T H.273). */
export interface HdrColours {
  transfer: 'pq' | 'hlg'
  primaries: 'rec2020' | 'p3' | 'rec709'
}

const transfers: Record<number, HdrColours['transfer']> = { 16: 'pq', 18: 'hlg' }
const primaries: Record<number, HdrColours['primaries']> = { 9: 'rec2020', 11: 'p3', 12: 'p3' }

/** Reads the first bytes of an AVIF; null when it is not HDR. */
export function hdrColours(head: Buffer): HdrColours | null {
  const at = head.indexOf('colrnclx', 0, 'latin1')
  if (at < 0 || at + 12 > head.length) return null
  const transfer = transfers[head.readUInt16BE(at + 10)]
  return transfer ? { transfer, primaries: primaries[head.readUInt16BE(at + 8)] ?? 'rec709' } : null
}

/** Brightness of white paper in cd/m² (ITU-R BT.2408). */
const WHITE = 203

/** Light relative to white paper, for each of the 256 values. */
const tables = {
  pq: () => table(pq),
  hlg: () => table(hlg),
}

const table = (light: (value: number) => number): Float32Array =>
  Float32Array.from({ length: 256 }, (_, i) => light(i / 255) / WHITE)

function pq(value: number): number {
  const root = value ** (1 / 78.84375)
  return 10_000 * (Math.max(root - 0.8359375, 0) / (18.8515625 - 18.6875 * root)) ** (1 / 0.1593017578125)
}

/** For a screen of 1000 cd/m². */
function hlg(value: number): number {
  const scene = value <= 0.5 ? value ** 2 / 3 : (Math.exp((value - 0.55991073) / 0.17883277) + 0.28466892) / 12
  return 1_000 * scene ** 1.2
}

const matrices: Record<HdrColours['primaries'], readonly number[]> = {
  rec2020: [1.6605, -0.5876, -0.0728, -0.1246, 1.1329, -0.0083, -0.0182, -0.1006, 1.1187],
  p3: [1.2249, -0.2247, 0, -0.042, 1.0419, 0, -0.0197, -0.0786, 1.0979],
  rec709: [1, 0, 0, 0, 1, 0, 0, 0, 1],
}

/** Light up to here stays unchanged. Brighter light approaches white. */
const KNEE = 0.6

const compressed = (light: number): number =>
  light <= KNEE ? light : KNEE + (1 - KNEE) * (1 - Math.exp(-(light - KNEE) / (1 - KNEE)))

const STEPS = 4_095
const srgb = Uint8Array.from({ length: STEPS + 1 }, (_, i) => {
  const light = i / STEPS
  return Math.round(255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055))
})

/** Works in place on 8 bits and keeps alpha. Dims all three channels by one factor, so that no hue shifts. */
export function toScreen(pixels: Pixels, colours: HdrColours): Pixels {
  const { data, channels } = pixels
  const light = tables[colours.transfer]()
  const [m0, m1, m2, m3, m4, m5, m6, m7, m8] = matrices[colours.primaries] as number[]
  for (let at = 0; at < data.length; at += channels) {
    const [r, g, b] = [light[data[at]!]!, light[data[at + 1]!]!, light[data[at + 2]!]!]
    const red = Math.max(0, m0! * r + m1! * g + m2! * b)
    const green = Math.max(0, m3! * r + m4! * g + m5! * b)
    const blue = Math.max(0, m6! * r + m7! * g + m8! * b)
    const most = Math.max(red, green, blue)
    const factor = most > KNEE ? compressed(most) / most : 1
    data[at] = srgb[Math.round(red * factor * STEPS)]!
    data[at + 1] = srgb[Math.round(green * factor * STEPS)]!
    data[at + 2] = srgb[Math.round(blue * factor * STEPS)]!
  }
  return pixels
}
