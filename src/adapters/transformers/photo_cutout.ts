// photo_cutout: people without the background they stood before, in front of another one.
import Type, { type Static } from 'typebox'
import { imageAdapter, type Step } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import { assetBitmap } from '#media/file/asked.ts'
import { formats } from '#media/file/formats.ts'
import { canvasOf } from '#media/picture/canvas.ts'
import { assetLayer, assetSize } from '#media/picture/layer-cache.ts'
import { Picture } from '#media/picture/picture.ts'
import { drawLayer } from '#media/pixels/blend.ts'
import { parseColour } from '#media/pixels/colour.ts'
import { fitted, placed } from '#media/pixels/fit.ts'
import { type Pixels, to8 } from '#media/pixels/pixels.ts'
import { composeCutout } from '#vision/compose-cutout.ts'
import { counted } from '#vision/crop-to-faces.ts'
import { type Cutout, cutPeople, doubtIn } from '#vision/cutout.ts'
import { blurredGround, gradientGround } from '#vision/grounds.ts'
import { maskPicture } from '#vision/matte.ts'
import { cutoutOptions, goesOn, lookOf } from '../shared/cutout-options.ts'
import { asset, closed } from '../shared/picture-options.ts'

const options = Type.Object(
  {
    background: Type.Enum(['asset', 'color', 'gradient', 'blur', 'transparent', 'mask'], {
      default: 'asset',
      description:
        'What is behind the people: the asset of `background_file_name` (nothing where none is named), `color`, a gradient from `color` to `color_to`, the old background blurred, or nothing. `mask` paints people white and the rest black, to look at what was found.',
    }),
    background_file_name: asset('Asset behind the people. Left out, the background becomes transparent.'),
    ...cutoutOptions('picture', 0.3),
  },
  closed,
)

type Options = Static<typeof options>

/** Each frame is looked at by itself. */
const MOST_FRAMES = 100

export const photoCutout = imageAdapter({
  name: 'photo_cutout',
  summary: 'Takes the background away from behind people, without a green screen, and puts another in its place.',
  accepts: ['image'],
  makes: 'same',
  options,
  assets: [{ name: 'background_file_name', accepts: ['image'] }],
  asks({ background, fit }, before, assets) {
    if (!before) return {}
    const [file] = assets('background_file_name')
    const bitmaps = [{ field: 'background', width: before.width, height: before.height, perPixel: 8 }]
    if (background !== 'asset' || !file || file.width === null) return { bitmaps }
    return { bitmaps: [...bitmaps, assetBitmap('background_file_name', fitted(assetSize(file), before, fit))] }
  },
  looksForPeople: () => true,
  async image(picture, step) {
    // Decoded once: what the models look at is made from the same pixels.
    const decoded = picture.animation ? picture : await picture.settle()
    const frames = picture.animation ? await everyFrame(picture) : [decoded]
    const cuts: Cutout[] = []
    for (const frame of frames) {
      cuts.push(await cutPeople(frame, frames.length > 1))
      step.progress((0.7 * cuts.length) / frames.length)
    }
    step.saw(picture, cuts[0]!.faces)
    const doubt = doubtIn(cuts)
    const faces = counted(Math.max(...cuts.map(cut => cut.faces.length)))
    if (step.options.background === 'mask') {
      step.decide(doubt === null ? `The mask of people with ${faces}.` : `The mask: ${doubt}.`)
      const { softness } = step.options
      return decoded.draw(async (pixels, frame) => maskPicture(to8(pixels), cuts[frame]!.matte, softness))
    }
    if (doubt === null) step.decide(`Cut out people with ${faces}.`)
    else if (!goesOn(doubt, 'picture', step)) return picture
    const isClear = step.options.background === 'transparent' || isUnnamed(step)
    const drawn = await decoded.draw(async (pixels, frame) => {
      const cut = cuts[frame]!
      const ground = isClear ? null : await groundOf(picture, cut, step)
      return composeCutout(to8(pixels), cut.small, cut.matte, ground, lookOf(step.options))
    })
    if (!isClear || formats[picture.output.format].alpha) return drawn
    step.decide(`A ${picture.output.format.toUpperCase()} cannot be transparent, so the result is a PNG.`)
    return drawn.convert('png', null)
  },
})

async function everyFrame(picture: Picture): Promise<Picture[]> {
  if (picture.frames > MOST_FRAMES)
    throw new Problem(
      'too_many_frames',
      `The animation has ${picture.frames} frames; people are cut out of ${MOST_FRAMES} at most.`,
    )
  return (await picture.pixels()).map(pixels => Picture.of(pixels, picture.limits))
}

const isUnnamed = (step: Step<Options>): boolean =>
  step.options.background === 'asset' && step.assets('background_file_name').length === 0

async function groundOf(picture: Picture, { small, matte }: Cutout, step: Step<Options>): Promise<Pixels> {
  const { background, color, color_to, angle, blur, fit } = step.options
  const size = { width: picture.width, height: picture.height }
  switch (background) {
    case 'blur':
      return blurredGround(small, matte, size, blur / 100)
    case 'gradient':
      return gradientGround(size, parseColour(color), parseColour(color_to), angle)
    case 'asset': {
      const [file] = step.assets('background_file_name')
      const at = fitted(assetSize(file!), size, fit)
      const layer = await assetLayer(file!, at, picture.limits)
      return drawLayer(canvasOf(size, parseColour(color)), layer, placed(at, size, 'center'))
    }
    default:
      return canvasOf(size, parseColour(color))
  }
}
