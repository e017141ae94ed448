// /api/task/: one run of a configuration on an uploaded file. What becomes of a request, step by step: tasks/accept/create.ts.

import Type from 'typebox'
import { ownerOf } from '#access/limits.ts'
import { type WholeTask, wholeTask } from '#db/tasks/task-rows.ts'
import { guestLink } from '#guests/keepsakes.ts'
import { badField, Problem } from '#kit/errors.ts'
import { createTask, refuseEarly, requireConfigurations } from '#tasks/accept/create.ts'
import { refuseUnknownIn } from '#tasks/accept/file-errors.ts'
import { takeIdempotencyKey } from '#tasks/accept/idempotency.ts'
import { taskView } from '#tasks/show/view.ts'
import { requireRetryable } from '#tasks/steer/steer.ts'
import { answer, locationHeader } from '../contract/answers.ts'
import { ConsentPart } from '../contract/guests/consent-shapes.ts'
import { KeepsakePart } from '../contract/guests/keepsake-shapes.ts'
import { exampleId, ForExperience } from '../contract/shapes.ts'
import { Task } from '../contract/task-shapes.ts'
import type { Resource } from '../route/route.ts'
import { acceptMultipart, FilePart, multipartBody, newIntake, receive } from '../wire/multipart.ts'
import { fileAnswers, fileHeaders } from '../wire/send-file.ts'
import { newInputSources } from './input-sources.ts'
import { addTaskRoutes, type Kind, params, readable, retryOf } from './shared-task-routes.ts'
import { FilesParts, isFilesPart, parameterOf, parametersOf, readFiles } from './task-files.ts'
import { entryIndex, OutputQuery, sendOutput } from './task-output.ts'
import {
  idempotencyHeaders,
  readConsent,
  readExperience,
  readExtras,
  readInput,
  readReplacement,
  requiredField,
} from './task-parts.ts'

const tags = ['Tasks']
const kind: Kind = { isGroup: false, path: '/api/task/', noun: 'task' }
const Extras = Type.String({
  description:
    'A JSON object: `email`, `qr_code`, `rfid`, `profile_id` find the guest; other keys override options of every entry that has them, and those in `per_configuration`, by the name of a configuration, of its entries alone.',
  examples: ['{"rfid": ["04A2B9"], "per_configuration": {"frame": {"fit": "none"}}}'],
})
const DataUrl = Type.String({ description: 'In place of `data`: an HTTPS URL that the service downloads.' })
const DataUpload = Type.String({
  description:
    'In place of `data`: the id of a finished upload of `/api/upload/`. It is used up when the task is accepted.',
})
const problems = ['bad_multipart', 'over_limit', 'too_large', 'wrong_content_type', 'blocked_url', 'forbidden'] as const
const taskParts = { file: (name: string) => name === 'data' || isFilesPart(name), repeats: isFilesPart }

