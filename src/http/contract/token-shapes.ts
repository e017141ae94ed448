// Schemas of tokens and console sessions in the API.
import Type, { type Static } from 'typebox'
import { type LimitName, mostOf, STREAMS } from '#access/limits.ts'
import { ExperienceId, Input, Nullable, scopeNames, Text, Time, Uuid } from './shapes.ts'

const Scope = Type.Enum([...scopeNames], {
  description: 'Each includes the ones before it: read, tasks, write, admin.',
  examples: ['tasks'],
})
const Experiences = Nullable(
  Type.Array(ExperienceId, { minItems: 1, maxItems: 500, description: 'Nothing but these is seen.' }),
)

const limit = (name: LimitName, description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: mostOf[name], description }))
const limits = {
  requests_per_minute: limit('requests_per_minute', 'Requests; a minute begins with the first one.'),
  waiting_tasks: limit('waiting_tasks', 'Tasks and task groups that wait to be begun.'),
  upload_bytes_per_day: limit(
    'upload_bytes_per_day',
    'Bytes of files, also of requests that are refused; a day begins with the first one.',
  ),
  streams: limit('streams', `Event streams at once at each API; ${STREAMS} unless told.`),
}
const about = { title: 'TokenLimits', description: 'Over one of them: 429 `token_limit` with `Retry-After`.' }

export const TokenInput = Input(
  {
    name: Text('What the token is for.', 128),
    scopes: Type.Array(Scope, { minItems: 1, maxItems: 4 }),
    experiences: Type.Optional(Experiences),
    expires_at: Type.Optional(
      Nullable(
        Time('From then on the token is refused; null: never. No later than the end of the token that makes it.'),
      ),
    ),
    limits: Type.Optional(
      Nullable(Input(limits, { ...about, title: 'TokenLimitsInput', examples: [{ waiting_tasks: 100 }] })),
    ),
  },
  {
    title: 'TokenInput',
    examples: [
      {
        name: 'photo booth 1',
        scopes: ['tasks'],
        experiences: ['expo-2026'],
        limits: { requests_per_minute: 300, waiting_tasks: 100 },
      },
    ],
  },
)

const token = {
  token_id: Uuid('The id of the token.'),
  name: Type.String(),
  scopes: Type.Array(Scope),
  experiences: Nullable(Type.Array(Type.String())),
  expires_at: Nullable(Time('From then on it is refused.')),
  last_used_at: Nullable(Time('Exact to a minute.')),
  limits: Nullable(Type.Object(limits, about)),
  person: Type.Boolean({
    description:
      'True for a person who signs in with OpenID Connect: nobody has it as a token, and deleting it signs them out.',
  }),
  made_by: Nullable(Uuid('The token that made it: when that is deleted, this one is as well. Null: the operator.')),
  created_at: Time('When it was made.'),
  updated_at: Time('When it was last used, or made.'),
}
export const Token = Type.Object(token, { title: 'Token' })
export type Token = Static<typeof Token>

export const NewToken = Type.Object(
  { ...token, token: Type.String({ description: 'The token itself, shown this once.', examples: ['ks_…'] }) },
  { title: 'NewToken' },
)
export type NewToken = Static<typeof NewToken>

export const SessionInput = Input(
  {
    token: Type.Optional(Text('A token.', 512)),
    code: Type.Optional(Text('The one-time code printed at the start.', 512)),
  },
  { title: 'SessionInput', description: 'Either a token or a code.', examples: [{ token: 'ks_…' }] },
)

export const Session = Type.Object(
  {
    name: Type.String({
      description: 'The name of the token, or of the person; `operator` for the operator’s own admin token.',
    }),
    scope: Scope,
    experiences: Nullable(Type.Array(Type.String())),
    token_id: Nullable(Type.String({ description: 'Null: the operator’s own admin token.' })),
    expires_at: Nullable(Time('When the session ends; null when a bearer token asks.')),
  },
  { title: 'Session' },
)
export type Session = Static<typeof Session>

export const SignIn = Type.Object(
  {
    oidc: Nullable(
      Type.Object({
        name: Type.String({ description: 'The name of the provider, for people.', examples: ['Example ID'] }),
        url: Type.String({ description: 'Where a browser begins to sign in.', examples: ['/sign-in/oidc/'] }),
        sign_out_url: Type.String({
          description: 'Where a browser signs out of the provider too.',
          examples: ['/sign-in/oidc/out/'],
        }),
      }),
    ),
  },
  { title: 'SignIn', description: 'How people sign in beside tokens; null: not at all.' },
)
export type SignIn = Static<typeof SignIn>
