// Changes colours pixel by pixel: all linear operations combine into one matrix.
import { type Pixels, words } from './pixels.ts'

/** Three rows of factors for red, green and blue, and a constant (1 is full brightness). */
export type Matrix = readonly [Row, Row, Row]
type Row = readonly [r: number, g: number, b: number, constant: number]

export const identity: Matrix = [
  [1, 0, 0, 0],
  [0, 1, 0, 0],
  [0, 0, 1, 0],
]

/** One matrix that equals `first`, then `second`. */
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

/** Weights of Rec. 709: greys keep their brightness. */
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

/** Works in place and keeps alpha. One loop per depth: a loop that sees two kinds of arrays compiles to far slower code. */
export function applyMatrix(pixels: Pixels, matrix: Matrix): Pixels {
  if (isIdentity(matrix)) return pixels
  if (pixels.depth === 16) applyTo16(words(pixels), pixels.channels, matrix)
  else applyTo8(pixels, matrix)
  return pixels
}

/** Uint8ClampedArray rounds and clamps without a branch, but rounds halves to even. This small addition makes halves go up. */
const HALVES_UP = 1e-9

function applyTo8({ data: { buffer, byteOffset, length }, channels }: Pixels, matrix: Matrix): void {
  const data = new Uint8ClampedArray(buffer, byteOffset, length)
  const [[r0, g0, b0], [r1, g1, b1], [r2, g2, b2]] = matrix
  const [c0, c1, c2] = constants(matrix, 255, HALVES_UP)
  for (let i = 0; i < data.length; i += channels) {
    const r = data[i]!
    const g = data[i + 1]!
    const b = data[i + 2]!
    data[i] = r0 * r + g0 * g + b0 * b + c0
    data[i + 1] = r1 * r + g1 * g + b1 * b + c1
    data[i + 2] = r2 * r + g2 * g + b2 * b + c2
  }
}

/** Uint16Array truncates fractions and wraps around, so this loop rounds and clamps itself. */
function applyTo16(data: Uint16Array, channels: number, matrix: Matrix): void {
  const most = 65535
  const [[r0, g0, b0], [r1, g1, b1], [r2, g2, b2]] = matrix
  const [c0, c1, c2] = constants(matrix, most, 0.5)
  for (let i = 0; i < data.length; i += channels) {
    const r = data[i]!
    const g = data[i + 1]!
    const b = data[i + 2]!
    data[i] = Math.min(Math.max(r0 * r + g0 * g + b0 * b + c0, 0), most)
    data[i + 1] = Math.min(Math.max(r1 * r + g1 * g + b1 * b + c1, 0), most)
    data[i + 2] = Math.min(Math.max(r2 * r + g2 * g + b2 * b + c2, 0), most)
  }
}

const constants = (matrix: Matrix, most: number, more: number): [number, number, number] => [
  matrix[0][3] * most + more,
  matrix[1][3] * most + more,
  matrix[2][3] * most + more,
]
