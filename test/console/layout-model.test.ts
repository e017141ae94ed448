// The layout editor's own reckoning, without a browser: places, commands, undo, snapping, arranging, sample guests.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withStandIns } from '#engine/placeholders.ts'
import type { JsonObject } from '../../console/src/api/shapes.ts'
import {
  aligned,
  beside,
  distributed,
  fittedTo,
  freePlace,
  newLayer,
} from '../../console/src/compositor/model/arrange.ts'
import {
  type Box,
  boundsOf,
  boxOf,
  holds,
  moved,
  placed,
  resized,
  turnTowards,
} from '../../console/src/compositor/model/geometry.ts'
import { contextOf, filled, placeholdersOf, sampleGuests, wordsOf } from '../../console/src/compositor/model/guests.ts'
import { actionOf, undoOf } from '../../console/src/compositor/model/keys.ts'
import { isStyled, safeAreas, styled, textStyles } from '../../console/src/compositor/model/presets.ts'
import { snapMove, snapResize } from '../../console/src/compositor/model/snap.ts'
import {
  type Command,
  type LayoutState,
  MOST_STEPS,
  newLayout,
  reduce,
} from '../../console/src/compositor/model/state.ts'
import { random } from '../support/seed.ts'

const canvas = { width: 1000, height: 500 }
const box = (x: number, y: number, width: number, height: number): Box => ({ x, y, width, height })
const layersIn = ({ layout }: LayoutState): JsonObject[] => layout.items.map(({ layer }) => layer)
const after = (state: LayoutState, ...commands: Command[]): LayoutState => commands.reduce(reduce, state)
const three = () =>
  newLayout(
    [
      { type: 'photo', name: 'a' },
      { type: 'text', name: 'b', text: 'hi' },
      { type: 'qr', name: 'c', data: 'x' },
    ],
    undefined,
  )
const names = (state: LayoutState) => layersIn(state).map(({ name }) => name)

test('a dragged layer keeps its unit and its anchor', () => {
  const layer = { type: 'photo', x: '50%', y: 100, width: 200, height: '20%', anchor: 'top' }
  const place = boxOf(layer, canvas)
  assert.deepEqual(place, box(400, 100, 200, 100))
  assert.deepEqual(placed(layer, moved(place, { x: 100, y: 50 }), canvas), { ...layer, x: '60%', y: 150 })
  const sized = placed(layer, resized(place, 0, 'se', { x: 100, y: 50 }), canvas)
  assert.deepEqual(sized, { ...layer, x: '55%', width: 300, height: '30%' })
  assert.deepEqual(placed({ type: 'photo' }, boxOf({ type: 'photo' }, canvas), canvas), { type: 'photo' })
})

test('a layer lies on the very pixels that the service rounds to, and never drifts', () => {
  assert.deepEqual(boxOf({ type: 'photo', anchor: 'center' }, canvas), box(-500, -250, 1000, 500))
  assert.deepEqual(boxOf({ type: 'qr', width: 80, height: '50%', x: 10, y: 10 }, canvas), box(10, 10, 80, 80))
  assert.deepEqual(boxOf({ type: 'text', x: 1.4, y: '0.25%', width: 10.5, height: 0.2 }, canvas), box(1, 1, 11, 1))
  let layer: JsonObject = { type: 'shape', x: 500, y: '33.3%', width: 101, height: 33, anchor: 'center' }
  const start = boxOf(layer, canvas)
  for (let step = 0; step < 20; step++) layer = placed(layer, moved(boxOf(layer, canvas), { x: 1, y: -1 }), canvas)
  assert.deepEqual(boxOf(layer, canvas), moved(start, { x: 20, y: -20 }))
})

