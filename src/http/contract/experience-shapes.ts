// Schemas of experiences in the API.
import Type, { type Static } from 'typebox'
import { languages, wallConsents } from '#kit/guest/guest-page.ts'
import { named } from '#kit/schema.ts'
import { Input, Name, Nullable, Text, Time } from './shapes.ts'

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

const webhookHeaders = {
  origin: Type.String({
    maxLength: 300,
    description: 'Scheme, host and port of the webhook. They are sent to exactly this origin.',
    examples: ['https://hooks.example.com'],
  }),
  headers: named(Type.String(), {
    description: 'By name, 1 to 20. In answers every value is `********`.',
    examples: [{ authorization: 'Bearer 5f2c' }],
  }),
}

const zone = 'Where it takes place: a time zone of the IANA database, like Europe/Berlin.'
const TimeZone = Text(zone, 64)
const StartsAt = Time('When it begins.')
const EndsAt = Time('When it ends, after it begins.')
const Archived = Type.Boolean({ description: 'Put away: over, and left out where only current ones are asked for.' })

const WEB_ADDRESS = '^https?://[!-~]{1,490}$'
const COLOR = '^#[0-9a-fA-F]{6}$'
const guestPage = {
  enabled: Type.Boolean({ description: 'Whether guests have pages. Every task then gets a link.' }),
  title: Nullable(Text('Stands above the picture; null: the name of the experience.', 200)),
  text: Nullable(Text('Stands below the title.', 2000)),
  logo_file_name: Nullable(Name('An asset that is a picture.', 'logo.png')),
  color: Nullable(
    Type.String({
      pattern: COLOR,
      expects: 'a colour like #d8412f',
      description: 'Of buttons and links.',
      examples: ['#d8412f'],
    }),
  ),
  language: Type.Enum([...languages], { description: 'Of the words on the page.' }),
  expires_days: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 36_500,
      description: 'Days after which a page is gone; null: as long as the files of the experience are kept.',
    }),
  ),
  download: Type.Boolean({ description: 'Whether guests can save the file.' }),
  share: Type.Boolean({ description: 'Whether the page offers to share it.' }),
  erase: Type.Boolean({ description: 'Whether guests can take a keepsake back.' }),
  approval: Type.Enum(['required', 'none'], { description: 'Whether somebody must approve what the wall shows.' }),
  wall_url: Nullable(
    Type.String({
      maxLength: 500,
      pattern: WEB_ADDRESS,
      expects: 'an address like https://example.com/photos, of at most 500 characters',
      description: 'Where the QR code in the corner of the wall leads to; null: there is none.',
      examples: ['https://example.com/photos'],
    }),
  ),
  wall_text: Nullable(Text('Stands beside the QR code of the wall.', 200)),
  wall_consent: Type.Enum([...wallConsents], {
    description:
      '`required`: only what guests agreed to is on the wall. `not_refused`: also that of which nobody said anything. A no always keeps it off.',
  }),
}
const GuestPagePatch = Nullable(
  Input(Type.Partial(Type.Object(guestPage)).properties, {
    title: 'GuestPagePatch',
    description: 'The pages of guests. What is left out is as before; null: as if none had been set.',
  }),
)

const settings = {
  name: Type.Optional(Nullable(Text('A name for people.', 200))),
  max_running: Type.Optional(MaxRunning),
  retention_days: Type.Optional(RetentionDays),
  time_zone: Type.Optional(Nullable(TimeZone)),
  starts_at: Type.Optional(Nullable(StartsAt)),
  ends_at: Type.Optional(Nullable(EndsAt)),
  archived: Type.Optional(Archived),
  guest_page: Type.Optional(GuestPagePatch),
}

export const ExperiencePatch = Input(
  {
    ...settings,
    webhook_headers: Type.Optional(
      Nullable(
        Type.Array(Input(webhookHeaders), {
          maxItems: 20,
          description:
            'Headers of your own for callbacks, by origin; for `admin` tokens only. The list replaces the list. `********` keeps the stored value of the same origin and name; for another origin the values must be given again.',
        }),
      ),
    ),
  },
  { title: 'ExperiencePatch', examples: [{ name: 'Expo 2026', max_running: 20 }] },
)
export type ExperiencePatch = Static<typeof ExperiencePatch>

export const ExperienceInput = Input(
  { experience_id: Name('The id of the experience.', 'expo-2026'), ...settings },
  {
    title: 'ExperienceInput',
    examples: [
      {
        experience_id: 'expo-2026',
        name: 'Expo 2026',
        time_zone: 'Europe/Berlin',
        starts_at: '2026-11-15T08:00:00Z',
        ends_at: '2026-11-17T17:00:00Z',
      },
    ],
  },
)

export const experienceFilters = {
  archived: Type.Optional(
    Type.Enum(['true', 'false'], { description: '`true`: those that are archived; `false`: the others.' }),
  ),
}

export const Experience = Type.Object(
  {
    experience_id: Type.String({ examples: ['expo-2026'] }),
    name: Nullable(Type.String()),
    max_running: MaxRunning,
    retention_days: RetentionDays,
    time_zone: Nullable(Type.String({ description: zone })),
    starts_at: Nullable(StartsAt),
    ends_at: Nullable(EndsAt),
    archived: Archived,
    guest_page: Type.Object(guestPage, { title: 'GuestPage', description: 'The pages of guests.' }),
    webhook_secret: Type.Optional(
      Type.String({ description: 'Signs the callbacks; shown to `admin` tokens only.', examples: ['whsec_…'] }),
    ),
    webhook_headers: Type.Optional(
      Type.Array(Type.Object(webhookHeaders), {
        description: 'Headers that callbacks carry, by origin, every value masked; shown to `admin` tokens only.',
      }),
    ),
    created_at: Time('When it was made, or its id first used.'),
    updated_at: Time('When its settings last changed.'),
  },
  { title: 'Experience' },
)
export type Experience = Static<typeof Experience>
