// Spans of a trace, as the rest of the code makes them, and the text that carries a trace from process to process (W3C Trace Context).

/** Never a sentence, a path, a name of a guest or a secret: only ids, names of our own, states and numbers. */
export type Attributes = Record<string, string | number | boolean | readonly string[]>

export type SpanKind = 'internal' | 'server' | 'client' | 'consumer'

export interface SpanOptions {
  kind?: SpanKind
  attributes?: Attributes
  /** When it began, if not now: milliseconds since 1970. */
  at?: number
}

export interface Span {
  /** What a header or a row carries on; null: nothing is traced. */
  readonly traceparent: string | null
  child(name: string, options?: SpanOptions): Span
  rename(name: string): void
  set(attributes: Attributes): void
  /** It failed, for a reason that is one of our codes. */
  fail(code: string): void
  /** Whatever comes after the first end is ignored. */
  end(): void
}

export interface Tracer {
  /** `parent`: a traceparent of another process; null, or a text that is none, begins a trace. */
  begin(name: string, parent: string | null, options?: SpanOptions): Span
  /** Sends what is left. */
  close(): Promise<void>
}

/** Where nothing is traced, each call is a call of nothing. */
export const noSpan: Span = {
  traceparent: null,
  child: () => noSpan,
  rename() {},
  set() {},
  fail() {},
  end() {},
}

export const noTracer: Tracer = { begin: () => noSpan, async close() {} }

/** Runs the work within a span, which fails when the work throws. */
export async function within<T>(span: Span, work: (span: Span) => Promise<T>): Promise<T> {
  try {
    return await work(span)
  } catch (error) {
    span.fail(codeOf(error))
    throw error
  } finally {
    span.end()
  }
}

/** The code of a problem; of any other error nothing, because its text may hold anything. */
export const codeOf = (error: unknown): string => {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  return name === 'Problem' || typeof code === 'string' ? String(code).slice(0, 64) : 'error'
}

export interface SpanContext {
  traceId: string
  spanId: string
  sampled: boolean
}

/** Version, trace, span and flags; a later version may bring more behind them. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.{0,256})?$/

/** Null for what is no traceparent. */
export function readTraceparent(text: string | null | undefined): SpanContext | null {
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(text ?? '') ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export const writeTraceparent = ({ traceId, spanId, sampled }: SpanContext): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`
