// docs/design.md against the code: the files, folders, tables and packages that it names are those that there are.
import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { page, pages, root, rowsOf } from '../support/markdown.ts'

const { text } = page('docs/design.md')
const section = (title: string): string => text.split(/^## /m).find(part => part.startsWith(`${title}\n`)) ?? ''
const own: Record<string, Record<string, string>> = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))

/** Which folders of src load a package, types included. */
function loadersOf(name: string): string[] {
  const loads = new RegExp(`(?:from|import|import\\(|resolve\\()\\s*'${name}(?:/[^']*)?'`)
  const files = globSync('src/**/*.ts', { cwd: root }).filter(file => loads.test(readFileSync(root + file, 'utf8')))
  // The composition roots hand over what belongs to others.
  return [...new Set(files.map(file => /^src\/(\w+)\//.exec(file)?.[1] ?? ''))].filter(folder => folder !== '').sort()
}

const packages = rowsOf(section('What it depends on'))
  .filter(([name = '']) => name.startsWith('`'))
  .map(([name = '', why = '', owner = '']) => ({
    name: name.replaceAll('`', ''),
    why,
    owners: owner.split(', ').sort(),
  }))

test('every run-time dependency has its row, and every row its dependency', () => {
  assert.deepEqual(packages.map(({ name }) => name).sort(), Object.keys(own.dependencies ?? {}).sort())
  for (const name of Object.keys(own.optionalDependencies ?? {})) assert.ok(text.includes(`\`${name}\``), name)
})

test('a dependency is loaded by the folders that own it, and by no other', () => {
  const said = Object.fromEntries(packages.map(({ name, owners }) => [name, owners]))
  const found = Object.fromEntries(packages.map(({ name }) => [name, loadersOf(name)]))
  assert.deepEqual(found, said)
})

test('every folder of src is in the table of parts', () => {
  const named = [...section('The parts').matchAll(/`src\/(\w+)`/g)].map(([, folder]) => folder)
  const there = readdirSync(`${root}src`, { withFileTypes: true }).filter(entry => entry.isDirectory())
  assert.deepEqual(named.sort(), there.map(({ name }) => name).sort())
})

test('every folder of src has a suite, and every suite that is named exists', () => {
  const page = readFileSync(`${root}CONTRIBUTING.md`, 'utf8')
  const rows = page.match(/^\| `\w+`.*`test\/.*\|$/gm) ?? []
  const folders = rows.flatMap(row => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
  const there = readdirSync(`${root}src`, { withFileTypes: true }).filter(entry => entry.isDirectory())
  assert.deepEqual(
    folders.sort(),
    there.map(({ name }) => name),
  )
  const suites = [...page.matchAll(/(?<=[` ])test\/[\w./-]+/g)].map(([path]) => path)
  assert.deepEqual(
    suites.filter(path => !existsSync(root + path)),
    [],
  )
})

test('every source file that the docs name exists', () => {
  const wrong = pages
    .filter(({ file }) => file === 'CONTRIBUTING.md' || /^docs\/(?:design|decisions)/.test(file))
    .flatMap(({ file, prose }) =>
      [...prose.matchAll(/`((?:src|test|scripts|bench|migrations)?\/?[\w/-]+\.(?:ts|mjs|sql))`/g)]
        .map(([, path = '']) => path)
        .filter(
          path => ![path, `src/${path}`, `src/engine/${path}`, `test/${path}`].some(each => existsSync(root + each)),
        )
        .map(path => `${file}: ${path}`),
    )
  assert.deepEqual(wrong, [])
})

test('every table of the database is told of, and every table told of is there', () => {
  const sql = globSync('migrations/*.sql', { cwd: root })
    .map(file => readFileSync(root + file, 'utf8'))
    .join('\n')
  const there = [...sql.matchAll(/^create table (\w+)/gm)].map(([, name]) => name as string)
  const data = section('The data')
  const drawn = [...data.matchAll(/^ {2}(\w+) [|}o-]+[|{o-]+ (\w+) :/gm)].flatMap(([, left = '', right = '']) => [
    left,
    right,
  ])
  assert.deepEqual(
    [...new Set(drawn)].filter(name => !there.includes(name)),
    [],
  )
  assert.deepEqual(
    there.filter(name => !drawn.includes(name) && !data.includes(`\`${name}\``)),
    [],
  )
})

test('the states that are drawn are those of the database', () => {
  const sql = readFileSync(`${root}migrations/0001_init.sql`, 'utf8')
  const allowed = (name: string): string[] => {
    const [, list = ''] = new RegExp(`create table ${name} \\([\\s\\S]*?status in \\(([^)]*)\\)`).exec(sql) ?? []
    return [...list.matchAll(/'(\w+)'/g)].map(([, state = '']) => state).sort()
  }
  const drawn = [...section('States').matchAll(/```mermaid\n([\s\S]*?)```/g)].map(([, code = '']) =>
    [...new Set([...code.matchAll(/(?:^ *|--> )([A-Z]\w+)(?= -->|:|$)/gm)].map(([, state = '']) => state))].sort(),
  )
  assert.deepEqual(drawn, [allowed('tasks'), allowed('entries')])
})
