// Values that a schema must refuse, found by walking it: one list for every test of bad input.
import type { TSchema } from 'typebox'
import { matches } from '#kit/schema.ts'

export interface BadValue {
  /** Where it stands: `adapter_config.auth`. */
  field: string
  what: string
  /** The whole body as JSON, with this one thing wrong. */
  text: string
}

interface Loose {
  type?: string
  properties?: Record<string, Loose>
  additionalProperties?: unknown
  patternProperties?: unknown
  items?: Loose
  anyOf?: Loose[]
}

/** Stands for JSON that is deeper than JavaScript itself could write. */
const DEEP = '@deep@'
const deepText = `${'{"a":['.repeat(2500)}1${']}'.repeat(2500)}`
/** The same for a number that JavaScript reads as infinite. */
const ENDLESS = '@endless@'
const asText = (body: unknown): string =>
  JSON.stringify(body).replace(`"${DEEP}"`, deepText).replace(`"${ENDLESS}"`, '-1e999999')

const poisoned = (key: string): unknown => JSON.parse(`{"${key}": {"polluted": true}}`)

/** Wrong for every field, whatever its schema says. */
const never: [string, unknown][] = [
  ['a NUL', 'a\0b'],
  ['half of a surrogate pair', 'a\ud800b'],
  ['a NUL deep inside', { a: [{ b: 'x\0' }] }],
  ['a NUL in a key', { 'a\0': 1 }],
  ['half of a surrogate pair in a key', { '\udc00': 1 }],
  ['5,000 levels', DEEP],
  ['a number without end', ENDLESS],
  ['a number without end deep inside', { a: [{ b: ENDLESS }] }],
  ['__proto__', poisoned('__proto__')],
]

/** Wrong for most; skipped where the schema takes them. */
const often: [string, unknown][] = [
  ['a number', 5],
  ['a fraction', 1.5],
  ['a negative number', -1],
  ['a huge number', 1e300],
  ['true', true],
  ['null', null],
  ['an empty text', ''],
  ['a text', 'nonsense'],
  ['a text of 100,000 characters', 'x'.repeat(100_000)],
  ['an empty list', []],
  ['a list of the wrong', [{ nonsense: 1 }]],
  ['a list of lists', [[[]]]],
  ['an object of the wrong', { nonsense: 1 }],
  ['constructor', poisoned('constructor')],
  ['toString', poisoned('toString')],
]

/** `base` is a body that is accepted; every property of the schema is spoilt in turn, also deep inside. */
export function badValues(schema: TSchema, base: Record<string, unknown>): BadValue[] {
  const found: BadValue[] = []
  const whole = schema as Loose

  function spoil(inner: Loose, path: string[]): void {
    const field = path.join('.')
    for (const [what, value] of never) found.push({ field, what, text: asText(withValue(base, path, value)) })
    for (const [what, value] of often) {
      const body = withValue(base, path, value)
      if (!matches(schema, body)) found.push({ field, what, text: asText(body) })
    }
    for (const branch of inner.anyOf ?? [inner]) {
      for (const [name, next] of Object.entries(branch.properties ?? {})) spoil(next, [...path, name])
      if (branch.properties && branch.additionalProperties === false)
        found.push({
          field: `${field}.unknown_field`,
          what: 'an unknown field',
          text: asText(withValue(base, [...path, 'unknown_field'], 1)),
        })
    }
  }

  for (const [name, inner] of Object.entries(whole.properties ?? {})) spoil(inner, [name])
  found.push({ field: 'unknown_field', what: 'an unknown field', text: asText({ ...base, unknown_field: 1 }) })
  for (const key of ['__proto__', 'constructor', 'toString'])
    found.push({ field: key, what: key, text: asText({ ...base, [key]: {} }) })
  return found
}

function withValue(base: Record<string, unknown>, [name, ...rest]: string[], value: unknown): Record<string, unknown> {
  if (name === undefined) return base
  const inner = base[name]
  const old =
    typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? (inner as Record<string, unknown>) : {}
  return { ...base, [name]: rest.length === 0 ? value : withValue(old, rest, value) }
}
