// Reads the JSON Schemas that adapters publish: what kind of field an option needs, and whether a value fits.
import type { Json, JsonSchema } from '../api/shapes.ts'
import { isObject } from './json-text.ts'

export type FieldKind =
  | { kind: 'choice'; options: Json[] }
  | { kind: 'yes-no' }
  | { kind: 'number'; integer: boolean }
  | { kind: 'text' }
  | { kind: 'colour' }
  | { kind: 'number-or-text' }
  | { kind: 'lines' }
  | { kind: 'json' }

const variants = (schema: JsonSchema): JsonSchema[] => schema.anyOf ?? schema.oneOf ?? [schema]

/** Without "or null": leaving an option empty says that already. */
export function solid(schema: JsonSchema): JsonSchema[] {
  const types = [schema.type].flat().filter(type => type !== undefined)
  const spread = types.length > 1 && !schema.anyOf ? types.map(type => ({ ...schema, type })) : variants(schema)
  return spread
    .flatMap(one => (one === schema ? [one] : solid(one)))
    .filter(({ type, const: only }) => type !== 'null' && only !== null)
}

export const isNullable = (schema: JsonSchema): boolean =>
  [schema.type].flat().includes('null') ||
  variants(schema).some(one => one !== schema && (one.type === 'null' || one.const === null))

export function fieldKind(schema: JsonSchema): FieldKind {
  const parts = solid(schema)
  const [only] = parts
  const options = parts.flatMap(part => part.enum ?? (part.const !== undefined ? [part.const] : []))
  const allFixed = parts.every(part => part.enum || part.const !== undefined)
  if (allFixed && options.length > 0) return { kind: 'choice', options: options.filter(option => option !== null) }
  const types = new Set(parts.map(({ type, const: only, enum: some }) => type ?? typeof (only ?? some?.[0])))
  if (parts.length > 1) {
    const plain = [...types].every(type => type === 'string' || type === 'number' || type === 'integer')
    return plain
      ? types.has('string')
        ? { kind: 'number-or-text' }
        : { kind: 'number', integer: !types.has('number') }
      : { kind: 'json' }
  }
  if (!only) return { kind: 'json' }
  if (only.type === 'boolean') return { kind: 'yes-no' }
  if (only.type === 'number' || only.type === 'integer') return { kind: 'number', integer: only.type === 'integer' }
  if (only.type === 'string') return isColour(schema, only) ? { kind: 'colour' } : { kind: 'text' }
  if (only.type === 'array' && only.items && solid(only.items).every(({ type }) => type === 'string'))
    return { kind: 'lines' }
  return { kind: 'json' }
}

const isColour = (outer: JsonSchema, inner: JsonSchema): boolean =>
  inner.format === 'color' ||
  [outer.default, inner.default, ...(inner.examples ?? [])].some(
    value => typeof value === 'string' && /^#[0-9a-f]{6}([0-9a-f]{2})?$/i.test(value),
  )

/** What is wrong with a value, by path; the service has the last word, this only speaks earlier. */
export function faults(schema: JsonSchema, value: Json | undefined, path: string): Map<string, string> {
  const found = new Map<string, string>()
  if (value === undefined) return found
  const parts = schema.anyOf ?? schema.oneOf
  if (parts) {
    if (parts.some(part => faults(part, value, path).size === 0)) return found
    const likely =
      parts.length > 1 && isObject(value) ? parts.find(part => part.properties?.type?.const === value.type) : undefined
    if (likely) return faults(likely, value, path)
    return found.set(path, `must be ${listed(parts.map(describe))}`)
  }
  const types = [schema.type].flat().filter(type => type !== undefined)
  if (types.length > 0 && !types.some(type => hasType(value, type)))
    return found.set(path, `must be ${listed(types.map(typeName))}`)
  if (schema.const !== undefined && JSON.stringify(schema.const) !== JSON.stringify(value))
    return found.set(path, `must be ${String(schema.const)}`)
  if (schema.enum && !schema.enum.some(option => option === value))
    return found.set(path, `must be one of ${schema.enum.join(', ')}`)
  if (typeof value === 'number') numberFault(schema, value, path, found)
  if (typeof value === 'string') textFault(schema, value, path, found)
  if (Array.isArray(value))
    for (const [at, item] of value.entries()) merge(found, faults(schema.items ?? {}, item, `${path}.${at}`))
  if (isObject(value)) objectFaults(schema, value, path, found)
  return found
}

function numberFault(
  { minimum, maximum, exclusiveMinimum }: JsonSchema,
  value: number,
  path: string,
  found: Map<string, string>,
): void {
  if (minimum !== undefined && value < minimum) found.set(path, `must be at least ${minimum}`)
  if (maximum !== undefined && value > maximum) found.set(path, `must be at most ${maximum}`)
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
    found.set(path, `must be more than ${exclusiveMinimum}`)
}

function textFault(
  { minLength, maxLength, pattern }: JsonSchema,
  value: string,
  path: string,
  found: Map<string, string>,
): void {
  // A text with placeholders is only known when a task runs.
  if (value.includes('{{')) return
  if (minLength !== undefined && value.length < minLength) found.set(path, `must have at least ${minLength} characters`)
  if (maxLength !== undefined && value.length > maxLength) found.set(path, `must have at most ${maxLength} characters`)
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) found.set(path, 'does not have the expected form')
}

function objectFaults(
  schema: JsonSchema,
  value: { [key: string]: Json },
  path: string,
  found: Map<string, string>,
): void {
  for (const [key, item] of Object.entries(value)) {
    const known = schema.properties?.[key]
    if (known) merge(found, faults(known, item, `${path}.${key}`))
    else if (schema.additionalProperties === false) found.set(`${path}.${key}`, 'is not an option of this adapter')
  }
}

function merge(into: Map<string, string>, more: Map<string, string>): void {
  for (const [path, message] of more) into.set(path, message)
}

function hasType(value: Json, type: string): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  // Placeholders may stand for a number, too.
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

const typeName = (type: string): string =>
  ({
    integer: 'a whole number',
    number: 'a number',
    string: 'text',
    boolean: 'yes or no',
    array: 'a list',
    object: 'an object',
    null: 'empty',
  })[type] ?? type
const describe = (schema: JsonSchema): string =>
  schema.const !== undefined
    ? String(schema.const)
    : schema.enum
      ? schema.enum.join(', ')
      : typeName([schema.type].flat()[0] ?? 'another value')
const listed = (parts: string[]): string => [...new Set(parts)].join(' or ')
