// Twilio's messages: sends one, and finds one that an attempt may have sent before its answer was lost.
import type { DeliveryStep } from '#engine/adapter.ts'
import { isObject } from '#kit/json.ts'
import type { OutboundResponse } from '#kit/net/outbound.ts'
import { answered, quote, refused } from './failure.ts'

export interface TwilioAccount {
  baseUrl: string
  sid: string
  token: string
}

export interface TwilioMessage {
  to: string
  from: string | null
  serviceSid: string | null
  text: string
}

export interface TwilioSent {
  sid: string
  status: string
}

type TwilioStep = Pick<DeliveryStep, 'outbound' | 'signal' | 'clean'>

const OPTED_OUT = 21610
const TIMEOUT_MS = 30_000
/** Clocks differ, and Twilio counts in whole seconds. */
const SKEW_MS = 120_000

const path = ({ baseUrl, sid }: TwilioAccount, rest: string): string =>
  `${baseUrl.replace(/\/$/, '')}/2010-04-01/Accounts/${encodeURIComponent(sid)}${rest}`
const authorization = ({ sid, token }: TwilioAccount): string =>
  `Basic ${Buffer.from(`${sid}:${token}`).toString('base64')}`

export async function sendMessage(
  step: TwilioStep,
  account: TwilioAccount,
  message: TwilioMessage,
): Promise<TwilioSent> {
  const { to, from, serviceSid, text } = message
  const form = new URLSearchParams({ To: to, Body: text })
  if (serviceSid !== null) form.set('MessagingServiceSid', serviceSid)
  else if (from !== null) form.set('From', from)
  const answer = await step.outbound.request(path(account, '/Messages.json'), {
    method: 'POST',
    headers: { authorization: authorization(account), 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
    signal: step.signal,
    timeoutMs: TIMEOUT_MS,
  })
  if (answer.status >= 300) throw await problemIn(step, answer)
  return sentIn(await answer.json())
}

/** The message of that text to that number which was made since then; null if there is none. */
export async function findMessage(
  step: TwilioStep,
  account: TwilioAccount,
  { to, from, text }: TwilioMessage,
  since: number,
): Promise<TwilioSent | null> {
  const query = new URLSearchParams({ To: to, PageSize: '200' })
  const answer = await step.outbound.request(path(account, `/Messages.json?${query}`), {
    headers: { authorization: authorization(account) },
    signal: step.signal,
    timeoutMs: TIMEOUT_MS,
  })
  if (answer.status >= 300) throw await problemIn(step, answer)
  const body = await answer.json()
  const messages = isObject(body) && Array.isArray(body.messages) ? body.messages.filter(isObject) : []
  const found = messages.find(
    each =>
      each.body === text &&
      (from === null || each.from === from) &&
      Date.parse(String(each.date_created)) >= since - SKEW_MS,
  )
  return found ? sentIn(found) : null
}

/** Proves the account without sending anything. */
export async function readAccount(step: TwilioStep, account: TwilioAccount): Promise<string> {
  const answer = await step.outbound.request(path(account, '.json'), {
    headers: { authorization: authorization(account) },
    signal: step.signal,
    timeoutMs: TIMEOUT_MS,
  })
  if (answer.status >= 300) throw await problemIn(step, answer)
  const body = await answer.json()
  return isObject(body) ? quote(String(body.status ?? 'unknown'), step.clean) : 'unknown'
}

const sentIn = (body: unknown): TwilioSent => {
  const { sid, status } = (isObject(body) ? body : {}) as { sid?: unknown; status?: unknown }
  return { sid: typeof sid === 'string' ? sid : '', status: typeof status === 'string' ? status : '' }
}

async function problemIn(step: TwilioStep, answer: OutboundResponse) {
  const text = await answer.text()
  let told: { code?: unknown; message?: unknown } = {}
  try {
    const parsed: unknown = JSON.parse(text)
    if (isObject(parsed)) told = parsed
  } catch {}
  const words = quote(typeof told.message === 'string' ? told.message : text, step.clean)
  if (told.code === OPTED_OUT) return refused('This number has opted out of messages, so none was sent', words)
  return answered('Twilio', answer.status, answer.headers, words)
}
