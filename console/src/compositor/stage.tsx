// The canvas: every layer as a box that can be dragged, resized and moved by arrow keys, over the picture the service makes.
import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import type { JsonObject } from '../api/shapes.ts'
import { classes } from '../parts/classes.ts'
import { type Box, boxOf, type Corner, dragged, layerTitle, placed, type Size } from './geometry.ts'
import { LayerSketch } from './sketch.tsx'

interface Props {
  canvas: Size
  background: string
  layers: JsonObject[]
  selected: number | null
  photo: string | null
  /** Values for placeholders, for the sketch. */
  context: JsonObject
  /** The picture as the service makes it, or null while only a sketch can be shown. */
  exact: string | null
  onSelect(index: number): void
  onPlace(index: number, layer: JsonObject): void
}

const corners: Corner[] = ['nw', 'ne', 'sw', 'se']

export function Stage({ canvas, background, layers, selected, photo, context, exact, onSelect, onPlace }: Props) {
  const stage = useRef<HTMLDivElement>(null)
  const grab = useRef<{ index: number; grip: Corner | 'move'; x: number; y: number; box: Box } | null>(null)
  const scale = () => canvas.width / (stage.current?.clientWidth || 1)

  const begin = (event: PointerEvent, index: number, grip: Corner | 'move') => {
    const layer = layers[index]
    if (!layer || event.button !== 0) return
    event.stopPropagation()
    event.currentTarget.setPointerCapture(event.pointerId)
    grab.current = { index, grip, x: event.clientX, y: event.clientY, box: boxOf(layer, canvas) }
    onSelect(index)
  }
  const drag = (event: PointerEvent) => {
    const held = grab.current
    const layer = held && layers[held.index]
    if (!held || !layer) return
    const box = dragged(held.box, held.grip, (event.clientX - held.x) * scale(), (event.clientY - held.y) * scale())
    onPlace(held.index, placed(layer, box, canvas))
  }
  const end = () => {
    grab.current = null
  }
  const nudge = (event: KeyboardEvent, index: number) => {
    const layer = layers[index]
    const step = event.shiftKey ? Math.max(1, Math.round(canvas.width / 50)) : 1
    const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key]
    if (!layer || !by) return
    event.preventDefault()
    onPlace(
      index,
      placed(layer, dragged(boxOf(layer, canvas), event.altKey ? 'se' : 'move', by[0] ?? 0, by[1] ?? 0), canvas),
    )
  }
  const part = (px: number, whole: number) => `${(px / whole) * 100}%`

  return (
    <div
      ref={stage}
      className="chequer relative mx-auto w-full touch-none overflow-hidden shadow-print select-none"
      style={{
        aspectRatio: `${canvas.width} / ${canvas.height}`,
        maxWidth: `calc(68dvh * ${canvas.width / canvas.height})`,
        containerType: 'inline-size',
      }}
    >
      <div className="absolute inset-0" style={{ background }} />
      {exact && (
        <img
          src={exact}
          alt="The result as the service makes it"
          className="absolute inset-0 size-full"
          draggable={false}
        />
      )}
      {layers.map((layer, index) => {
        const box = boxOf(layer, canvas)
        const chosen = selected === index
        const place = {
          left: part(box.x, canvas.width),
          top: part(box.y, canvas.height),
          width: part(box.width, canvas.width),
          height: part(box.height, canvas.height),
          rotate: typeof layer.rotate === 'number' ? `${layer.rotate}deg` : undefined,
        }
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a layer is its place in the paint order; names need not be unique.
          <div key={index} className="contents">
            {!exact && (
              <div aria-hidden className="absolute" style={place}>
                <LayerSketch layer={layer} photo={photo} canvas={canvas} size={box} context={context} />
              </div>
            )}
            {/* biome-ignore lint/a11y/useSemanticElements: a button cannot hold the corner grips. */}
            <div
              role="button"
              tabIndex={0}
              aria-pressed={chosen}
              aria-label={`Layer ${layerTitle(layer, index)}. Arrow keys move it, with Alt they resize it.`}
              onPointerDown={event => begin(event, index, 'move')}
              onPointerMove={drag}
              onPointerUp={end}
              onPointerCancel={end}
              onKeyDown={event => nudge(event, index)}
              onFocus={() => onSelect(index)}
              className={classes(
                'absolute cursor-move',
                chosen
                  ? 'z-10 outline-2 outline-[#1b4bb0] ring-2 ring-white/80'
                  : 'outline-1 outline-transparent hover:outline-[#1b4bb0] hover:outline-dashed',
              )}
              style={place}
            >
              {chosen &&
                corners.map(corner => (
                  <span
                    key={corner}
                    onPointerDown={event => begin(event, index, corner)}
                    onPointerMove={drag}
                    onPointerUp={end}
                    className={classes(
                      'absolute size-3.5 rounded-full border-2 border-white bg-[#1b4bb0]',
                      corner.startsWith('n') ? '-top-1.5' : '-bottom-1.5',
                      corner.endsWith('w') ? '-left-1.5' : '-right-1.5',
                      corner === 'nw' || corner === 'se' ? 'cursor-nwse-resize' : 'cursor-nesw-resize',
                    )}
                  />
                ))}
            </div>
          </div>
        )
      })}
    </div>
  )
}
