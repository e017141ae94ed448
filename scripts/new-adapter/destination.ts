// What a new destination begins as: it puts files to a web address, with credentials, a check, and a way back.
import type { Parts } from '../new-adapter.ts'
import { exportedAs } from './transformers.ts'

export function destination(name: string): Parts {
  const exported = exportedAs(name)
  const bed = `${exported}Bed`
  const beds = 'test/support/beds.ts'
  return {
    files: {
      [`src/adapters/destinations/${name}.ts`]: codeOf(name, exported),
      [`docs/adapters/${name}.md`]: pageOf(name),
      [`test/adapters/destinations/${name}.test.ts`]: testOf(name, bed),
    },
    lines: [
      {
        file: 'src/adapters/index.ts',
        before: "import { transformers } from './transformers.ts'",
        text: `import { ${exported} } from './destinations/${name}.ts'`,
      },
      {
        file: 'src/adapters/index.ts',
        behind: 'const destinations = (localRoot: string | null): Adapter[] => [',
        text: `  ${exported},`,
      },
      {
        file: beds,
        before: "import type { Bed } from '../contract/destination.ts'",
        text: `import { ${exported} } from '#adapters/destinations/${name}.ts'`,
      },
      { file: beds, before: 'export interface Beds {', text: bedOf(bed, exported) },
      { file: beds, before: '    postBed(),', text: `    ${bed}(),` },
      {
        file: 'test/chaos/deliveries.slow.test.ts',
        behind: 'const destinations: Destination[] = [',
        text: `  { name: '${name}', bytes: 30 * MiB, middle: 30 * MiB, knows: true },`,
      },
      {
        file: 'test/docs/failures.test.ts',
        behind: 'const destinations: Record<string, Sources> = {',
        text: `  ${name}: { files: [...web, naming], never: unheard },`,
      },
    ],
    next: [
      `Speak the target's own language in src/adapters/destinations/${name}.ts.`,
      `Put a real target behind ${bed} in test/support/beds.ts, and say in its test what the destination promises.`,
      'Correct its line in test/chaos/deliveries.slow.test.ts: how large a file is killed, and whether the next attempt knows.',
      `List in docs/adapters/${name}.md every sentence it can fail with, run \`npm run docs\`, and add a line to CHANGELOG.md.`,
    ],
  }
}

const summary = 'Puts the file to a web address under a name of its own.'

const codeOf = (
  name: string,
  exported: string,
): string => `// ${name}: puts the file to a web address under a name of its own.
import Type, { type Static } from 'typebox'
import { type DeliveryStep, destinationAdapter } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import type { OutboundRequest } from '#kit/net/outbound.ts'
import { withoutEnd } from '#kit/text.ts'
import { newMeter, wholeFile } from '../delivery/bytes.ts'
import { newProbe, tried } from '../delivery/check-lines.ts'
import { keyOf, naming, patience, urlPath, visible } from '../delivery/delivery-options.ts'
import { answered, quote, refused } from '../delivery/failure.ts'
import { reviewNaming } from '../delivery/review.ts'

const options = Type.Object(
  {
    url: Type.String({
      description: 'Address below which files are put.',
      placeholders: 'url',
      pattern: '^https?://[^/]+',
      maxLength: 2048,
      examples: ['https://files.example.com/event'],
    }),
    ...naming,
    ...patience,
  },
  { additionalProperties: false },
)

const auth = Type.Object(
  { token: Type.String({ description: 'Sent as a bearer token.', minLength: 1, maxLength: 4096, pattern: visible }) },
  { additionalProperties: false },
)

type Step = DeliveryStep<Static<typeof options>, Static<typeof auth>>

export const ${exported} = destinationAdapter({
  name: '${name}',
  summary: '${summary}',
  accepts: ['image', 'video', 'audio', 'file'],
  makes: 'same',
  options,
  auth,
  target: ['url'],
  addresses: ['url'],
  ownWords: ['file_key', 'url'],
  review: reviewNaming,

  async deliver(input, step) {
    const key = keyOf(step.options)
    const meter = newMeter(input.bytes, step.progress)
    await call(step, addressOf(step, key), 'PUT', wholeFile(input, meter.add), input.mime)
    meter.set(input.bytes)
    return { file_key: key, url: addressOf(step, key) }
  },

  async retract(delivered, step) {
    if (typeof delivered.url !== 'string') throw new Problem('internal', 'That is no result of ${name}.')
    await call(step, delivered.url, 'DELETE')
  },

  async *check(step) {
    const { name, content, mime } = newProbe()
    const url = addressOf(step, keyOf({ file_prefix: step.options.file_prefix, file_name: name }))
    const written = await tried('Write a file', async () => {
      await call(step, url, 'PUT', content, mime)
      return 'A small file was put there.'
    })
    yield written
    if (!written.ok) return
    yield await tried('Read it back', async () => {
      if ((await call(step, url, 'GET')) !== content.toString())
        throw refused('What came back differs from what was written')
      return 'The same bytes came back.'
    })
    yield await tried('Delete it', async () => {
      await call(step, url, 'DELETE')
      return 'The small file is gone again.'
    })
  },
})

const addressOf = ({ options }: Step, key: string): string => \`\${withoutEnd(options.url, '/')}/\${urlPath(key)}\`

async function call(
  { auth, outbound, signal, clean }: Step,
  url: string,
  method: string,
  body?: OutboundRequest['body'],
  mime?: string,
): Promise<string> {
  const answer = await outbound.request(url, {
    method,
    headers: { authorization: \`Bearer \${auth.token}\`, ...(mime && { 'content-type': mime }) },
    ...(body && { body }),
    signal,
  })
  const words = await answer.text()
  const isGone = method === 'DELETE' && answer.status === 404
  if (answer.status < 300 || isGone) return words
  throw answered(new URL(url).host, answer.status, answer.headers, quote(words, clean))
}
`

