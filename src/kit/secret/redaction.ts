// Cuts secrets out of what other machines say, in whatever spelling, and keeps nothing else of it that could be one in disguise.

import { isUtf8 } from 'node:buffer'
import { Problem } from '../errors.ts'
import type { Json } from '../json.ts'
import { MASK } from '../mask.ts'
import { newEcho } from './echo.ts'
import { notPlain, type Span } from './plain.ts'
import { base64Runs, hexRuns, type View, viewOf, withoutBlanks, withoutEscapes, withoutQuoting } from './spellings.ts'

export interface Redaction {
  /** Another secret, as one that came up on the way. */
  add(secret: string): void
  /** For sentences of ours that may hold a secret as it is. `isCut`: the text may end in the middle of a secret; then what is there of it goes as well. */
  text(text: string, isCut?: boolean): string
  /** For what others say, which may mean to hide what it holds: nothing is kept of it that is not plain, and nothing at all of an echo. */
  heard(text: string, isCut?: boolean): string
  /** The same for every text, number and key of an answer, and for all of them together. */
  json(value: Json): Json
  /** The same error without secrets; of errors that are no Problems name, words and stack are kept. */
  error(error: unknown): unknown
}

/** Shorter ones would be found inside of innocent words: they count only where they stand alone. */
const SHORT = 4
/** From here on the case of letters makes no difference, and blanks between them neither. */
const LONG = 8
/** How much of a secret at the end of a cut text is taken for its beginning. */
const BEGINNING = 4
/** Letters that one byte of a secret may be spelled with. */
const MOST_WIDENED = 16
/** Escapes inside escapes. */
const LAYERS = 4
/** Encodings inside encodings. */
const DEPTH = 2
/** Of those that come up on the way, signatures mostly, the latest are enough: answers are about what was just sent. */
const MOST_ADDED = 64
/** So much of an error is kept. */
const MOST_WORDS = 8192

interface Needle {
  bytes: Uint8Array
  /** Knuth, Morris and Pratt: how much of the beginning still fits when the next byte does not. */
  fallback: Int32Array
  anyCase: boolean
  isShort: boolean
  /** Searched where the blanks are left out. */
  isSqueezed: boolean
}

const folded = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 32 : byte))

export function newRedaction(secrets: readonly string[]): Redaction {
  const given = [...new Set(secrets)].flatMap(needlesOf)
  const added = new Map<string, Needle[]>()
  const needles = () => [...given, ...[...added.values()].flat()]
  const echo = newEcho(secrets)

  function text(raw: string, isCut = false): string {
    const all = needles()
    if (raw === '' || all.length === 0) return raw
    const spans: Span[] = []
    look(viewOf(raw), all, null, DEPTH, spans)
    if (isCut) {
      const tail = Math.max(0, raw.length - MOST_WIDENED * Math.max(...all.map(({ bytes }) => bytes.length)))
      for (const end of endsOf(raw)) {
        const found: Span[] = []
        look(viewOf(raw.slice(tail, end)), all, end - tail, DEPTH, found)
        for (const span of found) if (span.end === end - tail) spans.push({ start: tail + span.start, end: raw.length })
      }
    }
    return masked(raw, spans)
  }

  const plain = (words: string): string => masked(words, notPlain(words))

  function heard(raw: string, isCut = false): string {
    if (raw === '' || needles().length === 0) return raw
    const clean = text(raw, isCut)
    return echo.isIn([clean]) ? MASK : plain(clean)
  }

  function json(value: Json): Json {
    if (needles().length === 0) return value
    const clean = mapped(value, words => text(words))
    const { keys, values, both } = textsOf(clean)
    const isEcho = echo.isIn(values) || echo.isIn(keys) || echo.isIn(both, false)
    return isEcho ? MASK : mapped(clean, plain, true)
  }

  const said = (words: string): string => text(words.slice(0, MOST_WORDS), words.length > MOST_WORDS)

  function error(raw: unknown, depth = 3): unknown {
    if (typeof raw === 'string') return heard(raw.slice(0, MOST_WORDS), true)
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
    const words = heard(raw.message.slice(0, MOST_WORDS), true)
    const places = (raw.stack ?? '').match(/\n {4}at .*/g) ?? []
    const clean = new Error(words, cause)
    return Object.assign(clean, { name: said(raw.name), stack: said(`${raw.name}: ${words}${places.join('')}`) })
  }

  return {
    add(secret) {
      echo.add(secret)
      const known = added.get(secret)
      added.delete(secret)
      added.set(secret, known ?? needlesOf(secret))
      for (const oldest of added.keys()) {
        if (added.size <= MOST_ADDED) break
        added.delete(oldest)
      }
    },
    text,
    heard,
    json,
    error: raw => error(raw),
  }
}

