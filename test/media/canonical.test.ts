import assert from 'node:assert/strict'
import { linkSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { preparedAssets } from '#engine/children/prepared-assets.ts'
import { digestOf } from '#media/file/digest-of.ts'
import { keyOf, preparedBy, preparedName, trim } from '#media/make/prepared-clips.ts'
import { plainRoom } from '../support/rooms.ts'

const home = await mkdtemp(join(tmpdir(), 'keepsake-canonical-'))
after(() => rm(home, { recursive: true, force: true }))
const store = join(home, 'cache')
const file = join(home, 'file')

/** A child of this experience and its room. */
function child(experienceId: string, folder = store) {
  const room = plainRoom()
  const answer = preparedAssets(folder)(experienceId)
  const asked = (question: unknown): Promise<unknown> => answer(question, room).catch(() => null)
  return { room, asked, prepared: preparedBy(asked, room.out) }
}

test('what a child has prepared is shown to the next one of the same experience, and to no other', async () => {
  const [first, next, other] = [child('summer'), child('summer'), child('winter')]
  const key = keyOf('intro', 1)
  const made = join(first.room.out, 'piece-1')
  writeFileSync(made, 'intro')
  assert.equal(await first.prepared.take(key), null)
  await first.prepared.keep(key, made)
  const taken = await next.prepared.take(key)
  assert.equal(taken, join(next.room.in, preparedName(key)))
  assert.equal(await readFile(taken, 'utf8'), 'intro')
  assert.equal(await other.prepared.take(key), null)
  await next.prepared.forget(key)
  assert.equal(await first.prepared.take(key), null)
})

test('a child can neither ask for another file nor hand over a link to one', async () => {
  const { room, asked } = child('summer')
  const canary = join(home, 'canary')
  writeFileSync(canary, 'canary')
  for (const take of ['../canary', 'x'.repeat(64), canary, 7]) assert.equal(await asked({ take }), null)
  const key = keyOf('link')
  symlinkSync(canary, join(room.out, preparedName(key)))
  await asked({ keep: key })
  assert.equal(await asked({ take: key }), null)
  assert.equal((await readdir(store)).filter(name => name.includes(key)).length, 0)
})

test('what was not used for longest makes room', async () => {
  const folder = join(home, 'small')
  const { room, prepared } = child('summer', folder)
  const [a, b, c] = ['a', 'b', 'c'].map(name => keyOf(name)) as [string, string, string]
  writeFileSync(join(room.out, 'piece'), 'x'.repeat(1000))
  for (const key of [a, b, c]) await prepared.keep(key, join(room.out, 'piece'))
  for (const [i, name] of (await readdir(folder)).entries()) await utimes(join(folder, name), i + 1, i + 1)
  await prepared.take(a)
  await trim(folder, 1500)
  assert.deepEqual(
    (await readdir(folder)).map(name => name.split('-')[1]),
    [a],
  )
})

test('many at once leave whole files and nothing half', async () => {
  const folder = join(home, 'many')
  const key = keyOf('same')
  await Promise.all(
    Array.from({ length: 12 }, async () => {
      const { room, prepared } = child('summer', folder)
      await writeFile(join(room.out, 'piece'), 'y'.repeat(100_000))
      await prepared.keep(key, join(room.out, 'piece'))
    }),
  )
  const [name, ...more] = await readdir(folder)
  assert.deepEqual(more, [])
  assert.equal((await readFile(join(folder, name!))).length, 100_000)
})

test('a folder that cannot be written to is no reason to fail', async () => {
  await writeFile(join(home, 'blocked'), '')
  const { room, prepared } = child('summer', join(home, 'blocked'))
  writeFileSync(join(room.out, 'piece'), 'x')
  linkSync(join(room.out, 'piece'), file)
  await prepared.keep(keyOf('x'), join(room.out, 'piece'))
  assert.equal(await prepared.take(keyOf('x')), null)
})

test('keys follow content, not names or the order of properties', async () => {
  const other = join(home, 'other')
  await writeFile(file, 'y'.repeat(100_000))
  await writeFile(other, 'y'.repeat(100_000))
  assert.equal(await digestOf(file), await digestOf(other))
  await writeFile(other, 'z'.repeat(100_000))
  assert.notEqual(await digestOf(file), await digestOf(other))
  assert.equal(keyOf({ a: 1, b: 2 }), keyOf({ b: 2, a: 1 }))
})
