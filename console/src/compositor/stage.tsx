// The canvas: the service's exact picture at rest, the same layers drawn here while they move, and what lies over them.

import { type DragEvent, type KeyboardEvent, type RefObject, useRef } from 'react'
import { assetFile } from '../api/configurations.ts'
import type { JsonObject } from '../api/shapes.ts'
import { classes } from '../parts/classes.ts'
import { t } from '../words/t.ts'
import type { Cutout } from './cutouts.ts'
import { LayerDrawing } from './drawing.tsx'
import { hitsAt, useGestures } from './gestures.ts'
import { boxOf, layerTitle, type Point, type Size, turnOf } from './model/geometry.ts'
import { type Command, type Item, type LayoutState, selectedItems, shownLayout } from './model/state.ts'
import { GuideLines, SafeAreas, SelectionFrame } from './overlay.tsx'
import { ROOM } from './zoom.ts'

export const ASSET_TYPE = 'application/x-keepsake-asset'

interface Props {
  state: LayoutState
  now(): LayoutState
  run(command: Command): void
  canvas: Size
  scale: number
  view: RefObject<HTMLDivElement | null>
  background: string
  /** Assets below and above all layers. */
  sheets: { below: string; above: string }
  photo: string | null
  context: JsonObject
  cutoutOf(item: Item): Cutout | null
  assetOf(layer: JsonObject): string
  exact: string | null
  keepsShape: boolean
  snaps: boolean
  showsAreas: boolean
  /** On a phone: layers are chosen by a tap, and moved by their numbers. */
  isStill: boolean
  onUnreadable(item: Item): void
  onWrite(): void
  onDropAsset(name: string, at: Point): void
  onDropFiles(files: File[], at: Point): void
}

