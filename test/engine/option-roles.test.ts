// What an option means to the service is said by its role, whatever the option is called.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { adapterList } from '#adapters/index.ts'
import { mergeOptions, sortExtras } from '#configurations/options.ts'
import { type Adapter, destinationAdapter, imageAdapter } from '#engine/adapter.ts'
import { planSizes } from '#engine/children/sizes.ts'
import { faultOf } from '#engine/foreign.ts'
import { optionFor, patienceIn, type Role, roles, textsFor, unknownRole } from '#engine/option-roles.ts'
import type { JsonObject } from '#kit/json.ts'
import { resolveOptions } from '#tasks/entry/resolve.ts'
import { limits } from '../support/pictures.ts'

const layer = Type.Object({ letters: Type.String({ role: 'font' }), font: Type.Optional(Type.String()) })
const poster = imageAdapter({
  name: 'photo_poster',
  summary: 'Writes on a picture.',
  accepts: ['image'],
  makes: 'same',
  options: Type.Object({
    words: Type.String({ default: '{{name}}' }),
    values: Type.Record(Type.String(), Type.Unknown(), { default: {}, role: 'context' }),
    when_empty: Type.Enum(['empty', 'error'], { default: 'empty', role: 'missing' }),
    into: Type.Optional(Type.String({ role: 'format' })),
    letters: Type.Union([Type.String({ role: 'font' }), Type.Null()], { default: null }),
    layers: Type.Array(Type.Union([layer, Type.Null()]), { default: [] }),
    by_name: Type.Record(Type.String(), layer, { default: {} }),
    // These mean nothing to the service here.
    context: Type.Optional(Type.String()),
    missing: Type.Optional(Type.String()),
    format: Type.Optional(Type.String()),
    font: Type.Optional(Type.String()),
  }),
  image: picture => picture,
})

const courier = destinationAdapter({
  name: 'courier',
  summary: 'Brings a file.',
  accepts: ['file'],
  makes: 'same',
  options: Type.Object({
    tries: Type.Integer({ default: 3, role: 'attempts' }),
    pause: Type.Number({ default: 2, role: 'backoff' }),
    delivery_attempts: Type.Optional(Type.Integer()),
  }),
  deliver: async () => ({}),
})

const extras = (given: JsonObject) => sortExtras(given, 'extras').sorted
const resolved = (defaults: JsonObject, given: JsonObject = {}) =>
  resolveOptions(poster, { defaults }, extras(given), {})

test('values for placeholders come from the option with that role, and extras are merged over them', () => {
  const given = { additional_context: { name: 'Ada', deep: { b: 2 } } }
  const merged = mergeOptions(poster, { values: { name: 'Bob', deep: { a: 1 } } }, extras(given))
  assert.deepEqual(merged.values, { name: 'Ada', deep: { a: 1, b: 2 } })
  assert.equal(merged.context, undefined)
  assert.equal(resolved({ values: { name: 'Bob' } }).options.words, 'Bob')
})

test('a placeholder without a value fails the entry where the option with that role says so', () => {
  assert.deepEqual(resolved({ missing: 'error' }).warnings, ['There is no value for {{name}}; it was left empty.'])
  assert.throws(() => resolved({ when_empty: 'error' }), /There is no value for \{\{name\}\}\./)
})

test('how patient a delivery is comes from the options with those roles', () => {
  assert.deepEqual(patienceIn(courier, mergeOptions(courier, { delivery_attempts: 9 }, extras({}))), {
    attempts: 3,
    backoffSeconds: 2,
  })
  assert.deepEqual(patienceIn(poster, {}), {})
})

test('fonts are found at any depth, by role alone', () => {
  const options = {
    letters: 'A',
    font: 'not one',
    layers: [{ letters: 'B', font: 'not one' }, null, { letters: 'A' }],
    by_name: { one: { letters: 'C' } },
  }
  assert.deepEqual(textsFor(poster, 'font', options), ['A', 'B', 'C'])
})

test('the memory of a step is reckoned by the format that it writes', () => {
  const facts = { medium: 'image', mime: 'image/jpeg', ext: '.jpg', bytes: 1, duration: null, frames: null } as const
  const bytesFor = (options: JsonObject) =>
    planSizes(
      [{ index: 0, adapter: 'photo_poster', options, assets: {}, context: {} }],
      new Map<string, Adapter>([['photo_poster', poster]]),
      { ...facts, width: 2000, height: 2000 },
      limits,
    ).bytes
  assert.equal(bytesFor({ format: 'avif' }), bytesFor({}))
  assert.ok(bytesFor({ into: 'avif' }) > bytesFor({}))
})

test('a role that there is not is told, wherever it stands', () => {
  assert.equal(unknownRole(poster.options), null)
  for (const adapter of adapterList({ localRoot: null }).values()) assert.equal(unknownRole(adapter.options), null)
  const wrong = {
    ...poster,
    options: Type.Object({ layers: Type.Array(Type.Object({ a: Type.String({ role: 'typeface' }) })) }),
  }
  assert.match(faultOf(wrong) ?? '', /gives an option the role "typeface"; known are context, /)
})

test('every role is played by an option of an adapter that ships', () => {
  const all = [...adapterList({ localRoot: null }).values()]
  for (const role of Object.keys(roles) as Role[])
    assert.ok(
      all.some(adapter => optionFor(adapter, role) !== null),
      role,
    )
})
