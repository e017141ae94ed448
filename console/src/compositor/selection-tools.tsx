// What can be done with the selection: align, distribute, order, copy, remove.

import {
  AlignCenterHorizontal,
  AlignCenterVertical,
  AlignEndHorizontal,
  AlignEndVertical,
  AlignHorizontalSpaceAround,
  AlignStartHorizontal,
  AlignStartVertical,
  AlignVerticalSpaceAround,
  ArrowDown,
  ArrowUp,
  Copy,
  type LucideIcon,
  Trash2,
} from 'lucide-react'
import { t } from '../words/t.ts'
import { aligned, beside, distributed, type Edge } from './model/arrange.ts'
import type { Size } from './model/geometry.ts'
import { type Command, type LayoutState, movableItems } from './model/state.ts'
import { Tool } from './toolbar.tsx'

const edges: [Edge, LucideIcon, string][] = [
  ['left', AlignStartVertical, t('Align left')],
  ['center', AlignCenterVertical, t('Align centres')],
  ['right', AlignEndVertical, t('Align right')],
  ['top', AlignStartHorizontal, t('Align top')],
  ['middle', AlignCenterHorizontal, t('Align middles')],
  ['bottom', AlignEndHorizontal, t('Align bottom')],
]

export function SelectionTools({
  state,
  canvas,
  run,
}: {
  state: LayoutState
  canvas: Size
  run(command: Command): void
}) {
  const items = movableItems(state)
  const ids = state.selection
  const isNone = items.length === 0
  const set = (next: typeof items) => run({ do: 'set', items: next })
  return (
    // biome-ignore lint/a11y/useSemanticElements: buttons of a kind, not fields of a form.
    <div role="group" aria-label={t('Selection')} className="flex flex-wrap gap-0.5 border-b border-line px-2 py-1">
      {edges.map(([edge, icon, label]) => (
        <Tool
          key={edge}
          icon={icon}
          label={items.length > 1 ? label : t('{label} on the canvas', { label })}
          disabled={isNone}
          onClick={() => set(aligned(items, edge, canvas))}
        />
      ))}
      <Tool
        icon={AlignHorizontalSpaceAround}
        label={t('Distribute across')}
        disabled={items.length < 3}
        onClick={() => set(distributed(items, 'x', canvas))}
      />
      <Tool
        icon={AlignVerticalSpaceAround}
        label={t('Distribute down')}
        disabled={items.length < 3}
        onClick={() => set(distributed(items, 'y', canvas))}
      />
      <Tool icon={ArrowUp} label={t('Bring forward ( ] )')} onClick={() => run({ do: 'order', ids, to: 'forward' })} />
      <Tool
        icon={ArrowDown}
        label={t('Send backward ( [ )')}
        onClick={() => run({ do: 'order', ids, to: 'backward' })}
      />
      <Tool
        icon={Copy}
        label={t('Duplicate (Ctrl+D)')}
        onClick={() => run({ do: 'duplicate', by: layer => beside(layer, canvas) })}
      />
      <Tool icon={Trash2} label={t('Remove (Delete)')} disabled={isNone} onClick={() => run({ do: 'remove' })} />
    </div>
  )
}
