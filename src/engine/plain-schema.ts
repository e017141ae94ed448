// Takes a JSON Schema that somebody else wrote: says what of it is not understood here, and brings the rest into the form of ours.
import { isObject } from '#kit/json.ts'

/** Keywords that checks know, but neither forms, defaults nor our sentences. */
const beyond = [
  ...['$ref', '$dynamicRef', '$defs', 'definitions', 'allOf', 'oneOf', 'if', 'then', 'else', 'prefixItems', 'contains'],
  ...['dependentRequired', 'dependentSchemas', 'propertyNames', 'unevaluatedProperties', 'unevaluatedItems'],
]

/** What a schema says about the option itself; all other keywords are about its values. */
const annotations = [
  ...['default', 'description', 'title', 'examples', 'deprecated', 'contentMediaType'],
  ...['role', 'placeholders', 'expects', 'names'],
]

/** A keyword that is not understood, as `PLACE: KEYWORD`; null where all are. */
export function notUnderstood(schema: unknown, place = ''): string | null {
  if (!isObject(schema)) return null
  const keyword = beyond.find(name => name in schema)
  if (keyword !== undefined) return `${place || 'the schema'}: ${keyword}`
  for (const [inner, name] of innerOf(schema, place)) {
    const found = notUnderstood(inner, name)
    if (found !== null) return found
  }
  return null
}

function innerOf(schema: Record<string, unknown>, place: string): [schema: unknown, place: string][] {
  const { properties, patternProperties, additionalProperties, items, anyOf } = schema
  const named = { ...(isObject(properties) && properties), ...(isObject(patternProperties) && patternProperties) }
  return [
    ...Object.entries(named).map(([name, inner]): [unknown, string] => [
      inner,
      place === '' ? name : `${place}.${name}`,
    ]),
    ...[additionalProperties, items, ...(Array.isArray(anyOf) ? anyOf : [])].map((inner): [unknown, string] => [
      inner,
      place,
    ]),
  ]
}

/** The same schema with `anyOf` in the place of a list of types. */
export function plainForm(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plainForm)
  if (!isObject(schema)) return schema
  if (Array.isArray(schema.type)) return plainForm(asUnion(schema, schema.type))
  const values = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if ((keyword === 'properties' || keyword === 'patternProperties') && isObject(value))
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plainForm(inner)]))]
    return [keyword, ['items', 'anyOf', 'additionalProperties'].includes(keyword) ? plainForm(value) : value]
  })
  return Object.fromEntries(values)
}

function asUnion(schema: Record<string, unknown>, types: readonly unknown[]): Record<string, unknown> {
  const { type: _types, ...rest } = schema
  const about = Object.fromEntries(Object.entries(rest).filter(([keyword]) => annotations.includes(keyword)))
  const bounds = Object.fromEntries(Object.entries(rest).filter(([keyword]) => !annotations.includes(keyword)))
  return { ...about, anyOf: types.map(type => (type === 'null' ? { type } : { type, ...bounds })) }
}
