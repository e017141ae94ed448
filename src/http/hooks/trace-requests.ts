// Traces requests to the API: one span each, below the caller's own if it sent a traceparent.
import { noSpan, noTracer, type Tracer } from '#kit/telemetry/trace.ts'
import type { App } from '../route/route.ts'

/** Pages, files and probes tell nothing of work. A stream of events lasts as long as somebody looks. */
const isTraced = (route: string): boolean => route.startsWith('/api/') && !route.endsWith('/events/')

export function traceRequests(app: App, tracer: Tracer): void {
  app.decorateRequest('span', { getter: () => noSpan })
  if (tracer === noTracer) return
  app.addHook('onRequest', async request => {
    const route = request.routeOptions.url
    if (route === undefined || !isTraced(route)) return
    const { traceparent } = request.headers
    const span = tracer.begin(`${request.method} ${route}`, [traceparent].flat()[0] ?? null, {
      kind: 'server',
      attributes: { 'http.request.method': request.method, 'http.route': route, 'keepsake.request_id': request.id },
    })
    Object.defineProperty(request, 'span', { value: span })
  })
  app.addHook('onResponse', async ({ span }, { statusCode }) => {
    span.set({ 'http.response.status_code': statusCode })
    if (statusCode >= 500) span.fail(String(statusCode))
    span.end()
  })
}
