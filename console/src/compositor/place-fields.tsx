// Place, size, turn and opacity of a layer in one small block, as numbers or shares; arrow keys step them.

import { type KeyboardEvent, useId } from 'react'
import type { FieldError, Json, JsonObject, JsonSchema } from '../api/shapes.ts'
import { messageAt } from '../form/field-errors.ts'
import { changed } from '../form/options-form.tsx'
import { t } from '../words/t.ts'

export const placeNames = ['x', 'y', 'width', 'height', 'rotate', 'opacity'] as const
type PlaceName = (typeof placeNames)[number]

const words: Record<PlaceName, { short: string; long: string; step: number }> = {
  x: { short: 'X', long: 'x', step: 1 },
  y: { short: 'Y', long: 'y', step: 1 },
  width: { short: t('W'), long: t('width'), step: 1 },
  height: { short: t('H'), long: t('height'), step: 1 },
  rotate: { short: t('Turn'), long: t('rotate, in degrees'), step: 1 },
  opacity: { short: t('Opacity'), long: t('opacity, from 0 to 1'), step: 0.05 },
}

const read = (text: string): Json | undefined =>
  text.trim() === '' ? undefined : /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text

interface Props {
  layer: JsonObject
  index: number
  schema: JsonSchema
  errors: FieldError[]
  onChange(layer: JsonObject, field: string): void
}

export function PlaceFields({ layer, index, schema, errors, onChange }: Props) {
  const id = useId()
  const wrong = placeNames.flatMap(name => {
    const message = messageAt(errors, `layers[${index}].${name}`)
    return message ? [{ name, message }] : []
  })
  const step = (event: KeyboardEvent, name: PlaceName) => {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key]
    const value = layer[name] ?? schema.properties?.[name]?.default
    if (!by || typeof value !== 'number') return
    event.preventDefault()
    const next = value + by * words[name].step * (event.shiftKey ? 10 : 1)
    const whole = Math.round(next * 100) / 100
    onChange(changed(layer, name, name === 'opacity' ? Math.min(1, Math.max(0, whole)) : whole), name)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset can't be a grid in every browser.
    <div role="group" aria-label={t('Place and size')}>
      <div className="grid grid-cols-2 gap-2">
        {placeNames.map(name => {
          const preset = schema.properties?.[name]?.default
          const value = layer[name]
          return (
            <label
              key={name}
              title={schema.properties?.[name]?.description?.replaceAll('`', '')}
              className="field flex min-h-9 items-center gap-2 rounded-lg border border-edge bg-card pl-2.5 focus-within:border-ink max-sm:min-h-11"
            >
              <span aria-hidden className="text-[12.5px] font-semibold text-soft">
                {words[name].short}
              </span>
              <input
                aria-label={words[name].long}
                aria-invalid={wrong.some(one => one.name === name) || undefined}
                aria-describedby={wrong.length > 0 ? `${id}-wrong` : undefined}
                inputMode="decimal"
                value={value === undefined || value === null ? '' : String(value)}
                placeholder={preset === undefined || preset === null ? '' : String(preset)}
                onKeyDown={event => step(event, name)}
                onChange={event => onChange(changed(layer, name, read(event.target.value)), name)}
                className="min-h-9 w-full min-w-0 rounded-lg bg-transparent pr-2 text-right tabular-nums placeholder:text-soft aria-invalid:bg-fail-bg"
              />
            </label>
          )
        })}
      </div>
      {wrong.length > 0 && (
        <ul id={`${id}-wrong`} className="mt-1 text-[13.5px] font-semibold text-fail [overflow-wrap:anywhere]">
          {wrong.map(({ name, message }) => (
            <li key={name}>
              {words[name].long}: {message}
            </li>
          ))}
        </ul>
      )}
      <p className="mt-1 text-[13px] text-soft">{t('Pixels, or a share of the canvas like 50%.')}</p>
    </div>
  )
}
