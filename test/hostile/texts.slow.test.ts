// Texts, files and headers made to cost much: whatever reads them takes at most twice the time for twice the length.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import MailComposer from 'nodemailer/lib/mail-composer'
import { validateDefaults } from '#configurations/options.ts'
import { lookupKey } from '#db/nouns/profiles-lookup.ts'
import { filledInPlace } from '#engine/placed.ts'
import { fillPlaceholders, withStandIns } from '#engine/placeholders.ts'
import { parseTemplate } from '#engine/template.ts'
import { sessionSecret } from '#http/hooks/guard.ts'
import { parseJson } from '#http/wire/json-body.ts'
import { boundaryOf, readParts } from '#http/wire/multipart-parser.ts'
import { Problem } from '#kit/errors.ts'
import { nestsDeeperThan, stableJson } from '#kit/json.ts'
import { mergePatch } from '#kit/merge-patch.ts'
import { plainHost } from '#kit/net/addresses.ts'
import { newOutbound } from '#kit/net/outbound.ts'
import { withDefaults } from '#kit/schema.ts'
import { newRedaction } from '#kit/secret/redaction.ts'
import { unstorableAt, withoutEnd } from '#kit/text.ts'
import { sniffHead } from '#media/file/sniff.ts'
import { readLoudness } from '#media/graph/loudness.ts'
import { isWhole } from '#media/picture/gif-check.ts'
import { reachesOut } from '#media/picture/svg.ts'
import { parseCube } from '#media/pixels/cube.ts'
import { drawQr } from '#media/pixels/qr.ts'
import { parameterSets, unitsOf } from '#media/probe/h264.ts'
import { ffmpegProblem } from '#media/process/ffmpeg-failure.ts'
import { coverageOf, familyOf, renamed } from '#media/text/sfnt.ts'
import { layOut, type Pen } from '#media/text/text-layout.ts'
import { commandText } from '#tasks/run/command-text.ts'
import { contentDisposition, urlPath, whyUnusable } from '../../src/adapters/delivery/delivery-options.ts'
import { quote } from '../../src/adapters/delivery/failure.ts'
import { adapterList } from '../../src/adapters/index.ts'
import { growsFaster } from '../support/growth.ts'

const KiB = 1024
/** What is worse than linear shows long before this; the long form goes to what is taken at most. */
const LONGEST = process.env.KEEPSAKE_HOSTILE === 'long' ? 1024 * KiB : 128 * KiB
const adapters = adapterList({ localRoot: null })
const outbound = newOutbound({ allowHosts: [] })
const compositor = adapters.get('photo_compositor')!
const httpPost = adapters.get('http_post')!
const sftpUpload = adapters.get('sftp_upload')!

/** [where it begins, what is repeated, where it ends]. */
type Poison = [begin: string, unit: string, end: string]

const units = [
  ' ',
  '\n',
  '\t',
  '\r\n',
  '{',
  '{{',
  '}}',
  '{{ ',
  '{{a}}',
  '{{a.b}}',
  '"',
  "'",
  '\\',
  '\\"',
  '%',
  '%2',
  'a@a.',
  'a',
  'a ',
  '1',
  ',',
  ';',
  '; ',
  ';a=',
  ':',
  '.',
  '..',
  '/',
  '../',
  '<',
  '<!--',
  '-->',
  '<?',
  '?>',
  '<!DOCTYPE ',
  'url(',
  'url( ',
  'href=',
  'href =',
  '[',
  '],',
  '[0,',
  '(',
  '=',
  '-',
  '\u0000',
  '\u200b',
  'e\u0301',
  '\u0316\u0301',
  '\ud800',
  '\u{1f600}',
  'Σ',
  'ß',
  '\ufffd',
  'Decoder ',
  'I: ',
]

