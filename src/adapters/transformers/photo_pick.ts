// photo_pick: the best photo of a burst, by faces, open eyes, sharpness and exposure.
import Type from 'typebox'
import { imageAdapter } from '#engine/adapter.ts'
import { ofAsset } from '#media/file/of-asset.ts'
import { Picture } from '#media/picture/picture.ts'
import { counted } from '#vision/crop-to-faces.ts'
import { type Judged, judge, scores } from '#vision/rank.ts'
import { visionOff } from '#vision/runtime.ts'
import { closed } from '../shared/picture-options.ts'

const options = Type.Object(
  {
    photo_file_names: Type.Array(Type.String({ maxLength: 128 }), {
      default: [],
      maxItems: 64,
      description:
        'Assets with the further photos; the input is the first. They come with a task as `photo_file_names_data`.',
    }),
    prefer: Type.Enum(['balanced', 'faces', 'sharp'], {
      default: 'balanced',
      description: 'What counts most: a bit of everything, that all faces are seen, or that it is sharp.',
    }),
  },
  closed,
)

export const photoPick = imageAdapter({
  name: 'photo_pick',
  summary: 'Picks the best photo of several: faces, open eyes, sharpness, exposure.',
  accepts: ['image'],
  makes: 'same',
  options,
  assets: [{ name: 'photo_file_names', accepts: ['image'], list: true }],
  asks(_options, before, assets) {
    const sizes = assets('photo_file_names').flatMap(({ width, height }) =>
      width === null || height === null ? [] : [{ width, height, field: 'photo_file_names' }],
    )
    const [largest] = sizes.sort((a, b) => b.width * b.height - a.width * a.height)
    if (!before || !largest || largest.width * largest.height <= before.width * before.height) return {}
    return { stages: [largest] }
  },
  looksForPeople: () => true,
  async image(picture, step) {
    const files = step.assets('photo_file_names')
    if (files.length === 0) {
      step.warn('There is one photo alone, so there was nothing to pick from.')
      return picture
    }
    const off = visionOff()
    if (off !== null) step.warn(`${off}; sharpness and exposure decided.`)
    const judged: Judged[] = [await judge(picture, off === null)]
    for (const file of files) {
      judged.push(await ofAsset(file, async () => judge(await Picture.open(file, picture.limits), off === null)))
      step.progress((0.8 * judged.length) / (files.length + 1))
    }
    const marks = scores(judged, step.options.prefer)
    const best = marks.indexOf(Math.max(...marks))
    step.decide(`Picked photo ${best + 1} of ${judged.length}: ${reasons(judged, best)}.`)
    for (const [i, each] of judged.entries())
      if (i < MOST_TOLD) step.decide(`Photo ${i + 1}: ${told(each, marks[i]!)}.`)
    const file = files[best - 1]
    const chosen = file ? await ofAsset(file, () => Picture.open(file, picture.limits)) : picture
    if (judged[best]!.faces) step.saw(chosen, judged[best]!.faces)
    return chosen
  },
})

/** Below a fiftieth of an eye's width a difference is chance. */
const LIDS = 50
/** Sentences about single photos: what a person reads. */
const MOST_TOLD = 12

function told({ faces, eyes, sharpness, exposure }: Judged, mark: number): string {
  const seen = faces ? `${faces.length === 0 ? 'no face' : counted(faces.length)}, ` : ''
  const lids = eyes === null ? '' : `eyes ${Math.round(eyes * 100)}, `
  return `${seen}${lids}sharpness ${Math.round(sharpness)}, exposure ${Math.round(exposure * 100)} of 100, mark ${mark.toFixed(2)}`
}

/** In what it is first, as far as they differ. */
function reasons(all: readonly Judged[], best: number): string {
  const chosen = all[best]!
  const isFirst = (value: (each: Judged) => number): boolean =>
    all.some(each => value(each) < value(chosen)) && all.every(each => value(each) <= value(chosen))
  const found = [
    ...(isFirst(({ faces }) => faces?.length ?? 0) ? ['most faces are seen'] : []),
    ...(isFirst(({ eyes }) => Math.round((eyes ?? 0) * LIDS)) ? ['eyes are open widest'] : []),
    ...(isFirst(({ sharpness }) => sharpness) ? ['it is the sharpest'] : []),
    ...(isFirst(({ exposure }) => exposure) ? ['it is exposed best'] : []),
  ]
  return found.length > 0 ? found.join(', ') : 'it is the best on the whole'
}
