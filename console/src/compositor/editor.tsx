// The compositor's layout editor: a canvas to work on, the pictures there are, the list of layers, the chosen one's options.

import { LoaderCircle } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useConfiguration } from '../api/configurations.ts'
import { useMay } from '../api/session.ts'
import type { Asset, FieldError, JsonObject, JsonSchema } from '../api/shapes.ts'
import { isObject } from '../form/json-text.ts'
import { useObjectUrl } from '../parts/before-after.tsx'
import { ErrorNote, Notice } from '../parts/notes.tsx'
import { Card, CardTitle } from '../parts/page.tsx'
import { samplePhoto } from '../start/sample-photo.ts'
import { t } from '../words/t.ts'
import { CanvasForm } from './canvas-form.tsx'
import { type CutoutWish, useCutouts } from './cutouts.ts'
import { useExactPicture } from './exact.ts'
import { useIsNarrow, useKeptFocus, usePicture } from './hooks.ts'
import { LayerForm } from './layer-form.tsx'
import { LayerList } from './layer-list.tsx'
import { itemBounds, type LayerType, newLayer } from './model/arrange.ts'
import { canvasSize, layerTitle, type Point, type Size } from './model/geometry.ts'
import { contextOf, sampleGuests } from './model/guests.ts'
import { actionOf, undoOf } from './model/keys.ts'
import { type Item, selectedItems, shownLayout } from './model/state.ts'
import { SelectionTools } from './selection-tools.tsx'
import { Stage } from './stage.tsx'
import { TemplateNote } from './template-note.tsx'
import { GuestSwitch, Toolbar } from './toolbar.tsx'
import { isPicture, Tray, useUpload } from './tray.tsx'
import { useLayout } from './use-layout.ts'
import { cutoutWish, exactOptions, roomyWish } from './wishes.ts'
import { STEP, useZoom } from './zoom.ts'

interface Props {
  /** The stored configuration to ask for exact pictures; undefined before the first save. */
  name: string | undefined
  /** When it was last saved. */
  version: string
  /** Whose assets uploads become; left out, that of the stored configuration. */
  experience?: string | null
  schema: JsonSchema
  values: JsonObject
  unsaved: JsonObject
  assets: Asset[]
  errors: FieldError[]
  file: File | null
  onFile(file: File): void
  onChange(values: JsonObject): void
}

const MOST_CUTOUTS = 40

const text = (value: unknown, missing = ''): string => (typeof value === 'string' ? value : missing)

