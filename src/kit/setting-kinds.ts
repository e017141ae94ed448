// The kinds of settings: how each reads its text, and what it says when that makes no sense.
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import ipaddr from 'ipaddr.js'

export interface Setting<T> {
  name: string
  /** As it is shown in the docs. */
  shown: string
  meaning: string
  fallback: () => T
  parse: (text: string) => T
}

/** Thrown for a setting that makes no sense; its message is the one line the operator reads. */
export class BadSetting extends Error {}

/** The longest that Node can wait: with more seconds its timers end at once. */
export const MOST_TIMER = 2_147_483
const MOST_DELAY = 31_536_000

export const bad = (name: string, why: string): BadSetting => new BadSetting(`${name} ${why}`)

export function text(name: string, fallback: string, meaning: string): Setting<string> {
  return { name, shown: fallback, meaning, fallback: () => fallback, parse: value => value }
}

export function optional(name: string, meaning: string): Setting<string | null> {
  return { name, shown: '', meaning, fallback: () => null, parse: value => value }
}

export function whole(
  name: string,
  fallback: number,
  meaning: string,
  min = 1,
  max = Number.MAX_SAFE_INTEGER,
): Setting<number> {
  const parse = (value: string): number => {
    const n = Number(value)
    if (!/^\d+$/.test(value) || n < min || n > max)
      throw bad(name, `must be a whole number from ${min} to ${max}, not "${value}"`)
    return n
  }
  return { name, shown: String(fallback), meaning, fallback: () => fallback, parse }
}

/** A whole number, or nothing. */
export function optionalWhole(name: string, meaning: string, min: number, max: number): Setting<number | null> {
  const { parse } = whole(name, min, meaning, min, max)
  return { name, shown: '', meaning, fallback: () => null, parse }
}

export function flag(name: string, meaning: string): Setting<boolean> {
  const parse = (value: string): boolean => {
    if (value === 'true' || value === '1') return true
    if (value === 'false' || value === '0') return false
    throw bad(name, `must be true or false, not "${value}"`)
  }
  return { name, shown: 'false', meaning, fallback: () => false, parse }
}

export function choice<const T extends string>(
  name: string,
  values: readonly T[],
  fallback: T,
  meaning: string,
): Setting<T> {
  const parse = (value: string): T => {
    if (!(values as readonly string[]).includes(value))
      throw bad(name, `must be one of ${values.join(', ')}, not "${value}"`)
    return value as T
  }
  return { name, shown: fallback, meaning, fallback: () => fallback, parse }
}

export function list(name: string, meaning: string, check: (item: string) => void = () => {}): Setting<string[]> {
  const parse = (value: string): string[] => {
    const items = value
      .split(',')
      .map(item => item.trim())
      .filter(item => item !== '')
    items.forEach(check)
    return items
  }
  return { name, shown: '', meaning, fallback: () => [], parse }
}

/** A path is one from the working directory on; media processes have another one. */
export function packages(name: string, meaning: string): Setting<string[]> {
  const { parse, ...rest } = list(name, meaning)
  return { ...rest, parse: value => parse(value).map(item => (item.startsWith('.') ? resolve(item) : item)) }
}

export function ranges(name: string, meaning: string): Setting<string[]> {
  return list(name, meaning, item => {
    if (!ipaddr.isValidCIDR(item) && isIP(item) === 0)
      throw bad(name, `must be a comma list of IP addresses and CIDR ranges, not "${item}"`)
  })
}

/** The shortest admin token that is accepted, so that nobody can guess it. */
export const TOKEN_LENGTH = 24

export function token(name: string, meaning: string): Setting<string | null> {
  const parse = (value: string): string => {
    if (value.length < TOKEN_LENGTH)
      throw bad(name, `must have ${TOKEN_LENGTH} characters or more (make one with: openssl rand -hex 32)`)
    return value
  }
  return { name, shown: '', meaning, fallback: () => null, parse }
}

/** Pairs as OpenTelemetry writes them: `key=value,other=value`, both percent-encoded where needed. */
export function pairs(name: string, meaning: string): Setting<Record<string, string>> {
  const parse = (value: string): Record<string, string> =>
    Object.fromEntries(
      value.split(',').map(item => {
        const at = item.indexOf('=')
        const [key, text] = [item.slice(0, at).trim(), item.slice(at + 1).trim()]
        // The value may be a secret, so it is not said what was wrong with it.
        if (at < 1 || !/^[\w.!#$%&'*+^`|~-]+$/.test(key) || !/^[\x20-\x7e]*$/.test(text))
          throw bad(name, 'must be a comma list of KEY=VALUE')
        return [key, decoded(text)]
      }),
    )
  return { name, shown: '', meaning, fallback: () => ({}), parse }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A number from 0 to 1. */
export function share(name: string, fallback: number, meaning: string): Setting<number> {
  const parse = (value: string): number => {
    const n = Number(value)
    if (!(n >= 0 && n <= 1)) throw bad(name, `must be a number from 0 to 1, not "${value}"`)
    return n
  }
  return { name, shown: String(fallback), meaning, fallback: () => fallback, parse }
}

export function seconds(name: string, fallback: number[], meaning: string): Setting<number[]> {
  const parse = (value: string): number[] =>
    value.split(',').map(item => {
      const n = Number(item.trim())
      if (item.trim() === '' || !(n >= 0 && n <= MOST_DELAY))
        throw bad(name, `must be a comma list of seconds from 0 to ${MOST_DELAY}, not "${value}"`)
      return n
    })
  return { name, shown: fallback.join(','), meaning, fallback: () => fallback, parse }
}

export function secretKeys(name: string, meaning: string): Setting<Buffer[] | null> {
  const parse = (value: string): Buffer[] =>
    value.split(',').map(item => {
      const key = Buffer.from(item.trim(), 'base64')
      if (key.length !== 32) throw bad(name, 'must be 32 bytes in base64 (make one with: openssl rand -base64 32)')
      return key
    })
  return { name, shown: '', meaning, fallback: () => null, parse }
}

export function url(name: string, protocols: string[], meaning: string): Setting<string | null> {
  const parse = (value: string): string => {
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol))
      throw bad(name, `must be a URL starting with ${protocols.map(p => `${p}//`).join(' or ')}`)
    return value
  }
  return { name, shown: '', meaning, fallback: () => null, parse }
}

/** Scheme, host and port, without a slash at its end. */
export function origin(name: string, meaning: string): Setting<string | null> {
  return {
    ...url(name, ['http:', 'https:'], meaning),
    parse: value => {
      if (!/^https?:/i.test(value) || !URL.canParse(value))
        throw bad(name, 'must be a URL starting with http:// or https://')
      const { origin, pathname, search, hash, username } = new URL(value)
      if (pathname !== '/' || search !== '' || hash !== '' || username !== '')
        throw bad(name, `must be scheme, host and port alone, like https://photos.example.com, not "${value}"`)
      return origin
    },
  }
}
