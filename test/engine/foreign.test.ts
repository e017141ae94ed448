// Adapters of others are held against the contract before they are taken.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, it } from 'node:test'
import Type from 'typebox'
import { adapterList } from '#adapters/index.ts'
import type { Adapter } from '#engine/adapter.ts'
import { faultOf, withForeign } from '#engine/foreign.ts'
import { foldersOf, urlOf } from '#engine/foreign-packages.ts'
import { Problem } from '#kit/errors.ts'
import { loadSettings } from '#kit/settings.ts'

const good = {
  name: 'photo_mine',
  summary: 'Mine.',
  accepts: ['image'],
  makes: 'image',
  options: Type.Object({}),
  image: (picture: unknown) => picture,
}
const packageOf = (source: string): string => `data:text/javascript,${encodeURIComponent(source)}`
const source = `export default { name: 'photo_mine', summary: 'Mine.', accepts: ['image'], makes: 'image', options: { type: 'object', properties: {} }, image: picture => picture }`

it('every adapter of our own keeps the contract', () => {
  for (const adapter of adapterList({ localRoot: null }).values()) assert.equal(faultOf(adapter), null, adapter.name)
})

it('what breaks it is told in words', () => {
  assert.equal(faultOf(good), null)
  const broken: [object | null, RegExp][] = [
    [null, /no object/],
    [{ ...good, name: 'Photo Mine' }, /no name/],
    [{ ...good, summary: '' }, /no summary/],
    [{ ...good, accepts: ['smell'] }, /accepts/],
    [{ ...good, options: {} }, /object schema/],
    [{ ...good, deliver: () => ({}) }, /exactly one/],
    [{ ...good, image: undefined }, /exactly one/],
  ]
  for (const [adapter, words] of broken) assert.match(faultOf(adapter) ?? '', words)
})

it('a package adds its adapters, but never in the place of another', async () => {
  const own = new Map<string, Adapter>([['photo_own', good as unknown as Adapter]])
  const all = await withForeign(own, [packageOf(source)])
  assert.deepEqual([...all.keys()], ['photo_own', 'photo_mine'])
  await assert.rejects(withForeign(all, [packageOf(source)]), /there already/)
  await assert.rejects(
    withForeign(own, ['no-such-package']),
    /KEEPSAKE_ADAPTERS: "no-such-package" could not be loaded/,
  )
})

const top = await realpath(await mkdtemp(join(tmpdir(), 'keepsake-foreign-')))
after(() => rm(top, { recursive: true, force: true }))

/** Files by their paths below a folder of its own. */
async function filesIn(name: string, files: Record<string, string>): Promise<string> {
  const folder = join(top, name)
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  return folder
}

const manifest = (more: object = {}): string =>
  JSON.stringify({ name: 'mine', version: '1.0.0', type: 'module', ...more })

it('a package in a folder of its own shares our problems, whatever it has installed itself', async () => {
  const folder = await filesIn('shared', {
    'node_modules/mine/package.json': manifest({ exports: './adapter.js' }),
    'node_modules/mine/adapter.js': `import { imageAdapter, Problem } from 'keepsake/adapter'
      import { summary } from 'words'
      export default imageAdapter({ name: 'photo_mine', summary, accepts: ['image'], makes: 'same', options: { type: 'object', properties: {} },
        image: () => { throw new Problem('unsupported_format', 'Not this one.') } })`,
    'node_modules/words/package.json': JSON.stringify({ name: 'words', type: 'module', exports: './index.js' }),
    'node_modules/words/index.js': `export const summary = 'Mine.'`,
    'node_modules/keepsake/package.json': JSON.stringify({ name: 'keepsake', exports: { './adapter': './old.js' } }),
    'node_modules/keepsake/old.js': `throw new Error('the wrong one')`,
  })
  const name = join(folder, 'node_modules/mine')
  const adapter = (await withForeign(new Map(), [name])).get('photo_mine')
  assert.ok(adapter && 'image' in adapter)
  await assert.rejects(
    async () => adapter.image(null as never, null as never),
    error => error instanceof Problem && error.code === 'unsupported_format',
  )
  assert.deepEqual(foldersOf(name), [name, join(folder, 'node_modules')], 'a media process sees what it imports')
})

it('the folder of a package stands for what Node would import of it', async () => {
  const cases: [object, string][] = [
    [{}, 'index.js'],
    [{ main: 'lib/main.js' }, 'lib/main.js'],
    [{ main: 'old.js', exports: './new.js' }, 'new.js'],
    [{ exports: { '.': { require: './old.cjs', import: './new.js' }, './other': './other.js' } }, 'new.js'],
    [{ exports: { types: './new.d.ts', default: './new.js' } }, 'new.js'],
  ]
  for (const [index, [more, file]] of cases.entries()) {
    const folder = await filesIn(`entry-${index}`, { 'package.json': manifest(more), [file]: 'export default []' })
    assert.equal(urlOf(folder), new URL(file, `file://${folder}/`).href)
  }
})

it('a link to a package is followed, so that a media process sees what is behind it', async () => {
  const folder = await filesIn('behind', { 'package.json': manifest(), 'index.js': source })
  const link = join(top, 'link')
  await symlink(folder, link)
  assert.deepEqual(foldersOf(link), [link, folder])
})

it('a package that media processes cannot see, or that is not there, stops the start with one line', async () => {
  const data = await filesIn('data', { 'adapters/package.json': manifest(), 'adapters/index.js': source })
  const name = join(data, 'adapters')
  await assert.rejects(withForeign(new Map(), [name], data), /lies in the data folder, .*install it elsewhere/)
  assert.equal((await withForeign(new Map(), [name], join(top, 'elsewhere'))).size, 1)
  await assert.rejects(withForeign(new Map(), [join(top, 'nothing')]), /could not be loaded \(ENOENT\)/)
})

it('a path in the setting is one from the working directory on', () => {
  const { adapters } = loadSettings({ KEEPSAKE_ADAPTERS: 'mine, ./own/one ,/srv/two' }, join(top, '.env'))
  assert.deepEqual(adapters, ['mine', join(process.cwd(), 'own/one'), '/srv/two'])
})
