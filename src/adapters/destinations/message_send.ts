// message_send: sends a text with a link to a guest's phone, by SMS or WhatsApp.
import Type, { type Static } from 'typebox'
import { type DeliveryStep, destinationAdapter } from '#engine/adapter.ts'
import { withStandIns } from '#engine/placeholders.ts'
import { badOption, isProblem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'
import { Unreachable } from '#kit/net/outbound.ts'
import { named } from '#kit/schema.ts'
import { notTried, tried } from '../delivery/check-lines.ts'
import { patience, visible } from '../delivery/delivery-options.ts'
import { answered, outOfQuota, quote } from '../delivery/failure.ts'
import { checkHeaderValue, checkNames, headerName } from '../delivery/header-names.ts'
import { mayBeSent, sendOnce } from '../delivery/intent.ts'
import { checkTimeZone, quietFor } from '../delivery/quiet-hours.ts'
import { remarksBy } from '../delivery/review.ts'
import {
  findMessage,
  readAccount,
  sendMessage,
  type TwilioAccount,
  type TwilioMessage,
  type TwilioSent,
} from '../delivery/twilio.ts'

const clock = Type.String({
  description: 'A time of day, as HH:MM.',
  pattern: '^([01]\\d|2[0-3]):[0-5]\\d$',
  examples: ['22:00'],
  expects: 'a time of day as HH:MM, like 22:00',
})

const options = Type.Object(
  {
    provider: Type.Enum(['twilio', 'http'], {
      description: '`twilio`, or `http` for any other gateway that takes HTTP requests.',
      default: 'twilio',
    }),
    channel: Type.Enum(['sms', 'whatsapp'], {
      description: 'What the message is sent by, with Twilio.',
      default: 'sms',
    }),
    to: Type.String({
      description: 'The phone number, with its country: `+4915112345678`.',
      default: '{{profile.phone}}',
      maxLength: 256,
    }),
    text: Type.String({
      description: 'The message, with the link to the file.',
      minLength: 1,
      maxLength: 1600,
      examples: ['Your souvenir: https://gallery.example.com/{{task_id}}'],
    }),
    from: Type.Optional(
      Type.String({
        description: 'Number or name that Twilio sends from.',
        pattern: '^\\+?[A-Za-z0-9 ]{3,20}$',
        expects: 'a number like "+491711234567" or a name of 3 to 20 letters and digits',
        maxLength: 20,
        examples: ['+15017122661'],
      }),
    ),
    messaging_service_sid: Type.Optional(
      Type.String({
        description: 'Messaging service of Twilio, in place of `from`.',
        pattern: '^MG[0-9a-fA-F]{32}$',
        expects: 'MG and 32 hex digits',
      }),
    ),
    api_base_url: Type.String({
      description: 'Where Twilio is.',
      default: 'https://api.twilio.com',
      pattern: '^https?://[^/{}]+/?$',
      maxLength: 512,
    }),
    url: Type.Optional(
      Type.String({
        description: 'Address of the gateway, for `http`.',
        placeholders: 'url',
        pattern: '^https?://[^/]+',
        maxLength: 2048,
        examples: ['https://sms.example.com/send'],
      }),
    ),
    method: Type.Enum(['POST', 'PUT'], { description: 'Method of the request to the gateway.', default: 'POST' }),
    headers: named(
      Type.String({ maxLength: 4096, pattern: '^[^\\r\\n\\u0000]*$', expects: 'one line of at most 4096 characters' }),
      {
        description: 'Further headers of the request to the gateway.',
        default: {},
        examples: [{ 'x-event': 'summer-party' }],
        maxProperties: 50,
        names: 'a header has up to 128 letters, digits and hyphens, no space or colon',
      },
      headerName.source,
    ),
    body: named(
      Type.String({ maxLength: 4096 }),
      {
        description:
          'Fields of the request to the gateway. `$to`, `$text` and `$marker` in a value stand for the number, the message and the marker of the delivery.',
        default: { to: '$to', text: '$text' },
        examples: [{ recipient: '$to', message: '$text', reference: '$marker' }],
        maxProperties: 100,
        names: 'a field has 1 to 128 characters',
      },
      '^[\\s\\S]{1,128}$',
    ),
    body_format: Type.Enum(['json', 'form'], {
      description: 'How the fields are sent to the gateway.',
      default: 'json',
    }),
    idempotent: Type.Boolean({
      description:
        'Whether the gateway knows requests of the same `Idempotency-Key` again. Then one whose answer was lost is sent again; otherwise it ends as `outcome_unknown`.',
      default: false,
    }),
    quiet_hours: Type.Optional(
      Type.Object(
        { from: clock, to: clock },
        {
          additionalProperties: false,
          description: 'Hours in which nothing is sent; messages wait until they end. May go over midnight.',
        },
      ),
    ),
    time_zone: Type.Optional(
      Type.String({
        description: 'Time zone of the quiet hours. Without it: that of the experience, or else UTC.',
        maxLength: 64,
        examples: ['Europe/Berlin'],
      }),
    ),
    ...patience,
  },
  { additionalProperties: false },
)

const auth = Type.Object(
  {
    account_sid: Type.Optional(
      Type.String({ description: 'Account of Twilio.', minLength: 1, maxLength: 128, pattern: visible }),
    ),
    auth_token: Type.Optional(
      Type.String({ description: 'Token of that account.', minLength: 1, maxLength: 256, pattern: visible }),
    ),
    bearer: Type.Optional(
      Type.String({
        description: 'Token that the gateway gets as `Authorization: Bearer …`.',
        minLength: 1,
        maxLength: 8192,
        pattern: visible,
      }),
    ),
  },
  { additionalProperties: false },
)

type MessageStep = DeliveryStep<Static<typeof options>, Static<typeof auth>>
type Options = Static<typeof options>

/** Set by the request itself. */
const own = [
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'idempotency-key',
  'transfer-encoding',
  'upgrade',
]
/** So long Twilio may take to list a message that it has. */
const LISTED_MS = 20_000

export const messageSend = destinationAdapter({
  name: 'message_send',
  summary: 'Sends a text with a link by SMS or WhatsApp.',
  accepts: ['image', 'video', 'audio', 'file'],
  makes: 'same',
  options,
  auth,
  target: ['provider', 'url', 'api_base_url'],
  addresses: ['url', 'api_base_url'],
  authParts: { account_sid: 'name' },
  result: Type.Object({
    to: Type.String({ description: 'The number.' }),
    message_id: Type.String({ description: 'What the provider calls the message; empty where it does not say.' }),
    status: Type.String({
      description: 'What the provider says of it: `queued` as a rule, or the status of the answer.',
    }),
  }),
  ownWords: ['to'],
  review: given => [
    ...remarksBy(() => checkProvider(given)),
    ...remarksBy(() => given.time_zone !== undefined && checkTimeZone(withStandIns(given.time_zone))),
    ...remarksBy(() => checkHeaders(given)),
    ...(given.to.includes('{{') ? [] : remarksBy(() => numberIn(given.to))),
  ],

  async deliver(_input, step) {
    const { options } = step
    checkProvider(options)
    checkHeaders(options)
    step.progress(0.1)
    step.signal.throwIfAborted()
    const result = await (options.provider === 'twilio' ? byTwilio(step) : byGateway(step, numberIn(options.to)))
    step.progress(1)
    return result
  },

  isInDoubt({ options, checkpoint }) {
    if (options.provider === 'http') return mayBeSent({ checkpoint })
    return checkpoint?.at !== undefined || checkpoint?.result !== undefined
  },

  checkWithout: ['text'],
  async *check(step) {
    const { options } = step
    if (options.provider === 'twilio')
      yield await tried('Sign in', async () => {
        checkProvider(options)
        return `Twilio knows the account; it is ${await readAccount(step, accountOf(step))}.`
      })
    else
      yield await tried('Address', async () => {
        checkProvider(options)
        await reach(step, options.url ?? '')
        return 'The gateway can be reached.'
      })
    yield notTried('send a message', 'A message that was sent cannot be taken back.')
  },
})

/** Its name is resolved and its address refused as for a message. */
async function reach({ outbound, signal }: MessageStep, address: string): Promise<void> {
  outbound.check(address)
  const { hostname, port, protocol } = new URL(address)
  const socket = await outbound.connect(hostname, Number(port) || (protocol === 'https:' ? 443 : 80), { signal })
  socket.destroy()
}

function checkProvider({ provider, url, from, messaging_service_sid }: Options): void {
  if (provider === 'http' && url === undefined) throw badOption('provider', '= http needs the option url', 'missing')
  if (provider === 'twilio' && from === undefined && messaging_service_sid === undefined)
    throw badOption('provider', '= twilio needs the option from or messaging_service_sid', 'missing')
}

function checkHeaders({ provider, headers }: Options): void {
  checkNames('headers', headers)
  const taken = Object.keys(headers).find(name => own.includes(name.toLowerCase()))
  if (taken !== undefined) throw badOption('headers', 'may not set what the request sets itself')
  // Twilio gets none of them.
  if (provider !== 'twilio') for (const [name, value] of Object.entries(headers)) checkHeaderValue(name, value)
}

/** Asked right before each attempt to send, not only before the first. */
async function outsideOfQuietHours({ options, timeZone }: MessageStep): Promise<void> {
  const hours = options.quiet_hours
  if (!hours) return
  const zone = options.time_zone ?? (await timeZone()) ?? 'UTC'
  const seconds = quietFor(hours, zone)
  if (seconds > 0) throw outOfQuota(`The quiet hours last until ${hours.to} (${zone}); the message waits`, seconds)
}

/** E.164. People write numbers with blanks, dots and brackets. */
function numberIn(to: string): string {
  const number = to.replace(/[ ().-]/g, '')
  if (number === '') throw badOption('to', 'holds no phone number to send to', 'missing')
  if (!/^\+[1-9]\d{6,14}$/.test(number))
    throw badOption('to', 'must be a phone number with its country, such as +4915112345678')
  return number
}

function accountOf({ options, auth }: MessageStep): TwilioAccount {
  const { account_sid: sid, auth_token: token } = auth
  if (sid === undefined || token === undefined)
    throw badOption('provider', '= twilio needs account_sid and auth_token in auth', 'missing')
  return { baseUrl: options.api_base_url, sid, token }
}

function messageOf({ options }: MessageStep): TwilioMessage {
  const on = (number: string): string => (options.channel === 'whatsapp' ? `whatsapp:${number}` : number)
  const { from, messaging_service_sid: serviceSid = null } = options
  return {
    to: on(numberIn(options.to)),
    from: from === undefined || serviceSid !== null ? null : on(from),
    serviceSid,
    text: options.text,
  }
}

/** Twilio has no key for a message, but lists those to a number: in doubt, the one of the same text is ours. */
async function byTwilio(step: MessageStep): Promise<JsonObject> {
  const account = accountOf(step)
  const { at, sent, result } = (step.checkpoint ?? {}) as { at?: number; sent?: TwilioMessage; result?: JsonObject }
  if (result) return result
  const accepted = async ({ sid, status }: TwilioSent, { to }: TwilioMessage): Promise<JsonObject> => {
    const made = { to: to.replace('whatsapp:', ''), message_id: sid, status }
    await step.save({ result: made })
    return made
  }
  if (at !== undefined) {
    // As it was sent: number and text may be others now.
    const looked = sent ?? messageOf(step)
    const found = await findMessage(step, account, looked, at)
    if (found) return accepted(found, looked)
    const left = LISTED_MS - (Date.now() - at)
    if (left > 0)
      throw outOfQuota(
        'Twilio may have the message; it is looked for once more before it is sent again',
        Math.ceil(left / 1000),
      )
  }
  const message = messageOf(step)
  await outsideOfQuietHours(step)
  await step.save({ at: Date.now(), sent: { ...message } })
  const made = await sendMessage(step, account, message).catch(async (error: unknown) => {
    if (wasNotSent(step, error)) await step.save({})
    throw error
  })
  return accepted(made, message)
}

async function byGateway(step: MessageStep, to: string): Promise<JsonObject> {
  const { options, auth, marker } = step
  const filled = (value: string): string =>
    value.replace(/\$(to|text|marker)\b/g, (_, name: string) => ({ to, text: options.text, marker })[name] ?? '')
  const fields = Object.fromEntries(Object.entries(options.body).map(([name, value]) => [name, filled(value)]))
  const isJson = options.body_format === 'json'
  const send = async (): Promise<JsonObject> => {
    const answer = await step.outbound.request(options.url ?? '', {
      method: options.method,
      headers: {
        ...options.headers,
        'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
        'idempotency-key': marker,
        ...(auth.bearer !== undefined && { authorization: `Bearer ${auth.bearer}` }),
      },
      body: isJson ? JSON.stringify(fields) : new URLSearchParams(fields).toString(),
      signal: step.signal,
      timeoutMs: 30_000,
    })
    if (answer.status >= 300) {
      const words = await answer.text().catch(() => '')
      throw answered('The gateway', answer.status, answer.headers, quote(words, step.clean))
    }
    answer.discard()
    return { to, message_id: '', status: String(answer.status) }
  }
  const { sending, result } = step.checkpoint ?? {}
  if (options.idempotent || (sending !== true && result === undefined)) await outsideOfQuietHours(step)
  if (options.idempotent) return send()
  return sendOnce(step, 'the gateway', send, error => wasNotSent(step, error))
}

/** Whether it is certain. A request that is cut off, by a cancel for example, may have arrived, whatever the reason is called. */
const wasNotSent = ({ signal }: MessageStep, error: unknown): boolean =>
  (error instanceof Unreachable && !error.sent) || (!signal.aborted && isProblem(error) && error.fault !== 'transient')
