// photo_add_text: text on a picture, as large as its box allows.
import Type from 'typebox'
import { imageAdapter } from '#engine/adapter.ts'
import { drawLayer, layerOf } from '#media/pixels/blend.ts'
import { pixelsOf } from '#media/pixels/fit.ts'
import { drawText } from '#media/text/draw-text.ts'
import { asset, closed, length } from '../shared/picture-options.ts'
import { sizeRemarks, textAsks, textBox, textProperties, textStyle } from '../shared/text-options.ts'

const options = Type.Object(
  {
    text: Type.String({ maxLength: 5_000, description: 'What is written; may hold {{placeholders}} and line breaks.' }),
    x: length('Left edge of the box, in pixels or "50%".', { default: '5%' }),
    y: length('Top edge of the box, in pixels or "50%".', { default: '80%' }),
    width: length('Width of the box, in pixels or "50%".', { default: '90%' }),
    height: length('Height of the box, in pixels or "50%".', { default: '15%' }),
    ...textProperties,
    color: { ...textProperties.color, default: '#ffffff' },
    font_file_name: asset('Asset with a font (.ttf, .otf), in place of `font`.'),
  },
  closed,
)

export const photoAddText = imageAdapter({
  name: 'photo_add_text',
  summary: 'Writes text on a picture, as large as its box allows.',
  accepts: ['image'],
  makes: 'same',
  options,
  assets: [{ name: 'font_file_name', accepts: ['file'], isFont: true }],
  review: options => sizeRemarks(options),
  asks: (options, before) => textAsks(options, before, 'picture'),
  async image(picture, step) {
    const { text, x, y } = step.options
    if (text.trim() === '') return picture
    const box = textBox(step.options, picture)
    const style = textStyle(step.options, box.height, step.assets('font_file_name')[0] ?? null)
    const { pixels, warnings } = await drawText(text, box, style)
    for (const warning of warnings) step.warn(warning)
    const place = { left: Math.round(pixelsOf(x, picture.width)), top: Math.round(pixelsOf(y, picture.height)) }
    const layer = layerOf(pixels)
    return picture.draw(base => drawLayer(base, layer, place))
  },
})
