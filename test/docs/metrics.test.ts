// docs/metrics.md against a running service: every metric that an API or a worker serves is on the page, as it is, and nothing else is.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Keepsake, startKeepsake } from '../support/keepsake.ts'
import { page, rowsOf } from '../support/markdown.ts'

const { text } = page('docs/metrics.md')
let keepsake: Keepsake
/** What each part serves. */
let served: { API: string; worker: string }
/** Name and type, as the parts tell them. */
let types: { API: Map<string, string>; worker: Map<string, string> }

before(async () => {
  keepsake = await startKeepsake({ settings: { workerPort: 0 } })
  await keepsake.client.get('/api/task/')
  const worker = await fetch(`${keepsake.workerUrl}/metrics`, {
    headers: { authorization: `Bearer ${keepsake.token}` },
  })
  served = { API: (await keepsake.client.get('/metrics')).body, worker: await worker.text() }
  const typesIn = (body: string) =>
    new Map([...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]))
  types = { API: typesIn(served.API), worker: typesIn(served.worker) }
})
after(() => keepsake?.stop())

const rows = rowsOf(text).filter(([name = '']) => /^`(keepsake|process|nodejs)_/.test(name))
const plain = (cell = ''): string => cell.replaceAll('`', '')
const all = (): Map<string, string> => new Map([...types.API, ...types.worker])

test('every metric that is served is on the page', () => {
  assert.ok(types.API.size > 30 && types.worker.size > 30, `${types.API.size} ${types.worker.size}`)
  assert.deepEqual(
    [...all().keys()].filter(name => !text.includes(`\`${name}\``)),
    [],
  )
})

test('every metric of the tables is served with its type, by the parts that it names', () => {
  assert.ok(rows.length > 50)
  for (const [name, type, , whose = 'API, worker'] of rows)
    for (const part of ['API', 'worker'] as const) {
      const isThere = whose.includes(part) || (whose === 'the deployment' && part === 'API')
      assert.equal(types[part].get(plain(name)), isThere ? type : undefined, `${name} of the ${part}`)
    }
})

test('every name in an expression is a metric', () => {
  const names = new Set([...text.matchAll(/keepsake_\w+/g)].map(([name]) => name.replace(/_(count|sum|bucket)$/, '')))
  assert.deepEqual(
    [...names].filter(name => !all().has(name)),
    [],
  )
})

test('labels are those of the page, with the values that it lists', () => {
  const own = rows.filter(([name = '']) => name.startsWith('`keepsake_'))
  assert.equal(own.length, [...all().keys()].filter(name => name.startsWith('keepsake_')).length)
  for (const [name, , , , labels = ''] of own) {
    const told = new Map(labels.split('; ').flatMap(part => (part ? [part.split(': ') as [string, string]] : [])))
    const samples = [
      ...`${served.API}\n${served.worker}`.matchAll(/^(keepsake_\w+?)(?:_bucket|_count|_sum)?(?:\{(.*)\})? \S+$/gm),
    ].filter(([, of]) => of === plain(name))
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
