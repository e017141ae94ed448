// Begins an adapter that ships with Keepsake: `npm run new:adapter NAME` makes its file, list entry, page, test and contract case.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { destination } from './new-adapter/destination.ts'
import { picture, sound, video } from './new-adapter/transformers.ts'

/** What a new adapter consists of. */
export interface Parts {
  /** New files by their paths. */
  files: Record<string, string>
  /** Lines that are put before, or behind, a line of a file that is there. */
  lines: { file: string; before?: string; behind?: string; text: string }[]
  /** Where to go on. */
  next: string[]
}

const root = fileURLToPath(new URL('../', import.meta.url))

const usage = `npm run new:adapter NAME

NAME is made of two or more words of small letters and digits with _ between them. Its first word decides the form:
photo_… works on pixels, video_… and audio_… on streams, any other is a destination (WHERE_upload, WHERE_send).`

function fail(sentence: string): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

function checkName(name: string | undefined): string {
  if (name === undefined || name === '--help') fail(usage)
  if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)+$/.test(name) || name.length > 64)
    fail(`"${name}" cannot be the name of an adapter.\n\n${usage}`)
  const taken = ['transformers', 'destinations'].map(kind => `src/adapters/${kind}/${name}.ts`)
  const found = [...taken, `docs/adapters/${name}.md`].find(file => existsSync(join(root, file)))
  if (found) fail(`There is an adapter "${name}" already: ${found}.`)
  return name
}

function partsOf(name: string): Parts {
  const word = name.slice(0, name.indexOf('_'))
  if (word === 'photo') return picture(name)
  if (word === 'video') return video(name)
  return word === 'audio' ? sound(name) : destination(name)
}

function inserted(content: string, { file, before, behind, text }: Parts['lines'][number]): string {
  const lines = content.split('\n')
  const at = lines.findIndex(line => line === (before ?? behind))
  if (at < 0) fail(`${file} has no line "${before ?? behind}", which a new adapter is put beside.`)
  return lines.toSpliced(behind === undefined ? at : at + 1, 0, text).join('\n')
}

function run(program: string, ...args: string[]): void {
  const { status, stderr, stdout } = spawnSync(program, args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) fail(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`)
}

const name = checkName(process.argv[2])
const { files, lines, next } = partsOf(name)
const contents = new Map(Object.entries(files))
for (const line of lines)
  contents.set(line.file, inserted(contents.get(line.file) ?? readFileSync(join(root, line.file), 'utf8'), line))
// Nothing is written before all of it is known to fit.
for (const [file, text] of contents) writeFileSync(join(root, file), text)
const written = [...contents.keys()]
// Sorts imports and lists of names, and breaks lines where the house style does. The linter, which reads the whole project, is left to
// `npm run lint`.
const biome = join(root, 'node_modules/.bin/biome')
run(biome, 'check', '--write', '--linter-enabled=false', ...written.filter(file => !file.endsWith('.md')))
run(process.execPath, join(root, 'scripts/docs.mjs'))
process.stdout.write(`Made ${name}:\n${written.map(file => `  ${file}`).join('\n')}
  README.md and docs/adapters/README.md, by \`npm run docs\`

It works, and does next to nothing. Go on:
${next.map((step, index) => `  ${index + 1}. ${step}`).join('\n')}
The contract is told in docs/adapters/writing.md.
`)
