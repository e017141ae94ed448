// photo_blur_faces: makes the faces of bystanders unclear and leaves those of the guests as they are.
import Type, { type Static } from 'typebox'
import { imageAdapter, type Step } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import { Picture } from '#media/picture/picture.ts'
import { hideFaces } from '#vision/blur-faces.ts'
import { counted } from '#vision/crop-to-faces.ts'
import { type Face, findFaces, sideOf } from '#vision/faces.ts'
import { closed } from '../shared/picture-options.ts'

const options = Type.Object(
  {
    keep: Type.Union([Type.Enum(['largest', 'guests', 'none']), Type.Integer({ minimum: 0, maximum: 100 })], {
      default: 'largest',
      description:
        'Whose faces stay clear: `largest` those about as large as the largest, a number that many of the largest, `guests` as many as the task has guests, `none` nobody’s.',
    }),
    method: Type.Enum(['blur', 'pixelate'], {
      default: 'blur',
      description: 'How the other faces are made unclear.',
    }),
    strength: Type.Number({
      minimum: 0.2,
      maximum: 1,
      default: 0.5,
      description: 'How little is left of a face: 1 leaves one colour, more or less.',
    }),
    margin: Type.Number({
      minimum: 0,
      maximum: 2,
      default: 0.35,
      description: 'How far around a face it reaches, in shares of the face.',
    }),
  },
  closed,
)

type Options = Static<typeof options>

/** Faces of at least this share of the largest are of the same group. */
const AS_LARGE = 0.55

const MOST_FRAMES = 100

export const photoBlurFaces = imageAdapter({
  name: 'photo_blur_faces',
  summary: 'Blurs the faces of bystanders and keeps those of the guests.',
  accepts: ['image'],
  makes: 'same',
  options,
  asks: (_options, before) =>
    before ? { bitmaps: [{ field: 'method', width: before.width, height: before.height, perPixel: 4 }] } : {},
  looksForPeople: () => true,
  async image(picture, step) {
    if (picture.frames > MOST_FRAMES)
      throw new Problem(
        'too_many_frames',
        `The animation has ${picture.frames} frames; faces are looked for in ${MOST_FRAMES} at most.`,
      )
    const found = await facesOfFrames(picture, step)
    step.saw(picture, found[0]!)
    const kept = found.map(faces => keptOf(faces, step))
    const total = Math.max(...found.map(({ length }) => length))
    const hidden = Math.max(...found.map((faces, frame) => faces.length - kept[frame]!.length))
    step.decide(
      total === 0
        ? 'No face was found, so nothing was blurred.'
        : `Found ${counted(total)}: ${total - hidden} kept clear, ${hidden} ${step.options.method === 'blur' ? 'blurred' : 'pixelated'}.`,
    )
    if (hidden === 0) return picture
    return picture.draw((pixels, frame) => {
      const clear = kept[frame]!
      const others = found[frame]!.filter(face => !clear.includes(face))
      return hideFaces(pixels, others, clear, step.options)
    })
  },
})

async function facesOfFrames(picture: Picture, step: Step<Options>): Promise<Face[][]> {
  if (!picture.animation) return [await findFaces(picture, 'thorough')]
  const found: Face[][] = []
  for (const pixels of await picture.pixels()) {
    found.push(await findFaces(Picture.of(pixels, picture.limits), 'thorough'))
    step.progress((0.8 * found.length) / picture.frames)
  }
  return found
}

/** The largest come first. */
function keptOf(faces: readonly Face[], { options: { keep }, context }: Step<Options>): Face[] {
  if (keep === 'largest') {
    const most = Math.max(0, ...faces.map(sideOf))
    return faces.filter(face => sideOf(face) >= most * AS_LARGE)
  }
  if (keep === 'none') return []
  return faces.slice(0, keep === 'guests' ? guestsOf(context) : keep)
}

/** The photo of a task without guests is of somebody all the same. */
const guestsOf = ({ guest_count }: Step['context']): number =>
  typeof guest_count === 'number' && guest_count > 0 ? guest_count : 1
