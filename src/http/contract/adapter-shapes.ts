// Schemas of adapters in the API.
import Type, { type Static, type TSchema } from 'typebox'
import { FreeObject } from './shapes.ts'

const Medium = Type.Enum(['image', 'video', 'audio', 'file'])

export const Adapter = Type.Object(
  {
    adapter_name: Type.String({ examples: ['photo_flip'] }),
    kind: Type.Enum(['transformer', 'destination']),
    summary: Type.String(),
    accepts: Type.Array(Medium, { description: 'What it takes.' }),
    makes: Type.Enum(['image', 'video', 'audio', 'file', 'same'], {
      description: 'What it makes; `same` is whatever came in.',
    }),
    defaults_schema: FreeObject('JSON Schema of `adapter_config.defaults`.'),
    auth_schema: FreeObject('JSON Schema of `adapter_config.auth`.'),
    one_of: Type.Array(Type.String(), {
      description: 'Options of which at least one must be set, here or by the extras of a task; none: empty.',
      examples: [['width', 'height']],
    }),
    fixed_options: Type.Array(Type.String(), {
      description: 'Options that extras can’t give, since they say where a secret is sent.',
      examples: [['url']],
    }),
    asset_parameters: Type.Array(
      Type.Object({
        name: Type.String({ examples: ['overlay_file_name'] }),
        accepts: Type.Array(Medium),
        list: Type.Boolean({ description: 'Whether the option holds a list of names.' }),
      }),
      { description: 'Options that hold the name of an asset; inside a task group `NAME_override` replaces it.' },
    ),
  },
  { title: 'Adapter' },
)
/** All of them at once; the form of a list. */
const onePage = <Item extends TSchema>(item: Item, title: string) =>
  Type.Object(
    {
      items: Type.Array(item, { description: 'By name.' }),
      next_cursor: Type.Null({ description: 'There is one page.' }),
    },
    { title },
  )

export const AdapterList = onePage(Adapter, 'AdapterList')
export type Adapter = Static<typeof Adapter>

const Font = Type.Object(
  {
    family: Type.String({
      description:
        'What `font` takes, alone or with a weight and a style behind it: `Inter`, `Inter Bold`, `Inter SemiBold Italic`.',
      examples: ['Inter'],
    }),
    shipped: Type.Boolean({ description: 'Whether it comes with the service, and so is on every machine of it.' }),
  },
  { title: 'Font' },
)
export const FontList = onePage(Font, 'FontList')
export type Font = Static<typeof Font>
