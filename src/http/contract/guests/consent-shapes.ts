// Schemas of what guests agree to.
import Type from 'typebox'
import { purposes } from '#kit/guest/consent.ts'
import { Input } from '../shapes.ts'

const meanings = {
  share: 'Whether it may be passed on: posted, or shown to others than the guest.',
  wall: 'Whether it may be shown on the wall of the event.',
  marketing: 'Whether the guest may be written to, and the picture used to advertise.',
}

export const Purpose = Type.Enum([...purposes], { description: 'What a guest can agree to.' })

const word = (description: string) =>
  Type.Optional(Type.Union([Type.Boolean(), Type.Null()], { description: `${description} Null takes the word back.` }))

export const ConsentInput = Input(
  { share: word(meanings.share), wall: word(meanings.wall), marketing: word(meanings.marketing) },
  { title: 'ConsentInput', examples: [{ share: true, wall: false }] },
)

export const ConsentGiven = Type.Union(
  [
    Type.Object({
      share: Type.Optional(Type.Boolean({ description: meanings.share })),
      wall: Type.Optional(Type.Boolean({ description: meanings.wall })),
      marketing: Type.Optional(Type.Boolean({ description: meanings.marketing })),
    }),
    Type.Null(),
  ],
  { description: 'What the guest agreed to (true) or refused (false). Null: nothing was said.' },
)

/** Of a task or task group. */
export const ConsentPart = Type.Optional(
  Type.String({
    description: 'What the guest agreed to or refused, as a JSON object of `share`, `wall` and `marketing`.',
    examples: ['{"share": true, "wall": false}'],
  }),
)
