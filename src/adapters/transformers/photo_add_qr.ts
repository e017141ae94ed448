// photo_add_qr: a QR code on a picture.
import Type from 'typebox'
import { imageAdapter } from '#engine/adapter.ts'
import { unknownSize } from '#media/file/asked.ts'
import type { Size } from '#media/file/geometry.ts'
import { type Length, pixelsOf } from '#media/pixels/fit.ts'
import { eccLevels, paintQr, qrOf, qrWarnings } from '#media/pixels/qr.ts'
import { closed, extent, optionalLength } from '../shared/picture-options.ts'

const options = Type.Object(
  {
    data: Type.String({
      maxLength: 2953,
      description: 'What a reader gets, usually a link; may hold {{placeholders}}.',
    }),
    x: optionalLength('Left edge, in pixels or "50%". Left out: near the right edge.'),
    y: optionalLength('Top edge, in pixels or "50%". Left out: near the bottom edge.'),
    size: extent('Side of the square, in pixels or as a share of the picture’s shorter side.', { default: '20%' }),
    ecc: Type.Enum([...eccLevels], {
      default: 'M',
      description: 'Error correction: how much of it may be covered (L 7 %, M 15 %, Q 25 %, H 30 %).',
    }),
    quiet: Type.Integer({
      minimum: 0,
      maximum: 16,
      default: 4,
      description: 'White margin in modules; readers want 4.',
    }),
  },
  closed,
)

/** Distance from the corner, as a share of the shorter side. */
const MARGIN = 0.03

export const photoAddQr = imageAdapter({
  name: 'photo_add_qr',
  summary: 'Puts a QR code on a picture.',
  accepts: ['image'],
  makes: 'same',
  options,
  review: ({ data }) => (data.trim() === '' ? [{ kind: 'wrong', field: 'data', message: 'must not be empty' }] : []),
  asks({ size }, before) {
    const side = sideFor(size, before ?? unknownSize)
    // Painted straight onto the picture, so that it takes no memory of its own.
    return { bitmaps: [{ width: side, height: side, field: 'size', perPixel: 0 }] }
  },
  image(picture, step) {
    const { data, x, y, size, ecc, quiet } = step.options
    if (data.trim() === '') {
      step.warn('There is nothing to put into the QR code, so none was drawn.')
      return picture
    }
    const shorter = Math.min(picture.width, picture.height)
    const wanted = sideFor(size, picture)
    const code = qrOf(data, wanted, { ecc, quiet })
    const margin = Math.round(shorter * MARGIN)
    const left = x === null ? picture.width - code.width - margin : Math.round(pixelsOf(x, picture.width))
    const top = y === null ? picture.height - code.height - margin : Math.round(pixelsOf(y, picture.height))
    for (const warning of qrWarnings(code, wanted, { left, top }, picture)) step.warn(warning)
    return picture.draw(pixels => paintQr(pixels, code, { left, top }))
  },
})

const sideFor = (size: Length, { width, height }: Size): number =>
  Math.max(1, Math.round(pixelsOf(size, Math.min(width, height))))
