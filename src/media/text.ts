// Draws text into pixels. User text is only ever data: escaped where Pango would read it as markup.
import { drawLayer, layerOf } from './blend.ts'
import { type Colour, hex } from './colour.ts'
import type { MediaFile } from './file.ts'
import { type Face, faceOf, missingCharacters, uploadedFace, weights } from './fonts.ts'
import { cut, type Pixels, toPixels } from './pixels.ts'
import { type Fitting, LINE, layOut } from './text-layout.ts'
import { outlineOf } from './text-outline.ts'
import type { Size } from './turn.ts'
import { drawn } from './vips.ts'

export const aligns = ['left', 'center', 'right'] as const
export const valigns = ['top', 'middle', 'bottom'] as const

export interface TextStyle extends Fitting {
  /** `Inter Bold`, or the name of an installed family. */
  font: string
  /** An uploaded font, in place of `font`. */
  fontFile: MediaFile | null
  colour: Colour
  stroke: { colour: Colour; width: number } | null
  align: (typeof aligns)[number]
  valign: (typeof valigns)[number]
}

export interface DrawnText {
  /** RGBA, as large as the box. */
  pixels: Pixels
  warnings: string[]
}

/** From the top of a line to the foot of its letters, as a share of their size; what most fonts have. */
const FOOT = 0.955

export async function drawText(text: string, box: Size, style: TextStyle): Promise<DrawnText> {
  const warnings: string[] = []
  const face = style.fontFile ? await uploadedFace(style.fontFile) : await wanted(style.font, warnings)
  const clean = cleaned(text)
  const missing = (await missingCharacters(clean)).slice(0, 8).map(named).join(', ')
  if (missing) warnings.push(`No font here has ${missing}; install one (for example a Noto font) or upload one.`)
  const margin = (style.stroke?.width ?? 0) / 2
  const inner = { width: box.width - 2 * margin, height: box.height - 2 * margin }
  const { lines, size, cut: lost } = await layOut(clean, inner, style, line => widthOf(line, face))
  if (lost && style.overflow !== 'ellipsis')
    warnings.push('The text did not fit its box, not even in its smallest size, so its end was cut off.')
  const free = inner.height - lines.length * LINE * size
  const top = margin + { top: 0, middle: free / 2, bottom: free }[style.valign]
  const canvas: Pixels = { data: Buffer.alloc(box.width * box.height * 4), ...box, channels: 4, depth: 8 }
  for (const [i, line] of lines.entries()) {
    if (line.trim() === '') continue
    const { pixels, foot } = await drawLine(line, face, size, style.colour)
    const room = inner.width - pixels.width
    const left = Math.round(margin + { left: 0, center: room / 2, right: room }[style.align])
    drawLayer(canvas, layerOf(pixels), {
      left,
      top: Math.round(top + (i * LINE + FOOT) * size) - foot,
      opacity: style.colour[3] / 255,
    })
  }
  return { pixels: style.stroke ? stroked(canvas, style.stroke) : canvas, warnings }
}

/** The letters lie over their outline, so that half of its width is hidden. */
function stroked(letters: Pixels, { colour, width }: NonNullable<TextStyle['stroke']>): Pixels {
  return drawLayer(outlineOf(letters, width / 2, colour), layerOf(letters), { left: 0, top: 0 })
}

async function wanted(font: string, warnings: string[]): Promise<Face> {
  const { face, missing } = await faceOf(font)
  if (missing) warnings.push(`The font "${missing}" is not installed here; Inter is used in its place.`)
  return face
}

const cleaned = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, ' ')
    .replace(/[\p{Cc}\ufffe\uffff]/gu, character => (character === '\n' ? '\n' : ''))

const named = (character: string): string =>
  `“${character}” (U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')})`

const escaped = (text: string): string => text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)

function pango({ family, weight, italic }: Face, size: number): string {
  const name = Object.entries(weights).find(([, value]) => value === weight)?.[0] ?? 'Regular'
  return `${family} ${name}${italic ? ' Italic' : ''} ${size.toFixed(2)}`
}

/** An SVG would be simpler, but its library keeps a list of fonts per thread and so misses those that came later. */
const typeset = (markup: string, face: Face, size: number): Promise<Pixels> =>
  toPixels(drawn({ text: { text: markup, font: pango(face, size), dpi: 72, rgba: true } }).ensureAlpha(), 8)

const REFERENCE = 100
/** Room left and right of the ink, which Pango does not draw. */
const BEARING = 4
const MOST_KEPT = 2_000
const widths = new Map<string, number>()

/** Width at a letter size of one. */
async function widthOf(line: string, face: Face): Promise<number> {
  if (line.trim() === '') return 0
  return remembered(widths, `${pango(face, REFERENCE)} ${line}`, async () => {
    const { width } = await typeset(escaped(line), face, REFERENCE)
    return (width + 2 * BEARING) / REFERENCE
  })
}

async function remembered<T>(kept: Map<string, T>, key: string, make: () => Promise<T>): Promise<T> {
  const known = kept.get(key)
  if (known !== undefined) return known
  const made = await make()
  if (kept.size >= MOST_KEPT) kept.clear()
  kept.set(key, made)
  return made
}

/** A bar twice as high as any letter: Pango cuts its picture to the ink, so this alone tells where the line stands. */
const ruler = (size: number): string => `<span size="${Math.round(size * 2 * 1024)}">|</span>\u2003`

interface Ruler {
  width: number
  /** Rows from the top of the picture to the foot of the letters. */
  foot: number
}

const rulers = new Map<string, Ruler>()

function rulerOf(face: Face, size: number): Promise<Ruler> {
  return remembered(rulers, pango(face, size), async () => {
    const { width } = await typeset(ruler(size), face, size)
    const { pixels } = trimmed(await typeset(`${ruler(size)}H`, face, size), width + 1)
    return { width, foot: lastRow(pixels) + 1 }
  })
}

/** One line: its ink, and how many rows lie above the foot of its letters. */
async function drawLine(
  line: string,
  face: Face,
  size: number,
  colour: Colour,
): Promise<{ pixels: Pixels; foot: number }> {
  const { width, foot } = await rulerOf(face, size)
  // A mark for left to right keeps the ruler on the left; the text has a direction of its own inside its isolate.
  const text = `\u200e${ruler(size)}\u2068<span foreground="${hex(colour)}">${escaped(line)}</span>\u2069`
  return { pixels: trimmed(await typeset(text, face, size), width + 1).pixels, foot }
}

/** Without the columns before `from` and the empty ones after them. */
function trimmed(pixels: Pixels, from: number): { pixels: Pixels } {
  const { data, width, height } = pixels
  const isEmpty = (x: number): boolean => {
    for (let y = 0; y < height; y++) if (data[(y * width + x) * 4 + 3] !== 0) return false
    return true
  }
  let left = Math.min(from, width - 1)
  while (left < width - 1 && isEmpty(left)) left++
  return { pixels: cut(pixels, { left, top: 0, width: width - left, height }) }
}

function lastRow({ data, width, height }: Pixels): number {
  for (let i = width * height - 1; i >= 0; i--) if (data[i * 4 + 3]! > 127) return Math.floor(i / width)
  return height - 1
}
