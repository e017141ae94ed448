// Reads and applies look-up tables in the .cube format of colour grading programs.
import { Problem } from '#kit/errors.ts'
import type { MediaFile } from '../file/file.ts'
import { readWhole } from '../file/read-whole.ts'
import { type Pixels, words } from './pixels.ts'

interface Cube {
  size: number
  /** True: one curve per channel; false: a cube, red running fastest. */
  curves: boolean
  min: [number, number, number]
  max: [number, number, number]
  table: Float32Array
}

const MOST_MIB = 32
const MOST_LINE = 10_000
const MOST_CURVE = 65_536
const MOST_SIDE = 129
const MOST_VALUES = 3 * MOST_SIDE ** 3

const bad = (why: string): Problem =>
  new Problem('corrupt_input', `The look-up table is not a valid .cube file: ${why}.`)

export const readCube = async ({ path }: MediaFile): Promise<Cube> =>
  parseCube(readWhole(path, MOST_MIB, 'A look-up table').toString('utf8'))

export function parseCube(text: string): Cube {
  let size = 0
  let curves = false
  const min: [number, number, number] = [0, 0, 0]
  const max: [number, number, number] = [1, 1, 1]
  const values: number[] = []
  for (const line of linesOf(text)) {
    const bare = line.trim()
    if (bare === '' || bare.startsWith('#')) continue
    const [word = '', ...rest] = bare.split(/\s+/)
    if (word === 'TITLE') continue
    const numbers = rest.map(Number)
    if (word === 'LUT_3D_SIZE' || word === 'LUT_1D_SIZE') {
      curves = word === 'LUT_1D_SIZE'
      size = numbers[0] ?? 0
    } else if (word === 'DOMAIN_MIN') min.splice(0, 3, ...triple(numbers))
    else if (word === 'DOMAIN_MAX') max.splice(0, 3, ...triple(numbers))
    else if (/^[-+.\d]/.test(word)) values.push(...triple([Number(word), ...numbers]))
    if (values.length > MOST_VALUES) throw bad('it has more rows than the largest table')
  }
  const most = curves ? MOST_CURVE : MOST_SIDE
  if (!Number.isInteger(size) || size < 2 || size > most) throw bad(`its size must be 2 to ${most}`)
  const wanted = (curves ? size : size ** 3) * 3
  if (values.length !== wanted) throw bad(`${wanted / 3} rows were expected, ${values.length / 3} came`)
  if (min.some((low, i) => !(low < max[i]!))) throw bad('its domain is empty')
  return { size, curves, min, max, table: Float32Array.from(values) }
}

/** Yields one line at a time: a list of all lines would take many times the memory of the file. */
function* linesOf(text: string): Generator<string> {
  for (let at = 0; at <= text.length; ) {
    const found = text.indexOf('\n', at)
    const end = found < 0 ? text.length : found
    if (end - at > MOST_LINE) throw bad(`a line has more than ${MOST_LINE} characters`)
    yield text.slice(at, end)
    at = end + 1
  }
}

function triple(numbers: number[]): [number, number, number] {
  const [r, g, b] = numbers
  if (numbers.length !== 3 || !numbers.every(Number.isFinite)) throw bad('a row needs three numbers')
  return [r!, g!, b!]
}

/** Works in place and keeps alpha. */
export function applyCube(pixels: Pixels, cube: Cube): Pixels {
  const deep = pixels.depth === 16
  const data = deep ? words(pixels) : pixels.data
  const most = deep ? 65535 : 255
  const { channels } = pixels
  const out = new Float64Array(3)
  const look = cube.curves ? alongCurves : insideCube
  for (let i = 0; i < data.length; i += channels) {
    look(cube, data[i]! / most, data[i + 1]! / most, data[i + 2]! / most, out)
    for (let c = 0; c < 3; c++) data[i + c] = Math.round(Math.min(Math.max(out[c]!, 0), 1) * most)
  }
  return pixels
}

/** Position on the grid, 0 to size - 1. */
function place({ size, min, max }: Cube, channel: 0 | 1 | 2, value: number): number {
  const share = (value - min[channel]) / (max[channel] - min[channel])
  return Math.min(Math.max(share, 0), 1) * (size - 1)
}

function alongCurves(cube: Cube, r: number, g: number, b: number, out: Float64Array): void {
  const { size, table } = cube
  const rgb = [r, g, b]
  for (const c of [0, 1, 2] as const) {
    const at = place(cube, c, rgb[c]!)
    const low = Math.min(Math.floor(at), size - 2)
    const [from, to] = [table[low * 3 + c]!, table[low * 3 + 3 + c]!]
    out[c] = from + (to - from) * (at - low)
  }
}

/** Tetrahedral interpolation: the cell is cut into six parts, so that greys stay exactly on its diagonal. */
function insideCube(cube: Cube, r: number, g: number, b: number, out: Float64Array): void {
  const { size, table } = cube
  const [pr, pg, pb] = [place(cube, 0, r), place(cube, 1, g), place(cube, 2, b)]
  const [ir, ig, ib] = [
    Math.min(Math.floor(pr), size - 2),
    Math.min(Math.floor(pg), size - 2),
    Math.min(Math.floor(pb), size - 2),
  ]
  const [fr, fg, fb] = [pr - ir, pg - ig, pb - ib]
  const [R, G, B] = [3, 3 * size, 3 * size * size]
  const base = ir * R + ig * G + ib * B
  // From the lowest corner along the axes, the largest fraction first, to the highest corner.
  const [a1, a2, w1, w2, w3] =
    fr >= fg
      ? fg >= fb
        ? [R, R + G, fr, fg, fb]
        : fr >= fb
          ? [R, R + B, fr, fb, fg]
          : [B, B + R, fb, fr, fg]
      : fb >= fg
        ? [B, B + G, fb, fg, fr]
        : fb >= fr
          ? [G, G + B, fg, fb, fr]
          : [G, G + R, fg, fr, fb]
  const end = base + R + G + B
  for (let c = 0; c < 3; c++) {
    out[c] =
      (1 - w1) * table[base + c]! +
      (w1 - w2) * table[base + a1 + c]! +
      (w2 - w3) * table[base + a2 + c]! +
      w3 * table[end + c]!
  }
}
