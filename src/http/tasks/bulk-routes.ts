// Cancels all tasks or task groups that a filter finds, runs them again, or tries now what was put off.
import { ownerOf } from '#access/limits.ts'
import { Problem } from '#kit/errors.ts'
import { type Steering, steerMany, tasksToSteer } from '#tasks/steer/steer-many.ts'
import { dryRun, Input, ManyIds, manyAnswers } from '../contract/shapes.ts'
import { taskFilters } from '../contract/task-shapes.ts'
import type { App, Context, Resource } from '../route/route.ts'

const Filter = Input(
  { ...taskFilters, ids: ManyIds('Those of these ids.'), dry_run: dryRun },
  { title: 'ManyTasks', examples: [{ status: 'Failed', error_code: 'destination_unreachable', dry_run: true }] },
)

const told: Record<Steering, string> = {
  retry:
    'All that the filter finds and that are `Failed` or `Cancelled`; others are skipped, and so are those whose uploaded file is past its retention. A callback follows for each.',
  cancel:
    'All that the filter finds and that are `Waiting` or `Running`; others are skipped. A callback follows for each.',
  'try-now':
    'All that the filter finds and of which an entry waits for its next attempt (`retry_at`); others are skipped. They are tried at once, and as often as before after that.',
}
const summaries: Record<Steering, (nouns: string) => string> = {
  retry: nouns => `Run ${nouns} again`,
  cancel: nouns => `Cancel ${nouns}`,
  'try-now': nouns => `Try ${nouns} now that wait for their next attempt`,
}
const operations: Record<Steering, string> = { retry: 'retry', cancel: 'cancel', 'try-now': 'hasten' }
const MORE =
  ' At least one filter is needed. At most 100,000 at once. The work goes on in the background: should the service end meanwhile, send the request again.'

export const bulkSteering: Resource = (app, services) => {
  for (const isGroup of [false, true])
    for (const steering of ['retry', 'cancel', 'try-now'] as const) addRoute(app, services, isGroup, steering)
}

function addRoute(app: App, services: Context, isGroup: boolean, steering: Steering): void {
  const nouns = isGroup ? 'task groups' : 'tasks'
  app.post(
    `/api/${isGroup ? 'taskgroup' : 'task'}/${steering}/`,
    {
      config: { scope: 'tasks', problems: ['full'] },
      schema: {
        tags: [isGroup ? 'Task groups' : 'Tasks'],
        summary: summaries[steering](nouns),
        operationId: `${operations[steering]}${isGroup ? 'TaskGroups' : 'Tasks'}`,
        description: told[steering] + MORE,
        body: Filter,
        response: manyAnswers,
      },
    },
    async (request, reply) => {
      const { dry_run = false, ...filters } = request.body
      if (Object.keys(filters).length === 0)
        throw new Problem(
          'bad_request',
          `Give at least one filter: ${Object.keys(Filter.properties).slice(0, -1).join(', ')}.`,
        )
      const { experiences: visible, tokenId: token } = request.access
      if (!dry_run) services.bulk.refuseMore(token)
      const ids = await tasksToSteer(services, { steering, isGroup, filters, visible })
      if (dry_run) return reply.code(200).send({ count: ids.length })
      await steerMany({ ...services, actor: request.actor }, steering, ids, { token, owner: ownerOf(request.access) })
      return reply.code(202).send({ count: ids.length })
    },
  )
}