const poisons: Poison[] = [
  ...units.map((unit): Poison => ['', unit, '']),
  ['{{', ' ', ''],
  ['{{', ' ', '}'],
  ['{{', ' a ', '}}'],
  ['{', '{ ', '}}'],
  ['<svg><style>url(', ' ', '#a'],
  ['<svg href', ' ', '="#a"'],
  ['<svg href="', ' ', '#a"'],
  ['<!DOCTYPE ', ' ', '<svg>'],
  ['<!DOCTYPE svg [', ' ', ']   <svg>'],
  ['<!DOCTYPE ', '[]', '<svg>'],
  ['<!--', ' ', '<svg>'],
  ['<?', '?', '<svg>'],
  ['"', 'a', ''],
  ['{"a":"', '\\', ''],
  ['{"a":[', '0,', '0]}'],
  [`{"${'k'.repeat(1000)}":[`, '0,', '0]}'],
  ['LUT_3D_SIZE', ' ', 'x'],
  ['LUT_3D_SIZE 2\n', '0 0 0\n', ''],
  ['https://', 'a.', 'example'],
  ['https://', 'ü', '.example'],
  ['https://', '%41', '.example'],
  ['https://x/', '../', ''],
  ['https://[', ':', ']/'],
  ['multipart/form-data', ';a="', ''],
  ['multipart/form-data; boundary="', 'a', ''],
  ['multipart/form-data', ' ', 'x'],
]

const madeOf = ([begin, unit, end]: Poison, size: number): string =>
  begin + unit.repeat(Math.max(1, Math.floor((size - begin.length - end.length) / unit.length))) + end

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')

async function readForm(text: string, chunk: number): Promise<void> {
  const whole = Buffer.from(text)
  const pieces = Array.from({ length: Math.ceil(whole.length / chunk) }, (_, i) =>
    whole.subarray(i * chunk, (i + 1) * chunk),
  )
  for await (const part of readParts(Readable.from(pieces), 'X')) for await (const _piece of part.body);
}

const inPart = (head: string, text: string): string => `--X\r\n${head}${text}\r\n\r\nbody\r\n--X--\r\n`

