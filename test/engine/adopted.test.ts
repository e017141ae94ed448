// An adapter of others as the service runs it: plain JSON Schema is enough, and what it throws keeps its sentence.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mergeOptions, sortExtras, validateAuth, validateDefaults } from '#configurations/options.ts'
import type { Adapter, DestinationAdapter, ImageAdapter } from '#engine/adapter.ts'
import { adopted } from '#engine/adopted.ts'
import { faultOf } from '#engine/foreign.ts'
import { Problem } from '#kit/errors.ts'
import { stepFor } from '../support/delivery.ts'
import { newFolder, png, run, scene } from '../support/pictures.ts'

const shelf = (more: object = {}): DestinationAdapter =>
  ({
    name: 'shelf_put',
    summary: 'Puts the file on a shelf.',
    accepts: ['image', 'file'],
    makes: 'same',
    options: {
      type: 'object',
      additionalProperties: false,
      required: ['shelf'],
      properties: {
        shelf: { type: 'string', description: 'The shelf.', minLength: 1 },
        row: { type: ['integer', 'null'], minimum: 1, default: null, description: 'The row.' },
        tries: { type: 'integer', default: 3, role: 'attempts', description: 'How often.' },
        labels: {
          type: 'array',
          default: [],
          items: { type: 'object', properties: { size: { type: 'number', default: 12 } } },
          description: 'Labels.',
        },
      },
    },
    auth: {
      type: 'object',
      additionalProperties: false,
      properties: { key: { type: 'string', description: 'The key.' } },
    },
    deliver: async () => ({ place: 'here' }),
    ...more,
  }) as unknown as DestinationAdapter

const extras = (given: object) => sortExtras(given as never, 'extras').sorted

describe('an adapter whose schemas are plain JSON Schema', () => {
  const adapter = adopted(shelf())

  it('has its options, which are checked in words', () => {
    assert.deepEqual(validateDefaults(adapter, { row: 2 }), [], 'what is required may come with a task')
    const wrong = validateDefaults(adapter, { row: 0, shelf: '', colour: 'red' })
    assert.deepEqual(
      wrong.map(({ field, message }) => `${field.replace('adapter_config.defaults.', '')} ${message}`),
      [
        'row must be a whole number of at least 1 or null, not 0',
        'shelf must be text of at least 1 characters, not ""',
        'colour is not known here; known are shelf, row, tries, labels',
      ],
    )
    assert.deepEqual(
      validateAuth(adapter, { key: 7 as never }).map(({ message }) => message),
      ['must be text'],
    )
  })

  it('has its defaults, at any depth', () => {
    assert.deepEqual(mergeOptions(adapter, { shelf: 'A', labels: [{}] }, extras({ row: 4 })), {
      shelf: 'A',
      row: 4,
      tries: 3,
      labels: [{ size: 12 }],
    })
  })

  it('stays an adapter whose functions may use `this`', async () => {
    const own = adopted(
      shelf({
        place: 'there',
        async deliver(this: { place: string }) {
          return { place: this.place }
        },
      }),
    ) as DestinationAdapter
    assert.deepEqual(await own.deliver({} as never, stepFor(own, { options: { shelf: 'A' } })), { place: 'there' })
  })
})

it('a keyword that neither forms nor defaults know is named before anything starts', () => {
  assert.equal(faultOf(shelf()), null)
  const properties = { size: { type: 'object', properties: { unit: { oneOf: [] } } } }
  assert.equal(
    faultOf(shelf({ options: { type: 'object', properties } })),
    '("shelf_put") uses a keyword of JSON Schema that is not understood here, in size.unit: oneOf',
  )
})

/** As a package that was bundled with a copy of the class would throw it. */
class Copy extends Error {
  override name = 'Problem'
  code = 'destination_quota'
  retryAfterSeconds = 30
}

