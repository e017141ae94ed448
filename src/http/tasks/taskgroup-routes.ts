// /api/taskgroup/: several configurations in one request, in order, with one combined callback.

import Type from 'typebox'
import { ownerOf } from '#access/limits.ts'
import { type WholeTask, wholeTask } from '#db/tasks/task-rows.ts'
import { guestLink } from '#guests/keepsakes.ts'
import { Problem } from '#kit/errors.ts'
import { type ChainRequest, createTask, refuseEarly, requireConfigurations } from '#tasks/accept/create.ts'
import { refuseUnknownIn } from '#tasks/accept/file-errors.ts'
import { takeIdempotencyKey } from '#tasks/accept/idempotency.ts'
import { groupView } from '#tasks/show/view.ts'
import { type Replacement, requireRetryable } from '#tasks/steer/steer.ts'
import { answer, locationHeader } from '../contract/answers.ts'
import { ConsentPart } from '../contract/guests/consent-shapes.ts'
import { KeepsakePart } from '../contract/guests/keepsake-shapes.ts'
import { exampleId, ForExperience } from '../contract/shapes.ts'
import { OnFailure, TaskGroup } from '../contract/task-shapes.ts'
import type { Resource } from '../route/route.ts'
import { acceptMultipart, FilePart, multipartBody, newIntake, receive } from '../wire/multipart.ts'
import { fileAnswers, fileHeaders } from '../wire/send-file.ts'
import {
  groupParts,
  groupRetryParts,
  NAMES,
  partsOf,
  readChain,
  readNames,
  readOnFailure,
  readWebhook,
  refuseUnknownParts,
  refuseUnknownRetryParts,
  respell,
} from './group-parts.ts'
import { newInputSources } from './input-sources.ts'
import { addTaskRoutes, type Kind, params, readable, retryOf } from './shared-task-routes.ts'
import { isGroupFilesPart, parameterOf, parametersOf, readFiles } from './task-files.ts'
import { entryIndex, groupIndex, OutputQuery, sendOutput } from './task-output.ts'
import { idempotencyHeaders, readConsent, readExperience, readReplacement } from './task-parts.ts'

const tags = ['Task groups']
const kind: Kind = { isGroup: true, path: '/api/taskgroup/', noun: 'task group' }
const problems = [
  'bad_multipart',
  'over_limit',
  'too_large',
  'wrong_content_type',
  'blocked_url',
  'bad_extras',
  'unknown_asset',
  'forbidden',
] as const
/** Parts that are named after a configuration. */
const GroupPart = Type.Union([
  FilePart('`NAME_data`: the file of this configuration.'),
  Type.String({ description: '`NAME_data_url`, `NAME_data_upload`, `NAME_input`, `NAME_extras`.' }),
])
const retryParts =
  'For each NAME of the group `NAME_data` (a file), `NAME_data_url`, `NAME_data_upload` or `NAME_extras`.'

