// Sorts what a target answers by whose fault it is, and quotes its words without secrets.

import type { DeliveryStep } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import { retryAfterSeconds } from '#kit/net/answer.ts'

const maxQuote = 600
/** Blanks in a row are one, so more than that is looked at. */
const maxWords = 8192

/** What the target said, on one line, without secrets. */
export function quote(text: string, clean: DeliveryStep['clean']): string {
  const line = clean(text, maxWords)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
  return line.length > maxQuote ? `${line.slice(0, maxQuote).toWellFormed()} …` : line
}

const withWords = (sentence: string, words: string): string => (words === '' ? `${sentence}.` : `${sentence}: ${words}`)

export const refused = (sentence: string, words = '', cause?: unknown): Problem =>
  new Problem('destination_refused', withWords(sentence, words), { cause })

export const unreachable = (
  sentence: string,
  words = '',
  extra: { retryAfterSeconds?: number; cause?: unknown } = {},
): Problem => new Problem('destination_unreachable', withWords(sentence, words), extra)

export const outOfQuota = (sentence: string, retryAfterSeconds: number, words = ''): Problem =>
  new Problem('destination_quota', withWords(sentence, words), { retryAfterSeconds })

export const outcomeUnknown = (sentence: string, cause?: unknown): Problem =>
  new Problem('outcome_unknown', sentence, { cause })

/** A target may ask for a day at most. */
export function askedWait(headers: Record<string, string>): number | undefined {
  const seconds = retryAfterSeconds(headers)
  return seconds ? Math.min(Math.ceil(seconds), 86_400) : undefined
}

/** What a target itself answered, in contrast to a connection that ended. */
export class Answered extends Problem {}

/** The Problem behind an HTTP status that is no success. `words` is what the target said, already quoted. */
export function answered(target: string, status: number, headers: Record<string, string>, words = ''): Answered {
  const { code, message, retryAfterSeconds } = sorted(target, status, headers, words)
  return new Answered(code, message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
}

function sorted(target: string, status: number, headers: Record<string, string>, words: string): Problem {
  const wait = askedWait(headers)
  if (status === 429) return outOfQuota(`${target} takes no more for now (429)`, wait ?? 60, words)
  if (status === 408 || status === 425 || (status >= 500 && status !== 501 && status !== 505 && status !== 507)) {
    const extra = wait === undefined ? {} : { retryAfterSeconds: wait }
    return unreachable(`${target} could not take the file just now (${status})`, words, extra)
  }
  if (status === 401) return refused(`${target} refused our credentials (401)`, words)
  if (status === 403) return refused(`${target} does not allow this with our credentials (403)`, words)
  if (status === 404) return refused(`${target} knows no such place (404)`, words)
  if (status === 413) return refused(`The file is too large for ${target} (413)`, words)
  if (status >= 300 && status < 400)
    return refused(`${target} redirects elsewhere (${status}), which is not followed`, words)
  return refused(`${target} refused the file (${status})`, words)
}
