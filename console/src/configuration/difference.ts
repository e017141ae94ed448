// Where two states of a configuration differ, field by field, and how they are put together again.
import type { Configuration, Json, JsonObject } from '../api/shapes.ts'
import { writable } from '../api/writable.ts'
import { isObject } from '../form/json-text.ts'

export type Side = 'mine' | 'theirs'

export interface Difference {
  /** Like `adapter_config.defaults.width`. */
  field: string
  before: Json | undefined
  mine: Json | undefined
  theirs: Json | undefined
  /** Who changed it: then that side is the one to take. */
  by: Side | 'both'
}

/** Objects that are looked into; whatever else differs is taken as a whole. */
const opened = new Set(['adapter_config', 'adapter_config.defaults', 'adapter_config.auth', 'activity_config'])

function fields(value: Json | undefined, at = ''): Map<string, Json> {
  if (value === undefined) return new Map()
  if (at !== '' && !(opened.has(at) && isObject(value))) return new Map([[at, value]])
  return new Map(
    Object.entries(value as JsonObject).flatMap(([name, inner]) => [...fields(inner, at ? `${at}.${name}` : name)]),
  )
}

const fieldsOf = (configuration: Configuration): Map<string, Json> =>
  fields(writable(configuration) as unknown as JsonObject)

const same = (a: Json | undefined, b: Json | undefined): boolean => JSON.stringify(a) === JSON.stringify(b)

/** `before` is what both began from. What is alike on both sides is no difference, whoever changed it. */
export function differences(before: Configuration, mine: Configuration, theirs: Configuration): Difference[] {
  const [was, ours, other] = [fieldsOf(before), fieldsOf(mine), fieldsOf(theirs)]
  return [...new Set([...was.keys(), ...ours.keys(), ...other.keys()])].flatMap(field => {
    const [b, m, t] = [was.get(field), ours.get(field), other.get(field)]
    if (same(m, t)) return []
    return [{ field, before: b, mine: m, theirs: t, by: same(b, m) ? 'theirs' : same(b, t) ? 'mine' : 'both' }]
  })
}

/** Theirs, with the chosen fields of mine laid over it. */
export function merged(
  theirs: Configuration,
  all: readonly Difference[],
  chosen: (field: string) => Side,
): Configuration {
  const result = structuredClone(writable(theirs)) as unknown as JsonObject
  for (const { field, mine } of all) if (chosen(field) === 'mine') put(result, field.split('.'), mine)
  return result as unknown as Configuration
}

function put(into: JsonObject, [name = '', ...rest]: string[], value: Json | undefined): void {
  if (rest.length === 0) {
    if (value === undefined) delete into[name]
    else into[name] = value
    return
  }
  const inner = into[name]
  const next: JsonObject = isObject(inner) ? inner : {}
  into[name] = next
  put(next, rest, value)
}
