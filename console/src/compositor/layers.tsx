// The list of layers in paint order, and the options of the chosen one, made from the adapter's own schema.
import { ArrowDown, ArrowUp, Image, Plus, QrCode, Square, Trash2, Type, UserRound } from 'lucide-react'
import type { FieldError, JsonObject, JsonSchema } from '../api/shapes.ts'
import { messageAt } from '../form/field-errors.ts'
import { changed } from '../form/options-form.tsx'
import { solid } from '../form/schema.ts'
import { SchemaField } from '../form/schema-field.tsx'
import { IconButton } from '../parts/button.tsx'
import { classes } from '../parts/classes.ts'
import { layerTitle, type Size } from './geometry.ts'

const icons = { photo: UserRound, image: Image, text: Type, qr: QrCode, shape: Square }
type LayerType = keyof typeof icons

/** A layer that can be seen at once, in the middle of the canvas. */
export function newLayer(type: LayerType, { width, height }: Size): JsonObject {
  const box = {
    x: Math.round(width * 0.25),
    y: Math.round(height * 0.25),
    width: Math.round(width * 0.5),
    height: Math.round(height * 0.5),
  }
  if (type === 'text') return { type, ...box, height: Math.round(height * 0.1), text: 'Your words', color: '#15171c' }
  if (type === 'qr')
    return {
      type,
      ...box,
      width: Math.round(width * 0.2),
      height: Math.round(width * 0.2),
      data: 'https://example.com',
    }
  return { type, ...box }
}

interface ListProps {
  layers: JsonObject[]
  selected: number | null
  canvas: Size
  onSelect(index: number): void
  onChange(layers: JsonObject[], select: number | null): void
}

export function LayerList({ layers, selected, canvas, onSelect, onChange }: ListProps) {
  const swap = (from: number, to: number) => {
    const [a, b] = [layers[from], layers[to]]
    if (a && b) onChange(layers.with(from, b).with(to, a), to)
  }
  return (
    <div>
      <div className="flex flex-wrap gap-1.5 border-b border-line p-3">
        {(Object.keys(icons) as LayerType[]).map(type => {
          const Icon = icons[type]
          return (
            <button
              key={type}
              type="button"
              onClick={() => onChange([...layers, newLayer(type, canvas)], layers.length)}
              className="inline-flex min-h-9 items-center gap-1.5 rounded-lg border border-line bg-card px-2.5 text-[13.5px] font-semibold hover:border-edge"
            >
              <Plus aria-hidden className="size-3.5 text-soft" />
              <Icon aria-hidden className="size-4" /> {type}
            </button>
          )
        })}
      </div>
      <ol aria-label="Layers, the first is painted first">
        {layers.map((layer, index) => {
          const Icon = icons[layer.type as LayerType] ?? Square
          return (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: a layer is its place in the paint order.
              key={index}
              className={classes('flex items-center gap-1 border-b border-line pr-2', selected === index && 'bg-well')}
            >
              <button
                type="button"
                aria-pressed={selected === index}
                onClick={() => onSelect(index)}
                className="flex min-w-0 flex-1 items-center gap-2.5 px-3 py-2 text-left font-semibold"
              >
                <Icon aria-hidden className="size-4 shrink-0" />
                <span className={classes('truncate px-1', selected === index && 'marked')}>
                  {layerTitle(layer, index)}
                </span>
              </button>
              <IconButton
                icon={ArrowUp}
                label={`Paint ${layerTitle(layer, index)} earlier`}
                disabled={index === 0}
                onClick={() => swap(index, index - 1)}
                className="disabled:opacity-30"
              />
              <IconButton
                icon={ArrowDown}
                label={`Paint ${layerTitle(layer, index)} later`}
                disabled={index === layers.length - 1}
                onClick={() => swap(index, index + 1)}
                className="disabled:opacity-30"
              />
              <IconButton
                icon={Trash2}
                label={`Remove ${layerTitle(layer, index)}`}
                onClick={() => onChange(layers.toSpliced(index, 1), null)}
              />
            </li>
          )
        })}
      </ol>
    </div>
  )
}

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
const first = ['text', 'data', 'asset', 'shape', 'x', 'y', 'width', 'height', 'color', 'fit', 'align', 'valign']
const narrow = new Set([
  ...first.slice(4),
  'anchor',
  'opacity',
  'rotate',
  'blend',
  'radius',
  'size_max',
  'size_min',
  'ecc',
  'quiet',
])

interface FormProps {
  layer: JsonObject
  index: number
  schema: JsonSchema
  assets: string[]
  errors: FieldError[]
  onChange(layer: JsonObject): void
}

export function LayerForm({ layer, index, schema, assets, errors, onChange }: FormProps) {
  const own = layerSchema(schema, String(layer.type))
  const mine = special[layer.type as LayerType] ?? []
  const ofOthers = new Set(
    Object.values(special)
      .flat()
      .filter(name => !mine.includes(name)),
  )
  const names = Object.keys(own.properties ?? {}).filter(name => name !== 'type' && !ofOthers.has(name))
  const rank = (name: string) => (first.indexOf(name) + first.length + 1) % (first.length + 1)
  const ordered = names.toSorted((a, b) => rank(a) - rank(b))
  return (
    <div className="grid grid-cols-2 gap-x-3 gap-y-4 p-3">
      {ordered.map(name => (
        <div key={`${index} ${name}`} className={narrow.has(name) && name !== 'color' ? '' : 'col-span-2'}>
          <SchemaField
            name={name}
            schema={own.properties?.[name] ?? {}}
            value={layer[name]}
            required={false}
            error={messageAt(errors, `layers[${index}].${name}`)}
            {...(name === 'asset' ? { offer: assets } : {})}
            onChange={value => onChange(changed(layer, name, value))}
          />
        </div>
      ))}
    </div>
  )
}