/** Where a cut text ends, and where it would without the letter or the escapes at its end, which may be cut themselves. */
function endsOf(text: string): number[] {
  const ends = [text.length]
  const whole = text.replace(/[\ufffd\ud800-\udfff]{1,3}$/, '').length
  if (whole < text.length) ends.push(whole)
  for (let at = text.length - 1; at >= text.length - 24 && ends.length <= LAYERS; at--)
    if (/[%&=\\]/.test(text.charAt(at))) ends.push(at)
  return ends
}

/** The ways one secret is looked for; its spellings are read back where they are met. */
function needlesOf(secret: string): Needle[] {
  if (secret === '') return []
  const plain = Buffer.from(secret)
  // Keys in a JSON file have their line ends written as two signs.
  const unescaped = Buffer.from(layersOf(viewOf(secret)).at(-1)?.bytes ?? plain)
  const all = [plain, unescaped, Buffer.from(secret.replaceAll(' ', '+'))]
  if (plain.length >= SHORT) all.push(Buffer.from(secret, 'latin1'), Buffer.from(secret, 'utf16le'))
  const squeezed = [unescaped, pemBody(unescaped)].flatMap(bytes => {
    const view = viewOf(bytes.toString('utf8'))
    const tight = withoutBlanks(view) ?? view
    return tight.bytes.length >= LONG ? [newNeedle(tight.bytes, true)] : []
  })
  const distinct = [...new Map(all.map(bytes => [bytes.toString('latin1'), bytes])).values()]
  return [...distinct.map(bytes => newNeedle(bytes, false)), ...squeezed]
}

/** The key alone, without the lines around it. */
const pemBody = (bytes: Buffer): Buffer =>
  Buffer.from(/-----BEGIN[^-]*-----([^-]+)-----END/.exec(bytes.toString('utf8'))?.[1] ?? '')

function newNeedle(bytes: Uint8Array, isSqueezed: boolean): Needle {
  const anyCase = bytes.length >= LONG
  const own = anyCase ? bytes.map(byte => folded[byte] as number) : bytes
  const fallback = new Int32Array(own.length)
  for (let i = 1, k = 0; i < own.length; i++) {
    while (k > 0 && own[i] !== own[k]) k = fallback[k - 1] as number
    if (own[i] === own[k]) k++
    fallback[i] = k
  }
  return { bytes: own, fallback, anyCase, isShort: own.length < SHORT, isSqueezed }
}

/** Looks through a text in all its spellings. `cutAt`: the end of a text that may have been cut there, null elsewhere. */
function look(view: View, needles: readonly Needle[], cutAt: number | null, depth: number, spans: Span[]): void {
  const layers = layersOf(view)
  const readings = layers.flatMap(layer => {
    const calm = withoutQuoting(layer)
    return calm ? [layer, calm] : [layer]
  })
  for (const reading of readings) {
    for (const needle of needles) if (!needle.isSqueezed) search(reading, needle, cutAt, spans)
    const tight = withoutBlanks(reading) ?? reading
    for (const needle of needles) if (needle.isSqueezed) search(tight, needle, cutAt, spans)
    if (depth === 0) continue
    const shortest = Math.min(...needles.map(({ bytes }) => bytes.length))
    const least = cutAt === null ? shortest : Math.min(shortest, BEGINNING)
    for (const source of tight === reading ? [reading] : [reading, tight])
      for (const runs of [base64Runs, hexRuns])
        for (const run of runs(source, least)) lookInto(run, needles, cutAt, depth - 1, spans)
  }
}

