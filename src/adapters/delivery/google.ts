// Google's APIs: access tokens, requests with them, and what their errors mean.
import { createSign } from 'node:crypto'
import type { DeliveryStep } from '#engine/adapter.ts'
import type { Problem } from '#kit/errors.ts'
import { isObject } from '#kit/json.ts'
import type { OutboundRequest, OutboundResponse } from '#kit/net/outbound.ts'
import { answered, outOfQuota, quote, refused } from './failure.ts'
import { secondsUntil } from './wall-clock.ts'

export interface Google {
  /** Sends with a token, once more with a fresh one when it is refused. Any status is handed back. */
  call(url: string, options: OutboundRequest): Promise<OutboundResponse>
  /** What the sign-in allows, as far as the service tells. */
  scopes(): Promise<string[]>
  /** The Problem behind an answer that is no success. */
  problem(answer: OutboundResponse, target: string): Promise<Problem>
}

interface Grant {
  tokenUrl: string
  /** The form that is exchanged for a token; made anew each time, since it may hold the hour. */
  form(): Record<string, string>
}

interface Token {
  text: string
  scopes: string[]
}

type Speaking = Pick<DeliveryStep, 'outbound' | 'signal' | 'clean' | 'conceal'>

export function newGoogle(grant: Grant, step: Speaking): Google {
  const { outbound, signal, clean } = step
  let token: Promise<Token> | undefined
  const call = async (url: string, options: OutboundRequest): Promise<OutboundResponse> => {
    for (let fresh = false; ; fresh = true) {
      token ??= fetchToken(grant, step)
      const headers = { ...options.headers, authorization: `Bearer ${(await token).text}` }
      const answer = await outbound.request(url, { signal, ...options, headers })
      if (answer.status !== 401 || fresh) return answer
      answer.discard()
      token = undefined
    }
  }
  const scopes = async () => {
    token ??= fetchToken(grant, step)
    return (await token).scopes
  }
  return { call, scopes, problem: (answer, target) => googleProblem(answer, target, clean) }
}

/** For a service account: a statement signed with its key. */
export function serviceAccountForm(
  email: string,
  privateKey: string,
  tokenUrl: string,
  scope: string,
): Record<string, string> {
  const now = Math.floor(Date.now() / 1000)
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iss: email, scope, aud: tokenUrl, iat: now, exp: now + 3600 })}`
  try {
    const signature = createSign('RSA-SHA256').update(text).sign(privateKey.replaceAll('\\n', '\n'), 'base64url')
    return { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: `${text}.${signature}` }
  } catch {
    throw refused('The private_key of the service account is not a usable key in PEM form')
  }
}

async function fetchToken({ tokenUrl, form }: Grant, { outbound, signal, clean, conceal }: Speaking): Promise<Token> {
  const { host } = new URL(tokenUrl)
  const fields = form()
  if (fields.assertion !== undefined) conceal(fields.assertion)
  const answer = await outbound.request(tokenUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
    signal,
    timeoutMs: 30_000,
  })
  if (answer.status === 200) {
    const body = await answer.json()
    if (isObject(body) && typeof body.access_token === 'string') {
      conceal(body.access_token)
      return {
        text: body.access_token,
        scopes: String(body.scope ?? '')
          .split(' ')
          .filter(Boolean),
      }
    }
    throw refused(`${host} gave no token`)
  }
  const { error = '', error_description: words = '' } = await bodyOf(answer)
  if (error === 'invalid_grant')
    throw refused(`${host} no longer accepts the sign-in: it has expired or was taken back, so sign in again`)
  if (error === 'invalid_client' || error === 'unauthorized_client')
    throw refused(`${host} does not know the client or its secret`)
  throw answered(host, answer.status, answer.headers, quote(String(words || error), clean))
}

async function bodyOf(answer: OutboundResponse): Promise<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(await answer.text())
    return isObject(body) ? body : {}
  } catch {
    return {}
  }
}

const dailyReasons = new Set(['quotaExceeded', 'dailyLimitExceeded', 'dailyLimitExceededUnreg'])
const hourlyReasons = new Set(['uploadLimitExceeded'])
const briefReasons = new Set(['rateLimitExceeded', 'userRateLimitExceeded'])

async function googleProblem(answer: OutboundResponse, target: string, clean: DeliveryStep['clean']): Promise<Problem> {
  const { error } = await bodyOf(answer)
  const { message = '', errors } = isObject(error) ? error : {}
  const [first] = Array.isArray(errors) ? (errors as unknown[]) : []
  const reason = isObject(first) ? String(first.reason ?? '') : ''
  const words = quote(withoutTags(clean(String(message), 2000)), clean)
  if (dailyReasons.has(reason) || (briefReasons.has(reason) && /per day/i.test(words)))
    return outOfQuota(`The day's quota at ${target} is used up`, secondsToPacificMidnight(), words)
  if (hourlyReasons.has(reason))
    return outOfQuota(`${target} takes no more uploads of this account for now`, 3600, words)
  if (briefReasons.has(reason)) return outOfQuota(`${target} is asked too often`, 60, words)
  return answered(target, answer.status, answer.headers, words === '' ? quote(reason, clean) : words)
}

/** For short texts: looking for the end of every `<` takes long in one that has only beginnings. */
const withoutTags = (text: string): string => text.replace(/<[^<>]*>/g, '')

/** Google's day ends at midnight in California; a minute is added because it is not punctual. */
export const secondsToPacificMidnight = (now: Date = new Date()): number =>
  secondsUntil(0, 'America/Los_Angeles', now) + 60
