// photo_crop: cuts a rectangle out of a picture, by numbers, by shape, or where people look.
import Type from 'typebox'
import { imageAdapter } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import type { Rect, Size } from '#media/file/geometry.ts'
import { clipped, type Length, pixelsOf, shaped } from '#media/pixels/fit.ts'
import { cropAround } from '#vision/crop-to-faces.ts'
import { closed, gravity, optionalExtent, optionalLength } from '../shared/picture-options.ts'

const options = Type.Object(
  {
    x: optionalLength('Left edge, in pixels or "50%". Left out, `gravity` decides.'),
    y: optionalLength('Top edge, in pixels or "50%". Left out, `gravity` decides.'),
    width: optionalExtent('Width, in pixels or "50%".'),
    height: optionalExtent('Height, in pixels or "50%".'),
    aspect: Type.Union(
      [
        Type.String({
          pattern: '^[1-9][0-9]{0,4}(\\.[0-9]+)?:[1-9][0-9]{0,4}(\\.[0-9]+)?$',
          expects: 'a shape like "4:5"',
        }),
        Type.Null(),
      ],
      {
        default: null,
        description:
          'Shape as "4:5". Without width and height: the largest cut of that shape; with one of them: gives the other.',
      },
    ),
    gravity: gravity('What is kept where `x` or `y` is left out', 'attention'),
  },
  closed,
)

export const photoCrop = imageAdapter({
  name: 'photo_crop',
  summary: 'Cuts a rectangle out of a picture.',
  accepts: ['image'],
  makes: 'same',
  options,
  asks: (options, before) => (before ? { stages: [{ ...cutFor(before, options).rect, field: 'width' }] } : {}),
  looksForPeople: ({ x, y, gravity }) => (x === null || y === null) && gravity === 'faces',
  async image(picture, step) {
    const { x, y, gravity } = step.options
    const { wanted, rect } = cutFor(picture, step.options)
    if (rect.width < wanted.width || rect.height < wanted.height)
      step.warn(`The cut reached over the edge; ${rect.width} × ${rect.height} pixels were left of it.`)
    // Along an edge that is left out all of the picture is open.
    const across = x === null ? { left: 0, width: picture.width } : { left: rect.left, width: rect.width }
    const down = y === null ? { top: 0, height: picture.height } : { top: rect.top, height: rect.height }
    return cropAround(picture, { ...across, ...down }, { width: rect.width, height: rect.height }, gravity, step)
  },
})

interface Wanted {
  x: Length | null
  y: Length | null
  width: Length | null
  height: Length | null
  aspect: string | null
}

/** What is asked for, and what of it lies inside of the picture; in the middle where an edge is left out. */
function cutFor(picture: Size, options: Wanted): { wanted: Rect; rect: Rect } {
  const { x, y } = options
  const size = sizeFor(picture, options)
  const placed = x !== null || y !== null
  const left = x === null ? (picture.width - size.width) / 2 : pixelsOf(x, picture.width)
  const top = y === null ? (picture.height - size.height) / 2 : pixelsOf(y, picture.height)
  // Edges are rounded, not lengths: two halves of an odd width meet, and none reaches over the edge.
  const [x0, y0] = placed ? [Math.round(left), Math.round(top)] : [0, 0]
  const wanted = {
    left: x0,
    top: y0,
    width: Math.max(1, Math.round(placed ? left + size.width - x0 : size.width)),
    height: Math.max(1, Math.round(placed ? top + size.height - y0 : size.height)),
  }
  const rect = clipped(wanted, picture)
  if (rect) return { wanted, rect }
  throw new Problem(
    'bad_options',
    `The cut lies outside of the picture, which is ${picture.width} × ${picture.height} pixels.`,
  )
}

function sizeFor(picture: Size, { width, height, aspect }: Wanted): Size {
  const [across = 1, down = 1] = aspect?.split(':').map(Number) ?? []
  const shape = aspect === null ? null : across / down
  const wide = width === null ? null : pixelsOf(width, picture.width)
  const high = height === null ? null : pixelsOf(height, picture.height)
  const whole = (value: number): number => {
    if (value < 0.5)
      throw new Problem('bad_options', `A cut needs a width and a height of at least one pixel, not ${value}.`)
    return value
  }
  if (wide === null && high === null)
    return shape === null ? { width: picture.width, height: picture.height } : shaped(picture, shape)
  return {
    width: whole(wide ?? (shape === null ? picture.width : high! * shape)),
    height: whole(high ?? (shape === null ? picture.height : wide! / shape)),
  }
}