/** Ordinary words are no base64, though they look like it: only what reads as text is looked at more closely. */
function lookInto(run: View, needles: readonly Needle[], cutAt: number | null, depth: number, spans: Span[]): void {
  const isText = run.bytes.every(isPrintable) && isUtf8(run.bytes)
  if (isText) look(run, needles, cutAt, depth, spans)
  else for (const needle of needles) if (!needle.isShort && !needle.isSqueezed) search(run, needle, cutAt, spans)
}

const isPrintable = (byte: number): boolean => byte >= 32 || (byte >= 9 && byte <= 13) || byte === 0

function layersOf(view: View): View[] {
  const layers = [view]
  while (layers.length <= LAYERS) {
    const next = withoutEscapes(layers.at(-1) as View)
    if (!next) break
    layers.push(next)
  }
  return layers
}

/** Every place of the needle, in time that grows with the view alone. */
function search(view: View, needle: Needle, cutAt: number | null, spans: Span[]): void {
  const { bytes, from, to } = view
  const { bytes: wanted, fallback, anyCase, isShort } = needle
  let fits = 0
  for (let i = 0; i < bytes.length; i++) {
    const byte = (anyCase ? folded[bytes[i] as number] : bytes[i]) as number
    while (fits > 0 && byte !== wanted[fits]) fits = fallback[fits - 1] as number
    if (byte === wanted[fits]) fits++
    if (fits < wanted.length) continue
    const start = i - fits + 1
    if (!isShort || (!isLetter(bytes[start - 1]) && !isLetter(bytes[i + 1])))
      spans.push({ start: from[start] as number, end: to[i] as number })
    fits = fallback[fits - 1] as number
  }
  const last = to.at(-1)
  // Groups of base64 may lack their last signs.
  const isAtCut = cutAt !== null && last !== undefined && last >= cutAt - 3
  if (isAtCut && !isShort && fits >= Math.min(BEGINNING, wanted.length - 1))
    spans.push({ start: from[bytes.length - fits] as number, end: cutAt })
}

const isLetter = (byte: number | undefined): boolean =>
  byte !== undefined && (byte >= 0x80 || /[0-9A-Za-z]/.test(String.fromCharCode(byte)))

function masked(text: string, spans: Span[]): string {
  if (spans.length === 0) return text
  spans.sort((a, b) => a.start - b.start)
  let clean = ''
  let done = 0
  for (const { start, end } of spans) {
    if (start >= done) clean += `${text.slice(done, start)}${MASK}`
    done = Math.max(done, end)
  }
  return clean + text.slice(done)
}

/** Every text, key and number of an answer by another one. `asOne`: a list of single values is taken as one text as well. */
function mapped(value: Json, map: (words: string) => string, asOne = false): Json {
  if (typeof value === 'string') return map(value)
  if (typeof value === 'number') return map(String(value)) === String(value) ? value : MASK
  if (value === null || typeof value !== 'object') return value
  if (!Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [map(key), mapped(inner, map, asOne)]))
  const row = value.some(item => item !== null && typeof item === 'object') ? '' : value.join(' ')
  return asOne && map(row) !== row ? MASK : value.map(item => mapped(item, map, asOne))
}

function textsOf(value: Json): Record<'keys' | 'values' | 'both', string[]> {
  const texts = { keys: [] as string[], values: [] as string[], both: [] as string[] }
  const add = (list: 'keys' | 'values', text: string) => {
    texts[list].push(text)
    texts.both.push(text)
  }
  const walk = (inner: Json, key?: string): void => {
    if (key !== undefined) add('keys', key)
    if (Array.isArray(inner)) for (const item of inner) walk(item)
    else if (inner !== null && typeof inner === 'object')
      for (const [name, item] of Object.entries(inner)) walk(item, name)
    else if (inner !== null) add('values', String(inner))
  }
  walk(value)
  return texts
}
