// Schemas of configurations, single and chained, in the API.

import Type, { type Static, type TUnsafe } from 'typebox'
import { purposes, withoutConsent } from '#kit/guest/consent.ts'
import { Purpose } from './guests/consent-shapes.ts'
import {
  ExperienceId,
  FreeObject,
  Input,
  Name,
  Nullable,
  OwnerId,
  ShownOwner,
  sharedFilter,
  Text,
  Time,
} from './shapes.ts'

type ChainEntry = [configurationName: string, inputIndex: number | null]

export const ConfigurationName = Name('The name of the configuration.', 'flip the photo')

const Entry: TUnsafe<ChainEntry> = Type.Unsafe({
  type: 'array',
  prefixItems: [{ type: 'string' }, { anyOf: [{ type: 'integer', minimum: 0 }, { type: 'null' }] }],
  minItems: 2,
  maxItems: 2,
  description:
    '`[configuration_name, input_index]`: null takes the uploaded file, a number the output of that earlier entry.',
  examples: [['flip the photo', null]],
  expects: 'a pair [configuration_name, input_index], the index null or that of an earlier entry',
})

const CallChain = Type.Array(Entry, {
  minItems: 1,
  description: 'The configurations of a chain, single or chained, of the same experience.',
  examples: [
    [
      ['flip the photo', null],
      ['to the bucket', 0],
    ],
  ],
})

const ActivityConfig = Input(
  {
    experience_id: Type.Optional(ExperienceId),
    activity_type: Text('The type of the activity.', 128),
    payload: Type.Object(
      { object_id: Text('What the activity is about.', 1000) },
      { additionalProperties: true, description: 'Merged into the payload of the activity.' },
    ),
  },
  {
    title: 'ActivityConfig',
    description:
      'When it is there, an activity is created after the task finishes. `experience_id` may be left out of a shared configuration alone: it is that of the task then.',
    examples: [
      { experience_id: 'expo-2026', activity_type: 'content-generation', payload: { object_id: 'photo-wall' } },
    ],
  },
)

const Auth = FreeObject(
  'Credentials; come back with every value as "********". Writing that back keeps the stored value.',
)
const Defaults = FreeObject('Default options; what they may be is the `defaults_schema` of the adapter.')

/** Accepts both shapes: plain, and nested one level deeper. */
const AdapterConfigInput = Input(
  {
    auth: Type.Optional(Auth),
    defaults: Type.Optional(Defaults),
    adapter_config: Type.Optional(
      Input(
        { auth: Type.Optional(Auth), defaults: Type.Optional(Defaults) },
        { description: 'The nested shape; stored and returned as the plain one.' },
      ),
    ),
  },
  {
    description: 'Credentials and default options of the adapter.',
    examples: [{ auth: {}, defaults: { method: 'ROTATE_180' } }],
  },
)

const WebhookUrl = Text('Receives the callback: HTTPS.', 2048)

const single = {
  configuration_name: 'flip the photo',
  experience_id: 'expo-2026',
  adapter_name: 'photo_flip',
  adapter_config: { auth: {}, defaults: { method: 'ROTATE_180' } },
}
const chained = {
  configuration_name: 'photo to wall',
  experience_id: 'expo-2026',
  call_chain: [
    ['flip the photo', null],
    ['to the bucket', 0],
  ],
  webhook_url: 'https://example.com/keepsake',
}

const Kind = Type.Enum(['transformer', 'destination', 'chain'])

const Overridable = Type.Array(Text('An option, or a layer with a name.', 128), {
  maxItems: 64,
  uniqueItems: true,
  description:
    'Of a shared configuration: the options that extras may change, and the asset parameters that they may fill. None unless listed.',
  examples: [['method']],
})

const NeedsConsent = Type.Array(Purpose, {
  maxItems: purposes.length,
  uniqueItems: true,
  description: 'What guests must have agreed to before it runs for them. Of a chain: each of its entries needs it.',
  examples: [['marketing']],
})

const WithoutConsent = Type.Enum([...withoutConsent], {
  description:
    '`skip` leaves it out and hands its file on; `wait` waits while nothing is said, and leaves it out at a no or after 24 hours.',
})

