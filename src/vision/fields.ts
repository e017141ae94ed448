// Fields of numbers over a picture: means around each place, and reading a small field at a larger size.
import type { Size } from '#media/file/geometry.ts'

/** The mean over a square around each pixel; beyond the edge the last pixel counts again. */
export function boxMean(values: Float32Array, width: number, height: number, radius: number): Float32Array {
  const across = new Float32Array(values.length)
  const count = 2 * radius + 1
  for (let y = 0; y < height; y++) {
    const row = y * width
    let sum = values[row]! * (radius + 1)
    for (let x = 1; x <= radius; x++) sum += values[row + Math.min(x, width - 1)]!
    for (let x = 0; x < width; x++) {
      across[row + x] = sum / count
      sum += values[row + Math.min(x + radius + 1, width - 1)]! - values[row + Math.max(x - radius, 0)]!
    }
  }
  const out = new Float32Array(values.length)
  const sums = new Float64Array(width)
  for (let y = -radius; y <= radius; y++) {
    const row = Math.min(Math.max(y, 0), height - 1) * width
    for (let x = 0; x < width; x++) sums[x]! += across[row + x]!
  }
  for (let y = 0; y < height; y++) {
    const enters = Math.min(y + radius + 1, height - 1) * width
    const leaves = Math.max(y - radius, 0) * width
    for (let x = 0; x < width; x++) {
      out[y * width + x] = sums[x]! / count
      sums[x]! += across[enters + x]! - across[leaves + x]!
    }
  }
  return out
}

/** Reads a small field at the size of the picture, one row at a time. */
export function rowReader(field: Float32Array, small: Size, large: Size): (y: number, out: Float32Array) => void {
  const between = new Float32Array(small.width + 1)
  const columns = placesOf(large.width, small.width)
  const rows = placesOf(large.height, small.height)
  return (y, out) => {
    mixRows(field, small, rows.first[y]!, rows.share[y]!, between)
    for (let x = 0; x < large.width; x++) {
      const value = between[columns.first[x]!]!
      out[x] = value + (between[columns.first[x]! + 1]! - value) * columns.share[x]!
    }
  }
}

/** For each place of a long line: the sample of a short one that lies before it, and how near it is to the next. */
export function placesOf(large: number, small: number): { first: Uint32Array; share: Float32Array } {
  const first = new Uint32Array(large)
  const share = new Float32Array(large)
  for (let i = 0; i < large; i++) {
    const at = Math.min(Math.max(((i + 0.5) * small) / large - 0.5, 0), small - 1)
    first[i] = at
    share[i] = at - first[i]!
  }
  return { first, share }
}

/** The row of a field between two of its own; one more value repeats the last. */
export function mixRows(
  field: Float32Array,
  { width, height }: Size,
  first: number,
  share: number,
  out: Float32Array,
): void {
  const [above, below] = [first * width, Math.min(first + 1, height - 1) * width]
  for (let x = 0; x < width; x++) out[x] = field[above + x]! + (field[below + x]! - field[above + x]!) * share
  out[width] = out[width - 1]!
}
