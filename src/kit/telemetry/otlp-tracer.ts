// Makes spans and hands those that ended to an exporter. Loaded only where traces are asked for.
import { randomBytes } from 'node:crypto'
import type { OtlpExporter } from './otlp-exporter.ts'
import {
  type Attributes,
  readTraceparent,
  type Span,
  type SpanContext,
  type SpanKind,
  type SpanOptions,
  type Tracer,
  writeTraceparent,
} from './trace.ts'

type Sampler = (parent: SpanContext | null, traceId: string) => boolean

/** A span as it ended, times in milliseconds since 1970. */
export interface EndedSpan {
  context: SpanContext
  parentId: string | null
  name: string
  kind: SpanKind
  begin: number
  end: number
  attributes: Attributes
  /** The code of a failure; null: it did not fail. */
  failed: string | null
}

/** Adapters, states and the like are short; a longer text is cut. */
const MOST_TEXT = 256

export function newTracer(sampler: Sampler, exporter: OtlpExporter): Tracer {
  /** Milliseconds with fractions, of a clock that never goes back within this process. */
  const now = (): number => performance.timeOrigin + performance.now()

  function begin(
    name: string,
    parent: SpanContext | null,
    { kind = 'internal', attributes = {}, at = now() }: SpanOptions,
    sampled: boolean,
    traceId = parent?.traceId ?? newHex(16),
  ): Span {
    const context: SpanContext = { traceId, spanId: newHex(8), sampled }
    const told: Attributes = { ...attributes }
    let [called, failed, isOpen]: [string, string | null, boolean] = [name, null, true]
    return {
      traceparent: writeTraceparent(context),
      child: (childName, options = {}) => begin(childName, context, options, sampled),
      rename(other) {
        called = other
      },
      set: more => void Object.assign(told, more),
      fail(code) {
        failed = code
      },
      end() {
        if (!isOpen) return
        isOpen = false
        const parentId = parent?.spanId ?? null
        const ended = { context, parentId, name: called, kind, begin: at, end: Math.max(at, now()), failed }
        if (sampled) exporter.add({ ...ended, attributes: shortened(told) })
      },
    }
  }

  return {
    begin(name, text, options = {}) {
      const parent = readTraceparent(text)
      const traceId = parent?.traceId ?? newHex(16)
      return begin(name, parent, options, sampler(parent, traceId), traceId)
    },
    close: () => exporter.close(),
  }
}

const newHex = (bytes: number): string => randomBytes(bytes).toString('hex')

const shortened = (attributes: Attributes): Attributes =>
  Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [
      key,
      typeof value === 'string' ? value.slice(0, MOST_TEXT) : value,
    ]),
  )

type SamplerName =
  | 'always_on'
  | 'always_off'
  | 'traceidratio'
  | 'parentbased_always_on'
  | 'parentbased_always_off'
  | 'parentbased_traceidratio'

/** As OpenTelemetry describes them. `ratio`: from 0 to 1. */
export function samplerOf(name: SamplerName, ratio: number): Sampler {
  const base = name.replace('parentbased_', '')
  const root = (traceId: string): boolean => {
    if (base === 'traceidratio') return Number.parseInt(traceId.slice(0, 13), 16) < ratio * 16 ** 13
    return base === 'always_on'
  }
  const asks = name.startsWith('parentbased_')
  return (parent, traceId) => (asks && parent ? parent.sampled : root(traceId))
}