test('a turned layer is found, framed and resized as it lies', () => {
  const flat = box(100, 100, 200, 20)
  assert.ok(holds(flat, 0, { x: 110, y: 110 }) && !holds(flat, 90, { x: 110, y: 110 }))
  assert.ok(holds(flat, 90, { x: 200, y: 30 }))
  const upright = boundsOf(flat, 90)
  assert.deepEqual([upright.x, upright.y, upright.width, upright.height].map(Math.round), [190, 10, 20, 200])
  // Its right side points down: drawn down by 40 it is longer, and its other end stays.
  const longer = resized(flat, 90, 'e', { x: 0, y: 40 })
  assert.equal(Math.round(longer.width), 240)
  assert.equal(Math.round(boundsOf(longer, 90).y), 10)
  const kept = resized(box(0, 0, 100, 50), 0, 'se', { x: 100, y: 0 }, true)
  assert.deepEqual(kept, box(0, 0, 200, 100))
  assert.ok(resized(flat, 0, 'w', { x: 900, y: 0 }).width >= 1, 'it never turns inside out')
})

test('turning snaps near every 15 degrees, always with Shift, never when free', () => {
  const square = box(0, 0, 100, 100)
  const towards = (degrees: number) => ({
    x: 50 + 200 * Math.sin((degrees * Math.PI) / 180),
    y: 50 - 200 * Math.cos((degrees * Math.PI) / 180),
  })
  assert.equal(turnTowards(square, towards(43), 'soft'), 45)
  assert.equal(turnTowards(square, towards(39), 'soft'), 39)
  assert.equal(turnTowards(square, towards(39), 'hard'), 45)
  assert.equal(turnTowards(square, towards(44), 'free'), 44)
  assert.equal(turnTowards(square, towards(-1), 'soft'), 0)
  assert.equal(turnTowards(square, towards(180), 'soft'), 180)
})

test('undo and redo go through every step; a drag or a row of keys is one', () => {
  const start = three()
  const dragged = [1, 2, 3].map((x): Command => ({ do: 'drag', items: [{ id: 1, layer: { type: 'text', x } }] }))
  const dropped = after(start, ...dragged, { do: 'drop' })
  assert.equal(dropped.past.length, 1)
  assert.equal(layersIn(dropped)[1]?.x, 3)
  assert.deepEqual(layersIn(after(start, ...dragged, { do: 'cancel' })), layersIn(start))
  assert.equal(after(start, ...dragged, { do: 'undo' }).live, null, 'undo in the middle of a drag gives it up')
  const typed = ['h', 'he', 'hey'].map(
    (text): Command => ({ do: 'set', items: [{ id: 1, layer: { type: 'text', text } }], group: '1 text' }),
  )
  const written = after(dropped, ...typed)
  assert.equal(written.past.length, 2)
  const undone = after(written, { do: 'undo' })
  assert.deepEqual(layersIn(undone), layersIn(dropped))
  assert.deepEqual(layersIn(after(undone, { do: 'redo' })), layersIn(written))
  assert.deepEqual(layersIn(after(undone, { do: 'undo' }, { do: 'undo' }, { do: 'undo' })), layersIn(start))
  const other = after(undone, { do: 'select', ids: [0] }, { do: 'remove' })
  assert.deepEqual(other.future, [], 'a new step ends what could be redone')
  assert.deepEqual(after(other, { do: 'undo' }).selection, [])
})

test('the same words again, or a drag to where it was, is no step; the history has an end', () => {
  const start = three()
  assert.equal(after(start, { do: 'set', items: layersIn(start).map((layer, id) => ({ id, layer })) }).past.length, 0)
  let state = start
  for (let x = 0; x < MOST_STEPS + 30; x++)
    state = reduce(state, { do: 'set', items: [{ id: 1, layer: { type: 'text', x } }] })
  assert.equal(state.past.length, MOST_STEPS)
})

