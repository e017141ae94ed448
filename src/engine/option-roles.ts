// What an option means to the service itself. The schema of the option declares it as `role`; its name is up to the adapter.
import { isObject, type Json, type JsonObject } from '#kit/json.ts'
import type { Adapter } from './adapter.ts'

/** Every role, and what the service does with the option. */
export const roles = {
  context: 'Values for placeholders. `additional_context` of the extras is merged over them.',
  missing: 'With the value `error`, a placeholder without a value fails the entry. Otherwise it stays empty.',
  attempts: 'How often a delivery is tried.',
  backoff: 'Seconds before the second attempt; doubled for each further one.',
  format: 'The picture format that is written, such as `png`. The memory of the step is reckoned by it.',
  place:
    'Where files are delivered to, before prefix and name: a bucket, a folder, an address. Several options may be.',
  prefix: 'What stands before the name of a delivered file.',
  name: 'The name of a delivered file. A shared configuration puts the experience and the task into it.',
  font: 'The name of a font. The check before doors open says whether it is installed. May stand at any depth.',
} as const

export type Role = keyof typeof roles

/** The part of a JSON Schema that roles are looked for in. */
interface Node {
  role?: unknown
  properties?: Record<string, Node>
  items?: Node
  anyOf?: Node[]
  additionalProperties?: Node | boolean
  patternProperties?: Record<string, Node>
}

/** The name of the option that plays a role, or null. Roles other than `font` are those of whole options. */
export function optionFor(adapter: Adapter, role: Role): string | null {
  const properties = adapter.options.properties as Record<string, Node>
  return Object.keys(properties).find(name => properties[name]?.role === role) ?? null
}

/** The names of all options that play one of these roles. */
export function optionsFor(adapter: Adapter, some: readonly Role[]): string[] {
  const properties = adapter.options.properties as Record<string, Node>
  return Object.keys(properties).filter(name => (some as readonly unknown[]).includes(properties[name]?.role))
}

/** The value of the option that plays a role; undefined where there is none. */
export function valueFor(adapter: Adapter, role: Role, options: JsonObject): Json | undefined {
  const name = optionFor(adapter, role)
  return name === null ? undefined : options[name]
}

/** How patiently a delivery is tried again, where its options say it. */
export interface Patience {
  attempts?: number
  backoffSeconds?: number
}

export function patienceIn(adapter: Adapter, options: JsonObject): Patience {
  const [attempts, backoffSeconds] = [valueFor(adapter, 'attempts', options), valueFor(adapter, 'backoff', options)]
  return {
    ...(typeof attempts === 'number' && { attempts }),
    ...(typeof backoffSeconds === 'number' && { backoffSeconds }),
  }
}

/** Every text that plays a role, at any depth of the options. */
export const textsFor = (adapter: Adapter, role: Role, options: JsonObject): string[] => [
  ...new Set(found(adapter.options as unknown as Node, options, role)),
]

function found(schema: Node, value: Json, role: Role): string[] {
  if (typeof value === 'string') return schemas(schema).some(each => each.role === role) ? [value] : []
  if (Array.isArray(value))
    return schemas(schema).flatMap(({ items }) => (items ? value.flatMap(each => found(items, each, role)) : []))
  if (!isObject(value)) return []
  return schemas(schema).flatMap(each =>
    Object.entries(value as JsonObject).flatMap(([name, inner]) => {
      const property = propertyOf(each, name)
      return property ? found(property, inner, role) : []
    }),
  )
}

/** A schema with all that it may be instead. */
const schemas = (schema: Node): Node[] => [schema, ...(schema.anyOf ?? []).flatMap(schemas)]

function propertyOf(
  { properties = {}, patternProperties = {}, additionalProperties }: Node,
  name: string,
): Node | undefined {
  if (Object.hasOwn(properties, name)) return properties[name]
  const [pattern] = Object.values(patternProperties)
  return pattern ?? (isObject(additionalProperties) ? (additionalProperties as Node) : undefined)
}

/** A role that there is not, anywhere in a schema; null where all are known. */
export function unknownRole(schema: unknown): string | null {
  if (!isObject(schema)) return null
  if ('role' in schema && !(typeof schema.role === 'string' && Object.hasOwn(roles, schema.role)))
    return String(schema.role)
  const { properties, patternProperties, items, anyOf, additionalProperties } = schema
  const inner = [
    ...(isObject(properties) ? Object.values(properties) : []),
    ...(isObject(patternProperties) ? Object.values(patternProperties) : []),
    ...(Array.isArray(anyOf) ? anyOf : []),
    items,
    additionalProperties,
  ]
  for (const each of inner) {
    const unknown = unknownRole(each)
    if (unknown !== null) return unknown
  }
  return null
}
