// Options that cutting people out of a photo and out of a video share, and what is done in doubt.
import Type, { type Static } from 'typebox'
import type { Step } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import type { CutLook } from '#vision/compose-cutout.ts'
import { colour } from './picture-options.ts'

const share = (fallback: number, description: string) =>
  Type.Number({ minimum: 0, maximum: 1, default: fallback, description })

/** `what` is cut out of: `picture` or `video`. */
export const cutoutOptions = (what: string, lightWrap: number) => ({
  fit: Type.Enum(['cover', 'contain', 'stretch'], {
    default: 'cover',
    description: 'How the asset is brought to its size.',
  }),
  color: colour('Colour behind the people, and the one that a gradient begins with.', '#ffffff'),
  color_to: colour('Colour that a gradient ends with.', '#808080'),
  angle: Type.Number({
    minimum: -360,
    maximum: 360,
    default: 180,
    description: 'Where a gradient leads: 180 is down, 90 to the right.',
  }),
  blur: Type.Number({
    minimum: 0.1,
    maximum: 20,
    default: 2,
    description: 'How far the old background is blurred, in hundredths of the longer side.',
  }),
  softness: share(0.5, 'How soft the edge is: 0 cuts hard, 1 fades over all that is unsure.'),
  light_wrap: share(lightWrap, 'How much light of the new background falls on edges.'),
  shadow: share(0, 'How dark a shadow the people throw; 0 is none.'),
  shadow_x: Type.Number({
    minimum: -20,
    maximum: 20,
    default: 1,
    description: 'How far to the right the shadow falls, in hundredths of the longer side.',
  }),
  shadow_y: Type.Number({
    minimum: -20,
    maximum: 20,
    default: 2,
    description: 'How far down the shadow falls, in hundredths of the longer side.',
  }),
  on_doubt: Type.Enum(['keep', 'fail', 'go_on'], {
    default: 'keep',
    description: `Where no face is found, or one is not covered after a second look: \`keep\` leaves the ${what} as it is, \`fail\` fails the entry, \`go_on\` cuts out what there is.`,
  }),
})

const shape = Type.Object(cutoutOptions('', 0))

type CutoutOptions = Static<typeof shape>

/** What is done where a cut-out is in doubt; throws where that is to fail. */
export function goesOn(doubt: string, what: string, step: Step<Pick<CutoutOptions, 'on_doubt'>>): boolean {
  const sentence = `${doubt[0]!.toUpperCase()}${doubt.slice(1)}`
  switch (step.options.on_doubt) {
    case 'fail':
      throw new Problem('people_unclear', `${sentence}, so nothing was cut out.`)
    case 'keep':
      step.decide(`${sentence}, so the ${what} keeps its background.`)
      return false
    case 'go_on':
      step.warn(`${sentence}; what there is was cut out.`)
      return true
  }
}

export const lookOf = ({ softness, light_wrap, shadow, shadow_x, shadow_y }: CutoutOptions): CutLook => ({
  softness,
  wrap: light_wrap,
  shadow,
  shadowX: shadow_x / 100,
  shadowY: shadow_y / 100,
})
