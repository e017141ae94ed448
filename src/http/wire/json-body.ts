// Parses JSON from outside: strict, limited in depth, without text that PostgreSQL or JavaScript cannot handle.
import { badField, Problem } from '#kit/errors.ts'
import { ENDLESS, endlessIn, type Json } from '#kit/json.ts'
import { isStorable } from '#kit/text.ts'

const MAX_DEPTH = 64
/** Other code may take this key for an object's prototype. All other keys are safe. */
const POISON = '__proto__'

/** `field`: where the text came from (`extras`); empty for a whole body. */
export function parseJson(text: string, field = ''): Json {
  const deep = tooDeepIn(text)
  if (deep !== null) throw badField(join(field, deep) || 'body', `nests deeper than ${MAX_DEPTH} levels`)
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch (error) {
    const message = `is not valid JSON (${reason(error)})`
    if (field !== '') throw badField(field, message, 'bad_json')
    throw new Problem('bad_json', `The body ${message}.`)
  }
  checkText(value, field)
  const endless = endlessIn(value, field)
  if (endless !== null) throw badField(endless || 'body', ENDLESS)
  return value
}

export function parseJsonBytes(bytes: Buffer): Json {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Problem('bad_json', 'The body is not valid UTF-8.')
  }
  return parseJson(text)
}

/** Refuses text that cannot be stored, and `__proto__` as a key, anywhere in a value. */
export function checkText(value: unknown, field: string): void {
  if (typeof value === 'string') {
    if (!isStorable(value)) throw badField(field || 'body', 'holds a NUL or half of a surrogate pair, which is no text')
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => {
      checkText(item, `${field}[${index}]`)
    })
  } else if (value !== null && typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) {
      if (!isStorable(key))
        throw badField(field || 'body', 'has a key with a NUL or half of a surrogate pair, which is no text')
      const here = join(field, key)
      if (key === POISON) throw badField(here, `"${key}" is not accepted as a name`)
      checkText(inner, here)
    }
  }
}

const join = (path: string, key: string): string => (path === '' ? key : key === '' ? path : `${path}.${key}`)

/** The top-level key below which the text nests too deep ('' for the top itself), or null. Found without parsing. */
function tooDeepIn(text: string): string | null {
  let depth = 0
  let key = ''
  for (let i = 0; i < text.length; i++) {
    const c = text[i]
    if (c === '"') {
      const start = i + 1
      for (i = start; i < text.length && text[i] !== '"'; i++) if (text[i] === '\\') i++
      if (depth === 1 && /^\s*:/.test(text.slice(i + 1, i + 100))) key = text.slice(start, i)
    } else if (c === '{' || c === '[') {
      if (++depth > MAX_DEPTH) return key
    } else if (c === '}' || c === ']') depth--
  }
  return null
}

/** V8 quotes the text in its message, and the text may hold a secret. So only the position is reported. */
function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  const at = /at position \d+(?: \(line \d+ column \d+\))?/.exec(message)?.[0]
  return at ?? (/end of JSON/i.test(message) ? 'it ends early' : 'unexpected text')
}
