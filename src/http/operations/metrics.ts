// Prometheus metrics: requests, the process, and what waits and runs in the whole deployment.
import { collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client'
import { Problem } from '#kit/errors.ts'
import { overview } from '#tasks/show/overview.ts'
import type { Services } from '../route/http-services.ts'
import type { App } from '../route/route.ts'
import { type MetricEntry, metricList } from './metric-list.ts'

export function metrics(app: App, services: Services): void {
  const { metrics: registry, settings } = services
  collectDefaultMetrics({ register: registry })
  const { name, help, buckets, labels } = metricList.requests
  const requests = new Histogram({ name, help, buckets, labelNames: namesOf(labels), registers: [registry] })
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
  const gauge = <L extends string>({ name, help, labels }: MetricEntry<L>) =>
    new Gauge({ name, help, labelNames: namesOf(labels), registers: [registry] })
  const up = gauge(metricList.up)
  const waiting = gauge(metricList.waiting)
  const running = gauge(metricList.running)
  const workers = gauge(metricList.workers)
  const ended = gauge(metricList.ended)
  const latency = gauge(metricList.latency)
  const free = gauge(metricList.free)

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

const namesOf = <L extends string>(labels: Record<L, string>): L[] => Object.keys(labels) as L[]
