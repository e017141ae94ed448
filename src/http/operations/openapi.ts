// Builds the OpenAPI document from the schemas that validate requests, and serves it.
import fastifySwagger from '@fastify/swagger'
import { answer } from '../contract/answers.ts'
import { FreeObject } from '../contract/shapes.ts'
import type { Services } from '../route/http-services.ts'
import type { App } from '../route/route.ts'
import { published } from './openapi-document.ts'
import { describeRoute } from './openapi-errors.ts'

const about = `Keepsake runs processing steps on uploaded files and delivers the results.

Every path is served with and without its trailing slash. Errors are RFC 9457 problems with a stable \`code\`. Lists are newest first: give \`next_cursor\` back as \`cursor\` for the next page. Clients ignore fields they don't know.`

const tags = [
  { name: 'Tasks', description: 'One run of a configuration on an uploaded file.' },
  { name: 'Task groups', description: 'Several configurations in order, with one combined callback.' },
  {
    name: 'Uploads',
    description: 'Files that are uploaded before their task, in as many requests as it takes (tus 1.0).',
  },
  { name: 'Configurations', description: 'What is done to a file: one adapter, or a chain of configurations.' },
  { name: 'Adapters', description: 'The steps there are, with the schemas of their options.' },
  { name: 'Assets', description: 'Files that configurations name: frames, intros, music, fonts.' },
  { name: 'Profiles', description: 'Guests, and what they are known by.' },
  { name: 'Activities', description: 'What was created for guests.' },
  { name: 'Callbacks', description: 'Every delivery to a webhook, with its attempts.' },
  { name: 'Experiences', description: 'Settings and the webhook secret of an experience.' },
  {
    name: 'Guests',
    description: 'The pages of guests and what they open with a code; the walls of events and what is on them.',
  },
  { name: 'Erasures', description: 'Signed receipts of what was erased, and what could not be.' },
  { name: 'Search', description: 'Things by a part of what people call them.' },
  { name: 'Tokens', description: 'Credentials for people and machines.' },
  { name: 'Audit', description: 'Who changed what, when and from where.' },
  { name: 'Sessions', description: 'Signing in to the console.' },
  { name: 'Stats', description: 'What the console’s overview shows.' },
  { name: 'Operations', description: 'Health, readiness, metrics, this document.' },
]

export async function openApi(app: App, { version, adapters }: Pick<Services, 'version' | 'adapters'>): Promise<void> {
  app.addHook('onRoute', route => {
    if (!route.schema?.hide) describeRoute(route)
  })
  await app.register(fastifySwagger, {
    convertConstToEnum: false,
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
      'openapiObject' in document ? published(document.openapiObject, adapters) : document.swaggerObject,
  })
  app.get(
    '/api/openapi.json',
    {
      config: { scope: null },
      schema: {
        tags: ['Operations'],
        operationId: 'readOpenApi',
        summary: 'This document',
        response: { 200: answer('OpenAPI 3.1.', FreeObject('The document.')) },
      },
    },
    async (_request, reply) => reply.header('cache-control', 'no-cache').send({ ...app.swagger() }),
  )
}
