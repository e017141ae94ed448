// Fields of numbers over a picture: means around each place, reading a small field at a larger size, and what a model is given of it.
import type { Rect, Size } from '#media/file/geometry.ts'
import type { Pixels } from '#media/pixels/pixels.ts'

/** Used by one call after another: thousands of them are made for a video. */
let scratch = new Float32Array(0)

/**
 * The mean over a square around each pixel; beyond the edge the last pixel counts again. `out` may be the values themselves: a new field for
 * each of the dozens that a picture takes would cost a tenth of all the work.
 */
export function boxMean(
  values: Float32Array,
  { width, height }: Size,
  radius: number,
  out: Float32Array = new Float32Array(values.length),
): Float32Array {
  if (scratch.length < values.length) scratch = new Float32Array(values.length)
  const across = scratch
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

/** What each value lacks to one. */
export function restOf(values: Float32Array): Float32Array {
  const rest = new Float32Array(values.length)
  for (let i = 0; i < rest.length; i++) rest[i] = 1 - values[i]!
  return rest
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

/** What a model is given: a square, the part of it that is filled, and how bytes become its numbers. */
interface Sampling {
  side: number
  /** Left out: all of it, stretched. */
  filled?: Rect
  factor: number
  offset: number
}

/** A part of a picture with three channels for each pixel: means of what each of them covers. What is not filled is black. */
export function sampled(
  { data, width, channels }: Pixels,
  part: Rect,
  { side, filled = { left: 0, top: 0, width: side, height: side }, factor, offset }: Sampling,
): Float32Array {
  const out = new Float32Array(side * side * 3).fill(offset)
  const columns = spansOf(part.left, part.width, filled.width)
  const rows = spansOf(part.top, part.height, filled.height)
  const step = width * channels
  for (let y = 0; y < filled.height; y++) {
    const [top, bottom] = [rows[y * 2]!, rows[y * 2 + 1]!]
    let to = ((filled.top + y) * side + filled.left) * 3
    for (let x = 0; x < filled.width; x++, to += 3) {
      const [left, right] = [columns[x * 2]!, columns[x * 2 + 1]!]
      let [r, g, b] = [0, 0, 0]
      for (let row = top; row < bottom; row++)
        for (let at = row * step + left * channels, end = row * step + right * channels; at < end; at += channels) {
          r += data[at]!
          g += data[at + 1]!
          b += data[at + 2]!
        }
      const share = factor / ((bottom - top) * (right - left))
      out[to] = r * share + offset
      out[to + 1] = g * share + offset
      out[to + 2] = b * share + offset
    }
  }
  return out
}

/** For each of `count` places: the first pixel that it covers, and the one behind the last. */
function spansOf(from: number, length: number, count: number): Uint32Array {
  const spans = new Uint32Array(count * 2)
  for (let i = 0; i < count; i++) {
    const first = from + Math.min(length - 1, Math.floor((i * length) / count))
    spans[i * 2] = first
    spans[i * 2 + 1] = Math.max(first + 1, from + Math.ceil(((i + 1) * length) / count))
  }
  return spans
}
