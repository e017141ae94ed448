// Prometheus metrics: requests, the process, and what waits and runs in the whole deployment.
import type { Socket } from 'node:net'
import { readWaitingSince } from '#db/now/pace-rows.ts'
import { listFailingSteps, listLivingWorkers } from '#db/now/trouble-rows.ts'
import { Problem } from '#kit/errors.ts'
import type { Meters } from '#kit/telemetry/meters.ts'
import { offOf, offTogether } from '#tasks/show/lacking.ts'
import { overview } from '#tasks/show/overview.ts'
import type { Services } from '../route/http-services.ts'
import type { App } from '../route/route.ts'

export function metrics(app: App, services: Services): void {
  const { meters, settings } = services
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    meters.observe(
      'requests',
      { method: request.method, route, status: String(reply.statusCode) },
      reply.elapsedTime / 1000,
    )
  })
  meters.onRead(countBytes(app, meters))
  meters.onRead(() => lookAtDeployment(services))
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
      return reply.type(meters.contentType).send(await meters.read())
    },
  )
}

/** Counts what went over connections, also over those that are still open. */
function countBytes(app: App, meters: Meters): () => void {
  const counted = new Map<Socket, { in: number; out: number }>()
  const count = (socket: Socket): void => {
    const before = counted.get(socket) ?? { in: 0, out: 0 }
    const now = { in: socket.bytesRead, out: socket.bytesWritten }
    meters.count('httpBytes', { direction: 'in' }, Math.max(0, now.in - before.in))
    meters.count('httpBytes', { direction: 'out' }, Math.max(0, now.out - before.out))
    counted.set(socket, now)
  }
  app.server.on('connection', (socket: Socket) => {
    counted.set(socket, { in: 0, out: 0 })
    socket.once('close', () => {
      count(socket)
      counted.delete(socket)
    })
  })
  return () => [...counted.keys()].forEach(count)
}

/** While the database is away the gauges keep what they were. */
async function lookAtDeployment({ db, settings, log, meters, adapters, off }: Services): Promise<void> {
  try {
    const [now, since, workers, failing] = await Promise.all([
      overview(db, settings.data, { window: 'hour', visible: null }),
      readWaitingSince(db),
      listLivingWorkers(db),
      listFailingSteps(db, null),
    ])
    const sum = (key: 'succeeded' | 'failed') => now.points.reduce((total, point) => total + point[key], 0)
    for (const lane of ['picture', 'video', 'transfer', 'callback'] as const) {
      meters.set('waiting', { lane }, now.waiting[lane])
      const at = since[lane]
      meters.set('waitingAge', { lane }, at ? Math.max(0, Date.now() - at.getTime()) / 1000 : 0)
    }
    meters.set('running', {}, now.running)
    meters.set('workers', {}, now.workers?.length ?? 0)
    meters.set('off', {}, new Set([...off(), ...offTogether(workers)]).size)
    meters.set('lacking', {}, offOf(workers).filter(({ off }) => off.length > 0).length)
    for (const adapter of adapters.keys())
      meters.set('failing', { adapter }, failing.some(({ adapter_name }) => adapter_name === adapter) ? 1 : 0)
    meters.set('ended', { status: 'Succeeded' }, sum('succeeded'))
    meters.set('ended', { status: 'Failed' }, sum('failed'))
    meters.set('latency', { quantile: '0.5' }, (now.latency_ms.p50 ?? 0) / 1000)
    meters.set('latency', { quantile: '0.95' }, (now.latency_ms.p95 ?? 0) / 1000)
    meters.set('up', {}, 1)
  } catch (error) {
    log.warn({ err: error }, 'the deployment could not be looked at for its metrics')
    meters.set('up', {}, 0)
  }
}