describe('what a destination of others throws', () => {
  const thrown = async (error: unknown): Promise<unknown> => {
    const own = adopted(
      shelf({
        deliver: async () => {
          throw error
        },
      }),
    ) as DestinationAdapter
    return own.deliver({} as never, stepFor(own, { options: { shelf: 'A' } })).then(
      () => assert.fail('it was delivered'),
      (failure: unknown) => failure,
    )
  }

  it('is a problem if it is one, also of a copy of the class', async () => {
    const refused = new Problem('destination_refused', 'The shelf is full.')
    assert.equal(await thrown(refused), refused)
    const quota = await thrown(new Copy('Come back later.'))
    assert.ok(quota instanceof Problem)
    assert.deepEqual(
      [quota.code, quota.fault, quota.message, quota.retryAfterSeconds],
      ['destination_quota', 'quota', 'Come back later.', 30],
    )
  })

  it('keeps the sentence of a plain error', async () => {
    const failed = await thrown(new Error('the shelf is full'))
    assert.ok(failed instanceof Problem)
    assert.deepEqual([failed.code, failed.fault], ['internal', 'bug'])
    assert.equal(failed.message, 'The adapter "shelf_put" failed: the shelf is full.')
  })

  it('stays as it is where the words are not meant to be read', async () => {
    const missing = Object.assign(new Error("ENOENT: no such file or directory, open '/srv/private'"), {
      code: 'ENOENT',
    })
    for (const error of [missing, new TypeError('x is not a function'), new Error(''), 'text', undefined])
      assert.equal(await thrown(error), error)
  })

  it('is never what the service itself failed with', async () => {
    const lost = new Error('the claim is lost')
    const own = adopted(
      shelf({
        deliver: async (_input: unknown, step: { save(checkpoint: object): Promise<void> }) => {
          await step.save({})
          return {}
        },
      }),
    ) as DestinationAdapter
    const step = {
      ...stepFor(own, { options: { shelf: 'A' } }),
      save: async () => {
        throw lost
      },
    }
    await assert.rejects(own.deliver({} as never, step), error => error === lost)
  })

  it('is told of its lines, taking back and abandoning too', async () => {
    const fail = async (): Promise<never> => {
      throw new Error('no key')
    }
    const own = adopted(
      shelf({
        retract: fail,
        abandon: fail,
        async *check() {
          yield { ok: true, what: 'Look', detail: 'There is a shelf.' }
          await fail()
        },
      }),
    ) as DestinationAdapter
    const step = stepFor(own, { options: { shelf: 'A' } })
    const sentence = /^Problem: The adapter "shelf_put" failed: no key\.$/
    await assert.rejects(own.retract!({}, step), sentence)
    await assert.rejects(own.abandon!(step), sentence)
    const lines: unknown[] = []
    await assert.rejects(async () => {
      for await (const line of own.check!(step)) lines.push(line)
    }, sentence)
    assert.equal(lines.length, 1)
  })

  it('is said where the result is no object', async () => {
    const own = adopted(shelf({ deliver: async () => 'done' })) as DestinationAdapter
    await assert.rejects(
      own.deliver({} as never, stepFor(own, { options: { shelf: 'A' } })),
      /The adapter "shelf_put" failed: it returned no object as the result\./,
    )
  })
})

it('a picture adapter of others fails its entry with its sentence, and with what it did not return', async () => {
  await using folder = await newFolder()
  const input = await folder.file('a.png', await png(scene(8, 8)))
  const { deliver: _none, ...withoutDeliver } = shelf()
  const photo = (image: ImageAdapter['image']): Adapter =>
    adopted({ ...withoutDeliver, name: 'photo_mine', image } as unknown as Adapter)
  const failure = async (image: unknown) =>
    run(folder, input, [{ adapter: photo(image as never), options: { shelf: 'A' } }]).then(
      () => assert.fail('it was made'),
      (error: Problem) => [error.code, error.message],
    )
  assert.deepEqual(
    await failure(() => {
      throw new Error('no faces')
    }),
    ['media_failed', 'The adapter "photo_mine" failed: no faces.'],
  )
  assert.deepEqual(await failure(() => ({ width: 1 })), [
    'media_failed',
    'The adapter "photo_mine" failed: it returned no picture.',
  ])
  assert.deepEqual(
    await failure(() => {
      throw new Problem('unsupported_format', 'Only faces are taken.')
    }),
    ['unsupported_format', 'Only faces are taken.'],
  )
})
