// The layout while it is edited: a document, what is selected, and its own undo. Commands in, the next state out.
import type { Json, JsonObject } from '../../api/shapes.ts'
import { layersOf } from './geometry.ts'

/** A layer with a name of its own for as long as the editor is open; its place in the paint order may change. */
export interface Item {
  id: number
  layer: JsonObject
}

export interface Layout {
  /** In paint order: the last one lies in front. */
  items: Item[]
  canvas: JsonObject | undefined
}

export interface LayoutState {
  layout: Layout
  /** What a drag shows before it is let go. */
  live: Layout | null
  selection: number[]
  /** Selected from the list or through others: a drag then means it, even where others lie above. */
  isPicked: boolean
  locked: ReadonlySet<number>
  hidden: ReadonlySet<number>
  past: Layout[]
  future: Layout[]
  /** Changes that follow each other under one name are one step of the undo. */
  group: string | null
  next: number
}

export type Order = 'front' | 'back' | 'forward' | 'backward' | number

export type Command =
  | { do: 'select'; ids: number[]; how?: 'only' | 'toggle'; isPicked?: boolean }
  | { do: 'set'; items: Item[]; group?: string }
  | { do: 'canvas'; canvas: JsonObject | undefined; items?: Item[]; group?: string }
  | { do: 'add'; layers: JsonObject[] }
  | { do: 'duplicate'; by: (layer: JsonObject) => JsonObject }
  | { do: 'remove' }
  | { do: 'order'; ids: number[]; to: Order }
  | { do: 'lock' | 'hide'; ids: number[]; on: boolean }
  | { do: 'drag'; items: Item[] }
  | { do: 'drag copies'; items: Item[] }
  | { do: 'drop' | 'cancel' | 'undo' | 'redo' }
  | { do: 'adopt'; layers: Json | undefined; canvas: JsonObject | undefined }

export const MOST_STEPS = 100

export const shownLayout = ({ live, layout }: LayoutState): Layout => live ?? layout

export function newLayout(layers: Json | undefined, canvas: JsonObject | undefined): LayoutState {
  const items = layersOf(layers).map((layer, id) => ({ id, layer }))
  return {
    layout: { items, canvas },
    live: null,
    selection: [],
    isPicked: false,
    locked: new Set(),
    hidden: new Set(),
    past: [],
    future: [],
    group: null,
    next: items.length,
  }
}

const isSame = (a: Layout, b: Layout): boolean =>
  JSON.stringify([a.canvas, a.items]) === JSON.stringify([b.canvas, b.items])

function changed(state: LayoutState, layout: Layout, group: string | null = null): LayoutState {
  const calm = { ...state, live: null }
  if (isSame(layout, state.layout)) return calm
  const goesOn = group !== null && group === state.group
  const past = goesOn ? state.past : [...state.past, state.layout].slice(-MOST_STEPS)
  return { ...calm, layout, past, future: [], group }
}

/** Only what is still there stays selected. */
function kept(state: LayoutState): LayoutState {
  const ids = new Set(state.layout.items.map(({ id }) => id))
  return { ...state, selection: state.selection.filter(id => ids.has(id)) }
}

const replaced = (items: Item[], by: Item[]): Item[] => {
  const layers = new Map(by.map(({ id, layer }) => [id, layer]))
  return items.map(item => ({ id: item.id, layer: layers.get(item.id) ?? item.layer }))
}

export const selectedItems = (state: LayoutState): Item[] =>
  shownLayout(state).items.filter(({ id }) => state.selection.includes(id))

/** Locked ones stay as they are. */
export const movableItems = (state: LayoutState): Item[] =>
  selectedItems(state).filter(({ id }) => !state.locked.has(id))

