// What a new transformer begins as: pixels, streams of a video, or sound.
import type { Parts } from '../new-adapter.ts'

export const exportedAs = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

const configuration = (name: string, defaults: string): string => `\`\`\`json
{
  "configuration_name": "event-${name.slice(name.indexOf('_') + 1).replaceAll('_', '-')}",
  "experience_id": "summer-party",
  "adapter_name": "${name}",
  "adapter_config": { "auth": { }, "defaults": ${defaults} }
}
\`\`\``

const pageOf = (name: string, summary: string, defaults: string): string => `# ${name}

${summary}

${configuration(name, defaults)}

## Options

<!-- made: options -->

<!-- /made -->
`

interface Transformer {
  name: string
  summary: string
  defaults: string
  code: string
  test: string
  lines?: Parts['lines']
  next?: string[]
}

function transformer({ name, summary, defaults, code, test, lines = [], next = [] }: Transformer): Parts {
  const exported = exportedAs(name)
  const list = 'src/adapters/transformers.ts'
  return {
    files: {
      [`src/adapters/transformers/${name}.ts`]: code,
      [`docs/adapters/${name}.md`]: pageOf(name, summary, defaults),
      [`test/adapters/transformers/${name}.test.ts`]: test,
    },
    lines: [
      { file: list, before: '', text: `import { ${exported} } from './transformers/${name}.ts'` },
      { file: list, behind: 'const list: Adapter[] = [', text: `  ${exported},` },
      ...lines,
    ],
    next: [
      `Write what it does into src/adapters/transformers/${name}.ts, and what it must do into its test.`,
      ...next,
      `Tell it in docs/adapters/${name}.md, run \`npm run docs\`, and add a line to CHANGELOG.md.`,
    ],
  }
}

export function picture(name: string): Parts {
  const exported = exportedAs(name)
  const summary = 'Makes a picture darker.'
  return transformer({
    name,
    summary,
    defaults: '{ "strength": 0.5 }',
    code: `// ${name}: makes a picture darker.
import Type from 'typebox'
import { imageAdapter } from '#engine/adapter.ts'
import { applyMatrix, brightness } from '#media/pixels/tone.ts'
import { closed } from '../shared/picture-options.ts'

const options = Type.Object(
  {
    strength: Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.5,
      description: 'How much; 0 leaves the picture as it is.',
    }),
  },
  closed,
)

export const ${exported} = imageAdapter({
  name: '${name}',
  summary: '${summary}',
  accepts: ['image'],
  makes: 'same',
  options,
  image: (picture, { options: { strength } }) =>
    picture.draw(pixels => applyMatrix(pixels, brightness(1 - strength))),
})
`,
    test: `// ${name}: what it does to pixels. The contract of picture adapters is held by test/contract/image-adapters.test.ts.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ${exported} } from '#adapters/transformers/${name}.ts'
import { look, newFolder, png, run } from '../../support/pictures.ts'

it('makes every channel darker, and leaves transparency as it is', async () => {
  await using folder = await newFolder()
  const data = Buffer.from([200, 100, 50, 255, 40, 20, 10, 128])
  const input = await folder.file('two.png', await png({ data, width: 2, height: 1, channels: 4 }))
  const { output } = await run(folder, input, [{ adapter: ${exported}, options: { strength: 0.5 } }])
  assert.deepEqual([...(await look(output.path)).data], [100, 50, 25, 255, 20, 10, 5, 128])
})
`,
    lines: [
      {
        file: 'test/support/picture-cases.ts',
        before: "import type { ImageAdapter } from '#engine/adapter.ts'",
        text: `import { ${exported} } from '#adapters/transformers/${name}.ts'`,
      },
      {
        file: 'test/support/picture-cases.ts',
        behind: '  return [',
        text: `    { adapter: ${exported}, options: { strength: 0.3 }, assets: {} },`,
      },
    ],
    next: ['Give its case in test/support/picture-cases.ts options and assets with which it does real work.'],
  })
}

