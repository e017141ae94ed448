// Pieces of option schemas that the picture adapters share: lengths, colours, positions, formats.
import Type, { type TSchemaOptions } from 'typebox'
import { blends } from '#media/pixels/blend.ts'
import { colourPattern } from '#media/pixels/colour.ts'
import { lengthPattern, positions } from '#media/pixels/fit.ts'
import { type Gravity, gravities } from '#vision/crop-to-faces.ts'

const pixels = Type.Number({ minimum: -100_000, maximum: 100_000 })
const percent = (pattern: string, expects = 'a share like "50%"') => Type.String({ pattern, expects })

/** Pixels, or a share of the whole as "50%". */
export const length = (description: string, options: TSchemaOptions = {}) =>
  Type.Union([pixels, percent(lengthPattern)], { description, ...options })

export const optionalLength = (description: string) =>
  Type.Union([pixels, percent(lengthPattern), Type.Null()], { description, default: null })

const somePixels = Type.Number({
  exclusiveMinimum: 0,
  maximum: 100_000,
  expects: 'a number above 0 and up to 100000',
})
const someShare = percent('^(?!0+(\\.0+)?%)[0-9]+(\\.[0-9]+)?%$', 'a share above "0%"')

/** A length that something has: never nothing, never negative. */
export const extent = (description: string, options: TSchemaOptions = {}) =>
  Type.Union([somePixels, someShare], { description, ...options })

export const optionalExtent = (description: string) =>
  Type.Union([somePixels, someShare, Type.Null()], { description, default: null })

/** A length that may be nothing, but not negative. */
export const amount = (description: string, options: TSchemaOptions = {}) =>
  Type.Union([Type.Number({ minimum: 0, maximum: 100_000 }), percent('^[0-9]+(\\.[0-9]+)?%$')], {
    description,
    ...options,
  })

/** A side of a picture in pixels. */
export const side = (description: string) =>
  Type.Union([Type.Integer({ minimum: 1, maximum: 20_000 }), Type.Null()], { description, default: null })

export const colour = (description: string, fallback?: string) =>
  Type.String({
    pattern: colourPattern,
    expects: 'a colour like #rgb, #rrggbb or #rrggbbaa',
    description,
    ...(fallback === undefined ? {} : { default: fallback }),
  })

export const position = (description: string, fallback: (typeof positions)[number] = 'center') =>
  Type.Enum([...positions], { description, default: fallback })

/** What of a picture is kept where it is cut. */
export const gravity = (sentence: string, fallback: Gravity) =>
  Type.Enum([...gravities], {
    default: fallback,
    description: `${sentence}; \`attention\` looks for skin and strong colours, \`entropy\` for detail, \`faces\` keeps as many faces whole as fit.`,
  })

export const opacity = Type.Number({
  minimum: 0,
  maximum: 1,
  default: 1,
  description: 'How strongly it is drawn: 1 is opaque, 0 invisible.',
})

export const blend = Type.Enum([...blends], {
  default: 'over',
  description: 'How its colours mix with what lies below; `over` simply covers it.',
})

export const asset = (description: string) => Type.String({ description, maxLength: 128, default: '' })

export const quality = Type.Integer({
  minimum: 1,
  maximum: 100,
  default: 90,
  description: 'Quality of a lossy format, 1 to 100.',
})

/** Options are checked as a whole: a name that is not known is an error, not a silent nothing. */
export const closed = { additionalProperties: false } as const
