// The console's own reckoning, without a browser: chains, schemas, advice, import order.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Code, catalogue } from '#kit/errors.ts'
import { mergeHead, withoutGone } from '../../console/src/api/merge.ts'
import type { List, Task } from '../../console/src/api/shapes.ts'
import { add, connect, fromCallChain, move, remove, toCallChain } from '../../console/src/chain/model.ts'
import { withStoredAuth } from '../../console/src/configuration/stored-auth.ts'
import { messageAt, valueAt } from '../../console/src/form/field-errors.ts'
import { fieldKind } from '../../console/src/form/schema.ts'
import { knownAdvice } from '../../console/src/format/advice.ts'
import { curlForTask } from '../../console/src/format/curl.ts'
import { laneCount, lanes } from '../../console/src/task/lanes.ts'
import { chooseTime, chosenTime, localText, timeFilters } from '../../console/src/task/time-filter.ts'

test('a chain survives being edited: indexes follow the entries they mean', () => {
  const links = fromCallChain([
    ['a', null],
    ['b', 0],
    ['c', 1],
    ['d', 0],
  ])
  assert.deepEqual(toCallChain(remove(links, links[1]?.key ?? '')), [
    ['a', null],
    ['c', 0],
    ['d', 0],
  ])
  const swapped = connect(links, links[0]?.key ?? '', links[2]?.key ?? '')
  assert.equal(swapped, links, 'a circle is refused')
  const crossed = connect(links, links[1]?.key ?? '', links[3]?.key ?? '')
  assert.deepEqual(toCallChain(crossed), [
    ['a', null],
    ['d', 0],
    ['b', 1],
    ['c', 2],
  ])
  assert.deepEqual(toCallChain(add([], 'only', null)), [['only', null]])
})

test('an entry moves only as far as what it depends on', () => {
  const links = fromCallChain([
    ['a', null],
    ['b', 0],
    ['c', 0],
  ])
  const [first, , third] = links
  assert.deepEqual(
    move(links, third?.key ?? '', -1).map(({ name }) => name),
    ['a', 'c', 'b'],
  )
  assert.equal(move(links, first?.key ?? '', 1), links)
})

test('the track of a task branches and comes together as the chain does', () => {
  const rows = lanes([
    { index: 0, input_idx: null },
    { index: 1, input_idx: 0 },
    { index: 2, input_idx: 1 },
    { index: 3, input_idx: 0 },
  ])
  assert.equal(laneCount(rows), 2)
  assert.deepEqual(
    rows.map(({ own }) => own),
    [0, 0, 0, 0, 1],
  )
  assert.deepEqual(rows[1]?.next, [0, 1])
  assert.deepEqual(rows[2]?.passing, [1])
})

test('a field is made for every kind of option', () => {
  assert.deepEqual(fieldKind({ enum: ['a', 'b'] }), { kind: 'choice', options: ['a', 'b'] })
  assert.deepEqual(fieldKind({ anyOf: [{ type: 'integer' }, { type: 'null' }] }), { kind: 'number', integer: true })
  assert.deepEqual(fieldKind({ anyOf: [{ type: 'number' }, { type: 'string' }] }), { kind: 'number-or-text' })
  assert.deepEqual(fieldKind({ type: 'boolean' }), { kind: 'yes-no' })
  assert.deepEqual(fieldKind({ type: 'string', default: '#00b140' }), { kind: 'colour' })
  assert.deepEqual(fieldKind({ type: 'array', items: { type: 'string' } }), { kind: 'lines' })
  assert.deepEqual(fieldKind({ type: 'object' }), { kind: 'json' })
  const known = fieldKind({ anyOf: [{ const: 'best' }, { type: 'number' }] })
  assert.deepEqual(known, { kind: 'number-or-text' })
})

test('what the service says of a field is found at the field, and at the option it is part of', () => {
  const errors = [
    { field: 'adapter_config.defaults.layers[1].x', message: 'must be a number' },
    { field: 'webhook_url', message: 'must be HTTPS' },
  ]
  assert.equal(messageAt(errors, 'layers[1].x'), 'must be a number')
  assert.equal(messageAt(errors, 'layers[0].x'), undefined)
  assert.equal(messageAt(errors, 'defaults.layers'), '1.x: must be a number')
  assert.equal(messageAt(errors, 'url'), undefined)
  assert.equal(valueAt({ adapter_config: { defaults: { layers: [{}, { x: 'a' }] } } }, errors[0]?.field ?? ''), 'a')
  assert.equal(valueAt({ a: 1 }, 'a.b[2]'), undefined)
})

