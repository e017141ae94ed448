// Sends callbacks again: one, or all that a filter finds.
import Type from 'typebox'
import { resendCallback } from '#callbacks/resend.ts'
import { listCallbackRefs, readCallback } from '#db/nouns/callbacks-read.ts'
import { MOST } from '#tasks/steer/bulk.ts'
import { answer } from '../contract/answers.ts'
import { Callback, callbackFilters } from '../contract/callback-shapes.ts'
import { dryRun, Input, ManyIds, manyAnswers, Text, Uuid } from '../contract/shapes.ts'
import type { Resource } from '../route/route.ts'
import { shownCallback } from './callback-routes.ts'

const tags = ['Callbacks']

const Filter = Input(
  {
    ...callbackFilters,
    receiver: Type.Optional(Text('Those to this receiver: its host, with the port if it has one of its own.', 300)),
    ids: ManyIds('Those of these ids.'),
    task_ids: Type.Optional(
      Type.Array(Uuid('The id of a task or task group.'), {
        minItems: 1,
        maxItems: 1_000,
        description: 'Those of these tasks and task groups.',
      }),
    ),
    dry_run: dryRun,
  },
  { examples: [{ status: 'GivenUp', dry_run: true }] },
)

export const callbackResend: Resource = (app, services) => {
  const { db } = services
  app.post(
    '/api/callback/:callback_id/resend/',
    {
      config: { scope: 'tasks' },
      schema: {
        tags,
        operationId: 'resendCallback',
        summary: 'Send a callback again',
        description: 'The same id and the same body, from the first attempt on.',
        params: Type.Object({ callback_id: Type.String({ description: 'The id of the callback.' }) }),
        response: { 202: answer('The callback, waiting for its next attempt.', Callback) },
      },
    },
    async (request, reply) => {
      const { experiences } = request.access
      const callback = await readCallback(db, experiences, request.params.callback_id)
      await resendCallback({ ...services, actor: request.actor }, callback)
      return reply.code(202).send(shownCallback(await readCallback(db, experiences, callback.callback_id)))
    },
  )
  app.post(
    '/api/callback/resend/',
    {
      config: { scope: 'tasks', problems: ['full'] },
      schema: {
        tags,
        operationId: 'resendCallbacks',
        summary: 'Send callbacks again',
        description:
          'All that the filter finds; without a `status` those that were given up. At most 100,000 at once. What takes longer than a moment goes on in the background: should the service end meanwhile, send the request again.',
        body: Filter,
        response: {
          200: manyAnswers[200],
          202: Type.Object(
            {
              ...manyAnswers[202].properties,
              resent: Type.Integer({ minimum: 0, description: 'How many of them are on their way again by now.' }),
            },
            { description: 'They are sent again.' },
          ),
        },
      },
    },
    async (request, reply) => {
      const { dry_run = false, status = 'GivenUp', ...others } = request.body
      const { experiences, tokenId: owner } = request.access
      if (!dry_run) services.bulk.refuseMore(owner)
      const items = await listCallbackRefs(db, experiences, { status, ...others }, MOST)
      if (dry_run) return reply.code(200).send({ count: items.length })
      const each = (callback: (typeof items)[number]) => resendCallback({ ...services, actor: request.actor }, callback)
      const resent = await services.bulk.run({ what: 'resend of callbacks', owner, items, each })
      return reply.code(202).send({ count: items.length, resent })
    },
  )
}