export function reduce(state: LayoutState, command: Command): LayoutState {
  const { layout } = state
  switch (command.do) {
    case 'select':
      return selected(state, command.ids, command.how ?? 'only', command.isPicked ?? false)
    case 'set':
      return changed(state, { ...layout, items: replaced(layout.items, command.items) }, command.group)
    case 'canvas':
      return changed(
        state,
        { canvas: command.canvas, items: replaced(layout.items, command.items ?? []) },
        command.group,
      )
    case 'add':
      return added(state, command.layers)
    case 'duplicate':
      return added(
        state,
        selectedItems(state).map(({ layer }) => command.by(layer)),
      )
    case 'remove': {
      const gone = new Set(movableItems(state).map(({ id }) => id))
      return kept(changed(state, { ...layout, items: layout.items.filter(({ id }) => !gone.has(id)) }))
    }
    case 'order':
      return changed(state, { ...layout, items: ordered(layout.items, new Set(command.ids), command.to) })
    case 'lock':
      return { ...state, locked: marked(state.locked, command.ids, command.on) }
    case 'hide':
      return { ...state, hidden: marked(state.hidden, command.ids, command.on) }
    case 'drag':
      return { ...state, live: { ...layout, items: replaced((state.live ?? layout).items, command.items) } }
    case 'drag copies':
      return copying(state, command.items)
    case 'drop':
      return state.live ? changed(state, state.live) : state
    case 'cancel':
      return kept({ ...state, live: null })
    case 'undo':
      return stepped(state, state.past.at(-1), state.past.slice(0, -1), [...state.future, layout])
    case 'redo':
      return stepped(state, state.future.at(-1), [...state.past, layout], state.future.slice(0, -1))
    case 'adopt':
      return adopted(state, command.layers, command.canvas)
  }
}

function selected(state: LayoutState, ids: number[], how: 'only' | 'toggle', isPicked: boolean): LayoutState {
  const before = state.selection
  const selection =
    how === 'only' ? ids : [...before.filter(id => !ids.includes(id)), ...ids.filter(id => !before.includes(id))]
  return { ...state, selection, isPicked, group: null }
}

function stepped(state: LayoutState, to: Layout | undefined, past: Layout[], future: Layout[]): LayoutState {
  // A drag is taken back first; it is no step yet.
  if (state.live) return kept({ ...state, live: null })
  return to ? kept({ ...state, layout: to, past, future, group: null }) : state
}

function marked(before: ReadonlySet<number>, ids: number[], on: boolean): ReadonlySet<number> {
  const next = new Set(before)
  for (const id of ids) on ? next.add(id) : next.delete(id)
  return next
}

/** New layers lie in front and are selected. */
function added(state: LayoutState, layers: JsonObject[]): LayoutState {
  if (layers.length === 0) return state
  const { items, next } = withNew(state, layers)
  const done = changed(state, { ...state.layout, items: [...state.layout.items, ...items] })
  return { ...done, next, selection: items.map(({ id }) => id), isPicked: false }
}

function withNew(state: LayoutState, layers: JsonObject[]): { items: Item[]; next: number } {
  const names = new Set(state.layout.items.map(({ layer }) => layer.name))
  const items = layers.map((layer, at): Item => {
    const name = typeof layer.name === 'string' ? freeName(layer.name, names) : undefined
    if (name !== undefined) names.add(name)
    return { id: state.next + at, layer: name === undefined ? layer : { ...layer, name } }
  })
  return { items, next: state.next + layers.length }
}

const LONGEST_NAME = 64

/** Overrides and assets find a layer by its name, so two must not share one. */
function freeName(name: string, taken: ReadonlySet<Json | undefined>): string {
  if (!taken.has(name)) return name
  for (let number = 2; ; number++) {
    const end = `-${number}`
    const free = `${name.slice(0, LONGEST_NAME - end.length)}${end}`
    if (!taken.has(free)) return free
  }
}

/** From here on the drag moves copies, the originals stay. */
function copying(state: LayoutState, originals: Item[]): LayoutState {
  const { items, next } = withNew(
    state,
    originals.map(({ layer }) => layer),
  )
  const live = { ...state.layout, items: [...state.layout.items, ...items] }
  return { ...state, live, next, selection: items.map(({ id }) => id), isPicked: true }
}

function ordered(items: Item[], ids: ReadonlySet<number>, to: Order): Item[] {
  const held = items.filter(({ id }) => ids.has(id))
  const rest = items.filter(({ id }) => !ids.has(id))
  const first = items.findIndex(({ id }) => ids.has(id))
  const last = items.findLastIndex(({ id }) => ids.has(id))
  // How many of the others lie behind those that move.
  const below =
    typeof to === 'number'
      ? to
      : { front: rest.length, back: 0, forward: last + 2 - held.length, backward: first - 1 }[to]
  const at = Math.min(Math.max(below, 0), rest.length)
  return [...rest.slice(0, at), ...held, ...rest.slice(at)]
}

/** Changed from outside: an import, a template, another form. */
function adopted(state: LayoutState, layers: Json | undefined, canvas: JsonObject | undefined): LayoutState {
  const given = layersOf(layers)
  const before = state.layout.items
  const items = given.map((layer, at): Item => ({ id: before[at]?.id ?? state.next + at, layer }))
  return kept(changed({ ...state, next: state.next + given.length }, { items, canvas }))
}
