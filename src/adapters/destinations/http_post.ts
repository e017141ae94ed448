// http_post: sends the file to a web address, as a form or as the bare body.
import Type, { type Static } from 'typebox'
import { type DeliveryStep, destinationAdapter } from '#engine/adapter.ts'
import { withStandIns } from '#engine/placeholders.ts'
import { badOption, isProblem, type Problem } from '#kit/errors.ts'
import type { Json, JsonObject } from '#kit/json.ts'
import { type OutboundResponse, Unreachable } from '#kit/net/outbound.ts'
import { named } from '#kit/schema.ts'
import { unstorableAt } from '#kit/text.ts'
import type { MediaFile } from '#media/file/file.ts'
import { newMeter } from '../delivery/bytes.ts'
import { notTried, tried } from '../delivery/check-lines.ts'
import { patience, visible } from '../delivery/delivery-options.ts'
import { Answered, answered, quote, refused } from '../delivery/failure.ts'
import { multipartForm } from '../delivery/form-body.ts'
import { checkHeaderValue, checkNames, headerName } from '../delivery/header-names.ts'
import { mayBeSent, sendOnce } from '../delivery/intent.ts'
import { remarksBy } from '../delivery/review.ts'

const options = Type.Object(
  {
    url: Type.String({
      description: 'Address that takes the file.',
      placeholders: 'url',
      pattern: '^https?://[^/]+',
      maxLength: 2048,
      examples: ['https://hooks.example.com/photos'],
    }),
    method: Type.Enum(['POST', 'PUT', 'PATCH'], { description: 'Method of the request.', default: 'POST' }),
    headers: named(
      Type.String({ maxLength: 4096 }),
      {
        description: 'Further headers of the request.',
        default: {},
        examples: [{ 'x-event': 'summer-party' }],
        maxProperties: 100,
        names: 'a header has up to 128 letters, digits and hyphens, no space or colon',
      },
      headerName.source,
    ),
    field: Type.String({
      description: 'Name of the form field that holds the file. Empty: no form, the file is the body.',
      default: 'file',
      maxLength: 128,
    }),
    fields: named(
      Type.String({ maxLength: 65_536 }),
      {
        description: 'Further fields of the form.',
        default: {},
        examples: [{ task: '{{task_id}}' }],
        maxProperties: 1000,
        names: 'a field has 1 to 128 characters',
      },
      '^[\\s\\S]{1,128}$',
    ),
    expect: Type.String({
      description: 'Statuses that mean the file was taken, as a comma list of numbers or of classes such as `2xx`.',
      default: '2xx',
      expects: 'codes like "2xx" or "200, 201"',
      pattern: '^ *[1-5](\\d\\d|xx) *(, *[1-5](\\d\\d|xx) *)*$',
      examples: ['200,201'],
    }),
    idempotent: Type.Boolean({
      description:
        'Whether the receiver knows requests of the same `Idempotency-Key` again. Then an attempt whose answer was lost is sent again; otherwise it ends as `outcome_unknown`.',
      default: false,
    }),
    ...patience,
  },
  { additionalProperties: false },
)

const auth = Type.Object(
  {
    bearer: Type.Optional(
      Type.String({
        description: 'Token sent as `Authorization: Bearer …`.',
        minLength: 1,
        maxLength: 8192,
        pattern: visible,
      }),
    ),
    username: Type.Optional(
      Type.String({
        description: 'Name for basic authentication, in place of a token.',
        minLength: 1,
        maxLength: 256,
        pattern: '^[^:]+$',
      }),
    ),
    password: Type.Optional(Type.String({ description: 'Password for basic authentication.', maxLength: 1024 })),
  },
  { additionalProperties: false },
)

type PostStep = DeliveryStep<Static<typeof options>, Static<typeof auth>>

/** Set by the request itself, or taken by servers for another address or sign-in than the request's. */
const own = new Set([
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'forwarded',
  'host',
  'idempotency-key',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-prefix',
  'x-forwarded-proto',
  'x-forwarded-server',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-host',
  'x-original-url',
  'x-rewrite-url',
])