export function video(name: string): Parts {
  const exported = exportedAs(name)
  const summary = 'Makes a video darker.'
  return transformer({
    name,
    summary,
    defaults: '{ "strength": 0.5 }',
    code: `// ${name}: makes a video darker.
import Type from 'typebox'
import { videoAdapter } from '#engine/adapter.ts'
import { filter, through } from '#media/graph/video-ops.ts'
import { closed } from '../shared/picture-options.ts'
import { pictureOf } from '../shared/video-options.ts'

const options = Type.Object(
  {
    strength: Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.5,
      description: 'How much; 0 leaves the video as it is.',
    }),
  },
  closed,
)

export const ${exported} = videoAdapter({
  name: '${name}',
  summary: '${summary}',
  accepts: ['video'],
  makes: 'video',
  options,
  video(_graph, streams, { options: { strength } }) {
    // Light has values from 16 to 235.
    const darker = filter('lutyuv', { y: \`16+(val-16)*\${(1 - strength).toFixed(3)}\` })
    return { video: through([pictureOf(streams)], [darker]), audio: streams.audio }
  },
})
`,
    test: `// ${name}: the contract of video adapters, and what it does to frames.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ${exported} } from '#adapters/transformers/${name}.ts'
import { videoAdapterContract } from '../../contract/video-adapter.ts'
import { clip, near, pixel, run, withFfmpeg } from '../../support/videos.ts'

videoAdapterContract(${exported})

test('frames have half the light', withFfmpeg, async () => {
  const input = await clip({ pattern: 'color=c=0xc0c0c0', tone: null })
  const { output } = await run(input, [{ adapter: ${exported}, options: { strength: 0.5 } }])
  const [red = 0] = await pixel(output.path, 0.5, 40, 40)
  assert.ok(near(red, 96, 4), String(red))
})
`,
  })
}

export function sound(name: string): Parts {
  const exported = exportedAs(name)
  const summary = 'Makes sound quieter.'
  return transformer({
    name,
    summary,
    defaults: '{ "decibels": 6 }',
    code: `// ${name}: makes sound quieter, alone or in a video.
import Type from 'typebox'
import { videoAdapter } from '#engine/adapter.ts'
import { gained } from '#media/graph/audio-ops.ts'
import { closed } from '../shared/picture-options.ts'
import { soundOf } from '../shared/video-options.ts'

const options = Type.Object(
  {
    decibels: Type.Number({ minimum: 0, maximum: 60, default: 6, description: 'How much quieter; 6 is half as loud.' }),
  },
  closed,
)

export const ${exported} = videoAdapter({
  name: '${name}',
  summary: '${summary}',
  accepts: ['audio', 'video'],
  makes: 'same',
  options,
  video: (_graph, streams, { options: { decibels } }) => ({
    video: streams.video,
    audio: gained(soundOf(streams, 'the recording'), -decibels),
  }),
})
`,
    test: `// ${name}: the contract of adapters that grow the graph, and what it does to sound.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ${exported} } from '#adapters/transformers/${name}.ts'
import { videoAdapterContract } from '../../contract/video-adapter.ts'
import { ffmpeg, near, run, tone, withFfmpeg } from '../../support/videos.ts'

videoAdapterContract(${exported}, { input: () => tone(1) })

const peakOf = async (path: string): Promise<number> =>
  Number(/max_volume: (-?[\\d.]+) dB/.exec(await ffmpeg('-i', path, '-af', 'volumedetect', '-f', 'null', '-'))?.[1])

test('a tone has as many decibels less as the option says', withFfmpeg, async () => {
  const input = await tone(1, 440, '.wav')
  const { output } = await run(input, [{ adapter: ${exported}, options: { decibels: 12 } }])
  assert.ok(near((await peakOf(input.path)) - (await peakOf(output.path)), 12, 0.5))
})
`,
  })
}