test('layers are ordered, copied with free names, and removed unless they are locked', () => {
  const state = three()
  const order = (ids: number[], to: 'front' | 'back' | 'forward' | 'backward' | number) =>
    names(after(state, { do: 'order', ids, to }))
  assert.deepEqual(order([0], 'forward'), ['b', 'a', 'c'])
  assert.deepEqual(order([0], 'front'), ['b', 'c', 'a'])
  assert.deepEqual(order([2], 'backward'), ['a', 'c', 'b'])
  assert.deepEqual(order([2], 'forward'), ['a', 'b', 'c'])
  assert.deepEqual(order([0, 2], 'back'), ['a', 'c', 'b'])
  assert.deepEqual(order([0], 1), ['b', 'a', 'c'])
  assert.deepEqual(order([], 'front'), ['a', 'b', 'c'])
  const twice = after(
    state,
    { do: 'select', ids: [1] },
    { do: 'duplicate', by: layer => beside(layer, canvas) },
    { do: 'duplicate', by: layer => beside(layer, canvas) },
  )
  assert.deepEqual(names(twice), ['a', 'b', 'c', 'b-2', 'b-2-2'])
  assert.deepEqual(twice.selection, [4])
  const copied = after(state, { do: 'drag copies', items: [{ id: 0, layer: { type: 'photo', name: 'a' } }] })
  assert.deepEqual(names(copied), ['a', 'b', 'c'], 'nothing is there before it is let go')
  assert.deepEqual(names(after(copied, { do: 'drop' })), ['a', 'b', 'c', 'a-2'])
  const locked = after(state, { do: 'lock', ids: [1], on: true }, { do: 'select', ids: [1, 2] }, { do: 'remove' })
  assert.deepEqual(names(locked), ['a', 'b'])
  assert.deepEqual(locked.selection, [1])
})

test('selecting adds and takes away; what is changed outside is taken over and can be undone', () => {
  const state = three()
  const both = after(state, { do: 'select', ids: [0] }, { do: 'select', ids: [2], how: 'toggle' })
  assert.deepEqual(both.selection, [0, 2])
  assert.deepEqual(after(both, { do: 'select', ids: [0], how: 'toggle' }).selection, [2])
  const adopted = after(both, { do: 'adopt', layers: [{ type: 'shape' }], canvas: { width: 5, height: 5 } })
  assert.deepEqual(layersIn(adopted), [{ type: 'shape' }])
  assert.deepEqual(adopted.selection, [0])
  assert.deepEqual(layersIn(after(adopted, { do: 'undo' })), layersIn(state))
})

test('keys are commands: arrows by 1 and by 10, Delete, Escape, order, copies, undo', () => {
  const bare = { ctrlKey: false, metaKey: false, shiftKey: false, altKey: false }
  const press = (key: string, more: Partial<typeof bare> = {}) => {
    const chosen = after(three(), { do: 'select', ids: [1] })
    const action = actionOf({ key, ...bare, ...more }, chosen, canvas)
    return action && !action.do.startsWith('zoom') ? after(chosen, action as Command) : action
  }
  const x = (state: unknown) => boxOf(layersIn(state as LayoutState)[1] ?? {}, canvas).x
  assert.equal(x(press('ArrowRight')), 1)
  assert.equal(x(press('ArrowLeft', { shiftKey: true })), -10)
  assert.equal(boxOf(layersIn(press('ArrowDown', { altKey: true }) as LayoutState)[1] ?? {}, canvas).height, 501)
  assert.deepEqual(names(press('Delete') as LayoutState), ['a', 'c'])
  assert.deepEqual((press('Escape') as LayoutState).selection, [])
  assert.deepEqual(names(press(']') as LayoutState), ['a', 'c', 'b'])
  assert.equal(layersIn(press('d', { metaKey: true }) as LayoutState).length, 4)
  assert.deepEqual((press('a', { ctrlKey: true }) as LayoutState).selection, [0, 1, 2])
  assert.deepEqual(press('0', { ctrlKey: true }), { do: 'zoom to fit' })
  assert.equal(press('x'), null)
  assert.deepEqual(undoOf({ ...bare, key: 'z', ctrlKey: true }), { do: 'undo' })
  assert.deepEqual(undoOf({ ...bare, key: 'Z', metaKey: true, shiftKey: true }), { do: 'redo' })
  assert.deepEqual(undoOf({ ...bare, key: 'y', ctrlKey: true }), { do: 'redo' })
  assert.equal(undoOf({ ...bare, key: 'z' }), null)
})

