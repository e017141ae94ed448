// photo_chroma_key: takes the green screen out of a picture and puts a background in its place.
import Type from 'typebox'
import { imageAdapter } from '#engine/adapter.ts'
import { assetBitmap } from '#media/file/asked.ts'
import { formats } from '#media/file/formats.ts'
import { canvasOf, paste } from '#media/picture/canvas.ts'
import { assetLayer, assetSize } from '#media/picture/layer-cache.ts'
import { drawLayer } from '#media/pixels/blend.ts'
import { keyed } from '#media/pixels/chroma-key.ts'
import { parseColour } from '#media/pixels/colour.ts'
import { fitted, placed } from '#media/pixels/fit.ts'
import { to8 } from '#media/pixels/pixels.ts'
import { asset, closed, colour } from '../shared/picture-options.ts'

const share = (fallback: number, description: string) =>
  Type.Number({ minimum: 0, maximum: 1, default: fallback, description })

const options = Type.Object(
  {
    key: colour('The colour of the screen.', '#00b140'),
    tolerance: share(0.18, 'How far a colour may be from the key and still be taken out.'),
    softness: share(0.08, 'Over what further distance the edge fades.'),
    despill: share(0.5, 'How much of the screen’s colour is taken out of skin and hair.'),
    fit: Type.Enum(['cover', 'contain', 'stretch'], {
      default: 'cover',
      description: 'How the background is brought to the picture’s size.',
    }),
    background_file_name: asset('Asset behind the person. Left out, the screen becomes transparent.'),
  },
  closed,
)

export const photoChromaKey = imageAdapter({
  name: 'photo_chroma_key',
  summary: 'Takes a green or blue screen out of a picture and puts a background in its place.',
  accepts: ['image'],
  makes: 'same',
  options,
  assets: [{ name: 'background_file_name', accepts: ['image'] }],
  asks({ fit }, before, assets) {
    const [background] = assets('background_file_name')
    if (!before || !background || background.width === null) return {}
    return { bitmaps: [assetBitmap('background_file_name', fitted(assetSize(background), before, fit))] }
  },
  async image(picture, step) {
    const { key, fit, tolerance, softness, despill } = step.options
    const screen = { colour: parseColour(key), tolerance, softness, despill }
    const [background] = step.assets('background_file_name')
    if (!background) {
      const cut = await picture.draw(pixels => keyed(pixels, screen))
      if (formats[picture.output.format].alpha) return cut
      step.decide(`A ${picture.output.format.toUpperCase()} cannot be transparent, so the result is a PNG.`)
      return cut.convert('png', null)
    }
    const size = fitted(assetSize(background), picture, fit)
    const layer = await assetLayer(background, size, picture.limits)
    const place = placed(size, picture, 'center')
    return picture.draw(pixels => {
      const canvas = drawLayer(canvasOf(picture, [0, 0, 0, 255]), layer, place)
      return paste(canvas, keyed(to8(pixels), screen), 0, 0)
    })
  },
})