const bedOf = (bed: string, exported: string): string => `export async function ${bed}(): Promise<Bed> {
  const files = new Map<string, Buffer>()
  const store = await startReceiver({
    async raw(request: IncomingMessage, response) {
      const chunks: Buffer[] = []
      try {
        for await (const chunk of request as AsyncIterable<Buffer>) if (chunks.length < 10_000) chunks.push(chunk)
      } catch {
        return // Cut off: nothing of it is kept.
      }
      const { method, url = '', headers } = request
      if (headers.authorization !== 'Bearer right-token-right') return void response.writeHead(401).end('who are you?')
      if (method === 'PUT') files.set(url, Buffer.concat(chunks))
      const file = files.get(url)
      if (method === 'DELETE') files.delete(url)
      response.writeHead(file ? 200 : 404).end(method === 'GET' ? file : undefined)
    },
  })
  const proxy = await startProxy({ port: store.port })
  return {
    adapter: ${exported},
    options: { url: \`http://127.0.0.1:\${proxy.port}/event\`, file_prefix: 'day 1/' },
    auth: { token: 'right-token-right' },
    proxy,
    delivered: async () => [...files.values()],
    clear: async () => files.clear(),
    async stop() {
      await proxy.stop()
      await store.stop()
    },
  }
}
`

const testOf = (
  name: string,
  bed: string,
): string => `// ${name} against a store of its own: the contract of destinations.
import { destinationContract } from '../../contract/destination.ts'
import { ${bed} } from '../../support/beds.ts'

destinationContract('${name}', ${bed}, {
  afterLostAnswer: 'one',
  retracts: true,
  large: true,
  resumes: false,
  refusals: [
    {
      title: 'a wrong token',
      with: () => ({ auth: { token: 'wrong-token-wrong' } }),
      says: /^127\\.0\\.0\\.1:\\d+ refused our credentials \\(401\\)/,
    },
  ],
})
`

const pageOf = (name: string): string => `# ${name}

${summary}

\`\`\`json
{
  "configuration_name": "event-${name.slice(0, name.indexOf('_'))}",
  "experience_id": "summer-party",
  "adapter_name": "${name}",
  "adapter_config": {
    "auth": { "token": "the-token" },
    "defaults": { "url": "https://files.example.com/event" }
  }
}
\`\`\`

The result in the callback is \`file_key\`, \`url\` and \`activity\`. \`url\` cannot be changed by \`extras\`, and only together with the [secret](README.md#where-secrets-go).

## Options

<!-- made: options -->

<!-- /made -->

## When it fails

| sentence | what to do |
|---|---|
| file_prefix and file_name together must make a usable name: … | Names have 1 to 1,024 bytes, no control characters, no \`.\` or \`..\` as a folder. |
| Could not connect to HOST: … / The request to HOST failed: … / The answer of HOST broke off: … / HOST could not take the file just now (503): … | Tried again by itself, \`delivery_attempts\` times. |
| Could not connect to HOST: the name is not known, or leads to an address that may not be reached (KEEPSAKE_ALLOW_HOSTS lists exceptions). | Tried again by itself. Look at its spelling; one in a private network needs \`KEEPSAKE_ALLOW_HOSTS\`. Which of the two it is stands in the log. |
| HOST takes no more for now (429): … | Waits by itself as long as it is asked to, a minute otherwise. |
| HOST refused our credentials (401): … / HOST does not allow this with our credentials (403): … | Correct \`auth\`. |
| HOST knows no such place (404): … | Correct the address, or what lies there. |
| HOST refused the file (400): … / The file is too large for HOST (413): … | The words behind it are the target's own. |
| HOST redirects elsewhere (302), which is not followed: … | Set the address it leads to. |
| HOST is a private, local or reserved address, which may not be reached. KEEPSAKE_ALLOW_HOSTS lists exceptions. / Only HTTPS is accepted; http://HOST is not. KEEPSAKE_ALLOW_HOSTS lists exceptions. | Use a public HTTPS address, or have the operator list the host. |
| The delivery took longer than the N s that one entry may take (KEEPSAKE_MAX_ENTRY_SECONDS). | Deliver smaller files, or have the operator raise the limit. |

## Never twice

The name is the same on every attempt, so a repeated one overwrites itself.

## Taking back and checking

Taking back deletes the file. The check puts a small file, reads it back and deletes it.
`
