// Prometheus metrics of the HTTP side, and the page that shows everything registered.
import { Histogram } from 'prom-client'
import type { App } from './app.ts'
import type { Services } from './services.ts'

export function metrics(app: App, { metrics: registry, settings }: Services): void {
  const requests = new Histogram({
    name: 'keepsake_http_request_seconds',
    help: 'Time to answer a request.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [registry],
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    requests.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
  })
  app.get(
    '/metrics',
    {
      config: { scope: settings.openMetrics ? null : 'read' },
      schema: {
        tags: ['Operations'],
        summary: 'Metrics as Prometheus text',
        description: 'Needs a token unless KEEPSAKE_OPEN_METRICS is set.',
        response: {
          200: { description: 'Prometheus text', content: { 'text/plain': { schema: { type: 'string' } } } },
        },
      },
    },
    async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()),
  )
}
