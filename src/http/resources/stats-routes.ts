// /api/stats/ and /api/trouble/: the numbers of the console's overview, and what needs a hand.
import Type from 'typebox'
import { overview } from '#tasks/show/overview.ts'
import { trouble } from '#tasks/show/trouble.ts'
import { answer } from '../contract/answers.ts'
import { ExperienceId, Input } from '../contract/shapes.ts'
import { Stats, Trouble, Window } from '../contract/stats-shapes.ts'
import type { Resource } from '../route/route.ts'

export const stats: Resource = (app, { db, settings }) => {
  app.get(
    '/api/stats/',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['Stats'],
        operationId: 'readStats',
        summary: 'Rates, times and queues',
        querystring: Input({ window: Type.Optional(Window), experience_id: Type.Optional(ExperienceId) }),
        response: { 200: answer('The numbers of the overview.', Stats) },
      },
    },
    async request => {
      const { window = 'hour', experience_id: experienceId } = request.query
      return overview(db, settings.data, { window, visible: request.access.experiences, experienceId })
    },
  )
  app.get(
    '/api/trouble/',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['Stats'],
        operationId: 'readTrouble',
        summary: 'What needs a hand',
        description:
          'Causes, each with what the filters of `POST /api/task/retry/`, `/api/task/try-now/` and `/api/callback/resend/` need to work on all of it.',
        querystring: Input({ experience_id: Type.Optional(ExperienceId) }),
        response: { 200: answer('What needs a hand, by cause.', Trouble) },
      },
    },
    async request => trouble(db, settings.data, request.access.experiences, request.query.experience_id),
  )
}
