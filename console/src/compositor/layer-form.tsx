// The options of the chosen layer, made from the adapter's own schema; text has styles and says when it was made smaller.

import { ChevronRight } from 'lucide-react'
import type { Ref } from 'react'
import type { FieldError, JsonObject, JsonSchema } from '../api/shapes.ts'
import { messageAt } from '../form/field-errors.ts'
import { changed } from '../form/options-form.tsx'
import { solid } from '../form/schema.ts'
import { SchemaField } from '../form/schema-field.tsx'
import { classes } from '../parts/classes.ts'
import { SelectField } from '../parts/field.tsx'
import { t } from '../words/t.ts'
import type { LayerType } from './model/arrange.ts'
import { isStyled, styled, textStyles } from './model/presets.ts'
import { PlaceFields, placeNames } from './place-fields.tsx'

/** The part of the schema that speaks of this type of layer. */
function layerSchema(schema: JsonSchema, type: string): JsonSchema {
  const parts = solid(schema.properties?.layers?.items ?? {})
  const own = parts.find(({ properties }) => properties?.type?.const === type || properties?.type?.enum?.includes(type))
  return own ?? parts[0] ?? {}
}

/** Options that only some types of layer look at; every other one is for all. */
const special: Record<LayerType, string[]> = {
  photo: ['fit', 'radius'],
  image: ['asset', 'fit', 'radius'],
  text: ['text', 'font', 'size_max', 'size_min', 'color', 'align', 'valign', 'overflow', 'stroke'],
  qr: ['data', 'ecc', 'quiet'],
  shape: ['shape', 'color', 'radius', 'stroke'],
}
const first = ['text', 'data', 'asset', 'shape', 'font', 'color']
const usual = new Set([...first, 'fit', 'align', 'valign', 'radius', 'size_max', 'overflow'])
const wide = new Set(['text', 'data', 'asset', 'font', 'color', 'stroke', 'overflow', 'name'])

interface Props {
  layer: JsonObject
  index: number
  schema: JsonSchema
  assets: string[]
  errors: FieldError[]
  /** The asset whose font all texts have, and those there are. */
  fontAsset: string
  fontAssets: string[]
  onFontAsset(name: string): void
  /** Letters as a share of the size they would have if there were room; null while nobody knows. */
  shrunk: number | null
  words: Ref<HTMLDivElement>
  /** `field` says what was changed: typing into one field is one step. */
  onChange(layer: JsonObject, field: string): void
}

export function LayerForm(props: Props) {
  const { layer, index, schema, assets, errors, words, onChange } = props
  const own = layerSchema(schema, String(layer.type))
  const mine = special[layer.type as LayerType] ?? []
  const ofOthers = new Set(
    Object.values(special)
      .flat()
      .filter(name => !mine.includes(name)),
  )
  const apart = new Set<string>(['type', ...placeNames])
  const names = Object.keys(own.properties ?? {}).filter(name => !apart.has(name) && !ofOthers.has(name))
  const rank = (name: string) => (first.indexOf(name) + first.length + 1) % (first.length + 1)
  const ordered = names.toSorted((a, b) => rank(a) - rank(b))
  const offers: Record<string, readonly string[]> = { asset: assets }
  const field = (name: string) => {
    const offer = offers[name]
    return (
      <div
        key={`${index} ${name}`}
        ref={name === 'text' ? words : undefined}
        className={wide.has(name) ? 'col-span-2' : ''}
      >
        <SchemaField
          name={name}
          schema={own.properties?.[name] ?? {}}
          value={layer[name]}
          required={false}
          error={messageAt(errors, `layers[${index}].${name}`)}
          {...(offer ? { offer: [...offer] } : {})}
          onChange={value => onChange(changed(layer, name, value), name)}
        />
      </div>
    )
  }
  const more = ordered.filter(name => !usual.has(name))
  return (
    <div className="space-y-4 p-3">
      <PlaceFields layer={layer} index={index} schema={own} errors={errors} onChange={onChange} />
      {layer.type === 'text' && <TextStyles {...props} onChange={next => onChange(next, 'style')} />}
      <div className="grid grid-cols-2 gap-x-3 gap-y-4">{ordered.filter(name => usual.has(name)).map(field)}</div>
      {more.length > 0 && (
        <details className="group">
          <summary className="inline-flex min-h-9 list-none items-center gap-1 rounded font-semibold text-soft hover:text-ink max-sm:min-h-11">
            <ChevronRight aria-hidden className="size-4 transition-transform group-open:rotate-90" />
            {t('More options of this layer')}
          </summary>
          <div className="mt-3 grid grid-cols-2 gap-x-3 gap-y-4">{more.map(field)}</div>
        </details>
      )}
    </div>
  )
}

const looks: Record<string, string> = {
  headline: 'font-black',
  name: 'font-bold',
  quiet: 'font-light',
  words: '',
  sticker: 'rounded bg-[#15171c] px-1.5 font-black text-white',
}

type StyleProps = Pick<Props, 'layer' | 'fontAsset' | 'fontAssets' | 'shrunk' | 'onFontAsset'>

function TextStyles({
  layer,
  fontAsset,
  fontAssets,
  shrunk,
  onFontAsset,
  onChange,
}: StyleProps & { onChange(layer: JsonObject): void }) {
  return (
    <div>
      {/* biome-ignore lint/a11y/useSemanticElements: buttons of a kind, not fields of a form. */}
      <div role="group" aria-label={t('Text style')} className="flex flex-wrap gap-1.5">
        {textStyles.map(style => (
          <button
            key={style.key}
            type="button"
            aria-pressed={isStyled(layer, style)}
            onClick={() => onChange(styled(layer, style))}
            className={classes(
              'min-h-9 rounded-lg border px-2.5 text-[14px] max-sm:min-h-11',
              isStyled(layer, style) ? 'border-ink ring-1 ring-ink' : 'border-line hover:border-edge',
            )}
          >
            <span className={looks[style.key]}>{style.title}</span>
          </button>
        ))}
      </div>
      {(fontAsset !== '' || fontAssets.length > 0) && (
        <div className="mt-3">
          <SelectField
            label={t('Font of all texts')}
            help={fontAsset ? t('An uploaded font comes in place of the fonts of the layers.') : undefined}
            value={fontAsset}
            onChange={event => onFontAsset(event.target.value)}
          >
            <option value="">{t('Each layer its own')}</option>
            {[...new Set([fontAsset, ...fontAssets])].filter(Boolean).map(name => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </SelectField>
        </div>
      )}
      <div aria-live="polite" className="mt-2 text-[13.5px]">
        {shrunk !== null && shrunk < 0.98 ? (
          <p className="rounded-md bg-warn-bg px-2 py-1 font-semibold text-warn">
            {t('Made smaller to fit: the letters have {number} % of their full size.', {
              number: Math.round(shrunk * 100),
            })}
          </p>
        ) : shrunk !== null ? (
          <p className="text-soft">{t('The words fit in their full size.')}</p>
        ) : null}
      </div>
    </div>
  )
}
