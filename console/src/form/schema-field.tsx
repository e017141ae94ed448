// One option of an adapter as a form field, made from its JSON Schema.

import type { Json, JsonSchema } from '../api/shapes.ts'
import { t } from '../words/t.ts'
import { AssetPicker } from './asset-picker.tsx'
import { Colour, isFelt, isPosition, NinePoints, NumberInput, Slider, Switch } from './controls.tsx'
import { FontInput } from './font-input.tsx'
import { FormField, type Ids } from './form-field.tsx'
import { fieldKind, solid } from './schema.ts'
import { Choice, JsonArea, Lines, NumberOrText, SecretInput, shown, TextInput } from './typed-controls.tsx'

interface Props {
  name: string
  /** Words for people; the key is the hint beside them. Left out: the key alone. */
  label?: string
  schema: JsonSchema
  value: Json | undefined
  error: string | undefined
  /** What is not wrong, but worth knowing. */
  note?: string | undefined
  required: boolean
  /** Names to offer, for options that hold the name of an asset. */
  offer?: string[]
  /** The option holds the name of an asset of these media, or a list of such names. */
  asset?: { accepts: readonly string[]; isList: boolean }
  secret?: boolean
  onChange(value: Json | undefined): void
}

export function SchemaField(props: Props) {
  const { name, label, schema, error, note, required, secret } = props
  const isSwitch = label !== undefined && fieldKind(schema).kind === 'yes-no' && !secret
  return (
    <FormField
      label={label ?? <span className="font-mono text-[13.5px]">{name}</span>}
      hint={label === undefined ? undefined : name}
      help={help(schema, isSwitch)}
      error={error}
      note={note}
      required={required}
      isInline={isSwitch}
    >
      {ids => <Control {...props} ids={ids} />}
    </FormField>
  )
}

function help(schema: JsonSchema, isSwitch: boolean): string | undefined {
  const preset = schema.default
  const parts = [
    schema.description?.replaceAll('`', ''),
    !isSwitch && preset !== undefined && preset !== null && preset !== '' && !isNothing(preset)
      ? t('Default: {shown}.', { shown: shown(preset) })
      : undefined,
  ]
  return parts.filter(Boolean).join(' ') || undefined
}

const isNothing = (value: Json): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

function Control({ ids, ...props }: Props & { ids: Ids }) {
  const { name, label, schema, value, onChange, offer, asset, secret, required } = props
  const field = fieldKind(schema)
  const common = { ids, schema, value, onChange }
  const isWorded = label !== undefined
  if (secret) return <SecretInput {...common} name={name} required={required} />
  if (asset && isWorded) return <AssetPicker ids={ids} label={label} {...asset} value={value} onChange={onChange} />
  if (field.kind === 'choice')
    return isWorded && isPosition(field.options) ? (
      <NinePoints {...common} words={label} options={field.options} />
    ) : (
      <Choice {...common} options={field.options} required={required} isWorded={isWorded} />
    )
  if (field.kind === 'yes-no')
    return isWorded ? (
      <Switch {...common} />
    ) : (
      <Choice {...common} options={[true, false]} required={required} isWorded={false} />
    )
  if (field.kind === 'number') {
    const bounds = solid(schema)[0] ?? {}
    return isWorded && isFelt(name, bounds) ? (
      <Slider {...common} name={name} bounds={bounds} integer={field.integer} />
    ) : (
      <NumberInput {...common} bounds={bounds} integer={field.integer} />
    )
  }
  if (field.kind === 'number-or-text') return <NumberOrText {...common} />
  if (field.kind === 'lines') return <Lines {...common} offer={offer} />
  if (field.kind === 'json') return <JsonArea {...common} />
  if (field.kind === 'colour') return <Colour {...common} />
  if (name === 'font') return <FontInput {...common} name={name} />
  return <TextInput {...common} name={name} offer={offer} />
}