export default function CompositorEditor(props: Props) {
  const { version, schema, values, unsaved, assets, errors, file, onFile, onChange } = props
  const may = useMay('tasks')
  // Without the right to run anything there is only the sketch.
  const name = may ? props.name : undefined
  const { state, run, now } = useLayout(values, onChange)
  const [snaps, setSnaps] = useState(true)
  const [keepsShape, setKeepsShape] = useState(false)
  const [showsAreas, setShowsAreas] = useState(false)
  const [guestKey, setGuestKey] = useState('')
  /** Counts the times that somebody wanted to write into the chosen text. */
  const [writing, setWriting] = useState(0)
  const view = useRef<HTMLDivElement>(null)
  const words = useRef<HTMLDivElement>(null)
  const isStill = useIsNarrow()
  const stored = useConfiguration(props.name)
  const {
    upload,
    busy: uploading,
    error: uploadError,
  } = useUpload(props.experience ?? stored.data?.value.experience_id ?? null)

  // biome-ignore lint/correctness/useExhaustiveDependencies: only once, when there is no photo to show the layout with.
  useEffect(() => {
    if (!file) void samplePhoto().then(onFile, () => {})
  }, [])
  const photo = useObjectUrl(file)
  const { size: photoSize, isReadable } = usePicture(photo)
  const [brokenAssets, setBrokenAssets] = useState<ReadonlySet<string>>(new Set())

  const layout = shownLayout(state)
  const canvas = canvasSize(layout.canvas, photoSize)
  const { scale, isFitted, zoomTo } = useZoom(view, canvas)
  const context = isObject(values.context) ? values.context : {}
  const layers = layout.items.map(({ layer }) => layer)
  const guest = contextOf(sampleGuests.find(({ key }) => key === guestKey) ?? null, layers, context)
  const assetOf = (layer: JsonObject): string => {
    const given = isObject(values.layer_assets) ? values.layer_assets[text(layer.name)] : undefined
    return text(given) || text(layer.asset)
  }

  const isSharp = scale * Math.max(canvas.width, canvas.height) * window.devicePixelRatio > 1100
  const exact = useExactPicture({
    name,
    version,
    file,
    options: exactOptions(state, unsaved, values, guest),
    isFull: isSharp,
    isHeld: state.live !== null,
  })
  const surroundings = {
    canvas,
    version,
    unsaved,
    guest,
    file,
    unreadable: { photo: !isReadable, assets: brokenAssets },
    assetOf,
  }
  const chosen = selectedItems(state)
  const [only] = chosen.length === 1 ? chosen : []
  const wishes = new Map(layout.items.map(item => [item.id, cutoutWish(item, surroundings)]))
  const roomy = only && !state.live ? roomyWish(only, surroundings) : null
  const isChosen = (wish: CutoutWish) => wish === roomy || state.selection.includes(wish.id)
  const cutouts = useCutouts(
    name,
    [...wishes.values(), roomy]
      .filter(wish => wish !== null)
      // What is about to be moved comes first; a crowd of texts is not asked for as a whole.
      .toSorted((a, b) => Number(isChosen(b)) - Number(isChosen(a)))
      .slice(0, MOST_CUTOUTS),
  )
  const cutoutOf = ({ id }: Item) => {
    const wish = wishes.get(id)
    return wish ? cutouts.newest(wish) : null
  }
  const shrunk = shrinkOf(only && wishes.get(only.id), roomy, cutouts)

  const add = (type: LayerType, fields: JsonObject = {}, shape?: Size, at?: Point) => {
    const others = now().layout.items.map(item => itemBounds(item, canvas))
    const layer = newLayer(type, canvas, others, { fields, ...(shape && { shape }), ...(at && { at }) })
    run({ do: 'add', layers: [layer] })
  }
  const addAsset = (asset: Asset, at?: Point) => {
    const shape = asset.width && asset.height ? { width: asset.width, height: asset.height } : undefined
    add('image', { asset: asset.name, fit: 'contain' }, shape, at)
  }
  const addFiles = async (files: File[], at?: Point) => {
    for (const asset of await upload(files)) if (isPicture(asset)) addAsset(asset, at)
  }
  const zoom = (step: 'in' | 'out' | 'fit') =>
    zoomTo(step === 'fit' ? null : step === 'in' ? scale * STEP : scale / STEP)

  const key = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement
    const undo = undoOf(event)
    if (undo) {
      event.preventDefault()
      return run(undo)
    }
    if (target.closest('input, textarea, select, [role=dialog]')) {
      if (event.key === 'Escape') view.current?.focus({ preventScroll: true })
      return
    }
    if (event.key.startsWith('Arrow') && !view.current?.contains(target)) return
    const action = actionOf(event, state, canvas)
    if (!action) return
    event.preventDefault()
    if (action.do === 'zoom in') zoom('in')
    else if (action.do === 'zoom out') zoom('out')
    else if (action.do === 'zoom to fit') zoom('fit')
    else run(action)
  }
  useKeptFocus(view, state.layout)
  useEffect(() => {
    if (writing > 0) words.current?.querySelector<HTMLElement>('textarea, input')?.focus()
  }, [writing])
  const index = only ? layout.items.findIndex(({ id }) => id === only.id) : -1

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys come up from what is focused inside.
    <div onKeyDown={key} data-layout-editor>
      <Card className="overflow-clip">
        <CardTitle
          aside={
            <div className="flex flex-wrap items-center gap-x-5 gap-y-1">
              <span aria-live="polite" className="flex items-center gap-2 text-[13.5px] text-soft">
                {exact.busy && <LoaderCircle aria-hidden className="size-4 animate-spin" />}
                {name
                  ? exact.busy
                    ? t('Making the exact picture')
                    : t('As the service makes it')
                  : may
                    ? t('A sketch. Save it once to see the exact picture')
                    : t('A sketch. Your token may look, but not run anything')}
              </span>
              <GuestSwitch guest={guestKey} onGuest={setGuestKey} />
            </div>
          }
        >
          {t('Layout')}
        </CardTitle>
        <Toolbar
          canUndo={state.past.length > 0}
          canRedo={state.future.length > 0}
          onUndo={() => run({ do: 'undo' })}
          onRedo={() => run({ do: 'redo' })}
          onAdd={add}
          zoom={scale}
          isFitted={isFitted}
          onZoom={zoom}
          snaps={snaps}
          onSnaps={setSnaps}
          keepsShape={keepsShape}
          onKeepsShape={setKeepsShape}
          showsAreas={showsAreas}
          onShowsAreas={setShowsAreas}
          isStill={isStill}
        />
        <div className="grid lg:grid-cols-[minmax(0,1fr)_340px]">
          <div className="flex min-w-0 flex-col">
            <Stage
              state={state}
              now={now}
              run={run}
              canvas={canvas}
              scale={scale}
              view={view}
              background={text(layout.canvas?.background, '#ffffff')}
              sheets={{ below: text(values.background_file_name), above: text(values.overlay_file_name) }}
              photo={photo}
              context={{ ...context, ...guest }}
              cutoutOf={cutoutOf}
              assetOf={assetOf}
              exact={exact.url}
              keepsShape={keepsShape}
              snaps={snaps}
              showsAreas={showsAreas}
              isStill={isStill}
              onUnreadable={({ layer }) =>
                layer.type === 'image' && setBrokenAssets(before => new Set(before).add(assetOf(layer)))
              }
              onWrite={() => setWriting(writing + 1)}
              onDropAsset={(asset, at) => {
                const found = assets.find(one => one.name === asset)
                if (found) addAsset(found, at)
              }}
              onDropFiles={(files, at) => void addFiles(files, at)}
            />
            {exact.error !== null && (
              <div className="border-t border-line p-3">
                <ErrorNote error={exact.error} title={t('The exact picture could not be made')} />
              </div>
            )}
            {exact.warnings.length > 0 && (
              <div className="border-t border-line p-3">
                <Notice title={t('The service warns')}>
                  <ul dir="auto">
                    {exact.warnings.map(warning => (
                      <li key={warning}>{warning}</li>
                    ))}
                  </ul>
                </Notice>
              </div>
            )}
            <Tray
              assets={assets}
              busy={uploading}
              error={uploadError}
              onPick={asset => addAsset(asset)}
              onFiles={files => void addFiles(files)}
            />
          </div>
          <div className="border-line max-lg:border-t lg:max-h-[calc(66dvh+9rem)] lg:overflow-y-auto lg:border-l">
            {layout.items.length === 0 && text(values.template_file_name) ? (
              <TemplateNote template={text(values.template_file_name)} layout={state.layout} run={run} />
            ) : (
              <LayerList state={state} items={layout.items} run={run} />
            )}
            {chosen.length > 0 && <SelectionTools state={state} canvas={canvas} run={run} />}
            {only ? (
              <LayerForm
                key={only.id}
                layer={only.layer}
                index={index}
                schema={schema}
                assets={assets.filter(isPicture).map(asset => asset.name)}
                errors={errors}
                fontAsset={text(values.font_file_name)}
                fontAssets={assets.filter(({ mime }) => mime.includes('font')).map(asset => asset.name)}
                // Empty, not left out: only so the exact picture is told.
                onFontAsset={font_file_name => onChange({ ...values, font_file_name })}
                shrunk={shrunk}
                words={words}
                onChange={(layer, field) =>
                  run({ do: 'set', items: [{ id: only.id, layer }], group: `${only.id} ${field}` })
                }
              />
            ) : chosen.length > 1 ? (
              <p className="p-3 text-soft">
                {t('{count} layers are selected: {list}.', {
                  count: chosen.length,
                  list: chosen.map(titleIn(layout.items)).join(', '),
                })}
              </p>
            ) : (
              <CanvasForm schema={schema} layout={layout} size={canvas} errors={errors} run={run} />
            )}
          </div>
        </div>
      </Card>
    </div>
  )
}

const titleIn =
  (items: Item[]) =>
  ({ id, layer }: Item): string =>
    layerTitle(
      layer,
      items.findIndex(item => item.id === id),
    )

/** Letters as a share of the size they have with room enough. */
function shrinkOf(
  wish: ReturnType<typeof cutoutWish> | undefined,
  roomy: ReturnType<typeof roomyWish>,
  { exactly }: ReturnType<typeof useCutouts>,
): number | null {
  const own = wish && exactly(wish)?.ink
  const free = roomy && exactly(roomy)?.ink
  return own && free && free.height > 0 ? Math.min(1, own.height / free.height) : null
}
