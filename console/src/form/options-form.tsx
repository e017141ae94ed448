// The options of an adapter: the required and the usual ones first, the rest behind a fold.
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import type { Adapter, Asset, FieldError, Json, JsonObject, JsonSchema } from '../api/shapes.ts'
import { Notice } from '../parts/notes.tsx'
import { messageAt } from './field-errors.ts'
import { SchemaField } from './schema-field.tsx'

interface Props {
  adapter: Adapter
  values: JsonObject
  assets: Asset[]
  /** What the service finds wrong. */
  errors: FieldError[]
  /** Options that are edited elsewhere on the page. */
  without?: string[]
  onChange(values: JsonObject): void
}

const FIRST = 8

export function OptionsForm({ adapter, values, assets, errors, without = [], onChange }: Props) {
  const properties = Object.entries(adapter.defaults_schema.properties ?? {}).filter(
    ([name]) => !without.includes(name),
  )
  const required = requiredOf(adapter.defaults_schema)
  // As it was in the beginning: a field must not move while somebody types into it.
  const [given] = useState(() => new Set(Object.keys(values)))
  const isFirst = (name: string) => Number(required.has(name) || given.has(name))
  const sorted = properties.toSorted(([a], [b]) => isFirst(b) - isFirst(a))
  const offered = (name: string): string[] | undefined => {
    const parameter = adapter.asset_parameters.find(one => one.name === name)
    return (
      parameter &&
      assets
        .filter(({ mime }) => parameter.accepts.some(medium => medium === 'file' || mime.startsWith(`${medium}/`)))
        .map(asset => asset.name)
    )
  }
  const field = ([name, schema]: (typeof properties)[number]) => {
    const offer = offered(name)
    return (
      <SchemaField
        key={name}
        name={name}
        schema={schema}
        value={values[name]}
        required={required.has(name)}
        error={messageAt(errors, `defaults.${name}`)}
        {...(offer ? { offer } : {})}
        onChange={value => onChange(changed(values, name, value))}
      />
    )
  }
  const unknown = Object.keys(values).filter(name => !(name in (adapter.defaults_schema.properties ?? {})))
  if (properties.length === 0 && unknown.length === 0)
    return <p className="text-soft">This adapter has no further options.</p>
  return (
    <div className="space-y-5">
      {sorted.slice(0, FIRST).map(field)}
      {sorted.length > FIRST && (
        <details className="group">
          <summary className="inline-flex list-none items-center gap-1 rounded font-semibold text-soft hover:text-ink">
            <ChevronRight aria-hidden className="size-4 transition-transform group-open:rotate-90" />
            {sorted.length - FIRST} more options
          </summary>
          <div className="mt-4 space-y-5">{sorted.slice(FIRST).map(field)}</div>
        </details>
      )}
    </div>
  )
}

export function changed(values: JsonObject, name: string, value: Json | undefined): JsonObject {
  if (value === undefined) {
    const { [name]: _gone, ...rest } = values
    return rest
  }
  return { ...values, [name]: value }
}

/** An option with a default is listed as required by some schemas, but nobody has to give it. */
const requiredOf = ({ required = [], properties = {} }: JsonSchema): Set<string> =>
  new Set(required.filter(name => properties[name]?.default === undefined))

export function AuthForm({
  adapter,
  values,
  errors,
  needed,
  onChange,
}: {
  adapter: Adapter
  values: JsonObject
  errors: FieldError[]
  /** The service wants stored ones once more. */
  needed: boolean
  onChange(values: JsonObject): void
}) {
  const properties = Object.entries(adapter.auth_schema.properties ?? {})
  if (properties.length === 0) return null
  const required = requiredOf(adapter.auth_schema)
  return (
    <fieldset className="flex flex-col gap-5 rounded-card border border-line bg-well p-4">
      <legend className="px-1.5 font-display text-[16px] font-semibold">Credentials</legend>
      <p className="text-[13.5px] text-soft">Kept encrypted, never shown again, never part of an export.</p>
      {needed && (
        <Notice title="Enter the marked ones again">
          You changed where they are sent. Only whoever knows them may do that.
        </Notice>
      )}
      {properties.map(([name, schema]) => (
        <SchemaField
          key={name}
          name={name}
          schema={schema}
          secret
          value={values[name]}
          required={required.has(name)}
          error={messageAt(errors, `auth.${name}`)}
          onChange={value => onChange(changed(values, name, value))}
        />
      ))}
    </fieldset>
  )
}