export const httpPost = destinationAdapter({
  name: 'http_post',
  summary: 'Sends the file to a web address, as a form or as the bare body.',
  accepts: ['image', 'video', 'audio', 'file'],
  makes: 'same',
  options,
  auth,
  target: ['url'],
  authParts: { username: 'name' },
  addresses: ['url'],
  result: Type.Object({
    status_code: Type.Integer({ description: 'The status that the receiver answered.' }),
    response: Type.Unknown({
      description: 'What it answered: JSON as it is, other text as text, null where there was none.',
    }),
  }),

  review: ({ headers }) => [
    ...Object.entries(headers).flatMap(([name, value]) => remarksBy(() => checkHeader(name, withStandIns(value)))),
    ...remarksBy(() => checkNames('headers', headers)),
  ],

  async deliver(input, step) {
    const host = hostOf(step)
    const headers = headersOf(step)
    step.outbound.check(step.options.url)
    const meter = newMeter(input.bytes, step.progress)
    let isAnswered = false
    const send = () =>
      post(input, step, headers, meter, () => {
        isAnswered = true
      })
    if (step.options.idempotent) return send()
    // A request whose file was cut short is no request yet; one that the receiver itself answered is settled. All else leaves a doubt,
    // whoever cut it off: the target, a cancel, or the end of this process.
    const isCertain = (error: unknown) =>
      isAnswered
        ? isProblem(error) && !(error instanceof FromBetween)
        : meter.done < input.bytes || (error instanceof Unreachable && !error.sent)
    return sendOnce(step, host, send, isCertain)
  },

  isInDoubt: mayBeSent,

  async *check(step) {
    const seen = { status: 0 }
    const reached = await tried('Reach the receiver', async () => {
      const answer = await step.outbound.request(step.options.url, {
        method: 'HEAD',
        headers: headersOf(step),
        signal: step.signal,
        timeoutMs: 15_000,
      })
      answer.discard()
      seen.status = answer.status
      if (answer.status >= 500) throw answered(hostOf(step), answer.status, answer.headers)
      return `${hostOf(step)} answers: ${answer.status} to HEAD${answer.status === 404 ? ', though it may know the address only for files' : ''}.`
    })
    yield reached
    if (!reached.ok) return
    if (step.auth.bearer !== undefined || step.auth.username !== undefined)
      yield await tried('Credentials', async () => {
        if (seen.status === 401 || seen.status === 403) throw answered(hostOf(step), seen.status, {})
        return seen.status < 300
          ? 'They were not refused.'
          : 'Not proven: the receiver answered neither yes nor no to them.'
      })
    else if (seen.status === 401 || seen.status === 403)
      yield { ok: false, what: 'Credentials', detail: answered(hostOf(step), seen.status, {}).message }
    yield notTried('post a file', 'What was posted cannot be taken back.')
  },
})

const hostOf = (step: PostStep): string => new URL(step.options.url).host

/** A name that is none is not repeated: it may be a whole line, with a secret in it. */
function checkHeader(name: string, value: string): void {
  if (!headerName.test(name))
    throw badOption(
      'headers',
      'holds a name that no header can have: up to 128 letters, digits and hyphens, no space or colon',
    )
  if (own.has(name.toLowerCase())) throw badOption('headers', `may not hold ${name}: the service sets it itself`)
  checkHeaderValue(name, value)
}

function headersOf({ options, auth, marker }: PostStep): Record<string, string> {
  const given = Object.entries(options.headers)
  for (const [name, value] of given) checkHeader(name, value)
  checkNames('headers', options.headers)
  const headers: Record<string, string> = Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), value]))
  if (auth.bearer !== undefined) headers.authorization = `Bearer ${auth.bearer}`
  else if (auth.username !== undefined)
    headers.authorization = `Basic ${Buffer.from(`${auth.username}:${auth.password ?? ''}`).toString('base64')}`
  headers['idempotency-key'] = marker
  return headers
}

async function post(
  input: MediaFile,
  step: PostStep,
  headers: Record<string, string>,
  meter: ReturnType<typeof newMeter>,
  onAnswer: () => void,
): Promise<JsonObject> {
  const { url, method, field, fields, expect } = step.options
  const range = { path: input.path, start: 0, end: input.bytes, sent: meter.add }
  const form =
    field === ''
      ? { contentType: input.mime, body: [range] }
      : multipartForm(fields, { field, fileName: `${step.marker}${input.ext}`, mime: input.mime, range })
  const answer = await step.outbound.request(url, {
    method,
    headers: { ...headers, 'content-type': form.contentType },
    body: form.body,
    signal: step.signal,
  })
  onAnswer()
  meter.set(input.bytes)
  if (!isExpected(answer.status, expect)) throw await refusal(answer, step)
  return { status_code: answer.status, response: await responseOf(answer, step.clean) }
}

const isExpected = (status: number, expect: string): boolean =>
  expect.split(',').some(item => [String(status), `${String(status)[0]}xx`].includes(item.trim()))

async function refusal(answer: OutboundResponse, step: PostStep): Promise<Problem> {
  const words = await answer.text().catch(() => '')
  // A page of HTML says nothing to an operator.
  const plain = /^\s*</.test(words) ? '' : quote(words, step.clean)
  if (answer.status < 300)
    return refused(
      `${hostOf(step)} answered ${answer.status}, which is not among the expected statuses (${step.options.expect})`,
      plain,
    )
  const problem = answered(hostOf(step), answer.status, answer.headers, plain)
  return between.has(answer.status) ? new FromBetween(problem.code, problem.message) : problem
}

/** Whoever stands before the receiver got no answer from it either, so nobody knows what became of the file. */
class FromBetween extends Answered {}
const between = new Set([502, 504])

/** Bytes of an answer. More is read, so that a secret at their end is seen as a whole. */
const mostKept = 4000

/** JSON as it is, other text as text; the file was taken, so a broken answer is no failure. */
async function responseOf(answer: OutboundResponse, clean: PostStep['clean']): Promise<Json> {
  const text = (await answer.text(4 * mostKept).catch(() => '')).replaceAll('\0', '').toWellFormed()
  const kept = Buffer.from(text).subarray(0, mostKept).toString()
  if (kept !== text) return clean(text, kept.length).toWellFormed()
  try {
    const value = JSON.parse(text) as Json
    return unstorableAt(value) === null ? value : null
  } catch {
    return text === '' ? null : text
  }
}
