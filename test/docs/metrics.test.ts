// docs/metrics.md against a running service: every metric that is served is on the page, as it is, and nothing else is.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Keepsake, startKeepsake } from '../support/keepsake.ts'
import { page, rowsOf } from '../support/markdown.ts'

const { text } = page('docs/metrics.md')
let keepsake: Keepsake
let served: string
/** Name and type, as the service tells them. */
let types: Map<string, string>

before(async () => {
  keepsake = await startKeepsake()
  await keepsake.client.get('/api/task/')
  served = (await keepsake.client.get('/metrics')).body
  types = new Map([...served.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]))
})
after(() => keepsake?.stop())

const rows = rowsOf(text).filter(([name = '']) => /^`(keepsake|process|nodejs)_/.test(name))
const plain = (cell = ''): string => cell.replaceAll('`', '')

test('every metric that is served is on the page', () => {
  assert.ok(types.size > 30, String(types.size))
  assert.deepEqual(
    [...types.keys()].filter(name => !text.includes(`\`${name}\``)),
    [],
  )
})

test('every metric of the tables is served, with its type', () => {
  assert.ok(rows.length > 30)
  for (const [name, type] of rows) assert.equal(types.get(plain(name)), type, name)
})

test('every name in an expression is a metric', () => {
  const names = new Set([...text.matchAll(/keepsake_\w+/g)].map(([name]) => name.replace(/_(count|sum|bucket)$/, '')))
  assert.deepEqual(
    [...names].filter(name => !types.has(name)),
    [],
  )
})

test('labels are those of the page, with the values that it lists', () => {
  const own = rows.filter(([name = '']) => name.startsWith('`keepsake_'))
  assert.equal(own.length, [...types.keys()].filter(name => name.startsWith('keepsake_')).length)
  for (const [name, , , , labels = ''] of own) {
    const told = new Map(labels.split('; ').flatMap(part => (part ? [part.split(': ') as [string, string]] : [])))
    const samples = [...served.matchAll(/^(keepsake_\w+?)(?:_bucket|_count|_sum)?(?:\{(.*)\})? \S+$/gm)].filter(
      ([, of]) => of === plain(name),
    )
    assert.ok(samples.length > 0, name)
    for (const [, , pairs = ''] of samples)
      for (const [, label = '', value = ''] of pairs.matchAll(/(\w+)="([^"]*)"/g)) {
        if (label === 'le') continue
        const values = told.get(`\`${label}\``)
        assert.ok(values, `${name} has the label ${label}`)
        if (values.startsWith('`')) assert.ok(values.split(', ').includes(`\`${value}\``), `${name} ${label} ${value}`)
      }
    for (const label of told.keys())
      assert.ok(
        samples.some(([, , pairs = '']) => pairs.includes(`${plain(label)}="`)),
        `${name} ${label}`,
      )
  }
})
