// Builds the OpenAPI document from the schemas that validate requests, with every error a route can return.
import fastifySwagger from '@fastify/swagger'
import type { RouteOptions } from 'fastify'
import { type Code, catalogue } from '#kit/errors.ts'
import { isObject } from '#kit/json.ts'
import { Problem } from '../contract/shapes.ts'
import type { App } from '../route/route.ts'

const about = `Keepsake runs processing steps on uploaded files and delivers the results.

Every path is served with and without its trailing slash. Errors are RFC 9457 problems with a stable \`code\`. Lists are newest first: give \`next_cursor\` back as \`cursor\` for the next page. Clients ignore fields they don't know.`

const tags = [
  { name: 'Tasks', description: 'One run of a configuration on an uploaded file.' },
  { name: 'Task groups', description: 'Several configurations in order, with one combined callback.' },
  { name: 'Configurations', description: 'What is done to a file: one adapter, or a chain of configurations.' },
  { name: 'Adapters', description: 'The steps there are, with the schemas of their options.' },
  { name: 'Assets', description: 'Files that configurations name: frames, intros, music, fonts.' },
  { name: 'Profiles', description: 'Guests, and what they are known by.' },
  { name: 'Activities', description: 'What was created for guests.' },
  { name: 'Callbacks', description: 'Every delivery to a webhook, with its attempts.' },
  { name: 'Experiences', description: 'Settings and the webhook secret of an experience.' },
  { name: 'Search', description: 'Things by a part of what people call them.' },
  { name: 'Tokens', description: 'Credentials for people and machines.' },
  { name: 'Sessions', description: 'Signing in to the console.' },
  { name: 'Stats', description: 'What the console’s overview shows.' },
  { name: 'Operations', description: 'Health, readiness, metrics, this document.' },
]

export async function openApi(app: App, version: string): Promise<void> {
  app.addHook('onRoute', route => {
    if (!route.schema?.hide) describeErrors(route)
  })
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Keepsake',
        version,
        description: about,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'This deployment.' }],
      tags,
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer', description: 'A token: `Authorization: Bearer ks_…`.' },
          session: { type: 'apiKey', in: 'cookie', name: 'keepsake_session', description: 'The console’s cookie.' },
        },
      },
    },
    transformObject: document =>
      'openapiObject' in document ? tidied(document.openapiObject) : document.swaggerObject,
  })
  app.get(
    '/api/openapi.json',
    {
      config: { scope: null },
      schema: {
        tags: ['Operations'],
        summary: 'This document',
        response: { 200: { type: 'object', additionalProperties: true, description: 'OpenAPI 3.1.' } },
      },
    },
    async (_request, reply) => reply.header('cache-control', 'no-cache').send({ ...app.swagger() }),
  )
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

function describeErrors(route: RouteOptions): void {
  const { config } = route
  const schema = route.schema ?? {}
  const byStatus = Map.groupBy(codesOf(route), code => catalogue[code].status)
  const problems = [...byStatus].map(([status, codes]) => [
    status,
    {
      description: codes.map(code => `\`${code}\`: ${catalogue[code].title}.`).join(' '),
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
    response: { ...Object.fromEntries(problems), ...response },
  }
}

type Node = { [key: string]: unknown }

/** Schemas with a title become components, so that generated clients get named types. */
function tidied<T extends object>(document: T): T {
  const schemas: Node = {}
  const values = ['example', 'examples', 'default', 'enum', 'const']

  function visit(node: unknown, key: string): unknown {
    if (Array.isArray(node)) return node.map(item => visit(item, ''))
    if (!isObject(node)) return node
    const kept = Object.entries(node).filter(([name]) => name !== 'expects')
    const inner = Object.fromEntries(
      kept.map(([name, value]) => [name, values.includes(name) && key !== 'properties' ? value : visit(value, name)]),
    )
    const { title } = node
    if (typeof title !== 'string' || key === 'properties' || node.type === undefined) return inner
    schemas[title] = inner
    return { $ref: `#/components/schemas/${title}` }
  }

  const { paths, components, ...rest } = JSON.parse(JSON.stringify(document)) as Node
  const visited = visit(paths, '')
  return { ...rest, components: { ...(components as Node), schemas }, paths: visited } as T
}
