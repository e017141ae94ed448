// What a check against a schema says: a sentence for people, a kind for programs, and no value that may be a secret.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import Value from 'typebox/value'
import { adapterList } from '#adapters/index.ts'
import { named, partialOf, schemaErrors, withDefaults } from '#kit/schema.ts'

const schema = Type.Object(
  {
    size: Type.Integer({ minimum: 1 }),
    key: Type.String({ maxLength: 4 }),
    fit: Type.Optional(Type.Union([Type.Literal('cover'), Type.Null()])),
    names: Type.Optional(
      named(Type.String(), { description: 'Names.', maxProperties: 1, names: 'small letters' }, '^[a-z]+$'),
    ),
    layers: Type.Optional(
      Type.Array(
        Type.Union([Type.Object({ type: Type.Literal('text') }), Type.Object({ type: Type.Literal('photo') })]),
      ),
    ),
  },
  { additionalProperties: false },
)

const kindsOf = (value: unknown): string[] =>
  schemaErrors(schema, value).map(({ field, kind }) => `${field || 'whole'}: ${kind}`)

test('each error tells by its kind what is at fault', () => {
  assert.deepEqual(kindsOf({ size: 1, key: 'a' }), [])
  assert.deepEqual(kindsOf({}), ['size: required', 'key: required'])
  assert.deepEqual(kindsOf({ size: 1, key: 'a', colour: 'red' }), ['colour: unknown'])
  assert.deepEqual(kindsOf({ size: 0, key: 'a', fit: 'all' }), ['size: wrong', 'fit: wrong'])
  assert.deepEqual(kindsOf({ size: 1, key: 'a', names: { B: '' } }), ['names: unknown'])
  assert.deepEqual(kindsOf({ size: 1, key: 'a', names: { a: '', b: '' } }), ['names: wrong'])
  assert.deepEqual(kindsOf({ size: 1, key: 'a', layers: [{ type: 'smell' }, {}] }), [
    'layers[0].type: wrong',
    'layers[1].type: wrong',
  ])
  assert.deepEqual(kindsOf([]), ['whole: wrong'])
})

test('a value that may be a secret is not quoted, and a value that looks like a sentence of ours stays whole', () => {
  const value = { size: 'a, not b', key: 'canarySecret' }
  const quoted = schemaErrors(schema, value).map(({ message }) => message)
  assert.deepEqual(quoted, [
    'must be a whole number of at least 1, not "a, not b"',
    'must be text of at most 4 characters, not "canarySecret"',
  ])
  const unquoted = schemaErrors(schema, value, 'auth', 'unquoted')
  assert.deepEqual(unquoted, [
    { field: 'auth.size', message: 'must be a whole number of at least 1', kind: 'wrong' },
    { field: 'auth.key', message: 'must be text of at most 4 characters', kind: 'wrong' },
  ])
})

/** As somebody would write it who has no TypeBox. */
const plain = <S extends object>(schema: S): S => JSON.parse(JSON.stringify(schema)) as S

test('defaults are filled in as TypeBox fills them in, also where the schema is plain JSON', () => {
  const layers = [
    { type: 'text', stroke: {} },
    { type: 'photo', stroke: null },
    { type: 'text', stroke: { width: 'x' } },
  ]
  const given = [
    {},
    { layers, canvas: { width: 1 } },
    { layers: 'none' },
    { cells: [{}, { x: 1 }], context: { a: {} } },
  ]
  for (const { name, options, auth } of adapterList({ localRoot: null }).values())
    for (const schema of auth ? [options, auth] : [options])
      for (const value of given) {
        const expected = Value.Default(schema, structuredClone(value))
        assert.deepEqual(withDefaults(schema, value), expected, name)
        assert.deepEqual(withDefaults(plain(schema), value), expected, name)
        assert.deepEqual(withDefaults(partialOf(schema), value), expected, name)
      }
})

test('what is left out of a value stays out where there is no default, and the value itself is not touched', () => {
  const value = { layers: [{}] }
  const filled = withDefaults(
    plain(Type.Object({ layers: Type.Array(Type.Object({ x: Type.Number({ default: 1 }) })) })),
    value,
  )
  assert.deepEqual([filled, value], [{ layers: [{ x: 1 }] }, { layers: [{}] }])
  assert.deepEqual(Object.keys(withDefaults(plain(Type.Object({ a: Type.Number() })), {})), [])
})

test('a plain schema is checked in the same words', () => {
  const value = { size: 0, colour: 'red' }
  assert.deepEqual(schemaErrors(plain(schema), value), schemaErrors(schema, value))
  assert.deepEqual(
    schemaErrors(partialOf(plain(schema)), {}).map(({ field }) => field),
    [],
  )
})

test('a list that holds something twice says so, and where', () => {
  const steps = Type.Object({
    steps: Type.Array(Type.Enum(['intro', 'input', 'clips']), { uniqueItems: true, maxItems: 4 }),
  })
  assert.deepEqual(schemaErrors(steps, { steps: ['input', 'intro', 'input'] }, 'defaults'), [
    { field: 'defaults.steps', message: 'must have each item only once, and has "input" again', kind: 'wrong' },
  ])
  assert.deepEqual(schemaErrors(steps, { steps: ['input', 'input'] }, '', 'unquoted'), [
    { field: 'steps', message: 'must have each item only once', kind: 'wrong' },
  ])
  const [item] = schemaErrors(steps, { steps: ['input', 'input', 'end'] })
  assert.equal(item?.field, 'steps[2]')
})

test('what has a default is not asked for where something else is wrong', () => {
  const { options } = adapterList({ localRoot: null }).get('photo_compositor')!
  const errors = schemaErrors(options, withDefaults(options, { canvas: { width: 100 } }))
  assert.deepEqual(errors, [{ field: 'canvas.height', message: 'is required', kind: 'required' }])
  const bare = Type.Object({ a: Type.Number({ default: 1 }) })
  assert.deepEqual(schemaErrors(bare, {}), [{ field: 'a', message: 'is required', kind: 'required' }])
})

test('no option of an adapter is refused with a pattern', () => {
  const patterns: string[] = []
  const walk = (schema: object, path: string): void => {
    const { pattern, expects } = schema as { pattern?: unknown; expects?: unknown }
    if (typeof pattern === 'string' && !expects && !pattern.startsWith('^https?://')) patterns.push(path)
    for (const [name, inner] of Object.entries(schema))
      if (typeof inner === 'object' && inner !== null) walk(inner, `${path}.${name}`)
  }
  for (const { name, options } of adapterList({ localRoot: null }).values()) walk(options.properties, name)
  assert.deepEqual(patterns, [])
})
