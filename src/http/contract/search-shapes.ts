// Schemas of the search in the API.
import Type, { type TSchema } from 'typebox'
import { Asset } from './asset-shapes.ts'
import { Configuration } from './configuration-shapes.ts'
import { Profile } from './profile-shapes.ts'
import { Input } from './shapes.ts'
import { Task, TaskGroup } from './task-shapes.ts'

export const SearchQuery = Input({
  q: Type.String({
    minLength: 2,
    maxLength: 200,
    description: 'Two characters or more, in upper or lower case; none of them has a meaning of its own.',
    examples: ['ada'],
  }),
})

const Found = <T extends TSchema>(item: T, description: string) =>
  Type.Object(
    {
      items: Type.Array(item, { maxItems: 20 }),
      more: Type.Boolean({ description: 'There are more, or may be: give more characters.' }),
    },
    { description },
  )

export const SearchResult = Type.Object(
  {
    profiles: Found(Profile, 'Guests, by any part of a look-up value or of a text in `attributes`. Newest first.'),
    tasks: Found(Task, 'By the start of their id or of `input.file_name`.'),
    taskgroups: Found(
      TaskGroup,
      'By the start of their id or of a file’s name, and by any part of the name of a configuration in them.',
    ),
    configurations: Found(Configuration, 'By any part of the name. Newest first.'),
    assets: Found(Asset, 'By any part of the name. Newest first.'),
  },
  { title: 'SearchResult', description: 'At most 20 of each.' },
)
