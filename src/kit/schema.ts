// Checks a value against a JSON Schema, made by TypeBox or by hand, and says in words, field by field, what is accepted.
import Type, { type TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Value } from 'typebox/value'
import type { FieldError } from './errors.ts'
import { isObject, own } from './json.ts'

interface Loose {
  type?: string
  anyOf?: Loose[]
  const?: unknown
  enum?: unknown[]
  default?: unknown
  properties?: Record<string, Loose>
  required?: string[]
  additionalProperties?: boolean | Loose
  patternProperties?: Record<string, Loose>
  items?: Loose
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  format?: string
  maxProperties?: number
  /** What a pattern means, in words. */
  expects?: string
  names?: string
}

/**
 * An object whose names somebody else chooses: each fits `name` and each value `value`. Without a pattern of their own all names
 * do. (`Type.Record` alone lets any value through under a name that does not fit.)
 */
export const named = <V extends TSchema>(value: V, options: NamedOptions, name = '^[\\s\\S]*$') =>
  Type.Record(Type.String({ pattern: name }), value, { ...options, additionalProperties: Type.Never() })

interface NamedOptions {
  description: string
  default?: object
  examples?: object[]
  maxProperties?: number
  /** What the names may be, in words. */
  names?: string
  /** What the object means to the service (engine/option-roles.ts). */
  role?: string
}

const compiled = new WeakMap<TSchema, Validator>()

export function matches(schema: TSchema, value: unknown): boolean {
  let validator = compiled.get(schema)
  if (!validator) {
    validator = Compile(schema)
    compiled.set(schema, validator)
  }
  return validator.Check(value)
}

/** Whether messages quote the value that does not fit. A value that may be a secret is not quoted. */
type Quoting = 'quoted' | 'unquoted'

/** Every field that is wrong, named from `path` on; empty when the value fits. */
export function schemaErrors(schema: TSchema, value: unknown, path = '', quoting: Quoting = 'quoted'): FieldError[] {
  if (matches(schema, value)) return []
  const found = unfitIn(schema as Loose, value, path, quoting)
  return found.length > 0 ? found : [{ field: path, message: `must be ${expected(schema as Loose)}`, kind: 'wrong' }]
}

/**
 * A copy of the value with the schema's defaults filled in, at any depth. (`Value.Default` of TypeBox fills in nothing where a
 * schema was not made by TypeBox itself.)
 */
export const withDefaults = <T>(schema: TSchema, value: T): T => filled(schema as Loose, structuredClone(value)) as T

function filled(schema: Loose, value: unknown): unknown {
  const given = value === undefined && 'default' in schema ? copyOf(schema.default) : value
  if (schema.anyOf) {
    for (const kind of schema.anyOf) {
      const made = filled(kind, copyOf(given))
      if (fits(kind, made)) return made
    }
    return given
  }
  if (Array.isArray(given)) return schema.items ? given.map(item => filled(schema.items as Loose, item)) : given
  if (!isObject(given)) return given
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const inner = filled(property, own(given, name))
    if (inner !== undefined) given[name] = inner
  }
  const others = restOf(schema)
  if (others)
    for (const name of Object.keys(given))
      if (!Object.hasOwn(schema.properties ?? {}, name)) given[name] = filled(others, given[name])
  return given
}

/** Most values are no objects, and to be asked is sooner than to be cloned. */
const copyOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? structuredClone(value) : value

/** The schema of what is not listed by name. */
function restOf({ patternProperties, additionalProperties }: Loose): Loose | undefined {
  const [pattern] = Object.values(patternProperties ?? {})
  return pattern ?? (isObject(additionalProperties) ? (additionalProperties as Loose) : undefined)
}

/** The same schema with nothing required at its top. */
export function partialOf<S extends TSchema>(schema: S): TSchema {
  const { required: _none, ...rest } = schema as S & { required?: unknown }
  return rest
}

const fits = (schema: Loose, value: unknown): boolean => Value.Check(schema as TSchema, value)

const walk = (schema: Loose, value: unknown, path: string, quoting: Quoting): FieldError[] =>
  fits(schema, value) ? [] : unfitIn(schema, value, path, quoting)

/** Of a value that is known not to fit. */
function unfitIn(schema: Loose, value: unknown, path: string, quoting: Quoting): FieldError[] {
  if (schema.anyOf) return walkUnion(schema, value, path, quoting)
  if (schema.type === 'object' && isObject(value)) return walkObject(schema, value, path, quoting)
  if (schema.type === 'array' && Array.isArray(value) && schema.items && fitsLength(schema, value)) {
    const wrong = value.flatMap((item, index) => walk(schema.items as Loose, item, `${path}[${index}]`, quoting))
    return wrong.length > 0 ? wrong : repeated(schema, value, path, quoting)
  }
  return [unfit(schema, value, path, quoting)]
}

const unfit = (schema: Loose, value: unknown, field: string, quoting: Quoting): FieldError => ({
  field,
  message: `must be ${expected(schema)}${quoting === 'quoted' ? `, not ${shown(value)}` : ''}`,
  kind: 'wrong',
})

function repeated({ uniqueItems }: Loose, value: unknown[], field: string, quoting: Quoting): FieldError[] {
  if (!uniqueItems) return []
  const items = value.map(shown)
  const again = items.find((item, at) => items.indexOf(item) < at)
  const which = again !== undefined && quoting === 'quoted' ? `, and has ${again} again` : ''
  return [{ field, message: `must have each item only once${which}`, kind: 'wrong' }]
}

const fitsLength = (schema: Loose, value: unknown[]): boolean =>
  value.length >= (schema.minItems ?? 0) && value.length <= (schema.maxItems ?? Number.POSITIVE_INFINITY)

