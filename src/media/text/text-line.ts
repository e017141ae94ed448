// Sets one line of text with Pango and finds its ink. User text is only data: everything Pango would read as markup is escaped.
import { LRUCache } from 'lru-cache'
import { escaped } from '#kit/text.ts'
import { MediaProblem } from '../file/media-problem.ts'
import { type Colour, hex } from '../pixels/colour.ts'
import { claim } from '../pixels/pixel-memory.ts'
import { cut, type Pixels, toPixels } from '../pixels/pixels.ts'
import { drawn } from '../pixels/vips.ts'
import { type Face, weights } from './fonts.ts'
import type { Ink } from './text-block.ts'

export interface DrawnLine extends Ink {
  /** The ink and nothing else. */
  pixels: Pixels
}

function pango({ family, weight, italic }: Face, size: number): string {
  const name = Object.entries(weights).find(([, value]) => value === weight)?.[0] ?? 'Regular'
  return `${family} ${name}${italic ? ' Italic' : ''} ${size.toFixed(2)}`
}

/** SVG would be simpler, but its library keeps a list of fonts per thread and misses fonts that were added later. */
async function typeset(markup: string, face: Face, size: number): Promise<Pixels | 'empty' | 'too wide'> {
  try {
    const text = { text: markup, font: pango(face, size), dpi: 72, rgba: true }
    return await toPixels(drawn({ text }).ensureAlpha(), 8)
  } catch (error) {
    const said = error instanceof MediaProblem ? (error.detail ?? '') : ''
    if (/no text to render/.test(said)) return 'empty'
    if (/too big|too large/.test(said)) return 'too wide'
    throw error
  }
}

/** An invisible bar that reaches further up, down and right than any letter, because Pango crops its picture a little too close. */
const frame = (size: number): string => `<span alpha="1" size="${Math.round(size * 1.5 * 1024)}">|</span>`

const REFERENCES = [100, 10]
/** Space left and right of the ink, which Pango does not draw, as a share of the letter size. */
const BEARING = 0.04
/** Limited by the total number of characters of the remembered lines. */
const guesses = new LRUCache<string, number>({ maxSize: 2_000_000, sizeCalculation: (_, key) => key.length })

/** Approximate width of a line at letter size 1. */
export async function guessed(line: string, face: Face): Promise<number> {
  if (line.trim() === '') return 0
  const key = `${pango(face, 1)} ${line}`
  const known = guesses.get(key)
  if (known !== undefined) return known
  const made = await measured(line, face)
  guesses.set(key, made)
  return made
}

async function measured(line: string, face: Face): Promise<number> {
  for (const reference of REFERENCES) {
    const picture = await typeset(escaped(line), face, reference)
    if (picture === 'empty') return 0
    if (picture === 'too wide') continue
    return picture.width / reference + 2 * BEARING
  }
  return Number.POSITIVE_INFINITY
}

/** Null when there is nothing to see, for example only spaces and joiners. */
export async function drawLine(
  line: string,
  face: Face,
  size: number,
  colour: Colour,
): Promise<DrawnLine | 'too wide' | null> {
  if (line.trim() === '') return null
  // The H in front shows where the baseline is. A left-to-right mark keeps the H on the left; the isolate gives the text its own
  // direction.
  await claimFor(line, face, size)
  const text = `<span foreground="${hex(colour)}">${escaped(line)}</span>`
  const picture = await typeset(`\u200eH\u2003\u2068${text}\u2069${frame(size)}`, face, size)
  if (picture === 'too wide') return picture
  return picture === 'empty' ? null : inkOf(picture, size)
}

/** Pango draws no wider line. */
const MOST_WIDTH = 32_767
/** Width of the H and the frame together, and height of a line, in letter sizes. */
const AROUND = 2.6
const HEIGHT = 1.9
/** Smaller letters need too little memory to count. */
const LARGE = 250

/** Claims the memory for large letters before they are drawn. */
async function claimFor(line: string, face: Face, size: number): Promise<void> {
  if (size < LARGE) return
  const width = Math.min(MOST_WIDTH, ((await guessed(line, face)) + AROUND) * size)
  claim({ width: Math.ceil(width), height: Math.ceil(size * HEIGHT) }, 4)
}

/** The ink to the right of the H. */
function inkOf(picture: Pixels, size: number): DrawnLine | null {
  const { data, width } = picture
  const filled = new Uint8Array(width)
  for (let i = 3, x = 0; i < data.length; i += 4) {
    if (data[i] !== 0) filled[x] = 1
    if (++x === width) x = 0
  }
  const first = filled.indexOf(1)
  const gap = filled.findIndex((_, x) => x > first && !filled.subarray(x, x + Math.ceil(size / 10)).includes(1))
  const left = filled.indexOf(1, gap)
  if (gap < 0 || left < 0) return null
  const columns = filled.lastIndexOf(1) + 1 - left
  const foot = lastRow(picture, 0, gap, 127) + 1
  let top = 0
  while (!hasInk(picture, top, left, columns, 0)) top++
  const bottom = lastRow(picture, left, columns, 0) + 1
  const pixels = cut(picture, { left, top, width: columns, height: bottom - top })
  return { pixels, width: columns, above: foot - top, below: bottom - foot }
}

function hasInk({ data, width }: Pixels, row: number, left: number, columns: number, over: number): boolean {
  const start = (row * width + left) * 4 + 3
  for (let i = start; i < start + columns * 4; i += 4) if (data[i]! > over) return true
  return false
}

function lastRow(picture: Pixels, left: number, columns: number, over: number): number {
  let row = picture.height - 1
  while (row > 0 && !hasInk(picture, row, left, columns, over)) row--
  return row
}
