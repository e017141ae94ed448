// Schemas of keepsakes in the API.
import Type from 'typebox'
import { ExperienceId, Input, Nullable, Time, Uuid } from '../shapes.ts'

export const KeepsakeInput = Input(
  { experience_id: ExperienceId },
  { title: 'KeepsakeInput', examples: [{ experience_id: 'expo-2026' }] },
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
    url: Nullable(url),
    expires_at: Time('When the page is gone, unless a further task takes the keepsake.'),
    files: Type.Array(
      Type.Object({
        number: Type.Integer({ description: 'Its place in the address `/k/CODE/file/NUMBER`.' }),
        state: Type.Enum(['being made', 'ready', 'failed']),
        mime: Nullable(Type.String()),
      }),
      { description: 'The newest first.' },
    ),
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
