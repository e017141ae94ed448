// /api/stats/: the numbers of the console's overview.
import Type from 'typebox'
import { overview } from '#tasks/show/overview.ts'
import { answer } from '../contract/answers.ts'
import { Input } from '../contract/shapes.ts'
import { Stats, Window } from '../contract/stats-shapes.ts'
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
        querystring: Input({ window: Type.Optional(Window) }),
        response: { 200: answer('The numbers of the overview.', Stats) },
      },
    },
    async request => overview(db, settings.data, request.query.window ?? 'hour', request.access.experiences),
  )
}