test('a box snaps to edges and middles of the canvas and of others, and to equal gaps, and says so', () => {
  const near = snapMove(box(4, 203, 100, 100), [], canvas, 6)
  assert.deepEqual([near.x, near.y], [-4, -3], 'the left edge, and the middle')
  assert.ok(near.guides.some(({ axis, at }) => axis === 'x' && at === 0))
  assert.ok(near.guides.some(({ axis, at }) => axis === 'y' && at === 250))
  assert.deepEqual(snapMove(box(20, 20, 100, 100), [], canvas, 6), { x: 0, y: 0, guides: [] })
  const others = [box(100, 50, 80, 40), box(240, 60, 80, 40)]
  const gap = snapMove(box(377, 57, 83, 33), others, canvas, 6)
  assert.equal(gap.x, 3, 'as far from the second as that from the first')
  assert.equal(gap.guides.filter(({ kind }) => kind === 'gap').length, 2)
  const between = snapMove(box(196, 300, 20, 20), [box(100, 290, 80, 40), box(240, 290, 80, 40)], canvas, 6)
  assert.equal(between.x, 4)
  const edge = snapResize(box(100, 100, 137, 50), 'e', [box(240, 300, 10, 10)], canvas, 6)
  assert.deepEqual([edge.x, edge.y, edge.guides.length], [3, 0, 1])
})

test('layers are aligned with the canvas or each other, and distributed with equal gaps', () => {
  const at = (x: number, y: number, width = 100): JsonObject => ({ type: 'shape', x, y, width, height: 50 })
  const items = [at(10, 10), at(300, 40), at(900, 90, 50)].map((layer, id) => ({ id, layer }))
  assert.deepEqual(boxOf(aligned(items.slice(0, 1), 'center', canvas)[0]?.layer ?? {}, canvas).x, 450)
  assert.deepEqual(
    aligned(items, 'right', canvas).map(({ layer }) => boxOf(layer, canvas).x),
    [850, 850, 900],
  )
  assert.deepEqual(
    aligned(items, 'top', canvas).map(({ layer }) => layer.y),
    [10, 10, 10],
  )
  assert.deepEqual(
    distributed(items, 'x', canvas).map(({ layer }) => layer.x),
    [10, 455, 900],
  )
  assert.deepEqual(distributed(items.slice(0, 2), 'x', canvas), items.slice(0, 2))
})

test('new layers land where nothing lies, and never on the same spot', () => {
  const ground = box(0, 0, 1000, 500)
  const first = freePlace({ width: 100, height: 100 }, [ground], canvas)
  assert.deepEqual(first, box(450, 200, 100, 100))
  const second = freePlace({ width: 100, height: 100 }, [ground, first], canvas)
  assert.ok(Math.abs(second.x - first.x) >= 100 || Math.abs(second.y - first.y) >= 100)
  const crowd: Box[] = []
  for (let count = 0; count < 30; count++) crowd.push(freePlace({ width: 400, height: 240 }, crowd, canvas))
  assert.equal(new Set(crowd.map(({ x, y }) => `${x} ${y}`)).size, 30)
  const dropped = newLayer('image', canvas, [], { shape: { width: 200, height: 100 }, at: { x: 500, y: 250 } })
  assert.deepEqual([dropped.x, dropped.y, dropped.width, dropped.height], [413, 206, 175, 88])
})

