// photo_convert: another format, another quality, and a longest side if wanted.
import Type from 'typebox'
import { imageAdapter } from '#engine/adapter.ts'
import { formats } from '#media/file/formats.ts'
import type { Size } from '#media/file/geometry.ts'
import { scaled } from '#media/pixels/fit.ts'
import { closed, quality, side } from '../shared/picture-options.ts'

const options = Type.Object(
  {
    format: Type.Enum(['jpeg', 'png', 'webp', 'avif'], {
      default: 'jpeg',
      description: 'The format to write.',
      role: 'format',
    }),
    quality,
    max_side: side('Longest side in pixels; a larger picture is made smaller, a smaller one is left as it is.'),
  },
  closed,
)

export const photoConvert = imageAdapter({
  name: 'photo_convert',
  summary: 'Writes a picture in another format, at most so large.',
  accepts: ['image'],
  makes: 'same',
  options,
  asks: ({ format, max_side }, before) => ({
    ...(before && { stages: [{ ...sizeFor(before, max_side), field: 'max_side' }] }),
    still: !formats[format].animated,
  }),
  async image(picture, step) {
    const { format, quality, max_side } = step.options
    const sized = await picture.resize(sizeFor(picture, max_side))
    if (sized.animation && format !== 'webp')
      step.warn(`${format.toUpperCase()} does not move, so only the first frame is kept.`)
    return sized.convert(format, quality)
  },
})

function sizeFor(picture: Size, longest: number | null): Size {
  const factor = longest === null ? 1 : Math.min(1, longest / Math.max(picture.width, picture.height))
  return factor < 1 ? scaled(picture, factor) : { width: picture.width, height: picture.height }
}
