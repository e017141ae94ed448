// The list of layers, the front one first: select, hide, lock, and drag or press keys to bring one forward.

import { Eye, EyeOff, GripVertical, Lock, LockOpen, Square } from 'lucide-react'
import { type DragEvent, type KeyboardEvent, useState } from 'react'
import { classes } from '../parts/classes.ts'
import { t } from '../words/t.ts'
import type { LayerType } from './model/arrange.ts'
import { layerTitle } from './model/geometry.ts'
import type { Command, Item, LayoutState } from './model/state.ts'
import { layerIcons, Tool } from './toolbar.tsx'

const LAYER_DRAG = 'application/x-keepsake-layer'

interface Props {
  state: LayoutState
  items: Item[]
  run(command: Command): void
}

export function LayerList({ state, items, run }: Props) {
  /** The gap a dragged layer would fall into: how many layers lie behind it. */
  const [gap, setGap] = useState<number | null>(null)
  const frontFirst = items.map((item, index) => ({ ...item, index })).toReversed()
  const gapAt = (event: DragEvent, index: number): number => {
    const { top, height } = event.currentTarget.getBoundingClientRect()
    return event.clientY < top + height / 2 ? index + 1 : index
  }
  const drop = (event: DragEvent, index: number) => {
    const id = Number(event.dataTransfer.getData(LAYER_DRAG))
    setGap(null)
    if (!event.dataTransfer.types.includes(LAYER_DRAG)) return
    event.preventDefault()
    const behind = items.slice(0, gapAt(event, index)).filter(item => item.id !== id).length
    run({ do: 'order', ids: [id], to: behind })
  }
  const key = (event: KeyboardEvent, id: number) => {
    const to = { ArrowUp: 'forward', ArrowDown: 'backward' }[event.key] as 'forward' | 'backward' | undefined
    if (!to || !event.altKey) return
    event.preventDefault()
    event.stopPropagation()
    run({ do: 'order', ids: [id], to })
  }
  if (items.length === 0)
    return (
      <p className="p-3 text-[14px] text-soft">
        {t('No layers yet: the photo alone fills the canvas. Add a layer above the canvas, or drop a picture on it.')}
      </p>
    )
  return (
    <>
      <ol aria-label={t('Layers, the front one first')} className="max-h-80 overflow-y-auto" data-layers>
        {frontFirst.map(({ id, layer, index }) => {
          const Icon = layerIcons[layer.type as LayerType] ?? Square
          const title = layerTitle(layer, index)
          const isChosen = state.selection.includes(id)
          const isHidden = state.hidden.has(id)
          const isLocked = state.locked.has(id)
          return (
            <li
              key={id}
              draggable
              onDragStart={event => {
                event.dataTransfer.setData(LAYER_DRAG, String(id))
                event.dataTransfer.effectAllowed = 'move'
              }}
              onDragOver={event => {
                if (!event.dataTransfer.types.includes(LAYER_DRAG)) return
                event.preventDefault()
                setGap(gapAt(event, index))
              }}
              onDragEnd={() => setGap(null)}
              onDrop={event => drop(event, index)}
              className={classes(
                'group flex items-center border-b border-line pr-1.5',
                isChosen && 'bg-well',
                gap === index + 1 && 'shadow-[0_-2px_0_0_var(--run)_inset,0_2px_0_0_var(--run)_inset]',
                gap === index && 'shadow-[0_-2px_0_0_var(--run)_inset]',
              )}
            >
              <GripVertical aria-hidden className="ml-1 size-4 shrink-0 cursor-grab text-edge" />
              <button
                type="button"
                aria-pressed={isChosen}
                title={t('Alt and an arrow key bring it forward or backward')}
                onClick={event =>
                  run({ do: 'select', ids: [id], how: event.shiftKey ? 'toggle' : 'only', isPicked: true })
                }
                onKeyDown={event => key(event, id)}
                className="flex min-h-10 min-w-0 flex-1 items-center gap-2 px-1.5 text-left font-semibold max-sm:min-h-11"
              >
                <Icon aria-hidden className="size-4 shrink-0" />
                <span
                  dir="auto"
                  className={classes('truncate px-1', isChosen && 'marked', isHidden && 'line-through decoration-2')}
                >
                  {title}
                </span>
              </button>
              <Tool
                icon={isHidden ? EyeOff : Eye}
                label={isHidden ? t('Show {title} here', { title }) : t('Hide {title} here', { title })}
                pressed={isHidden}
                onClick={() => run({ do: 'hide', ids: [id], on: !isHidden })}
              />
              <Tool
                icon={isLocked ? Lock : LockOpen}
                label={isLocked ? t('Unlock {title}', { title }) : t('Lock {title}', { title })}
                pressed={isLocked}
                onClick={() => run({ do: 'lock', ids: [id], on: !isLocked })}
              />
            </li>
          )
        })}
      </ol>
      {state.hidden.size > 0 && (
        <p className="border-b border-line px-3 py-1.5 text-[13.5px] text-soft">
          {t('What is hidden is hidden here alone: guests will see it.')}
        </p>
      )}
    </>
  )
}