function walkUnion(schema: Loose, value: unknown, path: string, quoting: Quoting): FieldError[] {
  const kinds = (schema.anyOf ?? []).filter(
    kind => (kind.type === 'object' && isObject(value)) || (kind.type === 'array' && Array.isArray(value)),
  )
  if (kinds.length === 1 && kinds[0]) return walk(kinds[0], value, path, quoting)
  if (kinds.length > 1 && isObject(value)) {
    const chosen = kinds.find(kind => kind.properties?.type?.const === value.type)
    if (chosen) return walk(chosen, value, path, quoting)
    const types = kinds.map(kind => kind.properties?.type?.const).filter(type => type !== undefined)
    if (types.length > 0)
      return [{ field: join(path, 'type'), message: `must be one of ${types.map(shown).join(', ')}`, kind: 'wrong' }]
  }
  return [unfit(schema, value, path, quoting)]
}

function walkObject(schema: Loose, value: Record<string, unknown>, path: string, quoting: Quoting): FieldError[] {
  const properties = schema.properties ?? {}
  const errors: FieldError[] = []
  const [pattern] = Object.entries(schema.patternProperties ?? {})
  if (schema.maxProperties !== undefined && Object.keys(value).length > schema.maxProperties)
    return [{ field: path, message: `must have ${schema.maxProperties} names at most`, kind: 'wrong' }]
  const missing = (schema.required ?? []).filter(name => !Object.hasOwn(value, name))
  const required = (name: string): FieldError => ({ field: join(path, name), message: 'is required', kind: 'required' })
  const needed = missing.filter(name => !('default' in (own(properties, name) ?? {})))
  errors.push(...needed.map(required))
  for (const [name, inner] of Object.entries(value)) {
    const field = join(path, name)
    if (Object.hasOwn(properties, name)) errors.push(...walk(properties[name] as Loose, inner, field, quoting))
    else if (pattern) {
      // A name that is none is not repeated: it may be long, or a whole line with a secret in it.
      if (new RegExp(pattern[0], 'u').test(name)) errors.push(...walk(pattern[1], inner, field, quoting))
      else
        errors.push({
          field: path,
          message: `has a name that is not taken here: ${schema.names ?? 'it does not fit'}`,
          kind: 'unknown',
        })
    } else if (schema.additionalProperties === false) {
      errors.push({
        field,
        message: `is not known here; known are ${Object.keys(properties).join(', ') || 'no fields'}`,
        kind: 'unknown',
      })
    } else if (isObject(schema.additionalProperties))
      errors.push(...walk(schema.additionalProperties as Loose, inner, field, quoting))
  }
  // A default is filled in once the rest fits, so it is asked for only where nothing else is wrong.
  return errors.length > 0 ? errors : missing.map(required)
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

const MOST_SHOWN = 60

function shown(value: unknown): string {
  const text = JSON.stringify(value, cutText) ?? String(value)
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN - 3)}…` : text
}

/** Of a long text only what may be shown is written out. */
const cutText = (_key: string, value: unknown): unknown =>
  typeof value === 'string' && value.length > MOST_SHOWN ? value.slice(0, MOST_SHOWN + 1) : value

/** The schema in words: "a whole number from 1 to 5". */
function expected(schema: Loose): string {
  if (schema.expects) return schema.expects
  if (schema.anyOf) {
    const [constants, others] = [
      schema.anyOf.filter(kind => 'const' in kind),
      schema.anyOf.filter(kind => !('const' in kind)),
    ]
    const words = others.map(expected)
    if (constants.length > 0)
      words.unshift(
        constants.length > 1
          ? `one of ${constants.map(kind => shown(kind.const)).join(', ')}`
          : shown(constants[0]?.const),
      )
    return words.join(' or ')
  }
  if ('const' in schema) return shown(schema.const)
  if (schema.enum) return `one of ${schema.enum.map(shown).join(', ')}`
  switch (schema.type) {
    case 'integer':
      return `a whole number${range(schema)}`
    case 'number':
      return `a number${range(schema)}`
    case 'string':
      return text(schema)
    case 'boolean':
      return 'true or false'
    case 'null':
      return 'null'
    case 'array':
      return `a list${count(schema.minItems, schema.maxItems, 'items')}`
    default:
      return 'an object'
  }
}

function range({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Loose): string {
  const low = minimum ?? exclusiveMinimum
  const high = maximum ?? exclusiveMaximum
  if (low !== undefined && high !== undefined) return ` from ${low} to ${high}`
  if (exclusiveMinimum !== undefined) return ` above ${exclusiveMinimum}`
  if (low !== undefined) return ` of at least ${low}`
  return high === undefined ? '' : ` of at most ${high}`
}

function text(schema: Loose): string {
  if (schema.format) return `text in the form of ${schema.format}`
  return `text${count(schema.minLength, schema.maxLength, 'characters')}${schema.pattern ? ` ${form(schema.pattern)}` : ''}`
}

/** Of an address for guests, which may be a placeholder as a whole. */
export const LINK_PATTERN = '^https?://|^\\{\\{'

function form(pattern: string): string {
  if (pattern === LINK_PATTERN) return 'that begins with https://, http:// or a placeholder'
  return pattern.startsWith('^https?://') ? 'that begins with https:// or http://' : `matching ${pattern}`
}

function count(min: number | undefined, max: number | undefined, what: string): string {
  if (min !== undefined && max !== undefined) return ` of ${min} to ${max} ${what}`
  if (min !== undefined) return ` of at least ${min} ${what}`
  return max === undefined ? '' : ` of at most ${max} ${what}`
}
