// Every adapter has its file, its line in the list, its page, its test and its contract case; nothing of them is left over.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import { adapterList } from '#adapters/index.ts'
import { transformers } from '#adapters/transformers.ts'
import { type Adapter, formOf, isDestination } from '#engine/adapter.ts'
import { root } from '../support/markdown.ts'
import { pictureCases } from '../support/picture-cases.ts'
import { newFolder } from '../support/pictures.ts'

const all = adapterList({ localRoot: null })
const destinations = [...all.values()].filter(isDestination)
const kinds: [kind: string, listed: string[], shared: string[]][] = [
  ['transformers', [...transformers.keys()], []],
  // Tests of what all destinations have in common.
  ['destinations', destinations.map(({ name }) => name), ['failures']],
]

const named = (pattern: string, ending: string): string[] =>
  globSync(pattern, { cwd: root }).map(file => basename(file, ending))
const exported = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
/** Those of `npm test` and the slow ones. */
const testsOf = (kind: string, name: string): string[] =>
  globSync(`${root}test/adapters/${kind}/${name}{,.slow}.test.ts`)
const testOf = (kind: string, name: string): string =>
  testsOf(kind, name)
    .map(file => readFileSync(file, 'utf8'))
    .join('\n')

for (const [kind, listed, shared] of kinds) {
  const expected = listed.toSorted()

  test(`${kind}: every file is in the list, and exports its adapter by its own name`, async () => {
    assert.deepEqual(named(`src/adapters/${kind}/*.ts`, '.ts').sort(), expected)
    for (const name of listed) {
      const module = (await import(`#adapters/${kind}/${name}.ts`)) as Record<
        string,
        Adapter | ((root: null) => Adapter)
      >
      const found = module[exported(name)]
      const adapter = typeof found === 'function' ? found(null) : found
      assert.equal(adapter?.name, name)
    }
  })

  test(`${kind}: each has a page`, () => {
    const pages = named('docs/adapters/*.md', '.md').filter(name => all.has(name))
    assert.deepEqual(pages.filter(name => listed.includes(name)).sort(), expected)
  })

  test(`${kind}: each has a test that is named like it`, () => {
    const tests = named(`test/adapters/${kind}/*.test.ts`, '.test.ts').map(name => name.replace(/\.slow$/, ''))
    assert.deepEqual([...new Set(tests)].filter(name => !shared.includes(name)).sort(), expected)
  })
}

test('every adapter is run through the contract suite of its form', async () => {
  await using folder = await newFolder()
  const pictures = (await pictureCases(folder)).map(({ adapter }) => adapter.name)
  const byForm = Map.groupBy(all.values(), formOf)
  const namesOf = (form: 'image' | 'video' | 'run' | 'deliver') =>
    (byForm.get(form) ?? []).map(({ name }) => name).sort()
  assert.deepEqual(pictures.toSorted(), namesOf('image'), 'cases of test/support/picture-cases.ts')
  const without = [
    ...namesOf('video').filter(
      name => !testOf('transformers', name).includes(`videoAdapterContract(${exported(name)}`),
    ),
    ...namesOf('run').filter(name => !testOf('transformers', name).includes('fileAdapterContract(')),
    ...namesOf('deliver').filter(name => !testOf('destinations', name).includes(`destinationContract('${name}'`)),
  ]
  assert.deepEqual(without, [])
})

test('every destination has a bed, is killed while it delivers, and its sentences are held against its page', () => {
  const beds = readFileSync(`${root}test/support/beds.ts`, 'utf8')
  const sentences = readFileSync(`${root}test/docs/failures.test.ts`, 'utf8')
  const kills = readFileSync(`${root}test/chaos/deliveries.slow.test.ts`, 'utf8')
  const names = destinations.map(({ name }) => name)
  assert.deepEqual(
    names.filter(name => !new RegExp(`\\badapter: ${exported(name)}\\b`).test(beds)),
    [],
  )
  assert.deepEqual(
    names.filter(name => !kills.includes(`{ name: '${name}',`)),
    [],
  )
  assert.deepEqual(
    names.filter(name => !new RegExp(`^  ${name}: \\{`, 'm').test(sentences)),
    [],
  )
})
