// /api/taskgroup/: several configurations in one request, in order, with one combined callback.
import Type from 'typebox'
import { ownerOf } from '#access/limits.ts'
import type { ChainInput } from '#db/tables.ts'
import { type WholeTask, wholeTask } from '#db/tasks/task-rows.ts'
import { badField, Problem } from '#kit/errors.ts'
import type { Outbound } from '#kit/net/outbound.ts'
import { type ChainRequest, createTask, refuseEarly, requireConfiguration } from '#tasks/accept/create.ts'
import { takeIdempotencyKey } from '#tasks/accept/idempotency.ts'
import { groupView } from '#tasks/show/view.ts'
import { type Replacement, requireEnded, retryTask } from '#tasks/steer/steer.ts'
import { answer, locationHeader } from '../contract/answers.ts'
import { exampleId } from '../contract/shapes.ts'
import { OnFailure, TaskGroup } from '../contract/task-shapes.ts'
import type { Resource } from '../route/route.ts'
import { parseJson } from '../wire/json-body.ts'
import {
  acceptMultipart,
  FilePart,
  multipartBody,
  newIntake,
  type PartRules,
  type Received,
  receive,
} from '../wire/multipart.ts'
import { fileAnswers, fileHeaders } from '../wire/send-file.ts'
import { addTaskRoutes, type Kind, params, readable } from './shared-task-routes.ts'
import { entryIndex, groupIndex, OutputQuery, sendOutput } from './task-output.ts'
import { idempotencyHeaders, readExtras, readInput, requiredField } from './task-parts.ts'

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
] as const
/** Decided by the part's name alone: a client need not send a file name, and no field of a group ends like this. */
const groupParts: PartRules = { file: name => name.endsWith('_data'), field: name => !name.endsWith('_data') }
const NAMES = 'configuration_names'
/** Parts that are named after a configuration. */
const GroupPart = Type.Union([
  FilePart('`NAME_data`: the file of this configuration.'),
  Type.String({ description: '`NAME_data_url`, `NAME_input`, `NAME_extras`.' }),
])
const retryParts = 'For each NAME of the group `NAME_data` (a file), `NAME_data_url` or `NAME_extras`.'
const RETRY_SUFFIXES = ['_data', '_data_url', '_extras']

