// The compositor's live layout: a stage to drag and resize layers on, the list of layers, and the chosen one's options.
import { LoaderCircle } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Asset, FieldError, JsonObject, JsonSchema } from '../api/shapes.ts'
import { messageAt } from '../form/field-errors.ts'
import { isObject } from '../form/json-text.ts'
import { changed } from '../form/options-form.tsx'
import { SchemaField } from '../form/schema-field.tsx'
import { useObjectUrl } from '../parts/before-after.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { Card, CardTitle } from '../parts/page.tsx'
import { samplePhoto } from '../start/sample-photo.ts'
import { useExactPicture } from './exact.ts'
import { canvasSize, layersOf, type Size } from './geometry.ts'
import { LayerForm, LayerList } from './layers.tsx'
import { Stage } from './stage.tsx'

interface Props {
  /** The stored configuration to ask for exact pictures; undefined before the first save. */
  name: string | undefined
  /** When it was last saved. */
  version: string
  schema: JsonSchema
  values: JsonObject
  unsaved: JsonObject
  assets: Asset[]
  errors: FieldError[]
  file: File | null
  onFile(file: File): void
  onChange(values: JsonObject): void
}

export default function CompositorEditor({
  name,
  version,
  schema,
  values,
  unsaved,
  assets,
  errors,
  file,
  onFile,
  onChange,
}: Props) {
  const [selected, setSelected] = useState<number | null>(null)
  const photo = useObjectUrl(file)
  const size = usePictureSize(photo)
  const exact = useExactPicture(name, file, unsaved, version)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only once, when there is no photo to show the layout with.
  useEffect(() => {
    if (!file) void samplePhoto().then(onFile, () => {})
  }, [])
  const canvas = canvasSize(values, size)
  const layers = layersOf(values)
  const background =
    isObject(values.canvas) && typeof values.canvas.background === 'string' ? values.canvas.background : '#ffffff'
  const setLayers = (next: JsonObject[]) => onChange({ ...values, layers: next })
  const chosen = selected === null ? undefined : layers[selected]
  return (
    <Card className="overflow-clip">
      <CardTitle
        aside={
          <span aria-live="polite" className="flex items-center gap-2 text-[13.5px] text-soft">
            {exact.busy && <LoaderCircle aria-hidden className="size-4 animate-spin" />}
            {name
              ? exact.busy
                ? 'Making the exact picture'
                : 'As the service makes it'
              : 'A sketch. Save it once to see the exact picture'}
          </span>
        }
      >
        Layout
      </CardTitle>
      <div className="grid lg:grid-cols-[minmax(0,1fr)_340px]">
        <div className="min-w-0 bg-well p-4 sm:p-6">
          <Stage
            canvas={canvas}
            background={background}
            layers={layers}
            selected={selected}
            photo={photo}
            context={isObject(values.context) ? values.context : {}}
            exact={exact.url}
            onSelect={setSelected}
            onPlace={(index, layer) => setLayers(layers.with(index, layer))}
          />
          <p className="mt-3 text-center text-[13.5px] text-soft">
            Drag to move, corners to resize; or arrow keys, with Alt to resize, with Shift in larger steps.
          </p>
          {exact.error !== null && (
            <div className="mt-3">
              <ErrorNote error={exact.error} title="The exact picture could not be made" />
            </div>
          )}
        </div>
        <div className="max-h-[80dvh] overflow-y-auto border-line max-lg:border-t lg:border-l">
          <LayerList
            layers={layers}
            selected={selected}
            canvas={canvas}
            onSelect={setSelected}
            onChange={(next, select) => {
              setLayers(next)
              setSelected(select)
            }}
          />
          {chosen && selected !== null ? (
            <LayerForm
              layer={chosen}
              index={selected}
              schema={schema}
              assets={assets.map(asset => asset.name)}
              errors={errors}
              onChange={layer => setLayers(layers.with(selected, layer))}
            />
          ) : (
            <CanvasForm schema={schema} values={values} errors={errors} onChange={onChange} />
          )}
        </div>
      </div>
    </Card>
  )
}

function CanvasForm({
  schema,
  values,
  errors,
  onChange,
}: {
  schema: JsonSchema
  values: JsonObject
  errors: FieldError[]
  onChange(values: JsonObject): void
}) {
  const own = schema.properties?.canvas
  const canvas = isObject(values.canvas) ? values.canvas : {}
  const parts = own?.properties ?? own?.anyOf?.find(part => part.properties)?.properties ?? {}
  return (
    <div className="space-y-4 p-3">
      <h3 className="edgeprint">Canvas</h3>
      {Object.entries(parts).map(([name, field]) => (
        <SchemaField
          key={name}
          name={name}
          schema={field}
          value={canvas[name]}
          required={false}
          error={messageAt(errors, `canvas.${name}`)}
          onChange={value => {
            const next = changed(canvas, name, value)
            onChange(Object.keys(next).length > 0 ? { ...values, canvas: next } : changed(values, 'canvas', undefined))
          }}
        />
      ))}
    </div>
  )
}

function usePictureSize(url: string | null): Size {
  const [size, setSize] = useState<Size>({ width: 1440, height: 1080 })
  useEffect(() => {
    if (!url) return
    const picture = new Image()
    picture.onload = () => setSize({ width: picture.naturalWidth, height: picture.naturalHeight })
    picture.src = url
  }, [url])
  return size
}
