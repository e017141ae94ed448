// Sends spans to an OpenTelemetry collector: OTLP over HTTP as JSON, in batches, dropped rather than waited for.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { EndedSpan } from './otlp-tracer.ts'
import type { SpanKind } from './trace.ts'

export interface OtlpExporter {
  add(span: EndedSpan): void
  /** Sends what is left, within some seconds. */
  close(): Promise<void>
}

interface OtlpOptions {
  /** Posts a body and answers the status; throws when there is no answer. */
  post(body: string): Promise<number>
  resource: Record<string, string>
  log: Log
  everyMs?: number
}

/** Spans that may wait, and that one request holds; the defaults of OpenTelemetry. */
const MOST_WAITING = 2_048
const BATCH = 512
const EVERY_MS = 2_000
/** Pauses before the same batch is sent again, when the collector says that it is busy or away. */
const PAUSES_MS = [500, 2_000]
const BUSY = new Set([429, 502, 503, 504])
const CLOSE_MS = 5_000
const COMPLAIN_MS = 60_000

export function newOtlpExporter({ post, resource, log, everyMs = EVERY_MS }: OtlpOptions): OtlpExporter {
  let waiting: EndedSpan[] = []
  let lost = 0
  let complainedAt = Number.NEGATIVE_INFINITY
  let sending: Promise<void> | null = null
  const closed = new AbortController()
  const timer = setInterval(() => void flush(), everyMs).unref()

  function lose(count: number, why: string): void {
    lost += count
    if (performance.now() - complainedAt < COMPLAIN_MS) return
    complainedAt = performance.now()
    log.warn({ spans: lost, why }, 'spans could not be sent to the collector, and are lost')
    lost = 0
  }

  async function send(batch: readonly EndedSpan[]): Promise<void> {
    const body = JSON.stringify(traceRequest(batch, resource))
    for (const pause of [...PAUSES_MS, null]) {
      const status = await post(body).catch(() => null)
      if (status !== null && status >= 200 && status < 300) return
      const why = status === null ? 'no answer' : `status ${status}`
      if (pause === null || (status !== null && !BUSY.has(status))) return lose(batch.length, why)
      await sleep(pause, undefined, { signal: closed.signal }).catch(() => {})
    }
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH)
      waiting = waiting.slice(BATCH)
      await send(batch)
    }
  }

  function flush(): Promise<void> {
    sending ??= sendAll().finally(() => {
      sending = null
    })
    return sending
  }

  return {
    add(span) {
      if (waiting.length >= MOST_WAITING) return lose(1, 'too many wait')
      waiting.push(span)
      if (waiting.length === BATCH) void flush()
    },
    async close() {
      clearInterval(timer)
      closed.abort()
      const over = new AbortController()
      const late = sleep(CLOSE_MS, undefined, { signal: over.signal }).catch(() => {})
      await Promise.race([flush().then(flush), late])
      over.abort()
    },
  }
}

const kinds: Record<SpanKind, number> = { internal: 1, server: 2, client: 3, consumer: 5 }
const ERROR = 2

/** An ExportTraceServiceRequest: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
function traceRequest(spans: readonly EndedSpan[], resource: Record<string, string>): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: pairs(resource) },
        scopeSpans: [{ scope: { name: 'keepsake' }, spans: spans.map(otlpSpan) }],
      },
    ],
  }
}

const otlpSpan = ({ context, parentId, name, kind, begin, end, attributes, failed }: EndedSpan): object => ({
  traceId: context.traceId,
  spanId: context.spanId,
  ...(parentId === null ? {} : { parentSpanId: parentId }),
  flags: 1,
  name,
  kind: kinds[kind],
  startTimeUnixNano: nanos(begin),
  endTimeUnixNano: nanos(end),
  attributes: pairs(failed === null ? attributes : { ...attributes, 'error.type': failed }),
  status: failed === null ? {} : { code: ERROR },
})

/** As text: a number of JavaScript holds no nanoseconds since 1970. */
const nanos = (ms: number): string => String(BigInt(Math.round(ms * 1000)) * 1000n)

type Value = string | number | boolean | readonly string[]

const pairs = (values: Record<string, Value>): object[] =>
  Object.entries(values).map(([key, value]) => ({ key, value: anyValue(value) }))

function anyValue(value: Value): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  return { arrayValue: { values: value.map(anyValue) } }
}
