// Pointer gestures on the canvas: pressing selects, dragging moves, resizes, turns, marks an area or pushes the view.
import { type PointerEvent, type RefObject, useRef, useState } from 'react'
import { itemBounds } from './model/arrange.ts'
import {
  around,
  type Box,
  boundsOf,
  boxOf,
  type Grip,
  grips,
  holds,
  moved,
  overlap,
  type Point,
  placed,
  resized,
  type Size,
  scaledInto,
  turnOf,
  turnTowards,
} from './model/geometry.ts'
import { type Guide, snapMove, snapResize } from './model/snap.ts'
import { type Command, type Item, type LayoutState, movableItems } from './model/state.ts'

interface Held {
  pointer: number
  start: Point
  /** The same in pixels of the screen. */
  client: Point
  /** Layers as they were when the drag began. */
  items: Item[]
  kind: 'press' | 'move' | 'resize' | 'turn' | 'area' | 'view'
  grip: Grip | null
  hits: number[]
  before: number[]
  scroll: Point
}

export interface Hints {
  guides: Guide[]
  area: Box | null
  /** What the drag comes to: a place, a size or an angle. */
  told: string | null
}
const none: Hints = { guides: [], area: null, told: null }

interface Options {
  /** The state of now: a drag may be ahead of what is painted. */
  now(): LayoutState
  canvas: Size
  scale: number
  keepsShape: boolean
  snaps: boolean
  /** The stage's own corner is where the canvas begins. */
  stage: RefObject<HTMLDivElement | null>
  view: RefObject<HTMLDivElement | null>
  /** Space is held down: the view is pushed. */
  isPushing: RefObject<boolean>
  run(command: Command): void
}

const REACH = 6
const STILL = 3
const STILL_TOUCH = 8

/** Layers under a point, the front one first; locked and hidden ones are not in the way. */
export function hitsAt(state: LayoutState, canvas: Size, point: Point, slack: number): number[] {
  return state.layout.items
    .filter(({ id }) => !state.locked.has(id) && !state.hidden.has(id))
    .filter(({ layer }) => {
      const box = boxOf(layer, canvas)
      // A hair-thin line can be taken hold of, too.
      const [wide, high] = [Math.max(0, slack - box.width / 2), Math.max(0, slack - box.height / 2)]
      const grown = {
        x: box.x - wide,
        y: box.y - high,
        width: box.width + 2 * wide,
        height: box.height + 2 * high,
      }
      return holds(grown, turnOf(layer), point)
    })
    .map(({ id }) => id)
    .reverse()
}

