// photo_resize: to a size, cut, padded or stretched to its shape.
import Type from 'typebox'
import { imageAdapter } from '#engine/adapter.ts'
import { closed, colour, side } from '#engine/picture-options.ts'
import { needsOneOf } from '#engine/required.ts'
import { Problem } from '#kit/errors.ts'
import { cropTo, gravities } from '#media/attention.ts'
import { pad } from '#media/canvas.ts'
import { parseColour } from '#media/colour.ts'
import { fitted, scaled, shaped } from '#media/fit.ts'
import type { Picture } from '#media/picture.ts'
import type { Size } from '#media/turn.ts'

const options = Type.Object(
  {
    width: side('Width in pixels; left out, it follows from the height and the picture’s own shape.'),
    height: side('Height in pixels; left out, it follows from the width and the picture’s own shape.'),
    fit: Type.Enum(['cover', 'contain', 'inside', 'stretch'], {
      default: 'cover',
      description:
        '`cover` fills the size and cuts off what is over, `contain` shows all of it on a background, `inside` shows all of it at most so large, `stretch` ignores its shape.',
    }),
    gravity: Type.Enum([...gravities], {
      default: 'center',
      description:
        'What `cover` keeps and where `contain` puts the picture; `attention` looks for faces, skin and strong colours, `entropy` for detail.',
    }),
    enlarge: Type.Boolean({
      default: false,
      description:
        'Whether a small picture is made larger. Otherwise `cover` keeps the shape asked for at the size there is.',
    }),
    background: colour('Colour around the picture with `contain`.', '#ffffff'),
  },
  closed,
)

export const photoResize = imageAdapter({
  name: 'photo_resize',
  summary: 'Brings a picture to a size.',
  accepts: ['image'],
  makes: 'same',
  options,
  review: needsOneOf('width', 'height'),
  async image(picture, step) {
    const { fit, gravity, enlarge, background } = step.options
    const box = boxFor(picture, step.options)
    switch (fit) {
      case 'stretch':
        return picture.resize(
          enlarge ? box : { width: Math.min(box.width, picture.width), height: Math.min(box.height, picture.height) },
        )
      case 'inside':
        return picture.resize(bounded(picture, fitted(picture, box, 'contain'), enlarge))
      case 'contain': {
        const position = gravity === 'attention' || gravity === 'entropy' ? 'center' : gravity
        const inside = await picture.resize(bounded(picture, fitted(picture, box, 'contain'), enlarge))
        return pad(inside, box, position, parseColour(background))
      }
      case 'cover':
        return cover(picture, enlarge ? box : largest(picture, box), gravity)
    }
  },
})

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

async function cover(picture: Picture, box: Size, gravity: (typeof gravities)[number]): Promise<Picture> {
  return cropTo(await picture.resize(fitted(picture, box, 'cover')), box, gravity)
}
