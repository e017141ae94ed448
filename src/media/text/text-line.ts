// Sets one line of text with Pango and finds its ink. User text is only ever data: escaped where Pango would read markup.
import { LRUCache } from 'lru-cache'
import { watched } from '../file/looking.ts'
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

const escaped = (text: string): string => text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)

function pango({ family, weight, italic }: Face, size: number): string {
  const name = Object.entries(weights).find(([, value]) => value === weight)?.[0] ?? 'Regular'
  return `${family} ${name}${italic ? ' Italic' : ''} ${size.toFixed(2)}`
}

/** An SVG would be simpler, but its library keeps a list of fonts per thread and so misses those that came later. */
async function typeset(markup: string, face: Face, size: number): Promise<Pixels | 'empty' | 'too wide'> {
  try {
    const text = { text: markup, font: pango(face, size), dpi: 72, rgba: true }
    // A font may be made so that drawing one letter of it never ends.
    return await watched(null, () => toPixels(drawn({ text }).ensureAlpha(), 8))
  } catch (error) {
    const said = error instanceof MediaProblem ? (error.detail ?? '') : ''
    if (/no text to render/.test(said)) return 'empty'
    if (/too big|too large/.test(said)) return 'too wide'
    throw error
  }
}

/** Reaches further up, down and to the right than any letter but is not seen: Pango cuts its picture, and a little too close. */
const frame = (size: number): string => `<span alpha="1" size="${Math.round(size * 1.5 * 1024)}">|</span>`

const REFERENCES = [100, 10]
/** Room left and right of the ink, which Pango does not draw. */
const BEARING = 0.04
/** By the characters of the lines whose widths are remembered. */
const guesses = new LRUCache<string, number>({ maxSize: 2_000_000, sizeCalculation: (_, key) => key.length })

/** About how wide a line is at a letter size of one. */
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

/** Null when there is nothing to see, such as spaces and joiners. */
export async function drawLine(
  line: string,
  face: Face,
  size: number,
  colour: Colour,
): Promise<DrawnLine | 'too wide' | null> {
  if (line.trim() === '') return null
  // The first letter shows where the foot of the letters is. A mark for left to right keeps it on the left; the text has a
  // direction of its own inside its isolate.
  await claimFor(line, face, size)
  const text = `<span foreground="${hex(colour)}">${escaped(line)}</span>`
  const picture = await typeset(`\u200eH\u2003\u2068${text}\u2069${frame(size)}`, face, size)
  if (picture === 'too wide') return picture
  return picture === 'empty' ? null : inkOf(picture, size)
}

/** Pango draws no wider line than this. */
const MOST_WIDTH = 32_767
/** Of the first letter and of the frame, and of a line's height, in sizes of a letter. */
const AROUND = 2.6
const HEIGHT = 1.9
/** Smaller letters can't add up to much. */
const LARGE = 250

/** Large letters are counted before they are drawn. */
async function claimFor(line: string, face: Face, size: number): Promise<void> {
  if (size < LARGE) return
  const width = Math.min(MOST_WIDTH, ((await guessed(line, face)) + AROUND) * size)
  claim({ width: Math.ceil(width), height: Math.ceil(size * HEIGHT) }, 4)
}

/** What is right of the first letter. */
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
