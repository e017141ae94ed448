// The canvas itself: its size by a preset or by numbers, its ground, and what becomes of the layers when it changes.

import { useId, useState } from 'react'
import type { FieldError, Json, JsonSchema } from '../api/shapes.ts'
import { messageAt } from '../form/field-errors.ts'
import { isObject } from '../form/json-text.ts'
import { changed } from '../form/options-form.tsx'
import { SchemaField } from '../form/schema-field.tsx'
import { CheckField, control } from '../parts/field.tsx'
import { t } from '../words/t.ts'
import { fittedTo } from './model/arrange.ts'
import type { Size } from './model/geometry.ts'
import { canvasPresets, paperSize, presetOf } from './model/presets.ts'
import type { Command, Layout } from './model/state.ts'

interface Props {
  schema: JsonSchema
  layout: Layout
  /** How large it is now, also where nothing is set. */
  size: Size
  errors: FieldError[]
  run(command: Command): void
}

export function CanvasForm({ schema, layout, size, errors, run }: Props) {
  const presetId = useId()
  const [fits, setFits] = useState(true)
  const canvas = isObject(layout.canvas) ? layout.canvas : {}
  const own = schema.properties?.canvas
  const fields = own?.properties ?? own?.anyOf?.find(part => part.properties)?.properties ?? {}
  const preset = layout.canvas === undefined ? undefined : presetOf(size)
  const paper = preset?.dpi ? paperSize(size, preset.dpi) : null
  const choose = (key: string) => {
    if (key === 'input') return run({ do: 'canvas', canvas: undefined })
    const wanted = canvasPresets.find(one => one.key === key)
    if (!wanted) return
    const to = { width: wanted.width, height: wanted.height }
    const items = fits && layout.items.length > 0 ? fittedTo(layout.items, size, to) : []
    run({ do: 'canvas', canvas: { ...canvas, ...to }, items })
  }
  const set = (name: string, value: Json | undefined) => {
    const next = changed(canvas, name, value)
    // One side alone says nothing, so the other comes along as it is.
    const whole =
      (name === 'width' || name === 'height' || name === 'background') && Object.keys(next).length > 0
        ? { width: Math.round(size.width), height: Math.round(size.height), ...next }
        : next
    run({
      do: 'canvas',
      canvas: Object.keys(next).length > 0 ? (value === undefined ? next : whole) : undefined,
      group: `canvas ${name}`,
    })
  }
  return (
    <div className="space-y-4 p-3">
      <h3 className="edgeprint">{t('Canvas')}</h3>
      <div>
        <label htmlFor={presetId} className="mb-1 block font-semibold">
          {t('Size')}
        </label>
        <select
          id={presetId}
          className={control}
          value={layout.canvas === undefined ? 'input' : (preset?.key ?? 'own')}
          onChange={event => choose(event.target.value)}
        >
          <option value="input">{t('As large as the photo')}</option>
          {canvasPresets.map(({ key, title, width, height }) => (
            <option key={key} value={key}>
              {`${title} (${width} × ${height})`}
            </option>
          ))}
          <option value="own" disabled>
            {t('A size of its own')}
          </option>
        </select>
        {preset && paper && (
          <p className="mt-1 text-[13.5px] text-soft">
            {t('On paper {width} × {height} mm, at {dpi} pixels an inch.', {
              width: paper.width,
              height: paper.height,
              dpi: preset.dpi,
            })}
          </p>
        )}
      </div>
      <CheckField
        label={t('Fit the layers to a new size')}
        help={t('They grow or shrink with the canvas, and stay in its middle.')}
        checked={fits}
        onChange={event => setFits(event.target.checked)}
      />
      {Object.entries(fields).map(([name, field]) => (
        <SchemaField
          key={name}
          name={name}
          schema={field}
          value={canvas[name]}
          required={false}
          error={messageAt(errors, `canvas.${name}`)}
          onChange={value => set(name, value)}
        />
      ))}
    </div>
  )
}
