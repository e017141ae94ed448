// Sends callbacks again: one, or all that a filter finds.
import Type from 'typebox'
import { resendCallback } from '#callbacks/resend.ts'
import { listCallbacks, readCallback } from '#db/nouns/callbacks-read.ts'
import { Callback, CallbackStatus } from '../contract/callback-shapes.ts'
import { ExperienceId, Input, Uuid } from '../contract/shapes.ts'
import type { Resource } from '../route/route.ts'
import { shownCallback } from './callback-routes.ts'

const tags = ['Callbacks']
const BATCH = 200

const Filter = Input({
  status: Type.Optional(CallbackStatus),
  task_id: Type.Optional(Uuid('Those of this task or task group.')),
  experience_id: Type.Optional(ExperienceId),
})

export const callbackResend: Resource = (app, services) => {
  const { db } = services
  app.post(
    '/api/callback/:callback_id/resend/',
    {
      config: { scope: 'tasks' },
      schema: {
        tags,
        summary: 'Send a callback again',
        description: 'The same id and the same body, from the first attempt on.',
        params: Type.Object({ callback_id: Type.String({ description: 'The id of the callback.' }) }),
        response: { 202: Callback },
      },
    },
    async (request, reply) => {
      const { experiences } = request.access
      const callback = await readCallback(db, experiences, request.params.callback_id)
      await resendCallback(services, callback)
      return reply.code(202).send(shownCallback(await readCallback(db, experiences, callback.callback_id)))
    },
  )
  app.post(
    '/api/callback/resend/',
    {
      config: { scope: 'tasks' },
      schema: {
        tags,
        summary: 'Send callbacks again',
        description: 'All that the filter finds; without a `status` those that were given up.',
        body: Filter,
        response: { 202: Type.Object({ resent: Type.Integer({ description: 'How many are on their way again.' }) }) },
      },
    },
    async (request, reply) => {
      const { status = 'GivenUp', ...others } = request.body
      let resent = 0
      let cursor: string | undefined
      do {
        const page = await listCallbacks(
          db,
          request.access.experiences,
          { status, ...others },
          { limit: BATCH, cursor },
        )
        for (const callback of page.items) await resendCallback(services, callback)
        resent += page.items.length
        cursor = page.next_cursor ?? undefined
      } while (cursor !== undefined)
      return reply.code(202).send({ resent })
    },
  )
}
