// Adapters of others are held against the contract before they are taken.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import Type from 'typebox'
import { adapterList } from '#adapters/index.ts'
import type { Adapter } from '#engine/adapter.ts'
import { faultOf, withForeign } from '#engine/foreign.ts'

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