export function useGestures(options: Options) {
  const { now, canvas, scale, run } = options
  const held = useRef<Held | null>(null)
  const lastPress = useRef<Point | null>(null)
  const [hints, setHints] = useState<Hints>(none)

  const pointOf = (event: { clientX: number; clientY: number }): Point => {
    const corner = options.stage.current?.getBoundingClientRect() ?? { left: 0, top: 0 }
    return { x: (event.clientX - corner.left) / scale, y: (event.clientY - corner.top) / scale }
  }

  const begin = (event: PointerEvent) => {
    if (held.current) {
      // A second finger is there to zoom: the first one drags nothing.
      if (event.pointerType === 'touch') cancel()
      return
    }
    if (event.button !== 0 && event.button !== 1) return
    const at = pointOf(event)
    const grip = (event.target as HTMLElement).dataset.grip
    const hits = hitsAt(now(), canvas, at, 4 / scale)
    const isView = event.button === 1 || options.isPushing.current
    const kind = isView ? 'view' : grip === 'turn' ? 'turn' : grip ? 'resize' : hits.length > 0 ? 'press' : 'area'
    if (event.button === 1) event.preventDefault()
    const view = options.view.current
    held.current = {
      pointer: event.pointerId,
      start: at,
      client: { x: event.clientX, y: event.clientY },
      items: movableItems(now()),
      kind,
      grip: grips.find(one => one === grip) ?? null,
      hits,
      before: now().selection,
      scroll: { x: view?.scrollLeft ?? 0, y: view?.scrollTop ?? 0 },
    }
    if (kind !== 'area' || event.pointerType !== 'touch') view?.setPointerCapture(event.pointerId)
    if (kind === 'press' && !event.shiftKey) {
      const target = targetOf(hits, now())
      if (target !== undefined && !now().selection.includes(target)) run({ do: 'select', ids: [target] })
    }
  }

  const drag = (event: PointerEvent) => {
    const hold = held.current
    if (!hold || hold.pointer !== event.pointerId) return
    const away = { x: event.clientX - hold.client.x, y: event.clientY - hold.client.y }
    const by = { x: away.x / scale, y: away.y / scale }
    if (hold.kind === 'view') {
      options.view.current?.scrollTo(hold.scroll.x - away.x, hold.scroll.y - away.y)
      return
    }
    if (hold.kind === 'press') {
      if (Math.hypot(away.x, away.y) < (event.pointerType === 'touch' ? STILL_TOUCH : STILL)) return
      hold.kind = 'move'
      // Read anew: the press may have selected another one.
      hold.items = movableItems(now())
      if (event.altKey && hold.items.length > 0) {
        run({ do: 'drag copies', items: hold.items })
        hold.items = []
        return
      }
    }
    const free = event.ctrlKey || event.metaKey || !options.snaps
    if (hold.kind === 'move') move(hold, by, free)
    else if (hold.kind === 'resize') resize(hold, by, free, event.shiftKey)
    else if (hold.kind === 'turn') turn(hold, pointOf(event), event)
    // One finger on nothing pushes the view, which the browser does by itself.
    else if (event.pointerType !== 'touch') mark(hold, pointOf(event), event.shiftKey)
  }

  const othersOf = (items: Item[]): Box[] => {
    const own = new Set(items.map(({ id }) => id))
    return now()
      .layout.items.filter(({ id }) => !own.has(id) && !now().hidden.has(id))
      .map(item => itemBounds(item, canvas))
  }

  const move = (hold: Held, by: Point, free: boolean) => {
    // Copies begin where the originals lie.
    if (hold.items.length === 0) hold.items = movableItems(now())
    const frame = around(hold.items.map(item => itemBounds(item, canvas)))
    if (!frame) return
    const there = moved(frame, by)
    const snap = free ? { x: 0, y: 0, guides: [] } : snapMove(there, othersOf(hold.items), canvas, REACH / scale)
    const total = { x: by.x + snap.x, y: by.y + snap.y }
    const items = hold.items.map(({ id, layer }) => ({
      id,
      layer: placed(layer, moved(boxOf(layer, canvas), total), canvas),
    }))
    run({ do: 'drag', items })
    const [only, ...more] = items
    const end = only && more.length === 0 ? boxOf(only.layer, canvas) : moved(frame, total)
    setHints({ guides: snap.guides, area: null, told: `${Math.round(end.x)}, ${Math.round(end.y)}` })
  }

  const resize = (hold: Held, by: Point, free: boolean, shift: boolean) => {
    const { grip, items } = hold
    const [only, ...more] = items
    if (!grip || !only) return
    const from = more.length > 0 ? around(items.map(item => itemBounds(item, canvas))) : boxOf(only.layer, canvas)
    if (!from) return
    const angle = more.length > 0 ? 0 : turnOf(only.layer)
    const isSquare = items.some(({ layer }) => layer.type === 'qr')
    const keeps = isSquare || more.length > 0 || options.keepsShape !== shift
    let to = resized(from, angle, grip, by, keeps)
    let guides: Guide[] = []
    if (!free && angle % 360 === 0) {
      const snap = snapResize(to, grip, othersOf(items), canvas, REACH / scale)
      // With its shape kept a side can't take a line without moving the other.
      if (!keeps) to = resized(from, 0, grip, { x: by.x + snap.x, y: by.y + snap.y })
      guides = keeps ? [] : snap.guides
    }
    run({
      do: 'drag',
      items:
        more.length > 0
          ? items.map(({ id, layer }) => ({
              id,
              layer: placed(layer, scaledInto(boxOf(layer, canvas), from, to), canvas),
            }))
          : [{ id: only.id, layer: placed(only.layer, to, canvas) }],
    })
    setHints({ guides, area: null, told: `${Math.round(to.width)} × ${Math.round(to.height)}` })
  }

  const turn = (hold: Held, to: Point, { shiftKey, ctrlKey, metaKey }: PointerEvent) => {
    const [only] = hold.items
    if (!only) return
    const degrees = turnTowards(boxOf(only.layer, canvas), to, shiftKey ? 'hard' : ctrlKey || metaKey ? 'free' : 'soft')
    const { rotate: _before, ...rest } = only.layer
    run({ do: 'drag', items: [{ id: only.id, layer: degrees === 0 ? rest : { ...rest, rotate: degrees } }] })
    setHints({ guides: [], area: null, told: `${degrees}°` })
  }

  const mark = (hold: Held, to: Point, adds: boolean) => {
    const area = around([
      { ...hold.start, width: 0, height: 0 },
      { ...to, width: 0, height: 0 },
    ])
    if (!area) return
    const inside = now()
      .layout.items.filter(({ id }) => !now().locked.has(id) && !now().hidden.has(id))
      .filter(({ layer }) => overlap(boundsOf(boxOf(layer, canvas), turnOf(layer)), area))
      .map(({ id }) => id)
    run({ do: 'select', ids: [...new Set([...(adds ? hold.before : []), ...inside])] })
    setHints({ guides: [], area, told: null })
  }

  const end = (event: PointerEvent) => {
    const hold = held.current
    if (!hold || hold.pointer !== event.pointerId) return
    held.current = null
    setHints(none)
    if (hold.kind === 'press') press(hold, event)
    else if (hold.kind === 'area') {
      const far = Math.hypot(event.clientX - hold.client.x, event.clientY - hold.client.y)
      if (far < STILL_TOUCH && !event.shiftKey && hints.area === null) run({ do: 'select', ids: [] })
    } else if (hold.kind !== 'view') run({ do: 'drop' })
    if (hold.kind !== 'press') lastPress.current = null
  }

  /** Let go where it was pressed: a click. */
  const press = (hold: Held, event: PointerEvent) => {
    const [front] = hold.hits
    if (front === undefined) return
    const here = { x: event.clientX, y: event.clientY }
    const before = lastPress.current
    lastPress.current = here
    if (event.shiftKey) return run({ do: 'select', ids: [front], how: 'toggle' })
    const isAgain = before !== null && Math.hypot(before.x - here.x, before.y - here.y) <= STILL
    const current = hold.before.length === 1 ? hold.hits.indexOf(hold.before[0] ?? -1) : -1
    if ((isAgain || event.altKey) && current >= 0)
      return run({ do: 'select', ids: [hold.hits[(current + 1) % hold.hits.length] ?? front], isPicked: true })
    if (event.altKey) return run({ do: 'select', ids: [hold.hits[1] ?? front], isPicked: true })
    run({ do: 'select', ids: [front] })
  }

  const cancel = () => {
    if (!held.current) return false
    held.current = null
    setHints(none)
    run({ do: 'cancel' })
    return true
  }

  return { begin, drag, end, cancel, hints, isHolding: () => held.current !== null, pointOf }
}

/** The front one; but one that was picked through others is meant itself. */
function targetOf(hits: number[], state: LayoutState): number | undefined {
  const picked = state.isPicked ? hits.find(id => state.selection.includes(id)) : undefined
  return picked ?? (state.selection.length > 1 ? hits.find(id => state.selection.includes(id)) : undefined) ?? hits[0]
}
