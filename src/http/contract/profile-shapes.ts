// Schemas of profiles in the API.
import Type, { type Static } from 'typebox'
import { ConsentGiven, ConsentInput } from './guests/consent-shapes.ts'
import { ExperienceId, FreeObject, Input, Nullable, Text, Time, Uuid } from './shapes.ts'

const Email = Type.String({
  description: 'Compared without regard to case.',
  pattern: '^[^\\s@]{1,128}@[^\\s@]{1,191}$',
  examples: ['guest@example.com'],
  expects: 'an email address like guest@example.com',
})
const Code = (description: string) => Text(description, 256)

const valueOrList = <T extends typeof Email>(value: T) =>
  Type.Optional(
    Type.Union([value, Type.Array(value, { maxItems: 100 }), Type.Null()], {
      description:
        'One value or a list. Each belongs to one profile of an experience only, and to one of those without an experience.',
    }),
  )

const fields = {
  email: valueOrList(Email),
  qr_code: valueOrList(Code('A QR code of the guest.')),
  rfid: valueOrList(Code('An RFID tag of the guest.')),
  experience_id: Type.Optional(Nullable(ExperienceId)),
  attributes: Type.Optional(FreeObject('Whatever else is known of the guest, free in form.')),
  consent: Type.Optional(Nullable(ConsentInput)),
}

export const ProfileInput = Input(fields, {
  title: 'ProfileInput',
  examples: [{ email: 'guest@example.com', rfid: ['04A2B3C4'], attributes: { first_name: 'Ada' } }],
})
export type ProfileInput = Static<typeof ProfileInput>

export const ProfilePatch = Input(fields, {
  title: 'ProfilePatch',
  description: 'A list replaces the list; `attributes` and `consent` are merged, null removes one.',
  examples: [{ qr_code: ['A-1042'], attributes: { first_name: null } }],
})

export const ProfileMerge = Input(
  {
    profile_id: Text('The id of the other profile, which is gone afterwards.', 64),
    dry_run: Type.Optional(
      Type.Boolean({ description: 'True: everything is checked, the answer is what would be, and nothing is stored.' }),
    ),
  },
  { title: 'ProfileMerge', examples: [{ profile_id: '0192f3a1-7c5e-7b11-8f2a-3d4e5f607182' }] },
)

export const Profile = Type.Object(
  {
    profile_id: Uuid('The id of the profile.'),
    email: Type.Array(Type.String()),
    qr_code: Type.Array(Type.String()),
    rfid: Type.Array(Type.String()),
    experience_id: Nullable(Type.String()),
    attributes: FreeObject('Whatever else is known of the guest.'),
    consent: ConsentGiven,
    created_at: Time('When it was made.'),
    updated_at: Time('When it last changed.'),
  },
  { title: 'Profile' },
)
export type Profile = Static<typeof Profile>

export const profileFilters = {
  email: Type.Optional(
    Text('Those with this address, compared without regard to case: one in each experience, and one of none.', 320),
  ),
  qr_code: Type.Optional(Text('Those with this QR code.', 256)),
  rfid: Type.Optional(Text('Those with this tag.', 256)),
  experience_id: Type.Optional(ExperienceId),
}
