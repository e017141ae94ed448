// The options of an adapter: the required and the usual ones first, the rest behind a fold.

import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import type { Adapter, FieldError, Json, JsonObject } from '../api/shapes.ts'
import { Notice } from '../parts/notes.tsx'
import { t } from '../words/t.ts'
import { messageAt } from './field-errors.ts'
import { type Need, requiredOf } from './needs.ts'
import { S3Presets } from './s3-presets.tsx'
import { SchemaField } from './schema-field.tsx'
import { inSentence, labelOf } from './words.ts'

interface Props {
  adapter: Adapter
  values: JsonObject
  /** What the service finds wrong. */
  errors: FieldError[]
  /** What is still empty and must come from somewhere. */
  needs: readonly Need[]
  /** Somebody tried to save: what must be there is marked. */
  isMarked: boolean
  /** Options that are edited elsewhere on the page. */
  without?: string[]
  onChange(values: JsonObject): void
}

const FIRST = 8

export function OptionsForm({ adapter, values, errors, needs, isMarked, without = [], onChange }: Props) {
  const properties = Object.entries(adapter.defaults_schema.properties ?? {}).filter(
    ([name]) => !without.includes(name),
  )
  const required = requiredOf(adapter.defaults_schema)
  // As it was in the beginning: a field must not move while somebody types into it.
  const [given] = useState(() => new Set(Object.keys(values)))
  const isFirst = (name: string) => Number(required.has(name) || given.has(name) || adapter.one_of.includes(name))
  const sorted = properties.toSorted(([a], [b]) => isFirst(b) - isFirst(a))
  const field = ([name, schema]: (typeof properties)[number]) => {
    const parameter = adapter.asset_parameters.find(one => one.name === name)
    const need = needs.find(({ field }) => field === `defaults.${name}`)
    const said = messageAt(errors, `defaults.${name}`)
    return (
      <SchemaField
        key={name}
        name={name}
        label={labelOf(name, schema)}
        schema={schema}
        value={values[name]}
        required={required.has(name)}
        error={said ?? (need?.how === 'must' && isMarked ? t('{label} is needed.', { label: need.label }) : undefined)}
        note={need?.how === 'extras' ? extrasNote(need, adapter) : undefined}
        {...(parameter ? { asset: { accepts: parameter.accepts, isList: parameter.list } } : {})}
        onChange={value => onChange(changed(values, name, value))}
      />
    )
  }
  if (properties.length === 0) return <p className="text-soft">{t('This adapter has no further options.')}</p>
  return (
    <div className="space-y-5">
      {adapter.adapter_name === 's3_upload' && (
        <S3Presets values={values} onChange={preset => onChange({ ...values, ...preset })} />
      )}
      {sorted.slice(0, FIRST).map(field)}
      {sorted.length > FIRST && (
        <details className="group">
          <summary className="inline-flex min-h-8 list-none items-center gap-1 rounded font-semibold text-soft hover:text-ink">
            <ChevronRight aria-hidden className="size-4 transition-transform group-open:rotate-90" />
            {t('{count} more options', { count: sorted.length - FIRST })}
          </summary>
          <div className="mt-4 space-y-5">{sorted.slice(FIRST).map(field)}</div>
        </details>
      )}
    </div>
  )
}

const extrasNote = ({ label }: Need, { one_of }: Adapter): string =>
  one_of.length > 1
    ? t('Empty: {label} comes with the task’s extras.', { label: inSentence(label) })
    : t('Empty: it comes with the task’s extras.')

export function changed(values: JsonObject, name: string, value: Json | undefined): JsonObject {
  if (value === undefined) {
    const { [name]: _gone, ...rest } = values
    return rest
  }
  return { ...values, [name]: value }
}

export function AuthForm({
  adapter,
  values,
  errors,
  needed,
  needs,
  isMarked,
  onChange,
}: {
  adapter: Adapter
  values: JsonObject
  errors: FieldError[]
  /** The service wants stored ones once more. */
  needed: boolean
  needs: readonly Need[]
  isMarked: boolean
  onChange(values: JsonObject): void
}) {
  // Key files hold parts that nothing uses; they are taken from a file, not typed.
  const properties = Object.entries(adapter.auth_schema.properties ?? {}).filter(
    ([name, { description }]) => name in values || !description?.includes('not used'),
  )
  if (properties.length === 0) return null
  const required = requiredOf(adapter.auth_schema)
  return (
    <fieldset className="flex flex-col gap-5 rounded-card border border-line bg-well p-4">
      <legend className="px-1.5 font-display text-[16px] font-semibold">{t('Credentials')}</legend>
      <p className="text-[13.5px] text-soft">{t('Kept encrypted, never shown again, never part of an export.')}</p>
      {needed && (
        <Notice title={t('Enter the marked ones again')}>
          {t('You changed where they are sent. Only whoever knows them may do that.')}
        </Notice>
      )}
      {properties.map(([name, schema]) => {
        const isMissing = isMarked && needs.some(({ field }) => field === `auth.${name}`)
        const label = labelOf(name, schema)
        return (
          <SchemaField
            key={name}
            name={name}
            label={label}
            schema={schema}
            secret
            value={values[name]}
            required={required.has(name)}
            error={messageAt(errors, `auth.${name}`) ?? (isMissing ? t('{label} is needed.', { label }) : undefined)}
            onChange={value => onChange(changed(values, name, value))}
          />
        )
      })}
    </fieldset>
  )
}