/** What reads text that somebody else wrote: its name, itself, and how long the text may be before it is read. */
const readers: [name: string, read: (text: string) => unknown, most?: number][] = [
  ['placeholders are found', withStandIns],
  ['placeholders are filled in', text => fillPlaceholders({ text }, { a: 'x', b: { c: 'y' } })],
  ['JSON is read', text => parseJson(text, 'extras')],
  ['JSON with a text in it', text => parseJson(JSON.stringify({ a: [text], [text]: 1 }))],
  [
    'JSON of many names',
    text => parseJson(JSON.stringify(Object.fromEntries([...text].map((c, i) => [c + i, c])))),
    4 * KiB,
  ],
  ['the depth of JSON', text => nestsDeeperThan(text, 32)],
  ['JSON in a fixed order', text => stableJson({ [text]: text })],
  ['a merge patch', text => mergePatch({ a: { b: 1 } }, { a: { [text]: text } })],
  ['what PostgreSQL takes', text => unstorableAt({ a: [text] })],
  ['ends that are cut off', text => [' ', '/', '=', '\ufffd'].map(sign => withoutEnd(text, sign))],
  ['a template', text => parseTemplate(compositor, compositor.template!, 'It', text)],
  [
    'a text in a template',
    text =>
      parseTemplate(
        compositor,
        compositor.template!,
        'It',
        JSON.stringify({ layers: [{ type: 'text', text, name: text }] }),
      ),
  ],
  ['the type of a form', boundaryOf, 64 * KiB],
  ['a form in one piece', text => readForm(text, 64 * KiB)],
  ['a form in small pieces', text => readForm(text, 1000)],
  ['the headers of a part', text => readForm(inPart('', text), 64 * KiB)],
  ['the name of a part', text => readForm(inPart('Content-Disposition: form-data; name="', text), 64 * KiB)],
  ['the parameters of a part', text => readForm(inPart('Content-Disposition: form-data', text), 64 * KiB)],
  [
    'the file name of a part',
    text => readForm(inPart("Content-Disposition: form-data; name=a; filename*=utf-8''", text), 64 * KiB),
  ],
  ['the body of a part', text => readForm(inPart('Content-Disposition: form-data; name=a\r\n\r\n', text), 64 * KiB)],
  ['a cookie', cookie => sessionSecret({ headers: { cookie } } as never)],
  ['a host', plainHost],
  ['an address', text => outbound.check(text)],
  ['the host of an address', text => outbound.check(`https://${text}/`)],
  ['the path of an address', text => outbound.check(`https://example.com/${text}`)],
  ['a look-up', text => lookupKey({ kind: 'email', value: text })],
  ['a key', text => whyUnusable({ file_prefix: text, file_name: text })],
  ['a key in an address', urlPath],
  ['a file name in a header', contentDisposition, 1024],
  ["a target's words", text => quote(text, words => words)],
  ['secrets in words', text => newRedaction(['secret', 'Bearer abc def', text.slice(0, 1000)]).text(text), 16 * KiB],
  ['secrets in an error', text => newRedaction(['secret']).error(new Problem('internal', text)), 64 * KiB],
  ['secrets in JSON', text => newRedaction(['secret']).json({ [text]: [text] }), 16 * KiB],
  [
    'placeholders in their places',
    text => filledInPlace(httpPost, { url: `https://example.com/{{a}}/${text}` }, { a: text }),
  ],
  ['placeholders in a folder', text => filledInPlace(sftpUpload, { path: `{{a}}/${text}` }, { a: text })],
  ['a command', text => commandText(['ffmpeg', text], new Map([['/a/b', '{input}']]))],
  ["ffmpeg's words", text => ffmpegProblem({ stderr: text, code: 1, signal: null }, 0)],
  ['the loudness', readLoudness],
  ['the kind of a file', text => sniffHead(Buffer.from(text)), 64 * KiB],
  ['an SVG', reachesOut],
  ['a look-up table', parseCube],
  ['the data of a QR code', data => drawQr(data, 100, { ecc: 'L', quiet: 4 }), 2953],
  ['the blocks of a GIF', text => isWhole(bytes(`GIF89a${'\0'.repeat(7)}${text}`))],
  ['the units of a packet', text => [1, 2, 4].map(size => unitsOf(bytes(text), size))],
  ['parameter sets', text => parameterSets(bytes(text))],
  ['the tables of a font', text => [coverageOf, familyOf].map(read => read(bytes(`\0\x01\0\0${text}`)))],
  ['a font with another name', text => renamed(bytes(`\0\x01\0\0${text}`), 'x')],
]

describe('twice the text takes twice the time at most', () => {
  for (const [name, read, most = LONGEST] of readers)
    test(name, async () => {
      for (const poison of poisons) {
        const grown = await growsFaster(read, size => madeOf(poison, size), Math.min(most, LONGEST))
        assert.equal(grown, null, `${name}: ${JSON.stringify(poison)} ${JSON.stringify(grown)}`)
      }
    })
})

describe('twice the text in the options of an adapter takes twice the time at most', () => {
  for (const adapter of adapters.values())
    test(adapter.name, async () => {
      const keys = Object.entries(adapter.options.properties)
        .filter(([, schema]) => JSON.stringify(schema).includes('"string"'))
        .map(([key]) => key)
      const plain = withDefaults(adapter.options, {})
      // As when a configuration is saved: only what fits the schema is looked at as a whole.
      const judge = (text: string): void => {
        for (const key of keys)
          for (const value of [text, [text], { [text.slice(0, 100)]: text }])
            if (validateDefaults(adapter, { [key]: value }).length === 0)
              adapter.review?.({ ...plain, [key]: value } as never, new Set())
      }
      for (const poison of poisons) {
        const grown = await growsFaster(judge, size => madeOf(poison, size), LONGEST / 4)
        assert.equal(grown, null, `${adapter.name}: ${JSON.stringify(poison)} ${JSON.stringify(grown)}`)
      }
    })
})

