// The option schemas of text, and the style they ask for.
import Type, { type Static } from 'typebox'
import type { Remark } from '#engine/adapter.ts'
import { type Asked, STILL_BYTES, unknownSize } from '#media/file/asked.ts'
import type { MediaFile } from '#media/file/file.ts'
import type { Size } from '#media/file/geometry.ts'
import { parseColour } from '#media/pixels/colour.ts'
import { type Length, pixelsOf } from '#media/pixels/fit.ts'
import { aligns, type TextStyle } from '#media/text/draw-text.ts'
import { valigns } from '#media/text/text-block.ts'
import { overflows } from '#media/text/text-layout.ts'
import { closed, colour } from './picture-options.ts'

/** The name of a font. */
export const fontOption = Type.String({
  default: 'Inter',
  minLength: 1,
  maxLength: 100,
  description:
    'Font: `Inter` (shipped, with any weight: `Inter Bold`, `Inter Black Italic`) or a family that is installed (`/api/font/` lists them).',
  role: 'font',
})

export const textProperties = {
  font: fontOption,
  size_max: Type.Union([Type.Number({ minimum: 1, maximum: 5_000 }), Type.Null()], {
    default: null,
    description: 'Largest letter size in pixels. Left out: as the box allows.',
  }),
  size_min: Type.Number({
    minimum: 1,
    maximum: 5_000,
    default: 12,
    description: 'Smallest letter size in pixels; what still does not fit is cut off with an ellipsis.',
  }),
  color: colour('Colour of the letters.', '#000000'),
  align: Type.Enum([...aligns], { default: 'center', description: 'Where the lines stand in the box, across.' }),
  valign: Type.Enum([...valigns], { default: 'middle', description: 'Where the lines stand in the box, down.' }),
  stroke: Type.Union(
    [
      Type.Object(
        {
          color: colour('Colour of the outline.', '#ffffff'),
          width: Type.Number({
            minimum: 0,
            maximum: 200,
            default: 4,
            description: 'Width of the outline in pixels, half of it inside the letter.',
          }),
        },
        closed,
      ),
      Type.Null(),
    ],
    {
      default: null,
      description: 'An outline around the letters.',
    },
  ),
  overflow: Type.Enum([...overflows], {
    default: 'shrink',
    description:
      'What happens to a text that is too long: `shrink` makes it smaller, `wrap` breaks it into lines (and makes it smaller if need be), `ellipsis` cuts it off.',
  }),
}

const textObject = Type.Object(textProperties)

type TextOptions = Static<typeof textObject>

interface TextBox {
  width: Length
  height: Length
}

export const textBox = ({ width, height }: TextBox, on: Size): Size => ({
  width: Math.max(1, Math.round(pixelsOf(width, on.width))),
  height: Math.max(1, Math.round(pixelsOf(height, on.height))),
})

/** The letters; with an outline also the distance of every pixel from them, and the outline itself. */
export const textBytes = ({ stroke }: Pick<TextOptions, 'stroke'>): number => (stroke && stroke.width > 0 ? 16 : 4)

/** Of a text alone on a picture, or on a video, which gets it in parts that are copies. */
export function textAsks(
  options: TextOptions & TextBox & { text?: string },
  before: Size | null,
  on: 'picture' | 'video',
): Asked {
  const box = textBox(options, before ?? unknownSize)
  const perPixel = Math.max(textBytes(options), on === 'video' ? STILL_BYTES : 0)
  return { bitmaps: [{ ...box, field: 'width', perPixel }], letters: options.text?.length ?? 0 }
}

/** Who sets only a small `size_max` means letters of that size. */
const usualMin = (textProperties.size_min as { default?: unknown }).default

/** `place` stands before the names of the options. */
export const sizeRemarks = (
  { size_min, size_max }: Pick<TextOptions, 'size_min' | 'size_max'>,
  place = '',
): Remark[] =>
  size_max === null || size_min <= size_max || size_min === usualMin
    ? []
    : [{ kind: 'wrong', field: `${place}size_min`, message: `must not be above size_max, which is ${size_max}` }]

/** `boxHeight` bounds the letters where no size is given. */
export function textStyle(options: TextOptions, boxHeight: number, fontFile: MediaFile | null): TextStyle {
  const { font, size_max, size_min, color, align, valign, stroke, overflow } = options
  return {
    font,
    fontFile,
    sizeMax: size_max ?? Math.max(size_min, boxHeight),
    sizeMin: size_min,
    colour: parseColour(color),
    stroke: stroke && stroke.width > 0 ? { colour: parseColour(stroke.color), width: stroke.width } : null,
    align,
    valign,
    overflow,
  }
}