export function Stage(props: Props) {
  const { state, now, run, canvas, scale, view, exact, isStill } = props
  const stage = useRef<HTMLDivElement>(null)
  const isPushing = useRef(false)
  const wasPushed = useRef(false)
  const { keepsShape, snaps } = props
  const { begin, drag, end, cancel, hints, isHolding, pointOf } = useGestures({
    now,
    canvas,
    scale,
    keepsShape,
    snaps,
    stage,
    view,
    isPushing,
    run,
  })
  const { items } = shownLayout(state)
  const chosen = selectedItems(state)
  const isMoving = state.live !== null
  /** Space pushes the view while it is held; pressed alone, like Enter, it selects the layer that has the keys. */
  const key = (event: KeyboardEvent, isDown: boolean) => {
    const id = Number((event.target as HTMLElement).dataset.layer ?? -1)
    const isSpace = event.key === ' '
    if (isSpace) {
      event.preventDefault()
      if (isDown && !event.repeat) wasPushed.current = false
      isPushing.current = isDown
    }
    const selects = isSpace ? !isDown && !wasPushed.current : isDown && event.key === 'Enter'
    if (selects && id >= 0) run({ do: 'select', ids: [id], isPicked: true })
    // A drag that is given up is no step, and nothing else happens.
    if (isDown && event.key === 'Escape' && cancel()) event.stopPropagation()
  }
  const drop = (event: DragEvent) => {
    const name = event.dataTransfer.getData(ASSET_TYPE)
    const files = [...event.dataTransfer.files]
    if (!name && files.length === 0) return
    event.preventDefault()
    if (name) props.onDropAsset(name, pointOf(event))
    else props.onDropFiles(files, pointOf(event))
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms; this is a picture to work on.
    <div
      ref={view}
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys that act on the canvas need a place to be pressed.
      tabIndex={0}
      aria-label={t('Canvas. Tab goes to the layers; Escape lets go of them; Control with plus, minus and zero zooms.')}
      onPointerDown={event => {
        wasPushed.current = true
        if (!isStill) begin(event)
      }}
      onPointerMove={drag}
      onPointerUp={end}
      onPointerCancel={cancel}
      onClick={event => {
        if (!isStill) return
        const [front] = hitsAt(now(), canvas, pointOf(event), 8 / scale)
        run({ do: 'select', ids: front === undefined ? [] : [front] })
      }}
      onDoubleClick={event => {
        const [front] = hitsAt(now(), canvas, pointOf(event), 4 / scale)
        const item = items.find(({ id }) => id === front)
        if (item?.layer.type !== 'text' || front === undefined) return
        run({ do: 'select', ids: [front] })
        props.onWrite()
      }}
      onKeyDown={event => key(event, true)}
      onKeyUp={event => key(event, false)}
      onDragOver={event => event.preventDefault()}
      onDrop={drop}
      className={classes(
        'relative h-[46dvh] min-h-72 overflow-auto bg-well select-none focus-visible:-outline-offset-2 sm:h-[66dvh]',
        !isStill && 'touch-pan-x touch-pan-y',
      )}
    >
      <div
        className="grid min-h-full min-w-full place-items-center"
        style={{ width: canvas.width * scale + 2 * ROOM, height: canvas.height * scale + 2 * ROOM }}
      >
        <div
          ref={stage}
          data-stage
          className="chequer relative isolate shadow-print"
          style={{ width: canvas.width * scale, height: canvas.height * scale }}
        >
          <Picture {...props} items={items} isShown={!exact || isMoving} />
          {exact && !isMoving && (
            <img
              src={exact}
              alt={t('The result as the service makes it')}
              className="absolute inset-0 size-full"
              draggable={false}
            />
          )}
          {items.map((item, index) => {
            if (state.hidden.has(item.id)) return null
            const box = boxOf(item.layer, canvas)
            const isLocked = state.locked.has(item.id)
            return (
              // biome-ignore lint/a11y/useSemanticElements: a button can't lie under others and still be dragged.
              <div
                key={item.id}
                data-layer={item.id}
                role="button"
                tabIndex={0}
                aria-pressed={state.selection.includes(item.id)}
                aria-label={t('Layer {title}. Arrow keys move it, with Alt they resize it.', {
                  title: layerTitle(item.layer, index),
                })}
                onFocus={event => {
                  if (isHolding() || !event.currentTarget.matches(':focus-visible')) return
                  if (!state.selection.includes(item.id)) run({ do: 'select', ids: [item.id], isPicked: true })
                }}
                className={classes(
                  'absolute outline-1 outline-transparent',
                  !isStill && !isLocked && 'cursor-move touch-none hover:outline-[#2f6bff]',
                  isLocked && 'pointer-events-none',
                )}
                style={{
                  left: box.x * scale,
                  top: box.y * scale,
                  width: box.width * scale,
                  height: box.height * scale,
                  rotate: turnOf(item.layer) ? `${turnOf(item.layer)}deg` : undefined,
                }}
              />
            )
          })}
          {props.showsAreas && <SafeAreas canvas={canvas} scale={scale} />}
          <SelectionFrame
            items={chosen}
            canvas={canvas}
            scale={scale}
            isLocked={chosen.length > 0 && chosen.every(({ id }) => state.locked.has(id))}
            isStill={isStill}
          />
          <GuideLines hints={hints} scale={scale} />
        </div>
      </div>
      {hints.told && (
        <p className="pointer-events-none sticky bottom-2 left-1/2 z-10 -mt-8 w-fit -translate-x-1/2 rounded-md bg-[#15171c] px-2 py-0.5 text-[13px] font-semibold text-white tabular-nums">
          {hints.told}
        </p>
      )}
    </div>
  )
}

/** All layers as this page draws them, cut off at the canvas as the service does. */
function Picture({
  items,
  state,
  canvas,
  scale,
  background,
  sheets,
  photo,
  context,
  cutoutOf,
  assetOf,
  onUnreadable,
  isShown,
}: Props & { items: Item[]; isShown: boolean }) {
  const sheet = (asset: string, fit: 'object-cover' | 'object-fill') =>
    asset && (
      <img
        src={assetFile(asset)}
        alt=""
        draggable={false}
        className={`pointer-events-none absolute inset-0 size-full ${fit}`}
      />
    )
  // Without layers the service draws the photo alone.
  const drawn = items.length > 0 ? items : [{ id: -1, layer: { type: 'photo' } }]
  return (
    <div
      data-local
      className="absolute inset-0 isolate overflow-hidden"
      style={{ background, visibility: isShown ? 'visible' : 'hidden' }}
    >
      {sheet(sheets.below, 'object-cover')}
      {drawn.map(item =>
        state.hidden.has(item.id) ? null : (
          <LayerDrawing
            key={item.id}
            layer={item.layer}
            box={boxOf(item.layer, canvas)}
            scale={scale}
            photo={photo}
            cutout={cutoutOf(item)}
            asset={assetOf(item.layer)}
            context={context}
            onUnreadable={() => onUnreadable(item)}
          />
        ),
      )}
      {sheet(sheets.above, 'object-fill')}
    </div>
  )
}
