// Every sentence that a destination can fail with stands on its page, in the table "When it fails".
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const textOf = (path: string): string => readFileSync(`${root}${path}`, 'utf8')

const socket = 'src/kit/net/dial.ts'
const web = [socket, 'src/kit/net/outbound.ts', 'src/kit/net/answer.ts', 'src/adapters/delivery/failure.ts']
const google = [...web, 'src/adapters/delivery/google.ts', 'src/adapters/delivery/resumable.ts']
const naming = 'src/adapters/delivery/delivery-options.ts'
const headers = 'src/adapters/delivery/header-names.ts'

interface Sources {
  /** Where its sentences come from, beside its own file. */
  files: string[]
  /** Sentences of these files that it cannot come to. */
  never: RegExp
}

const unheard = /^(X gave no answer within|The answer of X is (too large|not JSON))/

const destinations: Record<string, Sources> = {
  s3_upload: {
    files: [
      ...web,
      naming,
      headers,
      ...['s3', 's3-parts', 's3-unfinished'].map(file => `src/adapters/delivery/${file}.ts`),
    ],
    // It has no option `headers`; only the names of its metadata are held to the rules of headers.
    never: /^(X gave no answer within|The answer of X is (too large|not JSON)|headers\.X holds characters)/,
  },
  youtube_upload: { files: google, never: /^The private_key of the service account/ },
  gcs_upload: {
    files: [...google, naming],
    never: /^X (takes no more uploads of|no longer knows the upload|does not know the client)/,
  },
  azure_blob_upload: { files: [...web, naming, 'src/adapters/delivery/azure.ts'], never: unheard },
  sftp_upload: { files: [socket, naming, 'src/adapters/delivery/sftp.ts'], never: /^$/ },
  http_post: {
    files: [...web, headers, ...['intent', 'doubt'].map(file => `src/adapters/delivery/${file}.ts`)],
    never: unheard,
  },
  email_send: {
    files: [socket, 'src/adapters/delivery/smtp.ts', 'src/adapters/delivery/intent.ts'],
    never: /^$/,
  },
  print_ipp: {
    files: [...web, ...['choose', 'job', 'print-page', 'printer'].map(file => `src/adapters/printing/${file}.ts`)],
    never: /^The answer of X is (too large|not JSON)/,
  },
  message_send: {
    files: [
      ...web,
      headers,
      ...['intent', 'doubt', 'twilio', 'quiet-hours'].map(file => `src/adapters/delivery/${file}.ts`),
    ],
    never: /^$/,
  },
  local_file: { files: [naming], never: /^$/ },
}

/** Of the checks, of mistakes of our own, and of other uses of the same code: no delivery fails with these. */
const apart =
  /^(What came back differs|A guest who opens|That is no result of|The sign-in does not allow|The account has no|There is no playlist|Only https:|That is not a valid URL|A URL may (?:not hold|have)|The service is stopping|The connection was closed|The file to download|The download is|X answered the download|X redirects to something|Could not connect to X: the name has)/

/** Printers alone are believed by the fingerprint of their certificate. */
const ofPrinters = /and its fingerprint X is not listed$/
const isNever = (name: string, sentence: string): boolean => name !== 'print_ipp' && ofPrinters.test(sentence)

for (const [name, { files, never }] of Object.entries(destinations)) {
  test(`the page of ${name} lists every sentence it can fail with, and no other`, () => {
    const listed = listedOn(textOf(`docs/adapters/${name}.md`))
    const paths = [`src/adapters/destinations/${name}.ts`, 'src/tasks/run/run-destination.ts', ...files]
    const said = paths
      .flatMap(path => sentencesIn(textOf(path)))
      .filter(each => !apart.test(each) && !never.test(each) && !isNever(name, each))
    const patterns = said.map(sentence => new RegExp(`^${sentence.split('X').map(escaped).join('.+')}$`))
    const missing = said.filter((_sentence, index) => !listed.some(text => patterns[index]?.test(text)))
    assert.deepEqual([...new Set(missing)], [], 'missing on the page')
    const idle = listed.filter(text => !patterns.some(pattern => pattern.test(text)))
    assert.deepEqual(idle, [], 'listed, but nobody says so')
  })
}

/** The first column of the table; ` / ` parts several sentences with one remedy. */
function listedOn(page: string): string[] {
  const [, below = ''] = page.split('## When it fails')
  const rows = [...(below.split('\n## ')[0] ?? '').matchAll(/^\| (.+?) \| .+ \|$/gm)].slice(1)
  return rows.flatMap(([, cell = '']) => cell.split(' / ')).map(bare)
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Without what may follow: the target's own words, or the full stop. */
const bare = (sentence: string): string =>
  sentence
    .replaceAll('`', '')
    .replace(/\.$/, '')
    .replace(/: […X]$/, '')

/** The sentences that the code can fail with; `X` stands for what is put into them. */
function sentencesIn(source: string): string[] {
  const calls =
    /(?:\b(?:refused|unreachable|outOfQuota|outcomeUnknown|blocked|Unreachable)|new Problem)\(\s*(?:'(\w+)',\s*)?(?=['`"])/g
  const ofOptions = /\bbadOption\(\s*(?:'([^']*)'|`([^`]*)`|\w+),\s*(?=['`"])/g
  return [
    ...[...source.matchAll(calls)]
      .filter(([, code]) => code !== 'internal')
      .map(({ 0: call, index }) => bare(stringAt(source, index + call.length))),
    ...[...source.matchAll(ofOptions)].map(({ 0: call, 1: plain, 2: template, index }) => {
      const field = plain ?? template?.replace(/\$\{[^}]*\}/g, 'X') ?? 'X'
      return bare(`${field} ${stringAt(source, index + call.length)}`)
    }),
  ].filter(sentence => sentence.includes(' ')) // A code whose sentence is no literal: whoever makes it is read too.
}

function stringAt(source: string, start: number): string {
  const quote = source[start]
  let text = ''
  for (let at = start + 1; source[at] !== quote; at++) {
    if (source[at] === '\\') text += source[++at]
    else if (quote === '`' && source.startsWith('${', at)) {
      at = endOfExpression(source, at + 2)
      text += 'X'
    } else text += source[at]
  }
  return text
}

/** Where the brace closes that an expression in a template began with; strings inside it are skipped. */
function endOfExpression(source: string, start: number): number {
  for (let at = start, depth = 0; ; at++) {
    const sign = source[at] ?? ''
    if (sign === '}' && depth-- === 0) return at
    if (sign === '{') depth++
    if ('\'`"'.includes(sign)) {
      for (at++; source[at] !== sign; at++) {
        if (source[at] === '\\') at++
        else if (sign === '`' && source.startsWith('${', at)) at = endOfExpression(source, at + 2)
      }
    }
  }
}
