// One option of an adapter as a form field, made from its JSON Schema.
import { useEffect, useId, useState } from 'react'
import type { Json, JsonSchema } from '../api/shapes.ts'
import { control, Field } from '../parts/field.tsx'
import { readJson } from './json-text.ts'
import { fieldKind, isNullable, solid } from './schema.ts'

interface Props {
  name: string
  schema: JsonSchema
  value: Json | undefined
  error: string | undefined
  required: boolean
  /** Names to offer, for options that hold the name of an asset. */
  offer?: string[]
  secret?: boolean
  onChange(value: Json | undefined): void
}

type Ids = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined }

export function SchemaField(props: Props) {
  const { name, schema, error, required } = props
  return (
    <Field
      label={<span className="font-mono text-[13.5px]">{name}</span>}
      help={help(schema)}
      error={error}
      required={required}
    >
      {ids => <Control {...props} ids={ids} />}
    </Field>
  )
}

const shown = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))

function help(schema: JsonSchema): string | undefined {
  const preset = schema.default
  const parts = [
    schema.description?.replaceAll('`', ''),
    preset !== undefined && preset !== null && preset !== '' ? `Default: ${shown(preset)}.` : undefined,
  ]
  return parts.filter(Boolean).join(' ') || undefined
}

function Control(props: Props & { ids: Ids }) {
  const { schema, value, onChange, ids, offer, secret } = props
  const field = fieldKind(schema)
  if (secret) return <SecretInput {...props} />
  if (field.kind === 'choice') return <Choice {...props} options={field.options} />
  if (field.kind === 'yes-no') return <Choice {...props} options={[true, false]} />
  if (field.kind === 'number') {
    const { minimum, maximum } = solid(schema)[0] ?? {}
    return (
      <input
        {...ids}
        type="number"
        step={field.integer ? 1 : 'any'}
        min={minimum}
        max={maximum}
        value={typeof value === 'number' ? value : ''}
        placeholder={placeholder(schema)}
        onChange={event => onChange(event.target.value === '' ? undefined : event.target.valueAsNumber)}
        className={control}
      />
    )
  }
  if (field.kind === 'number-or-text') return <NumberOrText {...props} />
  if (field.kind === 'lines') return <Lines {...props} />
  if (field.kind === 'json') return <JsonArea {...props} />
  if (field.kind === 'colour') return <Colour {...props} />
  return <TextInput ids={ids} schema={schema} value={value} onChange={onChange} {...(offer ? { offer } : {})} />
}

const placeholder = (schema: JsonSchema): string | undefined =>
  schema.default !== undefined && schema.default !== null
    ? shown(schema.default)
    : isNullable(schema)
      ? 'not set'
      : undefined

function TextInput({
  ids,
  schema,
  value,
  onChange,
  offer,
}: Pick<Props, 'schema' | 'value' | 'onChange' | 'offer'> & { ids: Ids }) {
  const list = useId()
  const text = typeof value === 'string' ? value : ''
  const isUrl = solid(schema).some(({ pattern }) => pattern?.startsWith('^https?://'))
  const long = ((schema.maxLength ?? 0) > 400 && !isUrl) || text.includes('\n')
  if (long && !offer)
    return (
      <textarea
        {...ids}
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

function Choice({ schema, value, required, onChange, ids, options }: Props & { ids: Ids; options: Json[] }) {
  const word = (option: Json) => (option === true ? 'yes' : option === false ? 'no' : String(option))
  const preset =
    schema.default !== undefined && schema.default !== null
      ? `default: ${word(schema.default)}`
      : required
        ? 'left to extras'
        : 'not set'
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

function NumberOrText({ schema, value, onChange, ids }: Props & { ids: Ids }) {
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

function Colour({ schema, value, onChange, ids }: Props & { ids: Ids }) {
  const text = typeof value === 'string' ? value : ''
  const preset = typeof schema.default === 'string' ? schema.default : '#000000'
  const swatch = /^#[0-9a-f]{6}/i.test(text) ? text.slice(0, 7) : preset.slice(0, 7)
  return (
    <div className="flex gap-2">
      <input
        type="color"
        aria-label="Pick a colour"
        value={swatch}
        onChange={event => onChange(event.target.value)}
        className="h-10 w-12 shrink-0 rounded-lg border border-edge bg-card p-1"
      />
      <input
        {...ids}
        value={text}
        placeholder={preset}
        onChange={event => onChange(event.target.value || undefined)}
        className={`${control} font-mono`}
      />
    </div>
  )
}

function Lines({ value, onChange, ids, offer }: Props & { ids: Ids }) {
  const lines = Array.isArray(value) ? value.map(String) : []
  const [text, setText] = useState(lines.join('\n'))
  return (
    <>
      <textarea
        {...ids}
        rows={Math.max(2, lines.length + 1)}
        value={text}
        placeholder="One per line"
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
      {offer && offer.length > 0 && <p className="mt-1 text-[13px] text-soft">There are: {offer.join(', ')}</p>}
    </>
  )
}

function JsonArea({ value, onChange, ids }: Props & { ids: Ids }) {
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
const sensitive = (name: string): boolean => /key|secret|token|password|account|credential/i.test(name)

/** The service never gives credentials out: what is stored shows as a mask, and stays if it is left alone. */
function SecretInput(props: Props & { ids: Ids }) {
  const { name, schema, value, onChange, ids } = props
  const stored = value === MASK
  const field = fieldKind(schema)
  if (field.kind === 'choice' || field.kind === 'yes-no')
    return (
      <Choice
        {...props}
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
    placeholder: stored ? '•••••••• stored; type to replace it' : undefined,
    className: control,
  }
  // Keys in PEM or JSON have lines, which an input would swallow.
  if (/private_key|service_account|credentials/.test(name))
    return <textarea {...common} rows={4} onChange={event => onChange(read(event.target.value))} />
  return (
    <input
      {...common}
      type={sensitive(name) ? 'password' : 'text'}
      onChange={event => onChange(read(event.target.value))}
    />
  )
}
