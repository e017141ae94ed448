// docs/errors.md against the catalogue, both ways.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { catalogue } from '#kit/errors.ts'

const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8')

test('every code of the catalogue is on the page, and every code on the page is in the catalogue', () => {
  const told = [...page.matchAll(/^\| <a id="(\w+)"><\/a>`(\w+)` \| (\d+) \| (\w+) \| (.+) \|$/gm)]
  assert.deepEqual(
    told.map(([, anchor, code, status, fault, title]) => [anchor, code, Number(status), fault, title]),
    Object.entries(catalogue).map(([code, { status, fault, title }]) => [code, code, status, fault, title]),
  )
})

test('every fault of the catalogue says what to change', () => {
  const told = [...page.matchAll(/^\| (\w+) \| [A-Z].+ \|$/gm)].map(([, fault]) => fault ?? '')
  const faults = new Set(Object.values(catalogue).map(({ fault }) => fault))
  assert.deepEqual(told.sort(), [...faults].sort())
})

test('the example problem is one that the service would send', () => {
  const example = JSON.parse(/```json\n([\s\S]+?)```/.exec(page)?.[1] ?? '')
  const { status, title } = catalogue[example.code as keyof typeof catalogue]
  assert.deepEqual([example.status, example.title, example.type], [status, title, `/docs#${example.code}`])
})

test('pages promise only answers that there are', () => {
  const folder = new URL('../../docs/', import.meta.url)
  const statuses = new Set([200, 201, 202, 204, ...Object.values(catalogue).map(({ status }) => status)])
  for (const file of globSync('**/*.md', { cwd: folder }))
    for (const [sentence, status] of readFileSync(new URL(file, folder), 'utf8').matchAll(/answered (\d{3})\b/g))
      assert.ok(statuses.has(Number(status)), `${file}: ${sentence}`)
})
