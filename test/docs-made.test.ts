// The parts of the docs that are made from the code say what the code says.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))

test('what `npm run docs` makes is up to date', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/docs.mjs', '--check'], {
    cwd: root,
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
})

test('every npm script has its line in CONTRIBUTING.md, and every line its script', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  const run = Object.keys(scripts).filter(name => !name.startsWith('pre'))
  const text = readFileSync(`${root}CONTRIBUTING.md`, 'utf8')
  const listed = [...text.matchAll(/^\| `npm (?:run )?([\w:]+)/gm)].map(([, name]) => name)
  assert.deepEqual(listed.toSorted(), run.toSorted())
})
