// Opens the tracer that the settings of OpenTelemetry ask for.
import { hostname } from 'node:os'
import type { Log } from '../log.ts'
import type { Settings } from '../settings.ts'
import { noTracer, type Tracer } from './trace.ts'

interface Opening {
  part: string
  version: string
  log: Log
  /** Posts to a host that the operator named, private or not. */
  post(url: string, request: { headers: Record<string, string>; body: string; timeoutMs: number }): Promise<number>
}

/** Where the traces go; null: nowhere. */
export function tracesUrl({ otlpEndpoint, otlpTracesEndpoint, otelDisabled, tracesExporter }: Settings): string | null {
  if (otelDisabled || tracesExporter === 'none') return null
  if (otlpTracesEndpoint !== null) return otlpTracesEndpoint
  return otlpEndpoint === null ? null : `${otlpEndpoint.replace(/\/$/, '')}/v1/traces`
}

export async function openTracer(settings: Settings, { part, version, log, post }: Opening): Promise<Tracer> {
  const url = tracesUrl(settings)
  if (url === null) return noTracer
  const [{ newTracer, samplerOf }, { newOtlpExporter }] = await Promise.all([
    import('./otlp-tracer.ts'),
    import('./otlp-exporter.ts'),
  ])
  const headers = { ...settings.otlpHeaders, ...settings.otlpTracesHeaders, 'content-type': 'application/json' }
  const exporter = newOtlpExporter({
    post: body => post(url, { headers, body, timeoutMs: settings.otlpTimeoutMs }),
    resource: {
      'host.name': hostname(),
      ...settings.resourceAttributes,
      'service.name': settings.serviceName ?? settings.resourceAttributes['service.name'] ?? 'keepsake',
      'service.version': version,
      'service.instance.id': `${hostname()}-${process.pid}-${part}`,
      'keepsake.part': part,
    },
    log,
  })
  return newTracer(samplerOf(settings.tracesSampler, settings.tracesSamplerArg), exporter)
}