export const taskGroups: Resource = (app, services) => {
  const { db, settings, outbound } = services
  const intake = newIntake(services)
  acceptMultipart(app)
  addTaskRoutes(app, services, kind)

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
          'For each NAME of `configuration_names` one of the parts `NAME_data` (a file), `NAME_data_url` (an HTTPS URL) or `NAME_input` (the name of an earlier configuration, whose output is taken), and if wanted `NAME_extras` (a JSON object). In the extras `PARAM_override` names an earlier configuration whose output takes the place of an asset.',
        consumes: ['multipart/form-data'],
        headers: idempotencyHeaders,
        body: Type.Object(
          {
            configuration_names: Type.String({
              description: 'A JSON array of names.',
              examples: ['["flip the photo", "add the frame"]'],
            }),
            webhook_url: Type.Optional(Type.String({ description: 'Receives one combined callback.' })),
            on_failure: Type.Optional({ ...OnFailure, default: 'stop' }),
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
      try {
        if (!idempotency.isReplay) await refuseEarly(services, owner)
        // Parts may come in any order, so some names can be checked only when all parts have arrived.
        await using received = await receive(request, intake, {
          ...groupParts,
          fits(part, before) {
            if (before.has(NAMES)) refuseUnknownParts([part], readNames(before, settings.maxGroup))
          },
          async belongs(part, before) {
            const field = before.has(NAMES) ? NAMES : part
            const configuration = part.slice(0, -'_data'.length)
            if (!idempotency.isReplay)
              await requireConfiguration(services, request.access.experiences, { configuration, field })
          },
        })
        const earlier = await idempotency.earlier(received)
        if (earlier) return await reply.code(202).send(groupView((await wholeTask(db, earlier)) ?? gone()))
        const names = readNames(received.fields, settings.maxGroup)
        refuseUnknownParts(partsOf(received), names)
        const chains: ChainRequest[] = []
        for (const [position, name] of names.entries())
          chains.push(await readChain(received, name, names.slice(0, position), outbound))
        const task = await createTask(services, {
          isGroup: true,
          chains,
          webhookUrl: readWebhook(received, outbound),
          onFailure: readOnFailure(received),
          experiences: request.access.experiences,
          owner,
          also: idempotency.keep,
        })
        received.taken()
        return await reply.code(202).header('location', `/api/taskgroup/${task.task_id}/`).send(groupView(task))
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
          'Only what had not succeeded runs again. `NAME_data`, `NAME_data_url` and `NAME_extras` take the place of what was sent.',
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
      if (request.headers['content-type'] === undefined)
        return reply
          .code(202)
          .send(
            groupView(
              await retryTask({ ...services, actor: request.actor }, task.task_id, new Map(), ownerOf(request.access)),
            ),
          )
      requireEnded(task)
      const names = task.chains.map(chain => chain.configuration)
      await using received = await receive(request, intake, {
        ...groupParts,
        fits: part => refuseUnknownParts([part], names, RETRY_SUFFIXES, []),
      })
      refuseUnknownParts(partsOf(received), names, RETRY_SUFFIXES, [])
      const replacements = new Map<string, Replacement>()
      for (const name of names) {
        const input = await readInput(received, `${name}_data`, outbound)
        const extrasField = `${name}_extras`
        replacements.set(name, {
          extrasField,
          ...(input ? { input } : {}),
          ...(received.fields.has(extrasField) ? { extras: readExtras(received, extrasField) } : {}),
        })
      }
      const again = await retryTask(
        { ...services, actor: request.actor },
        task.task_id,
        replacements,
        ownerOf(request.access),
      )
      return await reply.code(202).send(groupView(again))
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

function readNames(fields: ReadonlyMap<string, string>, maxGroup: number): string[] {
  const field = NAMES
  const names = parseJson(requiredField({ fields }, field), field)
  if (!Array.isArray(names) || names.length === 0 || !names.every(name => typeof name === 'string' && name !== ''))
    throw badField(field, 'must be a JSON array of names, like ["one", "two"]', 'bad_group')
  if (names.length > maxGroup)
    throw badField(field, `a group may have ${maxGroup} configurations at most (KEEPSAKE_MAX_GROUP)`, 'over_limit')
  const twice = names.find((name, position) => names.indexOf(name) !== position)
  if (twice !== undefined) throw badField(field, `names "${twice}" twice`, 'bad_group')
  return names as string[]
}

const partsOf = ({ fields, files }: Received): string[] => [...fields.keys(), ...files.keys()]

function refuseUnknownParts(
  parts: readonly string[],
  names: readonly string[],
  suffixes: readonly string[] = ['_data', '_data_url', '_input', '_extras'],
  plain: readonly string[] = [NAMES, 'webhook_url', 'on_failure'],
): void {
  const known = new Set([...plain, ...names.flatMap(name => suffixes.map(suffix => name + suffix))])
  const unknown = parts.find(part => !known.has(part))
  if (unknown !== undefined)
    throw badField(
      unknown,
      `is not a part of this group; for each listed configuration there may be ${suffixes.map(suffix => `NAME${suffix}`).join(', ')}`,
      'bad_group',
    )
}

async function readChain(
  received: Received,
  name: string,
  earlier: readonly string[],
  outbound: Outbound,
): Promise<ChainRequest> {
  const extrasField = `${name}_extras`
  const from = received.fields.get(`${name}_input`)
  if (from !== undefined && !earlier.includes(from))
    throw badField(
      `${name}_input`,
      `names "${from}", which is not an earlier configuration of the group (earlier are: ${earlier.join(', ') || 'none'})`,
      'bad_group',
    )
  // The output of an earlier configuration wins over a file that was also sent.
  const unused =
    from === undefined ? [] : [`${name}_data`, `${name}_data_url`].filter(part => partsOf(received).includes(part))
  const input: ChainInput | undefined =
    from === undefined ? await readInput(received, `${name}_data`, outbound) : { from }
  if (!input)
    throw badField(
      `${name}_data`,
      `"${name}" needs one of ${name}_data, ${name}_data_url and ${name}_input`,
      'bad_group',
    )
  return {
    configuration: name,
    field: 'configuration_names',
    input,
    extras: readExtras(received, extrasField),
    extrasField,
    warnings: unused.map(part => `${part} was not used, because ${name}_input names the output of "${from}".`),
  }
}

function readOnFailure({ fields }: Received): 'stop' | 'continue' {
  const wanted = fields.get('on_failure') || 'stop'
  if (wanted !== 'stop' && wanted !== 'continue') throw badField('on_failure', 'must be stop or continue', 'bad_group')
  return wanted
}

function readWebhook({ fields }: Received, outbound: Outbound): string | null {
  const url = fields.get('webhook_url')
  if (url === undefined || url === '') return null
  try {
    outbound.check(url)
  } catch (error) {
    throw badField('webhook_url', error instanceof Error ? error.message : 'is not accepted', 'blocked_url')
  }
  return url
}

function gone(): WholeTask {
  throw new Problem('gone', 'The task group that this key made is deleted or past its retention.')
}
