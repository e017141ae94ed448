// Reads the JSON Schemas that adapters publish: what kind of field an option needs.
import type { Json, JsonSchema } from '../api/shapes.ts'

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
