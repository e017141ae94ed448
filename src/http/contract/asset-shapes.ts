// Schemas of assets in the API.
import Type, { type Static } from 'typebox'
import { ExperienceId, Name, Nullable, ShownOwner, sharedFilter, Time } from './shapes.ts'

export const AssetName = Name('The name of the asset.', 'frame.png')

const hidden = 'A token that is limited to experiences does not see it of a shared one.'

export const Asset = Type.Object(
  {
    name: Type.String({ examples: ['frame.png'] }),
    experience_id: ShownOwner,
    mime: Type.String({ examples: ['image/png'] }),
    bytes: Type.Optional(Type.Integer({ description: hidden })),
    sha256: Type.Optional(Type.String({ description: `Hex digest of the bytes. ${hidden}` })),
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

export const assetFilters = { experience_id: Type.Optional(ExperienceId), shared: sharedFilter }
