// When a change of a configuration needs its secrets anew, for adapters that say where these go and for those that don't.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { type Aimed, checkTarget } from '#configurations/target.ts'
import { type Adapter, type DestinationAdapter, destinationAdapter } from '#engine/adapter.ts'
import { isProblem, type Problem } from '#kit/errors.ts'
import { MASK } from '#kit/mask.ts'

const adapterOf = (name: string, more: Partial<DestinationAdapter> = {}): Adapter => ({
  ...destinationAdapter({
    name,
    summary: 'For tests.',
    accepts: ['file'],
    makes: 'same',
    options: Type.Object({
      place: Type.String({ default: 'here' }),
      colour: Type.Optional(Type.String()),
    }),
    auth: Type.Object({ user: Type.String(), keys: Type.Object({ a: Type.String(), b: Type.String() }) }),
    deliver: async () => ({}),
  }),
  ...more,
})
const known = new Map(
  [
    adapterOf('said', { target: ['place'], authParts: { user: 'name' } }),
    adapterOf('unsaid'),
    adapterOf('other', { target: [], authParts: { keys: 'plain' } }),
  ].map(adapter => [adapter.name, adapter]),
)
const auth = { user: 'u', keys: { a: '1', b: '2' } }
const masked = { user: MASK, keys: { a: MASK, b: MASK } }
const aimed = (adapter_name: string, defaults: object = {}): Aimed => ({
  adapter_name,
  defaults: defaults as never,
  auth,
})

function fields(before: Aimed, after: Aimed, written: object = masked): string[] | null {
  try {
    checkTarget(known, before, after, written as never)
    return null
  } catch (error) {
    assert.ok(isProblem(error, 'secret_needed'))
    return (error as Problem).errors?.map(({ field }) => field) ?? []
  }
}

test('only what says where credentials go needs all of them anew, and what a schema fills in is no change', () => {
  assert.equal(fields(aimed('said'), aimed('said', { colour: 'red' })), null)
  assert.equal(fields(aimed('said'), aimed('said', { place: 'here' })), null)
  assert.deepEqual(fields(aimed('said'), aimed('said', { place: 'there' })), [
    'adapter_config.defaults.place',
    'adapter_config.auth.user',
    'adapter_config.auth.keys',
  ])
})

test('credentials are given anew when every part of them is, or when it is gone', () => {
  const to = aimed('said', { place: 'there' })
  assert.equal(fields(aimed('said'), to, { user: 'u', keys: { a: '1', b: '2' } }), null)
  assert.equal(fields(aimed('said'), to, { user: 'u' }), null)
  assert.equal(fields(aimed('said'), to, { user: MASK })?.[1], 'adapter_config.auth.user')
  assert.equal(fields(aimed('said'), to, { user: 'me', keys: { a: '1', b: MASK } })?.[1], 'adapter_config.auth.keys')
})

test('where an adapter does not say what its target is, every option counts', () => {
  const moved = fields(aimed('unsaid'), aimed('unsaid', { colour: 'red' }))
  assert.deepEqual(moved, ['adapter_config.defaults.colour', 'adapter_config.auth.user', 'adapter_config.auth.keys'])
})

test('with another adapter a secret of either counts, also of one that is not there any more', () => {
  for (const [from, to] of [
    ['said', 'other'],
    ['other', 'said'],
    ['gone', 'other'],
  ] as const)
    assert.ok(fields(aimed(from), aimed(to))?.includes('adapter_name'), `${from} to ${to}`)
  assert.equal(fields(aimed('said'), aimed('other'), {}), null)
})
