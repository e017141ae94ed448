// Extras over defaults, and chains unfolded.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Type from 'typebox'
import { extrasErrors, mergeOptions, sortExtras, validateDefaults } from '#configurations/options.ts'
import { type ChainEntry, unfold } from '#configurations/unfold.ts'
import { imageAdapter } from '#engine/adapter.ts'
import { isProblem } from '#kit/errors.ts'

const adapter = imageAdapter({
  name: 'photo_sample',
  summary: 'For tests.',
  accepts: ['image'],
  makes: 'image',
  options: Type.Object(
    {
      method: Type.Enum(['A', 'B']),
      size: Type.Integer({ default: 3, minimum: 1, maximum: 9 }),
      host: Type.Optional(Type.String()),
      overlay_file_name: Type.String(),
      layers: Type.Array(Type.Object({ x: Type.Integer({ default: 0 }), y: Type.Integer() }), { default: [] }),
      context: Type.Record(Type.String(), Type.Unknown(), { default: {}, role: 'context' }),
    },
    { additionalProperties: false },
  ),
  assets: [{ name: 'overlay_file_name', accepts: ['image'] }],
  target: ['host'],
  image: picture => picture,
})

const auth = () => ({})
const sorted = (extras: object) => sortExtras(extras as never, 'extras').sorted

describe('options', () => {
  it('defaults may leave required options open, but not be wrong', () => {
    assert.deepEqual(validateDefaults(adapter, {}), [])
    assert.deepEqual(
      validateDefaults(adapter, { size: 99, colour: 1 }).map(error => error.field),
      ['adapter_config.defaults.size', 'adapter_config.defaults.colour'],
    )
  })

  it('defaults need not repeat the schema’s own, however deep', () => {
    assert.deepEqual(validateDefaults(adapter, { layers: [{ y: 1 }] }), [])
    assert.deepEqual(validateDefaults(adapter, { layers: [{ x: 1 }] }), [
      { field: 'adapter_config.defaults.layers[0].y', message: 'is required', kind: 'required' },
    ])
  })

  it('extras lie over defaults, and those over the schema’s own', () => {
    const options = mergeOptions(adapter, { method: 'A', overlay_file_name: 'x' }, sorted({ method: 'B', other: 1 }))
    assert.deepEqual(
      { ...options, context: {} },
      { method: 'B', size: 3, overlay_file_name: 'x', layers: [], context: {} },
    )
  })

  it('additional_context is merged deeply over the context', () => {
    const options = mergeOptions(
      adapter,
      { context: { a: { x: 1, y: 2 }, b: 1 } },
      sorted({ additional_context: { a: { y: 3 } } }),
    )
    assert.deepEqual(options.context, { a: { x: 1, y: 3 }, b: 1 })
  })

  it('what says where a secret is sent can’t be overridden', () => {
    assert.match(
      extrasErrors(adapter, { defaults: {}, auth }, sorted({ host: 'evil.example' }), 'extras')[0]?.message ?? '',
      /can’t be overridden/,
    )
  })

  it('an override stands in for a required asset', () => {
    assert.deepEqual(
      extrasErrors(
        adapter,
        { defaults: { method: 'A' }, auth },
        sorted({ overlay_file_name_override: 'earlier' }),
        'extras',
      ),
      [],
    )
    assert.deepEqual(
      extrasErrors(adapter, { defaults: { method: 'A' }, auth }, sorted({}), 'extras').map(error => error.field),
      ['extras.overlay_file_name'],
    )
  })

  it('lookups may be one text or a list', () => {
    assert.deepEqual(sorted({ email: 'a@b.c', rfid: ['1', '2'] }).lookups, [
      { kind: 'email', value: 'a@b.c' },
      { kind: 'rfid', value: '1' },
      { kind: 'rfid', value: '2' },
    ])
    for (const bad of [true, [true], {}, [['1']], 1e19, [2 ** 53]])
      assert.equal(sortExtras({ qr_code: bad } as never, 'extras').errors[0]?.field, 'extras.qr_code')
  })

  it('empty lookups count as not given, and numbers as their text', () => {
    for (const empty of ['', ' ', null, [], [''], [null, '', ' ']])
      for (const kind of ['email', 'qr_code', 'rfid', 'profile_id']) {
        const { sorted, errors } = sortExtras({ [kind]: empty } as never, 'extras')
        assert.deepEqual([sorted.lookups, errors], [[], []])
      }
    assert.deepEqual(
      sorted({ rfid: [417, '', 'a', null, -0, 2.5], qr_code: 0 }).lookups.map(({ value }) => value),
      ['417', 'a', '0', '2.5', '0'],
    )
  })
})

describe('unfolding chains', () => {
  const all = new Map<string, { configuration_name: string; call_chain: readonly ChainEntry[] | null }>()
  const add = (configuration_name: string, call_chain: readonly ChainEntry[] | null = null) => {
    const configuration = { configuration_name, call_chain }
    all.set(configuration_name, configuration)
    return configuration
  }
  const text = (name: string, max = 64): string =>
    unfold(all.get(name) as never, each => all.get(each), max)
      .map(({ configuration, input_idx }) => `${configuration.configuration_name}<${input_idx}`)
      .join(' ')

  it('a single configuration is a chain of one', () => {
    add('a')
    assert.equal(text('a'), 'a<null')
  })

  it('a chain inside a chain stands for its entries, and its output is its last entry’s', () => {
    add('a')
    add('b')
    add('inner', [
      ['a', null],
      ['b', 0],
      ['a', 0],
    ])
    add('outer', [
      ['b', null],
      ['inner', 0],
      ['a', 1],
      ['b', null],
    ])
    assert.equal(text('outer'), 'b<null a<0 b<1 a<1 a<3 b<null')
  })

  it('circles, unknown names, later inputs and too many entries are refused with a sentence', () => {
    add('a')
    add('one', [['two', null]])
    add('two', [['one', null]])
    add('later', [
      ['a', 1],
      ['a', null],
    ])
    add('ghost', [['nobody', null]])
    add(
      'ten',
      Array.from({ length: 10 }, () => ['a', null] as const),
    )
    add(
      'hundred',
      Array.from({ length: 10 }, () => ['ten', null] as const),
    )
    const refused = (name: string, code: 'bad_chain' | 'unknown_configuration', words: RegExp) =>
      assert.throws(
        () => text(name),
        error => isProblem(error, code) && words.test(error.message),
      )
    refused('one', 'bad_chain', /circle: one > two > one/)
    refused('later', 'bad_chain', /Entry 0/)
    refused('ghost', 'unknown_configuration', /nobody/)
    refused('hundred', 'bad_chain', /KEEPSAKE_MAX_CHAIN/)
  })
})
