// photo_convert: another format, another quality, and a longest side if wanted.
import Type from 'typebox'
import { imageAdapter } from '#engine/adapter.ts'
import { closed, quality, side } from '#engine/picture-options.ts'
import { scaled } from '#media/fit.ts'

const options = Type.Object(
  {
    format: Type.Enum(['jpeg', 'png', 'webp', 'avif'], { default: 'jpeg', description: 'The format to write.' }),
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
  async image(picture, step) {
    const { format, quality, max_side } = step.options
    const factor = max_side === null ? 1 : Math.min(1, max_side / Math.max(picture.width, picture.height))
    const sized = factor < 1 ? await picture.resize(scaled(picture, factor)) : picture
    if (sized.animation && format !== 'webp')
      step.warn(`${format.toUpperCase()} does not move, so only the first frame is kept.`)
    return sized.convert(format, quality)
  },
})
