// Draws text into pixels, with all of its ink inside its box.

import type { MediaFile } from '../file/file.ts'
import type { Size } from '../file/geometry.ts'
import { drawLayer, layerOf } from '../pixels/blend.ts'
import type { Colour } from '../pixels/colour.ts'
import { newBitmap } from '../pixels/pixel-memory.ts'
import type { Pixels } from '../pixels/pixels.ts'
import { type Face, faceOf, missingCharacters, uploadedFace } from './fonts.ts'
import { standing, type Valign } from './text-block.ts'
import { type Fitting, layOut, type Pen } from './text-layout.ts'
import { type DrawnLine, drawLine, guessed } from './text-line.ts'
import { outlineOf } from './text-outline.ts'

export const aligns = ['left', 'center', 'right'] as const

interface Stroke {
  colour: Colour
  width: number
}

export interface TextStyle extends Fitting {
  /** `Inter Bold`, or the name of an installed family. */
  font: string
  /** An uploaded font, used instead of `font`. */
  fontFile: MediaFile | null
  colour: Colour
  stroke: Stroke | null
  align: (typeof aligns)[number]
  valign: Valign
}

export interface DrawnText {
  /** RGBA, as large as the box. */
  pixels: Pixels
  /** The lines after wrapping and cutting, and their letter size. */
  lines: string[]
  size: number
  warnings: string[]
}

export async function drawText(text: string, box: Size, style: TextStyle): Promise<DrawnText> {
  const warnings: string[] = []
  const face = style.fontFile ? await uploadedFace(style.fontFile) : await wanted(style.font, warnings)
  const clean = cleaned(text)
  const missing = (await missingCharacters(clean)).map(named)
  if (missing.length > 0)
    warnings.push(`No font here has ${listed(missing)}; install one (for example a Noto font) or upload one.`)
  const stroke = style.stroke && fittingStroke(style.stroke, box, warnings)
  const margin = stroke ? marginOf(stroke) : 0
  const inner = { width: box.width - 2 * margin, height: box.height - 2 * margin }
  const lineAt = lineDrawer(face, style.colour)
  const { lines, size, cut, tiny } = await layOut(clean, inner, style, penFor(lineAt, face, box, margin, style))
  if (cut && style.overflow !== 'ellipsis')
    warnings.push('The text did not fit its box, not even in its smallest size, so its end was cut off.')
  if (tiny)
    warnings.push(
      `The box of ${box.width} × ${box.height} pixels is too small for one line of letters of ${Math.min(style.sizeMin, style.sizeMax)} pixels (size_min), so they are smaller than that.`,
    )
  const drawn = (await Promise.all(lines.map(line => lineAt(line, size)))).map(line =>
    line === 'too wide' ? null : line,
  )
  const { feet } = standing(drawn, size, box, margin, style.valign)
  const canvas: Pixels = { data: newBitmap(box, 4), ...box, channels: 4, depth: 8 }
  for (const [i, line] of drawn.entries()) {
    if (!line) continue
    const room = inner.width - line.width
    const left = Math.round(margin + { left: 0, center: room / 2, right: room }[style.align])
    drawLayer(canvas, layerOf(line.pixels), { left, top: feet[i]! - line.above, opacity: style.colour[3] / 255 })
  }
  return { pixels: stroke ? stroked(canvas, stroke) : canvas, lines, size, warnings }
}

type LineDrawer = (line: string, size: number) => Promise<DrawnLine | 'too wide' | null>

/** Keeps the lines of one size: a line that was drawn to check the fit is used again in the end. */
function lineDrawer(face: Face, colour: Colour): LineDrawer {
  const cache = new Map<string, ReturnType<LineDrawer>>()
  let last = 0
  return (line, size) => {
    if (size !== last) cache.clear()
    last = size
    const known = cache.get(line) ?? drawLine(line, face, size, colour)
    cache.set(line, known)
    return known
  }
}

function penFor(lineAt: LineDrawer, face: Face, box: Size, margin: number, { valign }: TextStyle): Pen {
  const room = { width: box.width - 2 * margin, height: box.height - 2 * margin }
  return {
    guess: line => guessed(line, face),
    async width(line, size) {
      const drawn = await lineAt(line, size)
      return drawn === 'too wide' ? Number.POSITIVE_INFINITY : (drawn?.width ?? 0)
    },
    async share(lines, size) {
      const inks: (DrawnLine | null)[] = []
      let share = 1
      for (const line of lines) {
        const drawn = await lineAt(line, size)
        if (drawn === 'too wide') return 0.5
        inks.push(drawn)
        if (drawn && drawn.width > room.width) share = Math.min(share, room.width / drawn.width)
      }
      const { height, fits } = standing(inks, size, box, margin, valign)
      return fits ? share : Math.min(share, room.height / height, 0.999)
    },
  }
}

/** Largest width of an outline, as a share of the box's smaller side. More would leave no room for the letters. */
const MOST_STROKE = 2 / 3

function fittingStroke({ colour, width }: Stroke, box: Size, warnings: string[]): Stroke {
  const most = Math.min(box.width, box.height) * MOST_STROKE
  if (width <= most) return { colour, width }
  warnings.push(`The outline of ${width} pixels is too wide for its box and was made ${most.toFixed(1)} pixels wide.`)
  return { colour, width: most }
}

/** The outermost pixels of an outline are those that it covers in part. */
const marginOf = ({ width }: Stroke): number => Math.max(width / 2, Math.ceil(width / 2 - 0.5))

/** Draws the letters over their outline, so that half of its width is hidden. */
function stroked(letters: Pixels, { colour, width }: Stroke): Pixels {
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
    .replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n')
    .replace(/\t/g, ' ')
    .replace(/[\p{Cc}\ufffe\uffff]/gu, character => (character === '\n' ? '\n' : ''))

const named = (character: string): string =>
  `“${character}” (U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')})`

const MOST_NAMED = 60

function listed(names: string[]): string {
  const more = names.length - MOST_NAMED
  return names.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
