// Health checks: whether the process lives, and whether it can take work.
import Type from 'typebox'
import type { Resource } from '../route/route.ts'

const Health = Type.Object({ status: Type.Literal('ok') })

const Readiness = Type.Object({
  status: Type.Enum(['ready', 'not_ready']),
  version: Type.String(),
  off: Type.Array(Type.String(), { description: 'What this machine can not do, a sentence each.' }),
})

export const health: Resource = (app, services) => {
  app.get(
    '/healthz',
    {
      config: { scope: null },
      schema: { tags: ['Operations'], summary: 'The process lives', response: { 200: Health } },
    },
    async () => ({ status: 'ok' as const }),
  )
  app.get(
    '/readyz',
    {
      config: { scope: null },
      schema: {
        tags: ['Operations'],
        summary: 'The service can take work',
        response: { 200: Readiness, 503: Type.Object(Readiness.properties, { description: 'Starting or draining.' }) },
      },
    },
    async (_request, reply) => {
      const ready = await services.ready()
      if (!ready) reply.header('retry-after', 1)
      return reply
        .code(ready ? 200 : 503)
        .send({ status: ready ? 'ready' : 'not_ready', version: services.version, off: services.off() })
    },
  )
}
