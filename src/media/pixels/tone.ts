// Colours changed pixel by pixel: one matrix for all that is linear, and look-up tables.
import { type Pixels, words } from './pixels.ts'

/** Three rows of red, green, blue and a constant (in shares of full brightness). */
export type Matrix = readonly [Row, Row, Row]
type Row = readonly [r: number, g: number, b: number, constant: number]

export const identity: Matrix = [
  [1, 0, 0, 0],
  [0, 1, 0, 0],
  [0, 0, 1, 0],
]

/** One matrix that does `first`, then `second`. */
export function then(first: Matrix, second: Matrix): Matrix {
  const row = ([r, g, b, constant]: Row): Row => {
    const at = (i: 0 | 1 | 2 | 3): number => r * first[0][i] + g * first[1][i] + b * first[2][i]
    return [at(0), at(1), at(2), at(3) + constant]
  }
  return [row(second[0]), row(second[1]), row(second[2])]
}

export const brightness = (factor: number): Matrix => [
  [factor, 0, 0, 0],
  [0, factor, 0, 0],
  [0, 0, factor, 0],
]

/** Around middle grey. */
export const contrast = (factor: number): Matrix => [
  [factor, 0, 0, 0.5 - factor / 2],
  [0, factor, 0, 0.5 - factor / 2],
  [0, 0, factor, 0.5 - factor / 2],
]

/** Weights of Rec. 709, so that greys keep their brightness. */
const [LR, LG, LB] = [0.2126, 0.7152, 0.0722]

export const saturation = (factor: number): Matrix => {
  const rest = 1 - factor
  return [
    [LR * rest + factor, LG * rest, LB * rest, 0],
    [LR * rest, LG * rest + factor, LB * rest, 0],
    [LR * rest, LG * rest, LB * rest + factor, 0],
  ]
}

const isIdentity = (matrix: Matrix): boolean =>
  matrix.every((row, i) => row.every((value, j) => value === identity[i]![j]))

/** In place; alpha stays. */
export function applyMatrix(pixels: Pixels, matrix: Matrix): Pixels {
  if (isIdentity(matrix)) return pixels
  const [[r0, g0, b0, c0], [r1, g1, b1, c1], [r2, g2, b2, c2]] = matrix
  const deep = pixels.depth === 16
  const data = deep
    ? words(pixels)
    : new Uint8ClampedArray(pixels.data.buffer, pixels.data.byteOffset, pixels.data.length)
  const most = deep ? 65535 : 255
  const { channels } = pixels
  const clamp = (value: number): number => (value < 0 ? 0 : value > most ? most : Math.round(value))
  for (let i = 0; i < data.length; i += channels) {
    const r = data[i]!
    const g = data[i + 1]!
    const b = data[i + 2]!
    data[i] = clamp(r0 * r + g0 * g + b0 * b + c0 * most)
    data[i + 1] = clamp(r1 * r + g1 * g + b1 * b + c1 * most)
    data[i + 2] = clamp(r2 * r + g2 * g + b2 * b + c2 * most)
  }
  return pixels
}
