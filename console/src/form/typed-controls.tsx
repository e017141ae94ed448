// Controls for what is typed: text, lists, JSON, credentials.

import { useEffect, useId, useState } from 'react'
import type { Json, JsonSchema } from '../api/shapes.ts'
import { control } from '../parts/field.tsx'
import { t } from '../words/t.ts'
import type { Ids } from './form-field.tsx'
import { readJson } from './json-text.ts'
import { fieldKind, isNullable, solid } from './schema.ts'
import { choiceOf } from './words.ts'

export interface Typed {
  ids: Ids
  schema: JsonSchema
  value: Json | undefined
  onChange(value: Json | undefined): void
}

export const shown = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))

export const placeholder = (schema: JsonSchema): string | undefined =>
  schema.default !== undefined && schema.default !== null
    ? shown(schema.default)
    : isNullable(schema)
      ? t('not set')
      : undefined

/** Names and addresses are one line, however long they may be. */
const isLine = (name: string): boolean => /(name|prefix|path|folder|title|subject|link|url|^to|^data)$/.test(name)

export function TextInput({
  ids,
  name,
  schema,
  value,
  onChange,
  offer,
}: Typed & { name: string; offer?: string[] | undefined }) {
  const list = useId()
  const text = typeof value === 'string' ? value : ''
  const isUrl = solid(schema).some(({ pattern }) => pattern?.startsWith('^https?://'))
  const long = ((schema.maxLength ?? 0) > 400 && !isUrl && !isLine(name)) || text.includes('\n')
  if (long && !offer)
    return (
      <textarea
        {...ids}
        dir="auto"
        rows={3}
        value={text}
        placeholder={placeholder(schema)}
        onChange={event => onChange(event.target.value || undefined)}
        className={control}
      />
    )
  return (
    <>
      <input
        {...ids}
        dir={isUrl ? 'ltr' : 'auto'}
        inputMode={isUrl ? 'url' : undefined}
        value={text}
        placeholder={placeholder(schema)}
        list={offer ? list : undefined}
        autoComplete="off"
        onChange={event => onChange(event.target.value || undefined)}
        className={control}
      />
      {offer && (
        <datalist id={list}>
          {offer.map(name => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
    </>
  )
}

export function Choice({
  ids,
  schema,
  value,
  onChange,
  options,
  required,
  isWorded,
}: Typed & { options: Json[]; required: boolean; isWorded: boolean }) {
  const word = (option: Json) =>
    option === true ? t('yes') : option === false ? t('no') : isWorded ? choiceOf(option) : String(option)
  const preset =
    schema.default !== undefined && schema.default !== null
      ? isWorded
        ? t('as usual: {value}', { value: word(schema.default) })
        : t('default: {value}', { value: word(schema.default) })
      : required
        ? t('comes with the task’s extras')
        : t('not set')
  return (
    <select
      {...ids}
      value={value === undefined ? '' : JSON.stringify(value)}
      onChange={event => onChange(event.target.value === '' ? undefined : (JSON.parse(event.target.value) as Json))}
      className={control}
    >
      <option value="">({preset})</option>
      {options.map(option => (
        <option key={JSON.stringify(option)} value={JSON.stringify(option)}>
          {word(option)}
        </option>
      ))}
    </select>
  )
}

export function NumberOrText({ schema, value, onChange, ids }: Typed) {
  const read = (text: string): Json | undefined =>
    text.trim() === '' ? undefined : /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text
  return (
    <input
      {...ids}
      value={value === undefined || value === null ? '' : String(value)}
      placeholder={placeholder(schema)}
      onChange={event => onChange(read(event.target.value))}
      className={control}
    />
  )
}

export function Lines({ value, onChange, ids, offer }: Typed & { offer?: string[] | undefined }) {
  const lines = Array.isArray(value) ? value.map(String) : []
  const [text, setText] = useState(lines.join('\n'))
  return (
    <>
      <textarea
        {...ids}
        dir="auto"
        rows={Math.max(2, lines.length + 1)}
        value={text}
        placeholder={t('One per line')}
        onChange={event => {
          setText(event.target.value)
          const next = event.target.value
            .split('\n')
            .map(line => line.trim())
            .filter(Boolean)
          onChange(next.length > 0 ? next : undefined)
        }}
        className={control}
      />
      {offer && offer.length > 0 && (
        <p className="mt-1 text-[13px] text-soft">{t('There are: {list}', { list: offer.join(', ') })}</p>
      )}
    </>
  )
}

export function JsonArea({ value, onChange, ids }: Typed) {
  const outside = value === undefined ? '' : JSON.stringify(value, null, 2)
  const [text, setText] = useState(outside)
  const [fault, setFault] = useState<string | null>(null)
  // Changed from elsewhere (the layer editor, an undo): show that instead.
  useEffect(() => {
    const read = readJson(text)
    if (
      (read.ok ? JSON.stringify(read.value) : '') !== (value === undefined ? '' : JSON.stringify(value)) &&
      fault === null
    )
      setText(outside)
  }, [outside, value, text, fault])
  return (
    <>
      <textarea
        {...ids}
        rows={Math.min(14, Math.max(3, text.split('\n').length))}
        spellCheck={false}
        value={text}
        onChange={event => {
          setText(event.target.value)
          if (event.target.value.trim() === '') {
            setFault(null)
            return onChange(undefined)
          }
          const read = readJson(event.target.value)
          setFault(read.ok ? null : read.message)
          if (read.ok) onChange(read.value)
        }}
        className={`${control} font-mono text-[13px]`}
      />
      {fault && <p className="mt-1 text-[13.5px] font-semibold text-fail">{fault}</p>}
    </>
  )
}

const MASK = '********'
const sensitive = (name: string): boolean => /key|secret|token|password|account|credential|passphrase/i.test(name)

/** The service never gives credentials out: what is stored shows as a mask, and stays if it is left alone. */
export function SecretInput({
  name,
  schema,
  value,
  onChange,
  ids,
  required,
}: Typed & { name: string; required: boolean }) {
  const stored = value === MASK
  const field = fieldKind(schema)
  if (field.kind === 'choice' || field.kind === 'yes-no')
    return (
      <Choice
        ids={ids}
        schema={schema}
        required={required}
        isWorded
        onChange={onChange}
        value={stored ? undefined : value}
        options={field.kind === 'choice' ? field.options : [true, false]}
      />
    )
  const read = (text: string): Json | undefined => {
    if (text === '') return stored ? MASK : undefined
    return field.kind === 'number' && Number.isFinite(Number(text)) ? Number(text) : text
  }
  const common = {
    ...ids,
    autoComplete: 'new-password',
    spellCheck: false,
    value: stored || value === undefined || value === null ? '' : String(value),
    placeholder: stored ? `•••••••• ${t('stored; type to replace it')}` : undefined,
    className: control,
  }
  // Keys in PEM or JSON have lines, which an input would swallow.
  if (/private_key$|service_account|credentials/.test(name))
    return <textarea {...common} rows={4} onChange={event => onChange(read(event.target.value))} />
  return (
    <input
      {...common}
      type={sensitive(name) ? 'password' : 'text'}
      onChange={event => onChange(read(event.target.value))}
    />
  )
}
