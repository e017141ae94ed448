import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { digestOf, keep, keyOf, takeKept } from '#media/canonical.ts'

const home = await mkdtemp(join(tmpdir(), 'keepsake-canonical-'))
after(() => rm(home, { recursive: true, force: true }))
const store = join(home, 'cache')
const file = join(home, 'file')

test('what was kept is taken as a file of its own', async () => {
  await writeFile(file, 'intro')
  const [key, to] = [keyOf('intro', 1), join(home, 'taken')]
  assert.equal(await takeKept(store, key, to), false)
  await keep(store, key, file)
  assert.equal(await takeKept(store, key, to), true)
  await rm(join(store, key))
  assert.equal(await readFile(to, 'utf8'), 'intro')
})

test('what was not used for longest makes room', async () => {
  await writeFile(file, 'x'.repeat(1000))
  for (const [i, name] of ['a', 'b', 'c'].entries()) {
    await keep(store, name, file, 1e6)
    await utimes(join(store, name), i + 1, i + 1)
  }
  assert.equal(await takeKept(store, 'a', join(home, 'used')), true)
  await keep(store, 'd', file, 2500)
  assert.deepEqual((await readdir(store)).sort(), ['a', 'd'])
})

test('many at once leave whole files and nothing half', async () => {
  await writeFile(file, 'y'.repeat(100_000))
  await Promise.all(Array.from({ length: 12 }, () => keep(store, 'same', file)))
  const names = await readdir(store)
  assert.ok(
    names.every(name => !name.startsWith('.')),
    names.join(),
  )
  assert.equal((await readFile(join(store, 'same'))).length, 100_000)
})

test('a folder that cannot be written to is no reason to fail', async () => {
  await writeFile(join(home, 'blocked'), '')
  await keep(join(home, 'blocked'), 'key', file)
  assert.equal(await takeKept(join(home, 'blocked'), 'key', join(home, 'none')), false)
})

test('keys follow content, not names or the order of properties', async () => {
  const other = join(home, 'other')
  await writeFile(other, 'y'.repeat(100_000))
  assert.equal(await digestOf(file), await digestOf(other))
  await writeFile(other, 'z'.repeat(100_000))
  assert.notEqual(await digestOf(file), await digestOf(other))
  assert.equal(keyOf({ a: 1, b: 2 }), keyOf({ b: 2, a: 1 }))
})
