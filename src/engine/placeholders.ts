// Fills {{placeholders}} in option texts: plain text in, plain text out, never code.
import { isObject, type Json, type JsonObject } from '#kit/json.ts'

const PLACEHOLDER = /\{\{\s*([^{}]+?)\s*\}\}/g

export interface Filled<T> {
  value: T
  /** Placeholders that no value was known for; they became empty. */
  missing: string[]
  /** Placeholders that stand for more than a text; they became empty too. */
  objects: string[]
}

export function fillPlaceholders<T extends Json>(value: T, known: JsonObject): Filled<T> {
  const missing = new Set<string>()
  const objects = new Set<string>()
  const fillText = (text: string): string =>
    text.replace(PLACEHOLDER, (_whole, name: string) => {
      const found = lookUp(known, name)
      if (found === undefined || found === null) missing.add(name)
      else if ([found].flat().some(isObject)) objects.add(name)
      return asText(found)
    })
  const fill = (inner: Json): Json => {
    if (typeof inner === 'string') return fillText(inner)
    if (Array.isArray(inner)) return inner.map(fill)
    if (isObject(inner))
      return Object.fromEntries(Object.entries(inner).map(([key, item]) => [key, fill(item as Json)]))
    return inner
  }
  return { value: fill(value) as T, missing: [...missing], objects: [...objects] }
}

/** Plain text in the place of every placeholder, to judge what is written around them. */
export const withStandIns = (text: string): string => text.replace(PLACEHOLDER, 'x')

/** `a.b` finds a key of that very name first, then goes down step by step. */
function lookUp(known: JsonObject, name: string): Json | undefined {
  if (Object.hasOwn(known, name)) return known[name]
  let here: Json | undefined = known
  for (const part of name.split('.')) {
    if (!isObject(here) || !Object.hasOwn(here, part)) return undefined
    here = (here as JsonObject)[part]
  }
  return here
}

function asText(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(asText).join(', ')
  return typeof value === 'object' ? '' : String(value)
}
