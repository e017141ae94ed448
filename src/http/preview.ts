// Trying a configuration out: a preview of what it makes, and the check before the doors open.
import Type from 'typebox'
import { badField } from '#kit/errors.ts'
import { checkConfiguration } from '#tasks/check.ts'
import { preview } from '#tasks/preview.ts'
import { newUploads } from '#uploads/uploads.ts'
import type { Resource } from './app.ts'
import { CheckLine } from './contract/configuration.ts'
import { Input } from './contract.ts'
import { fileAnswer } from './files.ts'
import { acceptMultipart, FilePart, multipartBody, receive } from './multipart.ts'
import { readExtras, readInput } from './task-parts.ts'

const tags = ['Configurations']
const params = Type.Object({ configuration_name: Type.String({ description: 'The name, percent-encoded.' }) })

export const previews: Resource = (app, services) => {
  const { db, blobs, settings, outbound } = services
  const uploads = newUploads(db, blobs)
  acceptMultipart(app)
  app.post(
    '/api/configuration/:configuration_name/preview/',
    {
      ...multipartBody,
      config: {
        scope: 'tasks',
        problems: [
          'bad_multipart',
          'too_large',
          'wrong_content_type',
          'bad_extras',
          'unsupported_format',
          'corrupt_input',
        ],
      },
      schema: {
        tags,
        summary: 'See what a configuration makes of a file',
        description:
          'Runs its transformers at once and answers the file; destinations are left out. A picture comes as a still JPEG of at most 1024 pixels a side, unless `full` is asked for: then it is the very file that a task would make.',
        consumes: ['multipart/form-data'],
        params,
        querystring: Input({
          full: Type.Optional(Type.Enum(['true', 'false'], { description: 'As large as a task would make it.' })),
        }),
        body: Type.Object({
          data: FilePart('The file to try it with.'),
          extras: Type.Optional(Type.String({ description: 'As for a task.' })),
        }),
        response: { 200: fileAnswer('The bytes, with their own type.') },
      },
    },
    async (request, reply) => {
      await using received = await receive(request, uploads, settings, {
        file: name => name === 'data',
        field: name => name === 'extras',
      })
      const input = await readInput(received, 'data', outbound)
      if (!input || !('file' in input)) throw badField('data', 'a file is required')
      const { mime, bytes, stream } = await preview(services, {
        configuration: request.params.configuration_name,
        file: input.file,
        extras: readExtras(received, 'extras'),
        full: request.query.full === 'true',
        experiences: request.access.experiences,
      })
      return await reply
        .headers({
          'content-type': mime,
          'content-length': bytes,
          'cache-control': 'no-store',
          'content-security-policy': "default-src 'none'; sandbox",
        })
        .send(stream)
    },
  )
}

export const checks: Resource = (app, services) => {
  app.post(
    '/api/configuration/:configuration_name/check/',
    {
      config: { scope: 'write' },
      schema: {
        tags,
        summary: 'Check a configuration before the doors open',
        description:
          'Looks at every entry: options, assets, tools; writes, reads and deletes a probe at every destination; sends a signed test event to the webhook.',
        params,
        response: {
          200: Type.Object({
            lines: Type.Array(CheckLine),
          }),
        },
      },
    },
    async request => {
      const { configuration_name } = request.params
      return { lines: await checkConfiguration(services, configuration_name, request.access.experiences) }
    },
  )
}
