// Schemas of assets in the API.
import Type, { type Static } from 'typebox'
import { ExperienceId, Name, Nullable, Time } from './shapes.ts'

export const AssetName = Name('The name of the asset.', 'frame.png')

export const Asset = Type.Object(
  {
    name: Type.String({ examples: ['frame.png'] }),
    experience_id: Type.String(),
    mime: Type.String({ examples: ['image/png'] }),
    bytes: Type.Integer(),
    sha256: Type.String({ description: 'Hex digest of the bytes.' }),
    width: Nullable(Type.Integer()),
    height: Nullable(Type.Integer()),
    duration: Nullable(Type.Number({ description: 'Seconds.' })),
    used_by: Type.Array(Type.String(), { description: 'The configurations that name it.' }),
    created_at: Time('When it was made.'),
    updated_at: Time('When its file was last replaced.'),
  },
  { title: 'Asset' },
)
export type Asset = Static<typeof Asset>

export const assetFilters = { experience_id: Type.Optional(ExperienceId) }