export const taskGroups: Resource = (app, services) => {
  const { db, settings, outbound } = services
  const intake = newIntake(services)
  acceptMultipart(app)
  addTaskRoutes(app, services, kind)
  /** With the link for the guest, which is told only here. */
  const madeView = async (task: WholeTask) => ({ ...groupView(task), ...(await guestLink(services, task)) })

  app.post(
    '/api/taskgroup/',
    {
      ...multipartBody,
      config: {
        scope: 'tasks',
        problems: [
          ...problems,
          'bad_group',
          'unknown_configuration',
          'idempotency_conflict',
          'idempotency_in_progress',
          'gone',
          'full',
        ],
      },
      schema: {
        tags,
        operationId: 'createTaskGroup',
        summary: 'Run several configurations in order',
        description:
          'For each NAME of `configuration_names` one of the parts `NAME_data` (a file), `NAME_data_url` (an HTTPS URL), `NAME_data_upload` (the id of a finished upload of `/api/upload/`) or `NAME_input` (the name of an earlier configuration, whose output is taken), and if wanted `NAME_extras` (a JSON object). In the extras `PARAM_override` names an earlier configuration whose output takes the place of an asset. A part `PARAM_override`, as often as there are files, brings files in place of the assets of every entry that has that parameter.',
        consumes: ['multipart/form-data'],
        headers: idempotencyHeaders,
        body: Type.Object(
          {
            configuration_names: Type.String({
              description: 'A JSON array of names.',
              examples: ['["flip the photo", "add the frame"]'],
            }),
            webhook_url: Type.Optional(Type.String({ description: 'Receives one combined callback.' })),
            on_failure: Type.Optional(OnFailure),
            experience_id: ForExperience,
            keepsake: KeepsakePart,
            consent: ConsentPart,
          },
          {
            title: 'TaskGroupParts',
            additionalProperties: GroupPart,
            examples: [
              {
                configuration_names: '["flip the photo", "add the frame"]',
                'flip the photo_data': 'photo.jpg',
                'add the frame_input': 'flip the photo',
              },
            ],
          },
        ),
        response: {
          202: answer(
            'The task group that was accepted; with an `Idempotency-Key` of before the first one, as it is now.',
            TaskGroup,
            locationHeader('The path of a new task group.', `/api/taskgroup/${exampleId}/`),
          ),
        },
      },
    },
    async (request, reply) => {
      const key = [request.headers['idempotency-key']].flat()[0]
      const idempotency = await takeIdempotencyKey(db, request.access.tokenId, 'taskgroup', key)
      const owner = ownerOf(request.access)
      const requireAll = (names: readonly string[], field: string, parameters: string[] = []): Promise<void> =>
        requireConfigurations(services, request.access.experiences, {
          isGroup: true,
          named: names.map(configuration => ({ configuration, field })),
          parameters,
        })
      try {
        if (!idempotency.isReplay) await refuseEarly(services, owner)
        // Parts may come in any order, so some names can be checked only when all parts have arrived.
        await using received = await receive(request, intake, {
          ...groupParts,
          fits(part, before) {
            if (before.has(NAMES)) refuseUnknownParts([part], readNames(before, settings.maxGroup))
          },
          async belongs(part, before) {
            if (idempotency.isReplay) return
            if (!isGroupFilesPart(part))
              await requireAll([part.slice(0, -'_data'.length)], before.has(NAMES) ? NAMES : part)
            else if (before.has(NAMES))
              await requireAll(readNames(before, settings.maxGroup), NAMES, [parameterOf(part)])
          },
        })
        const earlier = await idempotency.earlier(received)
        if (earlier) return await reply.code(202).send(await madeView((await wholeTask(db, earlier)) ?? gone()))
        const names = readNames(received.fields, settings.maxGroup)
        refuseUnknownParts(partsOf(received), names)
        respell(received, names)
        const sources = newInputSources(services, request.access)
        const chains: ChainRequest[] = []
        for (const [position, name] of names.entries())
          chains.push(await readChain(received, name, names.slice(0, position), sources))
        const parameters = parametersOf(received)
        if (parameters.length > 0) await requireAll(names, NAMES, parameters)
        const task = await createTask(services, {
          span: request.span,
          isGroup: true,
          chains,
          files: await readFiles(received),
          webhookUrl: readWebhook(received, outbound),
          onFailure: readOnFailure(received),
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
          .header('location', `/api/taskgroup/${task.task_id}/`)
          .send(await madeView(task))
      } finally {
        await idempotency.release()
      }
    },
  )
  app.post(
    '/api/taskgroup/:task_id/retry/',
    {
      ...multipartBody,
      config: { scope: 'tasks', problems: [...problems, 'wrong_state', 'gone'], optionalBody: true },
      schema: {
        tags,
        operationId: 'retryTaskGroup',
        summary: 'Run a failed or cancelled task group again',
        description:
          'Only what had not succeeded runs again. `NAME_data`, `NAME_data_url`, `NAME_data_upload` and `NAME_extras` take the place of what was sent, and so does `PARAM_override`.',
        consumes: ['multipart/form-data'],
        params,
        body: Type.Optional(
          Type.Object({}, { title: 'TaskGroupRetryParts', additionalProperties: GroupPart, description: retryParts }),
        ),
        response: { 202: answer('The task group, waiting again.', TaskGroup) },
      },
    },
    async (request, reply) => {
      const task = await readable(services, kind, request, request.params.task_id)
      const retry = retryOf(services, request, task.task_id)
      if (request.headers['content-type'] === undefined)
        return reply.code(202).send(groupView(await retry({ replacements: new Map() })))
      requireRetryable(task)
      const names = task.chains.map(chain => chain.configuration)
      await using received = await receive(request, intake, {
        ...groupRetryParts,
        fits: part => refuseUnknownRetryParts([part], names),
      })
      refuseUnknownRetryParts(partsOf(received), names)
      respell(received, names)
      const sources = newInputSources(services, request.access)
      const replacements = new Map<string, Replacement>()
      for (const name of names)
        replacements.set(name, await readReplacement(received, `${name}_data`, `${name}_extras`, sources))
      refuseUnknownIn(services, task, parametersOf(received))
      const changes = { replacements, files: await readFiles(received) }
      return await reply.code(202).send(groupView(await retry(changes, sources.uploaded.used)))
    },
  )
  app.get(
    '/api/taskgroup/:task_id/output/:index/',
    {
      config: { scope: 'read', problems: ['gone', 'bad_range', 'full'] },
      schema: {
        tags,
        operationId: 'downloadTaskGroupOutput',
        summary: 'Download the final file of a configuration',
        headers: fileHeaders,
        querystring: OutputQuery,
        params: Type.Object({ ...params.properties, index: groupIndex }),
        response: fileAnswers,
      },
    },
    async (request, reply) =>
      sendOutput(
        services,
        reply,
        await readable(services, kind, request, request.params.task_id),
        request.params.index,
      ),
  )
  app.get(
    '/api/taskgroup/:task_id/output/:index/:entry/',
    {
      config: { scope: 'read', problems: ['gone', 'bad_range', 'full'] },
      schema: {
        tags,
        operationId: 'downloadTaskGroupEntryOutput',
        summary: 'Download the file of one step',
        headers: fileHeaders,
        querystring: OutputQuery,
        params: Type.Object({ ...params.properties, index: groupIndex, entry: entryIndex }),
        response: fileAnswers,
      },
    },
    async (request, reply) =>
      sendOutput(
        services,
        reply,
        await readable(services, kind, request, request.params.task_id),
        request.params.index,
        request.params.entry,
      ),
  )
}

function gone(): WholeTask {
  throw new Problem('gone', 'The task group that this key made is deleted or past its retention.')
}