export const tasks: Resource = (app, services) => {
  const { db } = services
  const intake = newIntake(services)
  acceptMultipart(app)
  addTaskRoutes(app, services, kind)
  /** With the link for the guest, which is told only here. */
  const madeView = async (task: WholeTask) => ({ ...taskView(task), ...(await guestLink(services, task)) })

  app.post(
    '/api/task/',
    {
      ...multipartBody,
      config: {
        scope: 'tasks',
        problems: [
          ...problems,
          'unknown_configuration',
          'bad_extras',
          'unknown_asset',
          'idempotency_conflict',
          'idempotency_in_progress',
          'gone',
          'full',
        ],
      },
      schema: {
        tags,
        operationId: 'createTask',
        summary: 'Run a configuration on a file',
        description:
          'The parts may come in any order, those of one name in the order that counts. `{asset parameter}_data` is a file in place of an asset, such as three `photo_file_names_data` for a strip of four. With an `Idempotency-Key` header the same request runs once in 24 hours.',
        consumes: ['multipart/form-data'],
        headers: idempotencyHeaders,
        body: Type.Object(
          {
            configuration_name: Type.String({ description: 'A single or chained configuration.' }),
            data: Type.Optional(FilePart('The file to process.')),
            data_url: Type.Optional(DataUrl),
            data_upload: Type.Optional(DataUpload),
            extras: Type.Optional(Extras),
            experience_id: ForExperience,
            keepsake: KeepsakePart,
            consent: ConsentPart,
          },
          {
            title: 'TaskParts',
            additionalProperties: FilesParts,
            examples: [{ configuration_name: 'flip the photo', data: 'photo.jpg' }],
          },
        ),
        response: {
          202: answer(
            'The task that was accepted; with an `Idempotency-Key` of before the first one, as it is now.',
            Task,
            locationHeader('The path of a new task.', `/api/task/${exampleId}/`),
          ),
        },
      },
    },
    async (request, reply) => {
      const key = [request.headers['idempotency-key']].flat()[0]
      const idempotency = await takeIdempotencyKey(db, request.access.tokenId, 'task', key)
      const owner = ownerOf(request.access)
      const requireTakers = (configuration: string, parameters: string[]): Promise<void> =>
        requireConfigurations(services, request.access.experiences, {
          isGroup: false,
          named: [{ configuration, field: 'configuration_name' }],
          parameters,
        })
      try {
        if (!idempotency.isReplay) await refuseEarly(services, owner)
        await using received = await receive(request, intake, {
          ...taskParts,
          field: name =>
            [
              'configuration_name',
              'extras',
              'experience_id',
              'keepsake',
              'consent',
              'data_url',
              'data_upload',
            ].includes(name),
          async belongs(part, before) {
            const configuration = before.get('configuration_name')
            if (configuration !== undefined && !idempotency.isReplay)
              await requireTakers(configuration, isFilesPart(part) ? [parameterOf(part)] : [])
          },
        })
        const earlier = await idempotency.earlier(received)
        if (earlier) return await reply.code(202).send(await madeView((await wholeTask(db, earlier)) ?? gone()))
        const configuration = requiredField(received, 'configuration_name')
        const extras = readExtras(received, 'extras')
        const sources = newInputSources(services, request.access)
        const input = await readInput(received, 'data', sources)
        if (!input) throw badField('data', 'a file is required (or data_url, or data_upload)')
        const parameters = parametersOf(received)
        if (parameters.length > 0) await requireTakers(configuration, parameters)
        const task = await createTask(services, {
          span: request.span,
          isGroup: false,
          chains: [{ configuration, field: 'configuration_name', input, extras, extrasField: 'extras' }],
          files: await readFiles(received),
          experienceId: readExperience(received),
          keepsake: received.fields.get('keepsake') || undefined,
          consent: readConsent(received),
          experiences: request.access.experiences,
          owner,
          uploads: sources.uploaded.used,
          also: idempotency.keep,
        })
        received.taken()
        return await reply
          .code(202)
          .header('location', `/api/task/${task.task_id}/`)
          .send(await madeView(task))
      } finally {
        await idempotency.release()
      }
    },
  )
  app.post(
    '/api/task/:task_id/retry/',
    {
      ...multipartBody,
      config: {
        scope: 'tasks',
        problems: [...problems, 'wrong_state', 'bad_extras', 'unknown_asset', 'gone'],
        optionalBody: true,
      },
      schema: {
        tags,
        operationId: 'retryTask',
        summary: 'Run a failed or cancelled task again',
        description:
          'Only what had not succeeded runs again; with new `data` everything does, with a new `{asset parameter}_data` every entry that has it and what descends from it. A new callback follows.',
        consumes: ['multipart/form-data'],
        params,
        body: Type.Optional(
          Type.Object(
            {
              data: Type.Optional(FilePart('Takes the place of the file.')),
              data_url: Type.Optional(DataUrl),
              data_upload: Type.Optional(DataUpload),
              extras: Type.Optional(Extras),
            },
            { title: 'TaskRetryParts', additionalProperties: FilesParts },
          ),
        ),
        response: { 202: answer('The task, waiting again.', Task) },
      },
    },
    async (request, reply) => {
      const task = await readable(services, kind, request, request.params.task_id)
      const retry = retryOf(services, request, task.task_id)
      if (request.headers['content-type'] === undefined)
        return reply.code(202).send(taskView(await retry({ replacements: new Map() })))
      requireRetryable(task)
      await using received = await receive(request, intake, {
        ...taskParts,
        field: name => ['extras', 'data_url', 'data_upload'].includes(name),
      })
      refuseUnknownIn(services, task, parametersOf(received))
      const sources = newInputSources(services, request.access)
      const replacement = await readReplacement(received, 'data', 'extras', sources)
      const replacements = new Map([[task.configuration, replacement]])
      const changes = { replacements, files: await readFiles(received) }
      return await reply.code(202).send(taskView(await retry(changes, sources.uploaded.used)))
    },
  )
  app.get(
    '/api/task/:task_id/output/:index/',
    {
      config: { scope: 'read', problems: ['gone', 'bad_range', 'full'] },
      schema: {
        tags,
        operationId: 'downloadTaskOutput',
        summary: 'Download what an entry handed on',
        headers: fileHeaders,
        querystring: OutputQuery,
        params: Type.Object({ ...params.properties, index: entryIndex }),
        response: fileAnswers,
      },
    },
    async (request, reply) => {
      const task = await readable(services, kind, request, request.params.task_id)
      return sendOutput(services, reply, task, 0, request.params.index)
    },
  )
}

function gone(): WholeTask {
  throw new Problem('gone', 'The task that this key made is deleted or past its retention.')
}
