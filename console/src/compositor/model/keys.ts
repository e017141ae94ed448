// Keys of the layout editor, as commands: the same ones that other editors have taught people.
import { beside } from './arrange.ts'
import { boxOf, moved, placed, resized, type Size } from './geometry.ts'
import { type Command, type LayoutState, movableItems } from './state.ts'

export interface Key {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  shiftKey: boolean
  altKey: boolean
}

export type KeyAction = Command | { do: 'zoom in' } | { do: 'zoom out' } | { do: 'zoom to fit' }

const arrows: Record<string, { x: number; y: number }> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
}

/** Undo belongs to the whole editor, so that it never takes back text in a field elsewhere on the page. */
export function undoOf({ key, ctrlKey, metaKey, shiftKey, altKey }: Key): Command | null {
  if (!(ctrlKey || metaKey) || altKey) return null
  const letter = key.toLowerCase()
  if (letter === 'z') return { do: shiftKey ? 'redo' : 'undo' }
  return letter === 'y' && !shiftKey ? { do: 'redo' } : null
}

export function actionOf(pressed: Key, state: LayoutState, canvas: Size): KeyAction | null {
  const { key, shiftKey } = pressed
  const isControl = pressed.ctrlKey || pressed.metaKey
  const ids = state.selection
  if (isControl) return controlled(key.toLowerCase(), shiftKey, state, canvas)
  const arrow = arrows[key]
  if (arrow && ids.length > 0) return pushed(arrow, pressed, state, canvas)
  switch (key) {
    case 'Delete':
    case 'Backspace':
      return ids.length > 0 ? { do: 'remove' } : null
    case 'Escape':
      return ids.length > 0 ? { do: 'select', ids: [] } : null
    case '[':
      return { do: 'order', ids, to: 'backward' }
    case ']':
      return { do: 'order', ids, to: 'forward' }
    case '{':
      return { do: 'order', ids, to: 'back' }
    case '}':
      return { do: 'order', ids, to: 'front' }
    default:
      return null
  }
}

function controlled(letter: string, shift: boolean, state: LayoutState, canvas: Size): KeyAction | null {
  const ids = state.selection
  if (letter === 'd' && ids.length > 0) return { do: 'duplicate', by: layer => beside(layer, canvas) }
  if (letter === 'a') {
    const free = state.layout.items.filter(({ id }) => !state.locked.has(id) && !state.hidden.has(id))
    return { do: 'select', ids: free.map(({ id }) => id) }
  }
  if (letter === 'l' && shift && ids.length > 0) return { do: 'lock', ids, on: !ids.every(id => state.locked.has(id)) }
  if (letter === 'h' && shift && ids.length > 0) return { do: 'hide', ids, on: !ids.every(id => state.hidden.has(id)) }
  if (letter === '+' || letter === '=') return { do: 'zoom in' }
  if (letter === '-') return { do: 'zoom out' }
  return letter === '0' ? { do: 'zoom to fit' } : null
}

/** A row of presses is one step of the undo. */
function pushed(
  arrow: { x: number; y: number },
  { shiftKey, altKey }: Key,
  state: LayoutState,
  canvas: Size,
): Command | null {
  const items = movableItems(state)
  if (items.length === 0) return null
  const step = shiftKey ? 10 : 1
  const by = { x: arrow.x * step, y: arrow.y * step }
  return {
    do: 'set',
    group: `${altKey ? 'resize' : 'move'} ${items.map(({ id }) => id).join(' ')}`,
    items: items.map(({ id, layer }) => {
      const box = boxOf(layer, canvas)
      const isSquare = layer.type === 'qr'
      return { id, layer: placed(layer, altKey ? resized(box, 0, 'se', by, isSquare) : moved(box, by), canvas) }
    }),
  }
}