describe('twice the text in a mail takes twice the time at most', () => {
  const mails: [name: string, mail: (text: string) => object, most: number][] = [
    ['to', text => ({ to: text }), 4096],
    ['from', text => ({ from: text }), 512],
    ['subject', text => ({ subject: text }), 998],
    ['text', text => ({ text }), 100_000],
    ['html', text => ({ html: text }), 500_000],
    ['the name of the file', text => ({ attachments: [{ filename: text, content: 'x' }] }), 255],
  ]
  for (const [name, mail, most] of mails)
    test(name, async () => {
      const compose = async (text: string): Promise<void> => {
        const message = new MailComposer({ from: 'a@example.org', to: 'b@example.org', ...mail(text) }).compile()
        message.getEnvelope()
        await message.build()
      }
      for (const poison of poisons) {
        const grown = await growsFaster(compose, size => madeOf(poison, size), Math.min(most, LONGEST))
        assert.equal(grown, null, `${name}: ${JSON.stringify(poison)} ${JSON.stringify(grown)}`)
      }
    })
})

test('a long text is measured a few times as a whole, not once for each of its words', async () => {
  // All of it stands in one line, if need be.
  const WIDE = 20_000
  const measured = async (text: string, overflow: 'wrap' | 'shrink' | 'ellipsis'): Promise<number> => {
    let characters = 0
    const wide = (line: string): number => {
      characters += line.length
      return line.trim().length * 0.5
    }
    const pen: Pen = {
      guess: async line => wide(line),
      width: async (line, size) => wide(line) * size,
      share: async (lines, size) => {
        const widest = Math.max(...lines.map(line => wide(line) * size))
        return Math.min(1, WIDE / widest, 300 / (lines.length * 1.2 * size))
      },
    }
    await layOut(text, { width: WIDE, height: 300 }, { sizeMax: 40, sizeMin: 1, overflow }, pen)
    return characters
  }
  for (const unit of ['a ', 'a', '!', 'a-', '\n', 'a\n', '漢', 'ไทย', 'e\u0301', '\u200b', '\u{1f600}', '. '])
    for (const overflow of ['wrap', 'shrink', 'ellipsis'] as const) {
      const half = await measured(unit.repeat(2_500 / unit.length), overflow)
      const whole = await measured(unit.repeat(5_000 / unit.length), overflow)
      assert.ok(whole < 3 * half + 10_000, `${JSON.stringify(unit)} ${overflow}: ${half} and ${whole} characters`)
    }
})

test('a long value that is named often makes no endless text', () => {
  const filled = () => fillPlaceholders({ text: '{{a}}'.repeat(20_000) }, { a: 'x'.repeat(200_000) })
  assert.throws(filled, { code: 'bad_options', message: /longer than 2000000 characters/ })
})

test('a font whose tables lie over each other is refused', () => {
  const font = Buffer.alloc(300_000)
  const tables = 900
  font.writeUInt32BE(0x00010000, 0)
  font.writeUInt16BE(tables, 4)
  for (let i = 0; i < tables; i++) {
    font.write(i === 0 ? 'cmap' : 'aaaa', 12 + i * 16, 'latin1')
    font.writeUInt32BE(i === 0 ? 100_000 : 0, 12 + i * 16 + 8)
    font.writeUInt32BE(i === 0 ? 200_000 : font.length, 12 + i * 16 + 12)
  }
  const cmap = font.subarray(100_000)
  const records = 12_000
  cmap.writeUInt16BE(records, 2)
  for (let i = 0; i < records; i++) {
    const at = 100_000 + (i % 1_000) * 16
    cmap.writeUInt32BE(at, 4 + i * 8 + 4)
    cmap.writeUInt16BE(12, at)
    cmap.writeUInt32BE(7_000, at + 12)
  }
  assert.throws(() => coverageOf(font), /too many ranges/)
  assert.throws(() => renamed(font, 'x'), /larger than the font/)
})
