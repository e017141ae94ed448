// Schemas of walls: their keys, and what waits for them.
import Type, { type Static } from 'typebox'
import { wallStates } from '#kit/guest/wall-state.ts'
import { ExperienceId, Input, Nullable, Text, Time, Uuid } from '../shapes.ts'

export const WallState = Type.Enum([...wallStates], {
  description:
    '`waiting`: nobody approved it yet. `approved`: it may be on the wall. `hidden`: it is not on the wall, whatever the settings are.',
})

export const OnWall = Type.Object(
  {
    state: WallState,
    refused: Type.Boolean({
      description: 'Whether a guest refused the wall: then it is not on it, whoever approves it.',
    }),
  },
  { title: 'OnWall', description: 'Whether it may be on the wall of its experience.' },
)

export const KeepsakeWall = Type.Object(
  { keepsake_id: Uuid('The id of the keepsake.'), wall: OnWall },
  { title: 'KeepsakeWall' },
)

export const ApprovalInput = Input(
  {
    numbers: Type.Optional(
      Type.Array(Type.Integer({ minimum: 0, maximum: 1_000_000_000 }), {
        minItems: 1,
        maxItems: 500,
        description: 'The numbers of the files that are meant; left out: all that are ready.',
      }),
    ),
  },
  { title: 'ApprovalInput', examples: [{ numbers: [0] }] },
)

export const WallKeyInput = Input(
  { name: Type.Optional(Nullable(Text('For people: which wall it is for.', 100))) },
  { title: 'WallKeyInput', examples: [{ name: 'Main hall' }] },
)

const key = {
  key_id: Uuid('The id of the key.'),
  experience_id: Type.String({ examples: ['expo-2026'] }),
  name: Nullable(Type.String()),
  created_at: Time('When it was made.'),
}

export const WallKey = Type.Object(key, { title: 'WallKey' })

export type WallKey = Static<typeof WallKey>

export const NewWallKey = Type.Object(
  {
    ...key,
    key: Type.String({ description: 'Opens the wall. Only in this answer: it is stored as a digest.' }),
    url: Type.String({
      description: 'The wall, with the key.',
      examples: ['https://photos.example.com/wall/expo-2026?key=3q2-7wAAAAAAAAAAAAAAAA'],
    }),
  },
  { title: 'NewWallKey' },
)

export type NewWallKey = Static<typeof NewWallKey>

export const keepsakeFilters = {
  experience_id: Type.Optional(ExperienceId),
  wall: Type.Optional(WallState),
  profile_id: Type.Optional(
    Uuid('Those of this guest: a task found the guest for them, or their `lookups` name a value of the guest.'),
  ),
}

export const ListedKeepsake = Type.Object(
  {
    keepsake_id: Uuid('The id of the keepsake.'),
    experience_id: Type.String(),
    wall: OnWall,
    has_guest: Type.Boolean({
      description: 'Whether somebody is named in its `lookups`, or a task found a guest for it.',
    }),
    files: Type.Array(
      Type.Object({
        number: Type.Integer({ description: 'Its place in `/api/keepsake/ID/file/NUMBER/`.' }),
        state: Type.Enum(['being made', 'ready', 'failed']),
        mime: Nullable(Type.String()),
        width: Nullable(Type.Integer()),
        height: Nullable(Type.Integer()),
        wall: WallState,
      }),
      { description: 'The newest ten, the newest first.' },
    ),
    created_at: Time('When it was reserved.'),
  },
  { title: 'ListedKeepsake' },
)
export type ListedKeepsake = Static<typeof ListedKeepsake>
