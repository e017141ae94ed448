// Health checks: whether the process lives, and whether it can take work.
import Type from 'typebox'
import { listLivingWorkers } from '#db/now/trouble-rows.ts'
import { offTogether } from '#tasks/show/lacking.ts'
import { answer } from '../contract/answers.ts'
import type { Resource } from '../route/route.ts'

const Health = Type.Object({ status: Type.Literal('ok') }, { title: 'Health' })

const Readiness = Type.Object(
  {
    status: Type.Enum(['ready', 'not_ready']),
    version: Type.String(),
    off: Type.Array(Type.String(), { description: 'What this machine or a worker can not do, a sentence each.' }),
  },
  { title: 'Readiness' },
)

export const health: Resource = (app, services) => {
  app.get(
    '/healthz',
    {
      config: { scope: null },
      schema: {
        tags: ['Operations'],
        operationId: 'readHealth',
        summary: 'The process lives',
        response: { 200: answer('It lives.', Health) },
      },
    },
    async () => ({ status: 'ok' as const }),
  )
  app.get(
    '/readyz',
    {
      config: { scope: null },
      schema: {
        tags: ['Operations'],
        operationId: 'readReadiness',
        summary: 'The service can take work',
        response: {
          200: answer('It takes work.', Readiness),
          503: answer('Starting, draining, or the database takes no writes.', Readiness, {
            'Retry-After': Type.Integer({ description: 'Seconds after which to ask again.' }),
          }),
        },
      },
    },
    async (_request, reply) => {
      const ready = await services.ready()
      if (!ready) reply.header('retry-after', 1)
      const workers = ready ? await listLivingWorkers(services.db).catch(() => []) : []
      const off = [...new Set([...services.off(), ...offTogether(workers)])]
      return reply
        .code(ready ? 200 : 503)
        .send({ status: ready ? 'ready' : 'not_ready', version: services.version, off })
    },
  )
}
