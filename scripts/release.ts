// npm run release: makes everything that is published of one version, from a clean tree and the package registries alone.
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ARCHITECTURES, archive, stageArchive } from './release/archive.ts'
import { sectionOf } from './release/changelog.ts'
import { check } from './release/check.ts'
import { debian } from './release/debian.ts'
import { image, imageNeeds } from './release/image.ts'
import { manifest, pack, stagePackage, uncommitted } from './release/npm-package.ts'
import { run } from './release/run-program.ts'
import { untested } from './release/tested.mjs'
import { inRoot, root } from './setup/run.mjs'

const FORMS = ['npm', 'archive', 'deb', 'image', 'sbom'] as const
type Form = (typeof FORMS)[number]

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: FORMS.join() },
    to: { type: 'string', default: 'release' },
    'with-changes': { type: 'boolean', default: false },
    /** Tries what was made, as far as this machine can run it. */
    check: { type: 'boolean', default: false },
  },
})
const forms = values.only.split(',')
const unknown = forms.filter(form => !FORMS.includes(form as Form))
if (unknown.length > 0) stop(`There is no form "${unknown[0]}"; there are ${FORMS.join(', ')}.`)
const changes = uncommitted()
if (changes.length > 0 && !values['with-changes'])
  stop(`A release is made of what is committed. These are not:\n${changes.join('\n')}`)

const left = values['with-changes'] ? [] : untested()
if (left.length > 0)
  stop(
    `A release is made of what is tested. On this commit ${left.length} test files have not been green yet: "npm run test:all" runs them.`,
  )

const to = resolve(root, values.to)
const work = join(to, 'work')
const made: string[] = []
const wants = (form: Form): boolean => forms.includes(form)

rmSync(to, { recursive: true, force: true })
mkdirSync(work, { recursive: true })
const staged = join(work, 'package')
tell('compiling')
stagePackage(staged)
if (wants('npm')) done(pack(staged, to))
if (wants('archive') || wants('deb'))
  for (const arch of ARCHITECTURES) {
    const folder = join(work, `linux-${arch}`)
    tell(`installing for linux-${arch}`)
    stageArchive(staged, folder, arch)
    if (wants('archive')) done(archive(folder, to, arch, committedAt()))
    if (wants('deb')) done(debian(folder, to, arch, { seconds: committedAt(), work }))
  }
if (wants('image')) makeImage()
if (wants('sbom')) done(sbom())
done(written('CHANGELOG.md', sectionOf(manifest.version)))
written('SHA256SUMS', made.map(file => `${sha256(file)}  ${basename(file)}\n`).join(''))
rmSync(work, { recursive: true, force: true })
if (values.check) await check(to, tell)

/** It holds the archive that was made before it. */
function makeImage(): void {
  const needs = imageNeeds()
  if (needs === null && wants('archive')) done(image(to, work))
  else tell(`no image: it needs ${needs ?? 'the archive'}`)
}

/** CycloneDX, of what is shipped. */
function sbom(): string {
  const folder = join(work, 'sbom')
  cpSync(staged, folder, { recursive: true, filter: from => !from.includes('/docs') && !from.includes('/src') })
  const all = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--omit=dev', '--package-lock-only']
  return written(`keepsake-${manifest.version}.cdx.json`, run('npm', all, { cwd: folder }).stdout)
}

function written(name: string, text: string): string {
  const file = join(to, name)
  writeFileSync(file, text)
  return file
}

function done(file: string): void {
  made.push(file)
  tell(`${basename(file)}, ${(statSync(file).size / 1024 ** 2).toFixed(1)} MiB`)
}

/** Everything in an archive has the time of its commit. */
function committedAt(): string {
  return run('git', ['log', '-1', '--format=%ct'], { cwd: inRoot('.') }).stdout.trim()
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

function tell(line: string): void {
  process.stdout.write(`[release] ${line}\n`)
}

function stop(sentence: string): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}
