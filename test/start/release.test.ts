// A release asks for every test file to have been green on its very commit.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { root } from '../support/markdown.ts'
import { testFolder } from './keepsake.ts'

test('files count as tested on the commit they were green on, until one of them is red', async t => {
  const folder = testFolder(t)
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: folder })
  for (const file of ['scripts/setup/run.mjs', 'scripts/release/tested.mjs'])
    cpSync(join(root, file), join(folder, file))
  mkdirSync(join(folder, 'test'))
  for (const name of ['a', 'b']) writeFileSync(join(folder, `test/${name}.test.ts`), '')
  writeFileSync(join(folder, 'package-lock.json'), '{}')
  writeFileSync(join(folder, '.gitignore'), '.cache\n')
  git('init', '--quiet')
  const commit = () => git('commit', '--quiet', '--all', '--allow-empty', '--message', 'one')
  git('add', '.')
  commit()

  const { noteRun, untested } = await import(pathToFileURL(join(folder, 'scripts/release/tested.mjs')).href)
  const [a, b] = ['test/a.test.ts', 'test/b.test.ts']
  assert.deepEqual(untested(), [a, b])
  noteRun([a], [])
  assert.deepEqual(untested(), [b])
  noteRun([a, b], [a])
  assert.deepEqual(untested(), [a])
  writeFileSync(join(folder, 'test/b.test.ts'), '// changed')
  noteRun([a], [])
  assert.deepEqual(untested(), [a], 'a tree with changes proves nothing')
  commit()
  assert.deepEqual(untested(), [a, b])
})
