// Schemas of an event that is applied as a whole.
import Type, { type Static } from 'typebox'
import { named } from '#kit/schema.ts'
import { AssetName } from './asset-shapes.ts'
import { ConfigurationInput } from './configuration-shapes.ts'
import { ExperienceInput } from './experience-shapes.ts'
import { FreeObject, Input, Nullable, OwnerId } from './shapes.ts'

const EventAsset = Input({
  name: AssetName,
  experience_id: OwnerId,
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Hex digest of the file.', expects: '64 hex digits' }),
  part: Type.Optional(
    Type.String({
      pattern: '^file_[0-9]{1,4}$',
      description: 'The file part that holds it, `file_0` and so on. Left out: the service has it already.',
      expects: 'the name of a part, file_0 to file_9999',
    }),
  ),
})

/** The part `event`. */
export const EventInput = Input(
  {
    experiences: Type.Optional(Type.Array(ExperienceInput, { maxItems: 100 })),
    assets: Type.Optional(Type.Array(EventAsset, { maxItems: 2000 })),
    configurations: Type.Optional(Type.Array(ConfigurationInput, { maxItems: 2000 })),
    expect: Type.Optional(
      named(Nullable(Type.String({ maxLength: 200 })), {
        description:
          'By name of a configuration: the ETag of what the sender read, or null where there must be none yet. If another state is current, nothing is stored: 412 `changed_meanwhile`.',
      }),
    ),
  },
  { title: 'EventInput' },
)
export type EventInput = Static<typeof EventInput>

export const Applied = Type.Object(
  {
    changes: Type.Array(
      Type.Object({
        kind: Type.Enum(['experience', 'asset', 'configuration']),
        name: Type.String(),
        change: Type.Enum(['made', 'changed', 'unchanged', 'deleted']),
        before: Nullable(FreeObject('What it was, credentials masked.')),
        after: Nullable(FreeObject('What it is now, credentials masked.')),
      }),
    ),
  },
  { title: 'Applied' },
)
