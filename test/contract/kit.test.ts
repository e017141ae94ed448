// The suites as an author of adapters runs them, by the names that a package imports, over adapters with plain JSON Schema.
import assert from 'node:assert/strict'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  type Adapter,
  applyMatrix,
  fileAdapter,
  imageAdapter,
  Problem,
  pictureOf,
  roles,
  Type,
  videoAdapter,
  videoOps,
} from 'keepsake/adapter'
import {
  asLoaded,
  fileAdapterContract,
  imageAdapterContract,
  png,
  scene,
  videoAdapterContract,
} from 'keepsake/adapter/test'
import { Problem as Ours } from '#kit/errors.ts'

const described = { summary: 'For tests.', makes: 'same' } as const

const warm = imageAdapter({
  ...described,
  name: 'photo_warm',
  accepts: ['image'],
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['strength'],
    properties: {
      strength: { type: 'number', minimum: 0, maximum: 1, description: 'How much.' },
      mode: { enum: ['plain', 'deep'], default: 'plain', description: 'Which way.' },
    },
  },
  image(picture, { options: { strength } }) {
    // The schema gives the options their types.
    const share: number = strength
    return picture.draw(pixels =>
      applyMatrix(pixels, [
        [1, 0, 0, share * 0.1],
        [0, 1, 0, 0],
        [0, 0, 1, share * -0.1],
      ]),
    )
  },
})

const negative = videoAdapter({
  ...described,
  name: 'video_negative',
  accepts: ['video'],
  makes: 'video',
  options: { type: 'object', additionalProperties: false, properties: {} },
  video: (_graph, streams) => ({
    video: videoOps.through([pictureOf(streams)], [videoOps.filter('negate')]),
    audio: streams.audio,
  }),
})

const copy = fileAdapter({
  ...described,
  name: 'media_copy',
  accepts: ['image'],
  options: Type.Object({}, { additionalProperties: false }),
  async run(input, step) {
    if (input.bytes === 0) throw new Problem('corrupt_input', 'The file is empty.')
    const path = join(step.folder, `copy${input.ext}`)
    await copyFile(input.path, path)
    return { path }
  },
})

imageAdapterContract({ adapter: warm, options: { strength: 0.5 } })
await videoAdapterContract(negative)
fileAdapterContract({ adapter: copy, input: async folder => folder.file('a.png', await png(scene(20, 10))) })

test('what a package imports is what the service runs with', () => {
  assert.equal(Problem, Ours)
  assert.ok(Object.keys(roles).includes('attempts'))
})

test('an adapter that the service would not start with is refused with the same words', () => {
  assert.throws(
    () => asLoaded({ ...warm, accepts: [] } as unknown as Adapter),
    /The adapter \("photo_warm"\) does not say what it accepts\./,
  )
})
