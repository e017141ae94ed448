// Every attack of docs/security.md names a test that exists.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { root } from '../support/markdown.ts'

const attacks = (readFileSync(`${root}docs/security.md`, 'utf8').split('## The attacks')[1] ?? '')
  .split('\n')
  .filter(line => line.startsWith('| ') && !line.startsWith('| attack |'))

test('every attack of the page names a test file and the title of a test in it', () => {
  const wrong = attacks.filter(row => {
    const [, file, title] = /`(test\/[^`]+)`: "(.+?)" \|$/.exec(row) ?? []
    if (!file || !title || !existsSync(root + file)) return true
    // A title stands in the code as it is, or with its quotes escaped.
    return !readFileSync(root + file, 'utf8')
      .replaceAll("\\'", "'")
      .includes(title)
  })
  assert.deepEqual(wrong, [])
})
