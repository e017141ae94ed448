// Tries out a configuration: a preview of its output, a picture of the file it is tried with, and the check before an event opens.
import { createReadStream } from 'node:fs'
import Type from 'typebox'
import { ownerOf } from '#access/limits.ts'
import { rehearseConfiguration, type Written } from '#configurations/save-configuration.ts'
import { badField, Problem } from '#kit/errors.ts'
import { checkConfiguration, checkUnsaved } from '#tasks/try/check.ts'
import { readUsable } from '#tasks/try/for-experience.ts'
import { preview } from '#tasks/try/preview.ts'
import { drawPicture } from '#tasks/try/thumbnail.ts'
import { answer } from '../contract/answers.ts'
import { CheckLines, ConfigurationInput } from '../contract/configuration-shapes.ts'
import { ForExperience, Input } from '../contract/shapes.ts'
import { hungUp, placeOwner } from '../route/client-work.ts'
import type { Resource } from '../route/route.ts'
import { newInputSources } from '../tasks/input-sources.ts'
import { FilesParts, isFilesPart, readFiles } from '../tasks/task-files.ts'
import { readExperience, readExtras, readInput } from '../tasks/task-parts.ts'
import { acceptMultipart, FilePart, multipartBody, newIntake, receive } from '../wire/multipart.ts'
import { sideOf, size } from '../wire/screen-picture.ts'
import { fileAnswer } from '../wire/send-file.ts'
import { changing } from './configuration-routes.ts'

const tags = ['Configurations']

const WARNINGS = 'Keepsake-Warnings'
/** What proxies let through at the least, for all headers together, is 8 KiB. */
const MOST_WARNINGS = 4_096

/** As many as fit. A header holds ASCII alone, so they are percent-encoded. */
function warningsHeader(warnings: readonly string[]): Record<string, string> {
  const encoded = (list: readonly string[]) => encodeURIComponent(JSON.stringify(list))
  const fitting: string[] = []
  for (const warning of warnings.slice(0, 50))
    if (encoded([...fitting, warning]).length <= MOST_WARNINGS) fitting.push(warning)
  return fitting.length > 0 ? { [WARNINGS]: encoded(fitting) } : {}
}

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
          entry: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: 9999,
              description:
                'The entry whose file is wanted, counted from 0 in the unfolded chain; only what leads to it runs. Left out: the last that makes one.',
            }),
          ),
        }),
        body: Type.Object(
          {
            data: FilePart('The file to try it with.'),
            extras: Type.Optional(Type.String({ description: 'As for a task.' })),
            experience_id: ForExperience,
          },
          { title: 'PreviewParts', additionalProperties: FilesParts, examples: [{ data: 'photo.jpg' }] },
        ),
        response: {
          200: fileAnswer('The bytes, with their own type.', {
            [WARNINGS]: Type.String({
              description:
                'What a task would warn of (letters that no font has, a text that was cut off): a JSON list of sentences, percent-encoded, as many as 4 KiB hold. Left out when there is none.',
            }),
          }),
        },
      },
    },
    async (request, reply) => {
      const { experiences } = request.access
      const gone = hungUp(reply)
      // Checked before the file is received, which may take a while.
      const { root } = await readUsable(db, request.params.configuration_name, experiences)
      await using received = await receive(request, intake, {
        file: name => name === 'data' || isFilesPart(name),
        repeats: isFilesPart,
        field: name => name === 'extras' || name === 'experience_id',
      })
      const input = await readInput(received, 'data', newInputSources(services, request.access))
      if (!input || !('file' in input)) throw badField('data', 'a file is required')
      const files = await readFiles(received)
      const extras = readExtras(received, 'extras')
      using _place = await works.previews.take(root.experience_id ?? placeOwner(request.access), gone)
      const { mime, bytes, path, folder, warnings } = await preview(services, {
        configuration: request.params.configuration_name,
        experienceId: readExperience(received),
        file: input.file,
        extras,
        files,
        anyFile: ownerOf(request.access).anyFile,
        full: request.query.full === 'true',
        entry: request.query.entry,
        experiences,
        signal: gone,
      })
      return await reply
        .headers({
          'content-type': mime,
          'content-length': bytes,
          'cache-control': 'no-store',
          ...warningsHeader(warnings),
          'content-security-policy': "default-src 'none'; sandbox",
        })
        .send(createReadStream(path).on('close', () => void folder[Symbol.asyncDispose]()))
    },
  )
}

/** For a screen, when none is asked for. */
const SIDE = 1280

export const pictures: Resource = (app, services) => {
  const { works } = services
  const intake = newIntake(services)
  acceptMultipart(app)
  app.post(
    '/api/picture/',
    {
      ...multipartBody,
      config: {
        scope: 'tasks',
        problems: ['bad_multipart', 'too_large', 'wrong_content_type', 'unsupported_format', 'corrupt_input', 'full'],
      },
      schema: {
        tags,
        operationId: 'drawPicture',
        summary: 'See a file as a picture',
        description:
          'Answers a JPEG of any picture that the service reads, also of kinds that no browser shows; of a video a frame. Nothing is kept.',
        consumes: ['multipart/form-data'],
        querystring: Input({ size }),
        body: Type.Object(
          { data: FilePart('The file.') },
          { title: 'PictureParts', additionalProperties: false, examples: [{ data: 'photo.heic' }] },
        ),
        response: { 200: fileAnswer('A JPEG, at most 1280 pixels a side if no `size` is given.') },
      },
    },
    async (request, reply) => {
      const gone = hungUp(reply)
      await using received = await receive(request, intake, { file: name => name === 'data', field: () => false })
      const input = await readInput(received, 'data', newInputSources(services, request.access))
      if (!input || !('file' in input)) throw badField('data', 'a file is required')
      if (input.file.medium !== 'image' && input.file.medium !== 'video')
        throw new Problem('unsupported_format', 'Only of a picture or a video can a picture be made.')
      using _place = await works.probes.take(placeOwner(request.access), gone)
      const { mime, bytes } = await drawPicture(services, input.file, gone, sideOf(request.query) ?? SIDE)
      return reply.headers({ 'content-type': mime, 'cache-control': 'no-store' }).send(bytes)
    },
  )
}

export const checks: Resource = (app, services) => {
  const { db, secretBox, adapters, outbound, blobs, settings } = services
  const { maxChain, maxVersions } = settings
  const context = { db, secretBox, adapters, outbound, blobs, maxChain, maxVersions, limits: settings }
  app.post(
    '/api/configuration/check/',
    {
      config: { scope: 'write', problems: [...changing, 'full'] },
      schema: {
        tags,
        operationId: 'checkUnsavedConfiguration',
        summary: 'Check a configuration before it is saved',
        description:
          'As the check of a stored one, with what the body says; nothing is stored. Of a configuration that there is, credentials that are masked, as they are read, are the stored ones, unless they would go elsewhere.',
        querystring: Input({ experience_id: ForExperience }),
        body: ConfigurationInput,
        response: {
          200: answer('What was found, good and bad.', CheckLines),
        },
      },
    },
    async (request, reply) => {
      const { tokenId, experiences } = request.access
      const gone = hungUp(reply)
      using _place = await services.works.checks.take(tokenId, gone)
      const written = request.body as Written
      const row = await rehearseConfiguration(context, experiences, written)
      return { lines: await checkUnsaved(services, row, request.query.experience_id, experiences, gone) }
    },
  )
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