test('a design keeps its shape on another canvas: letters, corners and shares grow along, a ground stays one', () => {
  const layers: JsonObject[] = [
    { type: 'photo' },
    { type: 'text', x: 100, y: '10%', width: 200, height: 50, size_max: 40, stroke: { color: '#fff', width: 4 } },
    { type: 'shape', x: 400, y: 200, width: 200, height: 100, radius: 10 },
  ]
  const items = layers.map((layer, id) => ({ id, layer }))
  const [photo, text, shape] = fittedTo(items, canvas, { width: 2000, height: 2000 }).map(({ layer }) => layer)
  assert.deepEqual(photo, { type: 'photo' })
  assert.deepEqual(boxOf(text ?? {}, { width: 2000, height: 2000 }), box(200, 600, 400, 100))
  assert.deepEqual([text?.y, text?.size_max, text?.stroke], ['30%', 80, { color: '#fff', width: 8 }])
  assert.deepEqual(shape, { type: 'shape', x: 800, y: 900, width: 400, height: 200, radius: 20 })
})

test('safe areas: prints lose millimetres at the edge, a story its top and bottom', () => {
  assert.deepEqual(
    safeAreas({ width: 1200, height: 1800 }).map(({ kind, top }) => [kind, top]),
    [
      ['cut', 35],
      ['safe', 71],
    ],
  )
  assert.equal(safeAreas({ width: 1080, height: 1920 })[0]?.bottom, 340)
  assert.deepEqual(safeAreas({ width: 400, height: 1000 }), [
    { kind: 'safe', top: 20, right: 20, bottom: 20, left: 20 },
  ])
})

test('a style of text sets what it decides and takes back what another decided', () => {
  const [headline, , , words, sticker] = textStyles
  assert.ok(headline && words && sticker)
  const layer = { type: 'text', text: 'hi', x: 5, color: '#123456' }
  const loud = styled(layer, sticker)
  assert.ok(isStyled(loud, sticker) && !isStyled(loud, headline))
  const calm = styled(loud, words)
  assert.deepEqual(calm, { ...layer, color: '#ffffff', font: 'Inter', overflow: 'wrap', valign: 'top' })
  assert.ok(isStyled(calm, words) && !isStyled(layer, words))
})

test('a sample guest fills what speaks of the guest and what nothing else fills; the event’s words stay', () => {
  const layers = [
    { type: 'text', text: '{{ name }} at {{event}}, {{profile.first_name}} {{table}}' },
    { type: 'qr', data: 'https://x.example/{{task_id}}' },
    { type: 'text', text: 'no {{ here }' },
  ]
  assert.deepEqual(placeholdersOf(layers), ['name', 'event', 'profile.first_name', 'table', 'task_id'])
  const guest = sampleGuests.find(({ key }) => key === 'usual') ?? null
  const context = { name: 'Ada', event: 'Expo' }
  const filled = contextOf(guest, layers, context)
  assert.deepEqual(filled, { name: 'Anna Weber', 'profile.first_name': 'Anna', table: 'Anna Weber' })
  assert.equal(wordsOf(String(layers[0]?.text), { ...context, ...filled }), 'Anna Weber at Expo, Anna Anna Weber')
  assert.deepEqual(contextOf(null, layers, context), {})
  const kinds = sampleGuests.map(({ first, last }) => `${first} ${last}`.trim())
  assert.ok(
    kinds.some(name => name.length > 50) && kinds.includes('') && kinds.some(name => /\p{Script=Arabic}/u.test(name)),
  )
})

test('placeholders are found where the service finds them, however braces lie', () => {
  const next = random(20_261_117)
  const signs = ['{', '{{', '}', '}}', 'name', ' ', 'profile.x']
  for (let round = 0; round < 2_000; round++) {
    const text = Array.from(
      { length: 1 + Math.floor(next() * 12) },
      () => signs[Math.floor(next() * signs.length)],
    ).join('')
    assert.equal(
      filled(text, () => 'x'),
      withStandIns(text),
      text,
    )
  }
})
