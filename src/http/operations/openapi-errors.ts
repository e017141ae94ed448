// Completes the description of a route: every error it can return, its scope, and the headers that come with errors.
import type { RouteOptions } from 'fastify'
import Type, { type TSchema } from 'typebox'
import { type Code, catalogue } from '#kit/errors.ts'
import { isObject } from '#kit/json.ts'
import { Problem } from '../contract/shapes.ts'

const retryAfter = {
  'Retry-After': Type.Integer({ minimum: 0, description: 'Seconds after which it may be tried again.' }),
}

/** Headers by which a program decides what to do next. */
const headersOf: Partial<Record<Code, Record<string, TSchema>>> = {
  unauthorized: {
    'WWW-Authenticate': Type.String({ description: 'Which credential is wanted.', examples: ['Bearer'] }),
  },
  bad_range: {
    'Content-Range': Type.String({ description: 'How many bytes there are.', examples: ['bytes */52113'] }),
  },
  idempotency_in_progress: retryAfter,
  token_limit: retryAfter,
  too_many_requests: retryAfter,
  full: retryAfter,
  unavailable: retryAfter,
}

/** The errors of a route: from the parts it has, and those it declares. */
function codesOf({ config, schema = {} }: RouteOptions): Code[] {
  const codes: Code[] = ['internal', 'unavailable', ...(config?.problems ?? [])]
  if (config?.scope) codes.push('unauthorized', 'forbidden', 'token_limit', 'too_many_requests')
  if (schema.params) codes.push('not_found')
  if (schema.querystring) codes.push('bad_request')
  if (
    isObject(schema.querystring) &&
    isObject(schema.querystring.properties) &&
    'cursor' in schema.querystring.properties
  )
    codes.push('bad_cursor')
  if (schema.body) codes.push('bad_request', 'too_large', 'wrong_content_type')
  if (schema.body && !schema.consumes) codes.push('bad_json')
  return [...new Set(codes)]
}

/** For the next step: `published` takes it out again. */
export const OPTIONAL_BODY = 'x-optional-body'

export function describeRoute(route: RouteOptions): void {
  const { config } = route
  const schema = route.schema ?? {}
  const byStatus = Map.groupBy(codesOf(route), code => catalogue[code].status)
  const problems = [...byStatus].map(([status, codes]) => [
    status,
    {
      description: codes.map(code => `\`${code}\`: ${catalogue[code].title}.`).join(' '),
      headers: Object.assign({}, ...codes.map(code => headersOf[code] ?? {})),
      content: { 'application/problem+json': { schema: Problem } },
    },
  ])
  const response = (schema.response ?? {}) as Record<string, unknown>
  const scope = config?.scope
  const needs = scope ? `Needs a token with the scope \`${scope}\`.` : 'Open: needs no credential.'
  route.schema = {
    ...schema,
    description: [schema.description, needs].filter(Boolean).join('\n\n'),
    ...(scope ? { security: [{ token: [] }, { session: [] }] } : { security: [] }),
    ...(config?.optionalBody ? { [OPTIONAL_BODY]: true } : {}),
    response: { ...Object.fromEntries(problems), ...response },
  }
}
