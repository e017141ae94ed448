// Tries out a configuration: a preview of its output, and the check before an event opens.
import { createReadStream } from 'node:fs'
import Type from 'typebox'
import { badField } from '#kit/errors.ts'
import { checkConfiguration } from '#tasks/try/check.ts'
import { findPreviewable, preview } from '#tasks/try/preview.ts'
import { answer } from '../contract/answers.ts'
import { CheckLines } from '../contract/configuration-shapes.ts'
import { ForExperience, Input } from '../contract/shapes.ts'
import { hungUp } from '../route/client-work.ts'
import type { Resource } from '../route/route.ts'
import { newInputSources } from '../tasks/input-sources.ts'
import { readExperience, readExtras, readInput } from '../tasks/task-parts.ts'
import { acceptMultipart, FilePart, multipartBody, newIntake, receive } from '../wire/multipart.ts'
import { fileAnswer } from '../wire/send-file.ts'

const tags = ['Configurations']
const params = Type.Object({ configuration_name: Type.String({ description: 'The name, percent-encoded.' }) })

export const previews: Resource = (app, services) => {
  const { db, works } = services
  const intake = newIntake(services)
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
          'full',
        ],
      },
      schema: {
        tags,
        operationId: 'previewConfiguration',
        summary: 'See what a configuration makes of a file',
        description:
          'Runs its transformers at once and answers the file; destinations are left out. A picture comes as a still JPEG of at most 1024 pixels a side, unless `full` is asked for: then it is the very file that a task would make.',
        consumes: ['multipart/form-data'],
        params,
        querystring: Input({
          full: Type.Optional(Type.Enum(['true', 'false'], { description: 'As large as a task would make it.' })),
        }),
        body: Type.Object(
          {
            data: FilePart('The file to try it with.'),
            extras: Type.Optional(Type.String({ description: 'As for a task.' })),
            experience_id: ForExperience,
          },
          { title: 'PreviewParts', additionalProperties: false, examples: [{ data: 'photo.jpg' }] },
        ),
        response: { 200: fileAnswer('The bytes, with their own type.') },
      },
    },
    async (request, reply) => {
      const { tokenId, experiences } = request.access
      const gone = hungUp(reply)
      // Checked before the file is received, which may take a while.
      await findPreviewable(db, request.params.configuration_name, experiences)
      await using received = await receive(request, intake, {
        file: name => name === 'data',
        field: name => name === 'extras' || name === 'experience_id',
      })
      const input = await readInput(received, 'data', newInputSources(services, request.access))
      if (!input || !('file' in input)) throw badField('data', 'a file is required')
      const extras = readExtras(received, 'extras')
      using _place = await works.previews.take(tokenId, gone)
      const { mime, bytes, path, folder } = await preview(services, {
        configuration: request.params.configuration_name,
        experienceId: readExperience(received),
        file: input.file,
        extras,
        full: request.query.full === 'true',
        experiences,
        signal: gone,
      })
      return await reply
        .headers({
          'content-type': mime,
          'content-length': bytes,
          'cache-control': 'no-store',
          'content-security-policy': "default-src 'none'; sandbox",
        })
        .send(createReadStream(path).on('close', () => void folder[Symbol.asyncDispose]()))
    },
  )
}

export const checks: Resource = (app, services) => {
  app.post(
    '/api/configuration/:configuration_name/check/',
    {
      config: { scope: 'write', problems: ['full'] },
      schema: {
        tags,
        operationId: 'checkConfiguration',
        summary: 'Check a configuration before the doors open',
        description:
          'Looks at every entry: options, assets, tools; writes, reads and deletes a probe at every destination; sends a signed test event to the webhook.',
        params,
        querystring: Input({ experience_id: ForExperience }),
        response: {
          200: answer('What was found, good and bad.', CheckLines),
        },
      },
    },
    async (request, reply) => {
      const { configuration_name } = request.params
      const { tokenId, experiences } = request.access
      const one = { configuration: configuration_name, experienceId: request.query.experience_id }
      const gone = hungUp(reply)
      using _place = await services.works.checks.take(tokenId, gone)
      return { lines: await checkConfiguration(services, one, experiences, gone) }
    },
  )
}
