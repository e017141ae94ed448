// Draws the outline of letters from the distance of every pixel to their ink.
import type { Colour } from '../pixels/colour.ts'
import { claim, newBitmap } from '../pixels/pixel-memory.ts'
import type { Pixels } from '../pixels/pixels.ts'

const FAR = 1e12

/** All pixels within `reach` of the ink, in one colour. */
export function outlineOf({ data, width, height }: Pixels, reach: number, [r, g, b, a]: Colour): Pixels {
  const field = new Float64Array(claim({ width, height }, Float64Array.BYTES_PER_ELEMENT))
  for (let i = 0; i < field.length; i++) {
    const ink = data[i * 4 + 3]! / 255
    field[i] = ink === 0 ? FAR : Math.max(0, 0.5 - ink) ** 2
  }
  spread(field, width, height)
  const out = newBitmap({ width, height }, 4)
  for (let i = 0; i < field.length; i++) {
    const inside = Math.min(Math.max(reach + 0.5 - Math.sqrt(field[i]!), 0), 1)
    if (inside === 0) continue
    out[i * 4] = r
    out[i * 4 + 1] = g
    out[i * 4 + 2] = b
    out[i * 4 + 3] = Math.round(a * inside)
  }
  return { data: out, width, height, channels: 4, depth: 8 }
}

/** Exact squared distances to the nearest zero, down the columns and then along the rows (Felzenszwalb and Huttenlocher). */
function spread(field: Float64Array, width: number, height: number): void {
  const longest = Math.max(width, height)
  const room = {
    values: new Float64Array(longest),
    places: new Int32Array(longest),
    borders: new Float64Array(longest + 1),
  }
  for (let x = 0; x < width; x++) along(field, x, width, height, room)
  for (let y = 0; y < height; y++) along(field, y * width, 1, width, room)
}

interface Room {
  values: Float64Array
  /** Positions of the parabolas of the lower envelope. */
  places: Int32Array
  /** Positions where a parabola takes over from the one before. */
  borders: Float64Array
}

function along(
  field: Float64Array,
  start: number,
  step: number,
  count: number,
  { values, places, borders }: Room,
): void {
  for (let i = 0; i < count; i++) values[i] = field[start + i * step]!
  let last = 0
  places[0] = 0
  borders[0] = -FAR
  borders[1] = FAR
  const meet = (q: number, p: number): number => (values[q]! - values[p]! + q * q - p * p) / (2 * (q - p))
  for (let q = 1; q < count; q++) {
    let at = meet(q, places[last]!)
    while (last > 0 && at <= borders[last]!) at = meet(q, places[--last]!)
    places[++last] = q
    borders[last] = at
    borders[last + 1] = FAR
  }
  for (let q = 0, k = 0; q < count; q++) {
    while (borders[k + 1]! < q) k++
    const p = places[k]!
    field[start + q * step] = (q - p) ** 2 + values[p]!
  }
}
