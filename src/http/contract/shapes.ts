// Schemas that every resource of the API shares: ids, names, times, lists, problems.
import Type, { type Static, type TSchema } from 'typebox'
import { badField, catalogue } from '#kit/errors.ts'

export const Nullable = <T extends TSchema>(schema: T) => {
  const { description } = schema as { description?: string }
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description })
}

/** An object that refuses unknown properties: for every request. */
export const Input = <P extends Record<string, TSchema>>(properties: P, options: Record<string, unknown> = {}) =>
  Type.Object(properties, { ...options, additionalProperties: false })

export const exampleId = '019a8424-5d3e-7c31-9d0b-5a2f3e0c7b11'

export const Uuid = (description: string) => Type.String({ format: 'uuid', description, examples: [exampleId] })

export const Time = (description: string) =>
  Type.String({
    format: 'date-time',
    description,
    examples: ['2026-11-15T03:10:00.000Z'],
    expects: 'a time like 2026-11-15T03:10:00Z',
  })

/** Spaces, joiners, marks of direction, fillers, selectors and tags: a name of these alone shows nothing. */
const UNSEEN =
  '[\\s\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\uffa0\\u{e0000}-\\u{e0fff}]'

/** The pattern counts UTF-16 units, which also bounds the bytes in an index. */
const NAME = `^(?!\\.{1,2}$)(?!${UNSEEN}{1,128}$)(?!\\s)[^/\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069\\ufeff]{1,128}(?<!\\s)$`

/** What of it every language's patterns can say: no looking around, no `\\u`. */
const PORTABLE_NAME = '^[^/\\x00-\\x1f\\x7f-\\x9f]{1,128}$'

/** `portable` is the pattern of the reference; null: none, its other rules say as much. */
export const Name = (description: string, example: string) =>
  Type.String({
    description,
    minLength: 1,
    pattern: NAME,
    portable: PORTABLE_NAME,
    examples: [example],
    expects: 'a name of 1 to 128 printable characters without "/" (and not "." or ".."), no space at its ends',
  })

export const ExperienceId = Name(
  'The experience it belongs to; made by itself at the first use of the id.',
  'expo-2026',
)

/** Of assets and single configurations. */
export const OwnerId = Type.Union([ExperienceId, Type.Null()], {
  description:
    'The experience it belongs to; made by itself at the first use of the id. Null shares it with every experience, which needs a token that is not limited to experiences.',
  examples: ['expo-2026'],
  expects: 'the id of an experience, or null',
})

/** As it is shown. */
export const ShownOwner = Nullable(
  Type.String({ description: 'The experience it belongs to. Null: it is shared by all experiences.' }),
)

/** The part of a task, a preview or a check that says for which experience a shared configuration runs. */
export const ForExperience = Type.Optional(
  Type.String({
    description: 'For which experience it runs. Needed where all of its configurations are shared.',
    examples: ['expo-2026'],
  }),
)

export const sharedFilter = Type.Optional(
  Type.Enum(['true'], { description: 'Only those that are shared by all experiences.' }),
)

export const Text = (description: string, maxLength: number, minLength = 1) =>
  Type.String({
    description,
    minLength,
    maxLength,
    pattern: `^[\\s\\S]{${minLength},${maxLength}}$`,
    portable: null,
    expects: `text of ${minLength} to ${maxLength} characters`,
  })

export const FreeObject = (description: string) =>
  Type.Record(Type.String(), Type.Unknown(), { description, additionalProperties: true })

const page = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50, description: 'How many items at most.' })),
  cursor: Type.Optional(
    Type.String({ description: '`next_cursor` of the answer before, unchanged.', minLength: 1, maxLength: 2000 }),
  ),
}

/** The query of a list: its filters, `limit` and `cursor`. */
export const ListQuery = <P extends Record<string, TSchema>>(filters: P) => Input({ ...filters, ...page })

/** Such a query as a request to the database: `shared` asks for what belongs to no experience. */
export function listRequest<Q extends { limit?: number; cursor?: string; shared?: 'true'; experience_id?: string }>({
  limit,
  cursor,
  shared,
  ...filters
}: Q) {
  if (shared && filters.experience_id !== undefined)
    throw badField('shared', 'can’t stand beside experience_id: what is shared belongs to no experience')
  return { filters: shared ? { ...filters, experience_id: null } : filters, page: { limit, cursor } }
}

/** Of requests that work on many things at once. */
export const ManyIds = (description: string) =>
  Type.Optional(Type.Array(Uuid(description), { minItems: 1, maxItems: 10_000, description }))
export const dryRun = Type.Optional(Type.Boolean({ description: 'Only counts what would be worked on.' }))
const count = Type.Integer({ minimum: 0, description: 'How many the filter found.' })
export const manyAnswers = {
  200: Type.Object({ count }, { title: 'WouldBeMany', description: 'Of a `dry_run`: nothing was changed.' }),
  202: Type.Object({ count }, { title: 'Many', description: 'They are worked on.' }),
}

export const ListOf = <T extends TSchema>(item: T) =>
  Type.Object(
    {
      items: Type.Array(item, { description: 'Newest first.' }),
      next_cursor: Nullable(Type.String({ description: 'Where the next page begins; null at the end.' })),
    },
    { title: `${(item as { title?: string }).title}List` },
  )

export const Problem = Type.Object(
  {
    type: Type.String({ description: 'Leads to the description of the code.', examples: ['/docs#bad_request'] }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'What was wrong and what is accepted.' }),
    code: Type.Enum(Object.keys(catalogue), { title: 'ErrorCode', description: 'Stable; see the list of errors.' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          field: Type.String({ examples: ['extras.method'] }),
          message: Type.String({ description: 'For people; may change.' }),
          kind: Type.Optional(
            Type.Enum(['required', 'unknown', 'wrong', 'missing'], {
              description:
                '`required`: it must be given; `unknown`: there is no such field; `wrong`: its value does not fit; `missing`: the options as a whole lack it. Left out where no rule of a schema or an adapter was broken.',
            }),
          ),
        }),
        { description: 'For bad input: each field that is wrong.' },
      ),
    ),
    request_id: Type.Optional(Type.String({ description: 'For a 500: leads to the log.' })),
    receipt_url: Type.Optional(
      Type.String({ description: 'For a 410 of a keepsake: its receipt, for the code that it was taken back with.' }),
    ),
  },
  { title: 'Problem', description: 'RFC 9457 problem details.' },
)
export type Problem = Static<typeof Problem>

export const scopeNames = ['read', 'tasks', 'write', 'admin'] as const
