// What a check against a schema says: a sentence for people, a kind for programs, and no value that may be a secret.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { named, schemaErrors } from '#kit/schema.ts'

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