test('a span of time is asked from now back, a chosen one from moment to moment of the viewer’s day', () => {
  const now = new Date('2026-11-15T12:00:00Z')
  const of = (text: string) => timeFilters(new URLSearchParams(text), now.getTime())
  assert.deepEqual(of('last=hour'), { created_after: '2026-11-15T11:00:00.000Z' })
  const [from, until] = [new Date(2026, 10, 14, 9, 30), new Date(2026, 10, 14, 18, 0)]
  assert.deepEqual(of(`from=${localText(from)}&until=${localText(until)}`), {
    created_after: from.toISOString(),
    created_before: until.toISOString(),
  })
  assert.deepEqual(of('last=year&from=soon'), {})
  const chosen = new URLSearchParams('last=day&status=Failed')
  chooseTime(chosen, 'between', now)
  assert.equal(chosenTime(chosen), 'between')
  assert.equal(chosen.get('status'), 'Failed')
  assert.equal(chosen.get('last'), null)
  chooseTime(chosen, '')
  assert.equal(chosen.toString(), 'status=Failed')
})

test('news are put into a loaded list, and what a filter no longer lets through leaves it', () => {
  const task = (id: number, status = 'Running') => ({
    task_id: `t${id}`,
    status,
    created_at: `2026-11-15T00:00:0${id}Z`,
  })
  const page = (...items: object[]) => ({ items, next_cursor: null }) as unknown as List<Task>
  const loaded = { pages: [page(task(5), task(4)), page(task(3), task(2))], pageParams: [null, 'c'] }
  const head = { ...page(task(6), task(5, 'Failed'), task(3)), next_cursor: 'more' }
  const merged = mergeHead(loaded, head.items)
  const ids = (data: { pages: List<Task>[] }) => data.pages.map(({ items }) => items.map(({ task_id }) => task_id))
  assert.deepEqual(ids(merged), [['t6', 't5', 't4'], ['t3', 't2']]) // biome-ignore format: one line reads better
  assert.equal(merged.pages[0]?.items[1]?.status, 'Failed')
  assert.deepEqual(ids(withoutGone(merged, head)), [['t6', 't5'], ['t3', 't2']], 't2 is older than the head reaches') // biome-ignore format: one line reads better
  assert.deepEqual(ids(withoutGone(merged, page())), [[], []])
})

test('every code that an entry can fail with has advice of its own', () => {
  const only: Code[] = ['unavailable', 'full']
  const codes = Object.keys(catalogue) as Code[]
  const ofEntries = codes.slice(codes.indexOf('unsupported_format')).filter(code => !only.includes(code))
  assert.deepEqual(
    ofEntries.filter(code => !knownAdvice.includes(code)),
    [],
  )
  assert.deepEqual(
    knownAdvice.filter(code => !(code in catalogue)),
    [],
  )
})

test('a command for the shell cannot be broken out of', () => {
  const text = curlForTask('https://x.example', `it's $(rm -rf /) "q"`, {})
  assert.ok(text.includes(`--form-string 'configuration_name=it'\\''s $(rm -rf /) "q"'`))
})

test('an imported configuration keeps the stored credentials that an export leaves out', () => {
  type Given = Parameters<typeof withStoredAuth>[0]
  const made = (adapter_config: object, rest: object = { adapter_name: 'http_post' }) =>
    ({ configuration_name: 'x', experience_id: 'park', ...rest, adapter_config }) as unknown as Given
  const stored = made({ auth: { bearer: '********' }, defaults: { url: 'https://a.example' } })
  const auth = { bearer: '********' }
  const defaults = { url: 'https://b.example' }
  assert.deepEqual(withStoredAuth(made({ defaults }), stored).adapter_config, { auth, defaults })
  const nested = withStoredAuth(made({ adapter_config: { defaults } }), stored)
  assert.deepEqual(nested.adapter_config, { adapter_config: { auth, defaults } })
  for (const own of [{ auth: {}, defaults }, { adapter_config: { auth: { bearer: 'mine' }, defaults } }])
    assert.deepEqual(withStoredAuth(made(own), stored).adapter_config, own)
  assert.deepEqual(withStoredAuth(made({ defaults }), undefined).adapter_config, { defaults })
  assert.deepEqual(withStoredAuth(made({}, { call_chain: [] }), stored).adapter_config, {})
})
