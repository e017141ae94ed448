// Prometheus metrics: requests, the process, and what waits and runs in the whole deployment.
import { collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client'
import { Problem } from '#kit/errors.ts'
import { overview } from '#tasks/show/overview.ts'
import type { Services } from '../route/http-services.ts'
import type { App } from '../route/route.ts'

export function metrics(app: App, services: Services): void {
  const { metrics: registry, settings } = services
  collectDefaultMetrics({ register: registry })
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
  const look = deploymentGauges(registry, services)
  app.get(
    '/metrics',
    {
      config: { scope: settings.openMetrics ? null : 'read' },
      schema: {
        tags: ['Operations'],
        operationId: 'readMetrics',
        summary: 'Metrics as Prometheus text',
        description:
          'Of the whole deployment, so a token that is limited to experiences is refused. Open when KEEPSAKE_OPEN_METRICS is set.',
        response: {
          200: { description: 'Prometheus text', content: { 'text/plain': { schema: { type: 'string' } } } },
        },
      },
    },
    async (request, reply) => {
      if (!settings.openMetrics && request.access.experiences !== null)
        throw new Problem('forbidden', 'Metrics are of the whole deployment; your token is limited to experiences.')
      await look()
      return reply.type(registry.contentType).send(await registry.metrics())
    },
  )
}

/** Reads the gauges on each scrape. While the database is away, only `database_up` is set. */
function deploymentGauges(registry: Registry, { db, settings, log }: Services): () => Promise<void> {
  const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge({ name: `keepsake_${name}`, help, labelNames, registers: [registry] })
  const up = gauge('database_up', '1 when the database answers.')
  const waiting = gauge('waiting', 'Jobs that wait, by lane.', 'lane')
  const running = gauge('running', 'Tasks that run.')
  const workers = gauge('workers', 'Workers that are there.')
  const ended = gauge('ended_last_hour', 'Tasks that ended within the last hour.', 'status')
  const latency = gauge('latency_last_hour_seconds', 'From the request to the callback.', 'quantile')
  const free = gauge('disk_free_bytes', 'Room on the disk of the data folder.')

  return async () => {
    try {
      const now = await overview(db, settings.data, 'hour', null)
      const sum = (key: 'succeeded' | 'failed') => now.points.reduce((total, point) => total + point[key], 0)
      for (const [lane, count] of Object.entries(now.waiting)) waiting.set({ lane }, count)
      running.set(now.running)
      workers.set(now.workers?.length ?? 0)
      ended.set({ status: 'Succeeded' }, sum('succeeded'))
      ended.set({ status: 'Failed' }, sum('failed'))
      latency.set({ quantile: '0.5' }, (now.latency_ms.p50 ?? 0) / 1000)
      latency.set({ quantile: '0.95' }, (now.latency_ms.p95 ?? 0) / 1000)
      free.set(now.disk?.free_bytes ?? 0)
      up.set(1)
    } catch (error) {
      log.warn({ err: error }, 'the deployment could not be looked at for its metrics')
      up.set(0)
    }
  }
}
