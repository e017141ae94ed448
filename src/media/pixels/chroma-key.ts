// Makes one colour transparent by its distance in the chroma plane, so that light and shade of a green screen count alike.
import type { Colour } from './colour.ts'
import { copied, type Pixels, withAlpha, words } from './pixels.ts'

export interface Key {
  colour: Colour
  /** Pixels up to this distance become transparent. */
  tolerance: number
  /** Over this further distance, pixels fade in. */
  softness: number
  /** Share of the key colour that is taken out of the remaining pixels. */
  despill: number
}

/** Returns a copy with alpha. */
export function keyed(pixels: Pixels, { colour, tolerance, softness, despill }: Key): Pixels {
  const out = pixels.channels === 4 ? copied(pixels) : withAlpha(pixels)
  const deep = out.depth === 16
  const data = deep ? words(out) : out.data
  const most = deep ? 65535 : 255
  const [keyCb, keyCr] = chroma(colour[0] / 255, colour[1] / 255, colour[2] / 255)
  const main = strongest(colour)
  for (let i = 0; i < data.length; i += 4) {
    const [r, g, b] = [data[i]! / most, data[i + 1]! / most, data[i + 2]! / most]
    const [cb, cr] = chroma(r, g, b)
    const distance = Math.hypot(cb - keyCb, cr - keyCr)
    const kept = softness === 0 ? Number(distance > tolerance) : smooth((distance - tolerance) / softness)
    data[i + 3] = Math.round(data[i + 3]! * kept)
    if (despill === 0 || kept === 0) continue
    const others = [r, g, b].filter((_, channel) => channel !== main)
    const limit = Math.max(...others)
    const value = [r, g, b][main]!
    if (value > limit) data[i + main] = Math.round((value - (value - limit) * despill) * most)
  }
  return out
}

/** The two colour differences of Rec. 601, from -0.5 to 0.5. */
const chroma = (r: number, g: number, b: number): [cb: number, cr: number] => [
  -0.168736 * r - 0.331264 * g + 0.5 * b,
  0.5 * r - 0.418688 * g - 0.081312 * b,
]

/** The strongest channel of a colour. */
export const strongest = ([r, g, b]: Colour): 0 | 1 | 2 => (g >= r && g >= b ? 1 : b >= r ? 2 : 0)

function smooth(share: number): number {
  const x = Math.min(Math.max(share, 0), 1)
  return x * x * (3 - 2 * x)
}
