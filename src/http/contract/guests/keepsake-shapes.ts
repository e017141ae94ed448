// Schemas of keepsakes in the API.
import Type from 'typebox'
import { ExperienceId, Input, Nullable, Time, Uuid } from '../shapes.ts'
import { ConsentGiven, ConsentInput } from './consent-shapes.ts'
import { OnWall, WallState } from './wall-shapes.ts'

const value = Type.Union([Type.String({ maxLength: 256 }), Type.Number()])
const values = (description: string) =>
  Type.Optional(Type.Union([value, Type.Array(value, { maxItems: 100 }), Type.Null()], { description }))

const Lookups = Input(
  {
    email: values('E-mail addresses, compared without regard to case.'),
    qr_code: values('QR codes.'),
    rfid: values('RFID tags.'),
    profile_id: values('Ids of profiles.'),
  },
  {
    title: 'KeepsakeLookups',
    description: 'What the guest is known by, as in the extras of a task: each a value or a list.',
    examples: [{ rfid: '04A2B3C4' }],
  },
)

export const KeepsakeInput = Input(
  { experience_id: ExperienceId, lookups: Type.Optional(Nullable(Lookups)) },
  { title: 'KeepsakeInput', examples: [{ experience_id: 'expo-2026' }] },
)

export const KeepsakePatch = Input(
  {
    lookups: Type.Optional(Nullable(Lookups)),
    consent: Type.Optional(Nullable(ConsentInput)),
  },
  {
    title: 'KeepsakePatch',
    description: '`lookups` replace those that are stored; `consent` is merged, null removes.',
    examples: [{ lookups: { email: 'guest@example.com' }, consent: { wall: true } }],
  },
)

const url = Type.String({
  description: 'The page of the guest.',
  examples: ['https://photos.example.com/k/3q2-7wAAAAAAAAAAAAAAAA'],
})

/** As it is handed out: whoever has the code sees the page. */
export const ReservedKeepsake = Type.Object(
  {
    keepsake_id: Uuid('The id of the keepsake.'),
    code: Type.String({ description: 'Opens the page; a task takes it as the part `keepsake`. Keep it as a secret.' }),
    url,
    qr_url: Type.String({ description: 'The QR code of the page, as SVG. With `.png` in place of `.svg` as PNG.' }),
  },
  { title: 'ReservedKeepsake' },
)

export const Keepsake = Type.Object(
  {
    keepsake_id: Uuid('The id of the keepsake.'),
    experience_id: Type.String(),
    url: Nullable(
      Type.String({
        ...url,
        description:
          'The page of the guest. Null: it has none, or the token lacks the scope `tasks`; whoever has the link can do all that the guest can.',
      }),
    ),
    lookups: Type.Object(
      {
        email: Type.Optional(Type.Array(Type.String())),
        qr_code: Type.Optional(Type.Array(Type.String())),
        rfid: Type.Optional(Type.Array(Type.String())),
        profile_id: Type.Optional(Type.Array(Type.String())),
      },
      { description: 'What the guest is known by, besides what tasks name in their extras.' },
    ),
    consent: ConsentGiven,
    expires_at: Time('When the page is gone, unless a further task takes the keepsake.'),
    files: Type.Array(
      Type.Object({
        number: Type.Integer({ description: 'Its place in the address `/k/CODE/file/NUMBER`.' }),
        state: Type.Enum(['being made', 'ready', 'failed']),
        mime: Nullable(Type.String()),
        wall: WallState,
      }),
      { description: 'The newest first.' },
    ),
    wall: OnWall,
    created_at: Time('When it was reserved.'),
  },
  { title: 'Keepsake' },
)

/** Of a task: the code of a keepsake that was reserved before. */
export const KeepsakePart = Type.Optional(
  Type.String({ description: 'The code of a keepsake that the guest has already: the file appears on its page.' }),
)

/** In the answer to a new task. */
export const GuestUrl = Type.Optional(
  Type.String({ description: 'The page of the guest, where the experience has such pages. Only in this answer.' }),
)

/** Of a task. */
export const KeepsakeId = Nullable(Uuid('The keepsake that the file appears in; null: the guest has no page.'))
