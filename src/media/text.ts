// Draws text into pixels. User text is only ever data: escaped where a markup language would read it.
import sharp from 'sharp'
import { drawLayer, layerOf } from './blend.ts'
import { type Colour, hex } from './colour.ts'
import type { MediaFile } from './file.ts'
import { type Face, faceOf, missingCharacters, uploadedFace, weights } from './fonts.ts'
import { type Pixels, toPixels } from './pixels.ts'
import { type Fitting, LINE, layOut } from './text-layout.ts'
import type { Rect, Size } from './turn.ts'
import { vips } from './vips.ts'

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
  const missing = await missingCharacters(clean)
  if (missing.length > 0)
    warnings.push(
      `No font here has ${missing.slice(0, 8).map(named).join(', ')}; install one (for example a Noto font) or upload one.`,
    )
  const margin = (style.stroke?.width ?? 0) / 2
  const inner = { width: box.width - 2 * margin, height: box.height - 2 * margin }
  const { lines, size, cut } = await layOut(clean, inner, style, line => widthOf(line, face))
  if (cut && style.overflow !== 'ellipsis')
    warnings.push('The text did not fit its box, not even in its smallest size, so its end was cut off.')
  const top =
    style.valign === 'top' ? 0 : (inner.height - lines.length * LINE * size) / (style.valign === 'middle' ? 2 : 1)
  const placed = lines
    .map((line, i) => ({ line, y: margin + top + (i * LINE + FOOT) * size }))
    .filter(({ line }) => line !== '')
  const canvas = await paint(
    placed.filter(({ line }) => !hasEmoji(line)),
    box,
    size,
    face,
    style,
  )
  for (const one of placed.filter(({ line }) => hasEmoji(line))) await paintEmoji(canvas, one, box, size, face, style)
  return { pixels: canvas, warnings }
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

const hasEmoji = (line: string): boolean => /\p{Emoji_Presentation}|\ufe0f/u.test(line)

const REFERENCE = 100
/** Room left and right of the ink, which Pango does not draw. */
const BEARING = 4
const MOST_MEASURED = 2_000
const measured = new Map<string, number>()

/** Width at a letter size of one, from how wide Pango draws it. */
async function widthOf(line: string, face: Face): Promise<number> {
  if (line.trim() === '') return 0
  const key = `${pango(face, REFERENCE)} ${line}`
  const known = measured.get(key)
  if (known !== undefined) return known
  const { info } = await sharp({ text: { text: escaped(line), font: pango(face, REFERENCE), dpi: 72 } })
    .raw()
    .toBuffer({ resolveWithObject: true })
  if (measured.size >= MOST_MEASURED) measured.clear()
  const width = (info.width + 2 * BEARING) / REFERENCE
  measured.set(key, width)
  return width
}

function pango({ family, weight, italic }: Face, size: number): string {
  const name = Object.entries(weights).find(([, value]) => value === weight)?.[0] ?? 'Regular'
  return `${family} ${name}${italic ? ' Italic' : ''} ${size}`
}

interface Line {
  line: string
  y: number
}

interface Paint {
  fill: Colour | null
  stroke: TextStyle['stroke']
}

const paint = (lines: Line[], box: Size, size: number, face: Face, style: TextStyle): Promise<Pixels> =>
  draw(lines, box, size, face, style.align, { fill: style.colour, stroke: style.stroke })

async function draw(
  lines: Line[],
  box: Size,
  size: number,
  { family, weight, italic }: Face,
  align: TextStyle['align'],
  { fill, stroke }: Paint,
): Promise<Pixels> {
  const margin = (stroke?.width ?? 0) / 2
  const [x, anchor] = {
    left: [margin, 'start'],
    center: [box.width / 2, 'middle'],
    right: [box.width - margin, 'end'],
  }[align]
  const look = [
    fill ? `fill="${hex(fill)}" fill-opacity="${fill[3] / 255}"` : 'fill="none"',
    stroke
      ? `stroke="${hex(stroke.colour)}" stroke-opacity="${stroke.colour[3] / 255}" stroke-width="${stroke.width}" stroke-linejoin="round" paint-order="stroke"`
      : '',
  ].join(' ')
  const texts = lines.map(({ line, y }) => `<text x="${x}" y="${y.toFixed(2)}">${escaped(line)}</text>`)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${box.width}" height="${box.height}"><g font-family="${escaped(family)}" font-weight="${weight}" font-style="${italic ? 'italic' : 'normal'}" font-size="${size.toFixed(2)}" text-anchor="${anchor}" xml:space="preserve" ${look}>${texts.join('')}</g></svg>`
  return toPixels(vips(Buffer.from(svg)).ensureAlpha(), 8)
}

/** An SVG has no coloured emoji, but it knows where the letters stand: Pango draws them there, in colour. */
async function paintEmoji(
  canvas: Pixels,
  one: Line,
  box: Size,
  size: number,
  face: Face,
  { align, colour, stroke }: TextStyle,
): Promise<void> {
  const ink = inkOf(await draw([one], box, size, face, align, { fill: [0, 0, 0, 255], stroke: null }))
  if (!ink) return
  if (stroke)
    drawLayer(canvas, layerOf(await draw([one], box, size, face, align, { fill: null, stroke })), { left: 0, top: 0 })
  const text = `<span foreground="${hex(colour)}">${escaped(one.line)}</span>`
  const drawn = await toPixels(sharp({ text: { text, font: pango(face, size), dpi: 72, rgba: true } }).ensureAlpha(), 8)
  drawLayer(canvas, layerOf(drawn), { left: ink.left, top: ink.top, opacity: colour[3] / 255 })
}

/** The rectangle that anything was drawn in. */
function inkOf({ data, width, height }: Pixels): Rect | null {
  let [left, top, right, bottom] = [width, height, -1, -1]
  for (let y = 0, at = 3; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      if (data[at]! < 16) continue
      left = Math.min(left, x)
      right = Math.max(right, x)
      top = Math.min(top, y)
      bottom = y
    }
  }
  return right < 0 ? null : { left, top, width: right - left + 1, height: bottom - top + 1 }
}
