// photo_resize: to a size, cut, padded or stretched to its shape.
import Type, { type Static } from 'typebox'
import { imageAdapter } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import type { Size } from '#media/file/geometry.ts'
import { pad } from '#media/picture/canvas.ts'
import { parseColour } from '#media/pixels/colour.ts'
import { fitted, scaled, shaped } from '#media/pixels/fit.ts'
import { coverAround, positionOf } from '#vision/crop-to-faces.ts'
import { closed, colour, gravity, side } from '../shared/picture-options.ts'

const options = Type.Object(
  {
    width: side('Width in pixels; left out, it follows from the height and the picture’s own shape.'),
    height: side('Height in pixels; left out, it follows from the width and the picture’s own shape.'),
    fit: Type.Enum(['cover', 'contain', 'inside', 'stretch'], {
      default: 'cover',
      description:
        '`cover` fills the size and cuts off what is over, `contain` shows all of it on a background, `inside` shows all of it at most so large, `stretch` ignores its shape.',
    }),
    gravity: gravity('What `cover` keeps and where `contain` puts the picture', 'center'),
    enlarge: Type.Boolean({
      default: false,
      description:
        'Whether a small picture is made larger. Otherwise `cover` keeps the shape asked for at the size there is.',
    }),
    background: colour('Colour around the picture with `contain`.', '#ffffff'),
  },
  closed,
)

type Wanted = Static<typeof options>

export const photoResize = imageAdapter({
  name: 'photo_resize',
  summary: 'Brings a picture to a size.',
  accepts: ['image'],
  makes: 'same',
  options,
  oneOf: ['width', 'height'],
  asks(options, before) {
    const { width, height, fit, enlarge } = options
    if (before) return { stages: sizesFor(before, options).map(size => ({ ...size, field: fieldOf(options) })) }
    if (width === null || height === null || (!enlarge && fit !== 'contain') || fit === 'inside') return {}
    return { stages: [{ width, height, field: 'width' }] }
  },
  looksForPeople: ({ fit, gravity }) => fit === 'cover' && gravity === 'faces',
  async image(picture, step) {
    const { fit, gravity, background } = step.options
    const [size, box = size] = sizesFor(picture, step.options)
    if (fit === 'cover') return coverAround(picture, size, box, gravity, step)
    const resized = await picture.resize(size)
    if (fit !== 'contain') return resized
    return pad(resized, box, positionOf(gravity), parseColour(background))
  },
})

const fieldOf = ({ width }: Wanted): string => (width === null ? 'height' : 'width')

/** What it is resized to, and what of that is cut out or put on a background. */
function sizesFor(picture: Size, options: Wanted): [resized: Size, ...box: Size[]] {
  const { fit, enlarge } = options
  const box = boxFor(picture, options)
  switch (fit) {
    case 'stretch':
      return [
        enlarge ? box : { width: Math.min(box.width, picture.width), height: Math.min(box.height, picture.height) },
      ]
    case 'inside':
      return [bounded(picture, fitted(picture, box, 'contain'), enlarge)]
    case 'contain':
      return [bounded(picture, fitted(picture, box, 'contain'), enlarge), box]
    case 'cover': {
      const shown = enlarge ? box : largest(picture, box)
      return [fitted(picture, shown, 'cover'), shown]
    }
  }
}

function boxFor(picture: Size, { width, height }: { width: number | null; height: number | null }): Size {
  if (width !== null && height !== null) return { width, height }
  if (width !== null) return scaledTo(picture, width / picture.width)
  if (height !== null) return scaledTo(picture, height / picture.height)
  throw new Problem('option_missing', 'photo_resize needs `width` or `height`, or both.')
}

const scaledTo = (picture: Size, factor: number): Size => scaled(picture, factor)

const bounded = (picture: Size, size: Size, enlarge: boolean): Size =>
  !enlarge && size.width > picture.width ? { width: picture.width, height: picture.height } : size

/** The box itself, or the largest of its shape that the picture can fill. */
function largest(picture: Size, box: Size): Size {
  return box.width <= picture.width && box.height <= picture.height ? box : shaped(picture, box.width / box.height)
}
