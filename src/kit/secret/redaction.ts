// Masks secrets in what other machines say: as they are, and in the encodings in which servers repeat what they were sent.
import { Problem } from '../errors.ts'
import type { Json } from '../json.ts'
import { MASK } from '../mask.ts'
import { strictlyEncoded } from '../text.ts'

export interface Redaction {
  /** Another secret, as one that came up on the way. */
  add(secret: string): void
  /** The text without secrets. Of a longer one, what its first `most` signs say: a secret at their end is masked as a whole. */
  text(text: string, most?: number): string
  /** The same for every text, number and key of an answer. */
  json(value: Json): Json
  /** The same error without secrets; of errors that are no Problems name, words and stack are kept. */
  error(error: unknown): unknown
}

/** Shorter ones would be found inside of innocent words: they count only where they stand alone. */
const SHORT = 8
/** Of those that come up on the way, signatures mostly, the latest are enough: answers are about what was just sent. */
const MOST_ADDED = 16
/** So much of an error is kept. */
const MOST_WORDS = 8192

export function newRedaction(secrets: readonly string[]): Redaction {
  const added = new Set<string>()
  let pattern: RegExp | null = null

  function text(raw: string, most = raw.length): string {
    pattern ??= patternOf([...secrets, ...added])
    let clean = ''
    let done = 0
    for (const { 0: found, index } of raw.matchAll(pattern)) {
      if (index >= most) break
      clean += `${raw.slice(done, index)}${MASK}`
      done = index + found.length
    }
    return clean + raw.slice(done, Math.max(done, most))
  }

  const json = (value: Json): Json => mapped(value, words => text(words))
  const said = (words: string): string => text(words, MOST_WORDS)

  function error(raw: unknown, depth = 3): unknown {
    if (typeof raw === 'string') return said(raw)
    if (!(raw instanceof Error)) return undefined
    const cause = raw.cause === undefined || depth === 0 ? {} : { cause: error(raw.cause, depth - 1) }
    if (raw instanceof Problem) {
      const { code, errors, retryAfterSeconds } = raw
      return new Problem(code, said(raw.message), {
        ...(errors && {
          errors: errors.map(each => ({ ...each, field: said(each.field), message: said(each.message) })),
        }),
        ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
        ...cause,
      })
    }
    // Its words may be those of the other side; its stack begins with them.
    const words = said(raw.message)
    const places = (raw.stack ?? '').match(/\n {4}at .*/g) ?? []
    const clean = new Error(words, cause)
    return Object.assign(clean, { name: said(raw.name), stack: said(`${raw.name}: ${words}${places.join('')}`) })
  }

  return {
    add(secret) {
      if (secrets.includes(secret)) return
      added.delete(secret)
      added.add(secret)
      for (const oldest of added) {
        if (added.size <= MOST_ADDED) break
        added.delete(oldest)
      }
      pattern = null
    },
    text,
    json,
    error: raw => error(raw),
  }
}

/** The longest comes first, so that a secret that begins another one does not hide its rest. */
function patternOf(secrets: readonly string[]): RegExp {
  const [long, short]: [Set<string>, Set<string>] = [new Set(), new Set()]
  for (const secret of secrets.flatMap(linesOf))
    for (const form of formsOf(secret)) if (form !== '') (secret.length < SHORT ? short : long).add(form)
  const anyOf = (forms: Set<string>): string =>
    [...forms]
      .sort((a, b) => b.length - a.length)
      .map(form => form.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
      .join('|') || '(?!)'
  return new RegExp(`${anyOf(long)}|(?<![\\p{L}\\p{N}])(?:${anyOf(short)})(?![\\p{L}\\p{N}])`, 'gu')
}

/** Lines of a key are repeated with other ends between them. Its frame is no secret. */
const linesOf = (secret: string): string[] => [
  secret,
  ...secret.split(/\r?\n|\\n/).filter(line => line.length >= SHORT && !/^-----.*-----$/.test(line)),
]

function* formsOf(secret: string): Generator<string> {
  yield secret
  const json = JSON.stringify(secret).slice(1, -1)
  const inAscii = json.replace(/[^ -~]/g, escaped)
  // An error quotes JSON in JSON.
  for (const form of [json, inAscii, inAscii.replace(/[<>&]/g, escaped)])
    yield* [form, form.replaceAll('/', '\\/'), JSON.stringify(form).slice(1, -1)]
  for (const form of [
    encodeURI(secret.toWellFormed()),
    encodeURIComponent(secret.toWellFormed()),
    strictlyEncoded(secret),
  ])
    for (const percent of [form, form.replace(/%../g, sign => sign.toLowerCase())])
      yield* [percent, percent.replaceAll('%20', '+')]
  const bytes = Buffer.from(secret)
  yield* [bytes.toString('hex'), bytes.toString('hex').toUpperCase()]
  for (const before of [0, 1, 2])
    yield* ['base64' as const, 'base64url' as const].map(code => inBase64(bytes, before, code))
}

const escaped = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`

/** The signs of base64 that stand for these bytes alone, where others stand before and behind them. */
function inBase64(bytes: Buffer, before: number, code: 'base64' | 'base64url'): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString(code)
  return text.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3))
}

function mapped(value: Json, map: (words: string) => string): Json {
  if (typeof value === 'string') return map(value)
  if (typeof value === 'number') return map(String(value)) === String(value) ? value : MASK
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(item => mapped(item, map))
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [map(key), mapped(inner, map)]))
}
