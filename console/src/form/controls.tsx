// Controls for what is felt rather than typed: a switch, a slider, nine points, a colour that may let through.

import type { Json, JsonSchema } from '../api/shapes.ts'
import { classes } from '../parts/classes.ts'
import { control } from '../parts/field.tsx'
import { t } from '../words/t.ts'
import type { Ids } from './form-field.tsx'
import { choiceOf, unitOf } from './words.ts'

interface Props {
  ids: Ids
  schema: JsonSchema
  value: Json | undefined
  onChange(value: Json | undefined): void
}

/** On or off. What is not set is shown as the adapter takes it. */
export function Switch({ ids, schema, value, onChange }: Props) {
  const isOn = typeof value === 'boolean' ? value : schema.default === true
  return (
    <button
      {...ids}
      type="button"
      role="switch"
      aria-checked={isOn}
      onClick={() => onChange(!isOn)}
      className={classes(
        'relative h-6 w-11 shrink-0 rounded-full border-2 transition-colors',
        isOn ? 'border-ink bg-ink' : 'border-edge bg-well',
      )}
    >
      <span
        aria-hidden
        className={classes(
          'absolute top-0.5 size-4 rounded-full transition-[left]',
          isOn ? 'left-[calc(100%-18px)] bg-card' : 'left-0.5 bg-edge',
        )}
      />
    </button>
  )
}

/** Options whose numbers mean little by themselves, with the upper end that is of use. */
const felt: Record<string, number | undefined> = {
  quality: undefined,
  opacity: undefined,
  volume: 2,
  original_volume: 2,
  brightness: 2,
  contrast: 2,
  saturation: 2,
  tolerance: undefined,
  softness: undefined,
  despill: undefined,
  crf: undefined,
  loudness: undefined,
  blur: 20,
  sharpen: 5,
}

export const isFelt = (name: string, { minimum, maximum }: JsonSchema): boolean =>
  Object.hasOwn(felt, name) && minimum !== undefined && maximum !== undefined

/** The number beside it takes any value; the slider is for the hand. */
export function Slider({ ids, name, schema, bounds, integer, value, onChange }: Props & SliderShape) {
  const { minimum = 0, maximum = 1 } = bounds
  const end = felt[name] ?? maximum
  const preset = typeof schema.default === 'number' ? schema.default : minimum
  const now = typeof value === 'number' ? value : preset
  return (
    <div className="flex items-center gap-3">
      <input
        type="range"
        aria-hidden
        tabIndex={-1}
        min={minimum}
        max={end}
        step={integer ? 1 : (end - minimum) / 100}
        value={Math.min(now, end)}
        onChange={event => onChange(round(event.target.valueAsNumber))}
        className="h-10 min-w-0 flex-1 accent-ink"
      />
      <NumberInput
        ids={ids}
        schema={schema}
        bounds={bounds}
        integer={integer}
        value={value}
        onChange={onChange}
        isShort
      />
    </div>
  )
}

interface SliderShape {
  name: string
  bounds: JsonSchema
  integer: boolean
}

const round = (number: number): number => Math.round(number * 1000) / 1000

export function NumberInput({
  ids,
  schema,
  bounds,
  integer,
  value,
  onChange,
  isShort = false,
}: Props & Omit<SliderShape, 'name'> & { isShort?: boolean }) {
  const unit = unitOf(schema)
  return (
    <span className={classes('relative block', isShort ? 'w-28 shrink-0' : 'w-full')}>
      <input
        {...ids}
        type="number"
        step={integer ? 1 : 'any'}
        min={bounds.minimum}
        max={bounds.maximum}
        value={typeof value === 'number' ? value : ''}
        placeholder={typeof schema.default === 'number' ? String(schema.default) : t('not set')}
        onChange={event => onChange(event.target.value === '' ? undefined : event.target.valueAsNumber)}
        className={classes(control, unit && 'pr-14')}
      />
      {unit && (
        <span
          aria-hidden
          className="pointer-events-none absolute inset-y-0 right-3 grid place-items-center text-[13px] text-soft"
        >
          {unit}
        </span>
      )}
    </span>
  )
}