const input = {
  experience_id: OwnerId,
  adapter_name: Type.Optional(Text('The adapter of a single configuration.', 128)),
  adapter_config: Type.Optional(AdapterConfigInput),
  activity_config: Type.Optional(Nullable(ActivityConfig)),
  call_chain: Type.Optional(CallChain),
  webhook_url: Type.Optional(Nullable(WebhookUrl)),
  overridable: Type.Optional(Overridable),
  needs_consent: Type.Optional(
    Type.Union([Purpose, NeedsConsent, Type.Null()], {
      description: 'One word, or a list of those that are all needed. It is shown as a list.',
      examples: [['marketing']],
    }),
  ),
  without_consent: Type.Optional(Nullable(WithoutConsent)),
  // Accepted and ignored, so that a client can write back what it read.
  kind: Type.Optional(Type.Enum(['transformer', 'destination', 'chain'], { description: 'Not taken over.' })),
  created_at: Type.Optional(Time('Not taken over.')),
  updated_at: Type.Optional(Time('Not taken over.')),
}
const either = 'Has either `adapter_name` (a single configuration) or `call_chain` (a chain).'

export const ConfigurationInput = Input(
  { configuration_name: ConfigurationName, ...input },
  { title: 'ConfigurationInput', description: either, examples: [single, chained] },
)
export type ConfigurationInput = Static<typeof ConfigurationInput>

/** A whole configuration whose name is in the path. */
export const ConfigurationReplacement = Input(
  { configuration_name: Type.Optional(ConfigurationName), ...input },
  { title: 'ConfigurationReplacement', description: either, examples: [single] },
)

/** Types are checked after the patch is merged into the stored configuration. */
export const ConfigurationPatch = Input(
  Object.fromEntries(
    Object.keys(ConfigurationInput.properties).map(name => [
      name,
      Type.Optional(Type.Unknown({ description: `What \`${name}\` shall be, whole or in part; null removes it.` })),
    ]),
  ),
  {
    title: 'ConfigurationPatch',
    description: 'A JSON merge patch (RFC 7396): objects are merged, null removes, everything else replaces.',
    examples: [{ adapter_config: { defaults: { method: 'FLIP_LEFT_RIGHT' } }, webhook_url: null }],
  },
)

export const Configuration = Type.Object(
  {
    configuration_name: Type.String(),
    experience_id: ShownOwner,
    kind: Kind,
    adapter_name: Type.Optional(Type.String({ description: 'Of a single configuration.' })),
    adapter_config: Type.Optional(
      Type.Object(
        { auth: Auth, defaults: Defaults },
        {
          description:
            'Of a single configuration. A token that is limited to experiences does not see it of a shared one.',
        },
      ),
    ),
    activity_config: Type.Optional(ActivityConfig),
    call_chain: Type.Optional(CallChain),
    webhook_url: Type.Optional(Type.String()),
    overridable: Type.Optional(Overridable),
    needs_consent: Type.Optional(NeedsConsent),
    without_consent: Type.Optional(WithoutConsent),
    created_at: Time('When it was made.'),
    updated_at: Time('When it last changed.'),
  },
  { title: 'Configuration' },
)
export type Configuration = Static<typeof Configuration>

export const configurationFilters = {
  experience_id: Type.Optional(ExperienceId),
  shared: sharedFilter,
  adapter_name: Type.Optional(Text('Those with this adapter.', 128)),
  kind: Type.Optional(Type.Enum(['transformer', 'destination', 'chain'], { description: 'Those of this kind.' })),
}

export const dryRun = {
  dry_run: Type.Optional(
    Type.Enum(['true', 'false'], {
      description:
        '`true` checks everything and answers as if it were stored (200, or the problem), but stores nothing.',
    }),
  ),
}

/** One finding of the check before an event opens. */
export const CheckLine = Type.Object(
  {
    ok: Type.Boolean({ description: 'Whether this is as it should be.' }),
    what: Type.String({ description: 'What was looked at.' }),
    detail: Type.String({ description: 'What was found, as a sentence.' }),
    needs: Type.Optional(
      Type.Object(
        { configuration: Type.String(), option: Type.String() },
        { description: 'The option that must come with the extras of every task.' },
      ),
    ),
  },
  { title: 'CheckLine' },
)
export const CheckLines = Type.Object({ lines: Type.Array(CheckLine) }, { title: 'CheckLines' })
export type CheckLine = Static<typeof CheckLine>
