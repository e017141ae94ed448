// Schemas of experiences in the API.
import Type, { type Static } from 'typebox'
import { Input, Nullable, Text, Time } from './shapes.ts'

const MaxRunning = Nullable(
  Type.Integer({
    minimum: 1,
    maximum: 10_000,
    description: 'Tasks of the experience that run at once; null: no limit.',
  }),
)
const RetentionDays = Nullable(
  Type.Integer({
    minimum: 0,
    maximum: 36_500,
    description: 'Days the files of finished tasks are kept; null: as KEEPSAKE_KEEP_FILES_DAYS says.',
  }),
)

export const ExperiencePatch = Input(
  {
    name: Type.Optional(Nullable(Text('A name for people.', 200))),
    max_running: Type.Optional(MaxRunning),
    retention_days: Type.Optional(RetentionDays),
  },
  { title: 'ExperiencePatch', examples: [{ name: 'Expo 2026', max_running: 20 }] },
)
export type ExperiencePatch = Static<typeof ExperiencePatch>

export const Experience = Type.Object(
  {
    experience_id: Type.String({ examples: ['expo-2026'] }),
    name: Nullable(Type.String()),
    max_running: MaxRunning,
    retention_days: RetentionDays,
    webhook_secret: Type.Optional(
      Type.String({ description: 'Signs the callbacks; shown to `admin` tokens only.', examples: ['whsec_…'] }),
    ),
    created_at: Time('When its id was first used.'),
    updated_at: Time('When its settings last changed.'),
  },
  { title: 'Experience' },
)
export type Experience = Static<typeof Experience>
