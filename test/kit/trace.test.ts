// Traces alone: what a traceparent is, who is sampled, and what becomes of spans that a collector does not take.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newLog } from '#kit/log.ts'
import { loadSettings } from '#kit/settings.ts'
import { tracesUrl } from '#kit/telemetry/open-tracer.ts'
import { newOtlpExporter } from '#kit/telemetry/otlp-exporter.ts'
import { newTracer, samplerOf } from '#kit/telemetry/otlp-tracer.ts'
import { noTracer, readTraceparent } from '#kit/telemetry/trace.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'

test('a traceparent is read as W3C wants it', () => {
  assert.deepEqual(readTraceparent(`00-${TRACE}-${SPAN}-01`), { traceId: TRACE, spanId: SPAN, sampled: true })
  assert.equal(readTraceparent(`00-${TRACE}-${SPAN}-02`)?.sampled, false)
  assert.equal(readTraceparent(`cc-${TRACE}-${SPAN}-01-what-comes-later`)?.sampled, true, 'a later version')
  for (const bad of [
    null,
    undefined,
    '',
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    ` 00-${TRACE}-${SPAN}-01`,
  ])
    assert.equal(readTraceparent(bad), null, String(bad))
})

test('samplers decide as OpenTelemetry says', () => {
  const [yes, no] = [true, false].map(sampled => ({ traceId: TRACE, spanId: SPAN, sampled })) as [never, never]
  const high = `ff${TRACE.slice(2)}`
  assert.deepEqual(
    (['always_on', 'always_off', 'parentbased_always_on', 'parentbased_always_off'] as const).map(name =>
      [null, yes, no].map(parent => samplerOf(name, 1)(parent, TRACE)),
    ),
    [
      [true, true, true],
      [false, false, false],
      [true, true, false],
      [false, true, false],
    ],
  )
  assert.equal(samplerOf('traceidratio', 0.5)(null, TRACE), true)
  assert.equal(samplerOf('traceidratio', 0.5)(no, high), false)
  assert.equal(samplerOf('traceidratio', 1)(null, 'f'.repeat(32)), true)
  assert.equal(samplerOf('traceidratio', 0)(null, '0'.repeat(31).concat('1')), false)
  assert.equal(samplerOf('parentbased_traceidratio', 0.5)(yes, high), true)
})

test('what the collector does not take is sent again or lost, and said once', async () => {
  const answers = [503, null, 200, 400, 400]
  const lines: string[] = []
  const bodies: string[] = []
  const exporter = newOtlpExporter({
    everyMs: 3_600_000,
    resource: {},
    log: newLog('warn', 'test', { write: line => void lines.push(line) }),
    async post(body) {
      bodies.push(body)
      const status = answers.shift()
      if (status === null || status === undefined) throw new Error('no answer')
      return status
    },
  })
  const tracer = newTracer(samplerOf('always_on', 1), exporter)
  // A batch of 512 is sent at once; the third attempt is taken.
  for (let n = 0; n < 512; n++) tracer.begin('first', null).end()
  for (let n = 0; n < 600; n++) tracer.begin('second', null).end()
  await tracer.close()
  assert.equal(bodies.length, 5)
  assert.equal(new Set(bodies.slice(0, 3)).size, 1, 'the same batch')
  const told = lines.map(line => JSON.parse(line))
  assert.deepEqual(
    told.map(({ msg, why }) => [msg, why]),
    [['spans could not be sent to the collector, and are lost', 'status 400']],
  )
})

test('spans wait in a bounded number, and a text in them is short', async () => {
  const bodies: string[] = []
  const exporter = newOtlpExporter({
    everyMs: 3_600_000,
    resource: {},
    log: newLog('silent', 'test'),
    post: async body => bodies.push(body) && 200,
  })
  const tracer = newTracer(samplerOf('always_on', 1), exporter)
  for (let n = 0; n < 5_000; n++) tracer.begin('many', null, { attributes: { text: 'x'.repeat(1_000) } }).end()
  await tracer.close()
  const spans = bodies.flatMap(body => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans)
  // The first 512 were on their way, and 2,048 waited for them.
  assert.equal(spans.length, 512 + 2_048)
  assert.equal(spans[0].attributes[0].value.stringValue.length, 256)
})

test('traces go where the settings say, and nowhere unless they do', () => {
  const at = (env: Record<string, string>) => tracesUrl(loadSettings(env, '/nowhere/.env'))
  assert.equal(at({}), null)
  assert.equal(at({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }), 'http://c:4318/v1/traces')
  assert.equal(at({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/otlp/' }), 'http://c:4318/otlp/v1/traces')
  assert.equal(at({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://c/t' }), 'https://c/t')
  for (const off of [{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }])
    assert.equal(at({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', ...off }), null)
  assert.throws(() => at({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }), /must be one of http\/json/)
  assert.throws(() => at({ OTEL_TRACES_SAMPLER_ARG: '2' }), /from 0 to 1/)
  assert.throws(
    () => at({ OTEL_EXPORTER_OTLP_HEADERS: 'hush hush' }),
    ({ message }: Error) => !message.includes('hush'),
  )
  const { otlpHeaders } = loadSettings({ OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b, other=c=d' }, '/nowhere/.env')
  assert.deepEqual(otlpHeaders, { 'api-key': 'a b', other: 'c=d' })
})

test('where nothing is traced, nothing is made', () => {
  const span = noTracer.begin('x', `00-${TRACE}-${SPAN}-01`)
  assert.equal(span.child('y'), span)
  assert.equal(span.traceparent, null)
})
