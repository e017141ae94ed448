// Imports are found where Node finds them. Packages joined into one file are loaded in place of their many, by the project alone, and only while nothing else was installed.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const own = 'src/kit/fast-imports.ts'
let folder: string

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

/** A project whose package `many` has been joined, and another one beside it. */
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-joined-'))
  for (const project of ['project', 'other']) {
    put(`${project}/package.json`, '{ "type": "module" }')
    put(`${project}/node_modules/many/package.json`, '{ "name": "many", "exports": "./index.js" }')
    put(`${project}/node_modules/many/index.js`, `export default 'its many files in ${project}'`)
    put(`${project}/src/asks.ts`, `import many from 'many'\nconsole.log(many)`)
  }
  put('project/node_modules/.cache/joined/many.mjs', `export default 'one file'`)
  cpSync(join(root, own), join(folder, 'project', own))
})
after(() => rmSync(folder, { recursive: true, force: true }))

interface Asked {
  list: string
  installed?: string
  by?: string
}

function loads({ list, installed = INSTALLED, by = 'project' }: Asked): string {
  put('project/node_modules/.package-lock.json', installed)
  put('project/node_modules/.cache/joined/list.json', list)
  const args = [`--import=${join(folder, 'project', own)}`, join(folder, by, 'src/asks.ts')]
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 })
  assert.equal(stderr, '')
  return stdout.trim()
}

const INSTALLED = 'many 1.0.0, and what it needs 1.0.0'
const list = JSON.stringify({
  installed: createHash('sha256').update(INSTALLED).digest('hex'),
  files: { many: 'many.mjs' },
})

test('the project loads the one file', () => assert.equal(loads({ list }), 'one file'))

test('whoever lies outside the project loads its own package', () =>
  assert.equal(loads({ list, by: 'other' }), 'its many files in other'))

test('where something was installed since, also what a package needs, it is loaded itself', () =>
  assert.equal(loads({ list, installed: INSTALLED.replace(/1\.0\.0$/, '1.0.1') }), 'its many files in project'))

test('a joined package exports what the package itself does', async () => {
  const { files } = JSON.parse(readFileSync(join(root, 'node_modules/.cache/joined/list.json'), 'utf8'))
  // A process of its own: this one may load the joined ones itself.
  const tell = `const all = {}
    for (const name of process.argv.slice(1)) all[name] = Object.keys(await import(name))
    console.log(JSON.stringify(all))`
  const args = ['--input-type=module', '-e', tell, ...Object.keys(files)]
  const itself = JSON.parse(spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', timeout: 60_000 }).stdout)
  for (const [specifier, file] of Object.entries<string>(files)) {
    const one = Object.keys(await import(pathToFileURL(join(root, 'node_modules/.cache/joined', file)).href))
    const names = itself[specifier].filter((name: string) => name !== 'module.exports')
    assert.ok(names.length > 0, specifier)
    assert.deepEqual(one.sort(), names.sort(), specifier)
  }
})

test('every way into a joined package is joined: there are no two copies of one in a process', () => {
  const { files } = JSON.parse(readFileSync(join(root, 'node_modules/.cache/joined/list.json'), 'utf8'))
  const places = ['src/**/*.ts', 'test/**/*.ts', 'node_modules/@fastify/type-provider-typebox/dist/**/*.{js,mjs,cjs}']
  const used = globSync(places, { cwd: root }).flatMap(file =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import|require)\s?\(?['"]([^'"\n]+)['"]/g)].map(
      ([, specifier = '']) => specifier,
    ),
  )
  const packageOf = (specifier: string): string => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? ''
  const packages = new Set(Object.keys(files).map(packageOf))
  const inside = used.filter(specifier => packages.has(packageOf(specifier)))
  assert.ok(inside.length > 100, 'they are found')
  assert.deepEqual(
    [...new Set(inside)].filter(specifier => !Object.hasOwn(files, specifier)),
    [],
  )
})