const grid = [
  'top_left',
  'top',
  'top_right',
  'left',
  'center',
  'right',
  'bottom_left',
  'bottom',
  'bottom_right',
] as const

export const isPosition = (options: readonly Json[]): boolean => grid.every(point => options.includes(point))

/** Nine points of a picture; what is not a point stands beside them. */
export function NinePoints({
  ids,
  schema,
  value,
  onChange,
  options,
  words: label,
}: Props & { options: readonly Json[]; words: string }) {
  const now = value ?? schema.default
  const others = options.filter(option => !grid.includes(option as (typeof grid)[number]))
  const point = (option: Json, look: string, words?: string) => (
    <button
      key={String(option)}
      type="button"
      aria-pressed={now === option}
      aria-label={words ? undefined : choiceOf(option)}
      title={choiceOf(option)}
      onClick={() => onChange(option)}
      className={classes(
        look,
        now === option ? 'border-ink bg-ink text-card' : 'border-line bg-card hover:border-edge',
      )}
    >
      {words ?? (
        <span aria-hidden className={classes('size-2 rounded-full', now === option ? 'bg-marker' : 'bg-edge')} />
      )}
    </button>
  )
  return (
    <div className="flex flex-wrap items-center gap-3">
      {/* biome-ignore lint/a11y/useSemanticElements: the label of the field names it; a fieldset would need one of its own. */}
      <div
        id={ids.id}
        role="group"
        aria-label={label}
        aria-describedby={ids['aria-describedby']}
        className="grid w-fit grid-cols-3 gap-1 rounded-lg border border-line bg-well p-1"
      >
        {grid.map(option => point(option, 'grid size-11 place-items-center rounded border'))}
      </div>
      {others.map(option =>
        point(option, 'min-h-11 rounded-lg border px-3 text-[14px] font-semibold', choiceOf(option)),
      )}
    </div>
  )
}

/** A colour and how much it lets through, as #rrggbbaa. */
export function Colour({ ids, schema, value, onChange, isSolid = false }: Props & { isSolid?: boolean }) {
  const preset = typeof schema.default === 'string' ? schema.default : '#000000'
  const text = typeof value === 'string' ? value : ''
  const solid = solidOf(text) ?? solidOf(preset) ?? '#000000'
  const alpha = alphaOf(text || preset)
  const put = (colour: string, opacity: number) =>
    onChange(
      opacity >= 1
        ? colour
        : `${colour}${Math.round(opacity * 255)
            .toString(16)
            .padStart(2, '0')}`,
    )
  return (
    <div className="flex flex-wrap items-center gap-2">
      <input
        type="color"
        aria-label={t('Pick a colour')}
        value={solid}
        onChange={event => put(event.target.value, alpha)}
        className="h-10 w-12 shrink-0 rounded-lg border border-edge bg-card p-1"
      />
      <input
        {...ids}
        value={text}
        placeholder={preset}
        onChange={event => onChange(event.target.value || undefined)}
        className={`${control} min-w-28 flex-1 font-mono`}
      />
      {!isSolid && (
        <label className="flex min-h-10 items-center gap-2 text-[13.5px] text-soft">
          {t('Opacity')}
          <input
            type="range"
            min={0}
            max={1}
            step={0.01}
            value={alpha}
            onChange={event => put(solid, event.target.valueAsNumber)}
            className="w-24 accent-ink"
          />
          <span className="w-10 tabular-nums">{Math.round(alpha * 100)} %</span>
        </label>
      )}
    </div>
  )
}

function solidOf(text: string): string | undefined {
  if (/^#[0-9a-f]{3}$/i.test(text)) return `#${[...text.slice(1)].map(digit => digit + digit).join('')}`
  return /^#[0-9a-f]{6}([0-9a-f]{2})?$/i.test(text) ? text.slice(0, 7).toLowerCase() : undefined
}

const alphaOf = (text: string): number => (/^#[0-9a-f]{8}$/i.test(text) ? Number.parseInt(text.slice(7), 16) / 255 : 1)
