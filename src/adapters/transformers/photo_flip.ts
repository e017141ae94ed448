// photo_flip: mirrors a picture or turns it by quarter turns, with the names and directions of Pillow.
import Type from 'typebox'
import { imageAdapter } from '#engine/adapter.ts'
import { type Method, methods, turnedSize } from '#media/pixels/orientation.ts'

const options = Type.Object(
  {
    method: Type.Enum(Object.keys(methods) as Method[], {
      description:
        'How to turn: `ROTATE_90`, `ROTATE_180` and `ROTATE_270` turn counter-clockwise, `FLIP_LEFT_RIGHT` and `FLIP_TOP_BOTTOM` mirror, `TRANSPOSE` and `TRANSVERSE` mirror at a diagonal.',
    }),
  },
  { additionalProperties: false },
)

export const photoFlip = imageAdapter({
  name: 'photo_flip',
  summary: 'Mirrors a picture or turns it by 90, 180 or 270 degrees.',
  accepts: ['image'],
  makes: 'same',
  options,
  asks: ({ method }, before) =>
    before ? { stages: [{ ...turnedSize(before, methods[method]), field: 'method' }] } : {},
  image: (picture, step) => picture.transpose(step.options.method),
})
