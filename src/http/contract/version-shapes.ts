// Schemas of the versions of configurations and assets in the API.
import Type, { type Static, type TSchema } from 'typebox'
import { Asset } from './asset-shapes.ts'
import { Configuration } from './configuration-shapes.ts'
import { Nullable, Time, Uuid } from './shapes.ts'

const ChangedBy = Type.Object(
  {
    kind: Type.Enum(['token', 'session', 'command_line', 'guest'], {
      description: 'With a token, in the console, or on the machine itself.',
    }),
    token_id: Nullable(Uuid('The token that was used; null: the operator’s own, or the command line.')),
    name: Type.String({ description: 'The name of the token, or the command.', examples: ['booth 3'] }),
  },
  { title: 'ChangedBy' },
)

const version = (what: string) => ({
  version: Type.Integer({ description: 'Counts from 1.', examples: [3] }),
  is_current: Type.Boolean({ description: `Whether the ${what} is like this now.` }),
  change: Type.Enum(['made', 'changed', 'restored'], { description: 'How it came to be.' }),
  restored_from: Nullable(Type.Integer({ description: 'The version it was restored from.' })),
  changed_by: Nullable(ChangedBy),
  created_at: Time('When it came to be.'),
})

const without = <P extends Record<string, TSchema>, K extends keyof P>(
  properties: P,
  names: readonly K[],
): Omit<P, K> =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name as K))) as unknown as Omit<P, K>

export const ConfigurationVersion = Type.Object(
  {
    ...version('configuration'),
    configuration: Type.Object(without(Configuration.properties, ['created_at', 'updated_at']), {
      description: 'The whole configuration as it was, credentials masked.',
    }),
  },
  { title: 'ConfigurationVersion' },
)
export type ConfigurationVersion = Static<typeof ConfigurationVersion>

export const AssetVersion = Type.Object(
  {
    ...version('asset'),
    asset: Type.Object(without(Asset.properties, ['created_at', 'updated_at', 'used_by']), {
      description: 'What is known of the file.',
    }),
  },
  { title: 'AssetVersion' },
)
export type AssetVersion = Static<typeof AssetVersion>
