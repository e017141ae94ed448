// JSON helpers shared by every folder: plain objects, look-ups by name, deep merge, numbers and depth out of bounds, stable text for hashing.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a record holds under a name that somebody else chose: `toString` finds nothing unless the record has such a key itself. */
export const own = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined

/** Objects are merged key by key, everything else (lists too) is replaced. Never touches prototypes. */
export function deepMerge(base: JsonObject, over: JsonObject): JsonObject {
  const merged = new Map(Object.entries(base))
  for (const [key, value] of Object.entries(over)) {
    const old = merged.get(key)
    merged.set(key, isObject(old) && isObject(value) ? deepMerge(old as JsonObject, value as JsonObject) : value)
  }
  return Object.fromEntries(merged)
}

/** What is said of a number like `1e999`, which JavaScript reads as infinite and writes as null. */
export const ENDLESS = `is a number that cannot be kept: it must lie between -${Number.MAX_VALUE} and ${Number.MAX_VALUE}`

/** The path to a number that is too large to be kept, or null. */
export function endlessIn(value: unknown, path = ''): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : path
  if (typeof value !== 'object' || value === null) return null
  for (const [key, inner] of Object.entries(value)) {
    const found = endlessIn(inner, Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`)
    if (found !== null) return found
  }
  return null
}

/** JSON with keys in a fixed order, so that equal values give equal text. */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  )
}

/** True when JSON text nests deeper than `limit`; read without parsing, so hostile depth costs nothing. */
export function nestsDeeperThan(text: string, limit: number): boolean {
  let depth = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (inString) {
      if (c === 0x5c) i++
      else if (c === 0x22) inString = false
    } else if (c === 0x22) inString = true
    else if (c === 0x7b || c === 0x5b) {
      if (++depth > limit) return true
    } else if (c === 0x7d || c === 0x5d) depth--
  }
  return false
}
