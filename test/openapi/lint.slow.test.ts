// The OpenAPI document before strangers' eyes: Redocly, Spectral, and RE2, which Go has and Rust is like.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { adapterList } from '#adapters/index.ts'
import { newClient } from '../support/client.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { rules } from './spectral-rules.ts'
import { tool } from './tools.ts'

let server: TestServer
let document: object

before(async () => {
  compileOnce()
  server = await startTestServer({ adapters: adapterList({ localRoot: null }) })
  document = (await newClient(server, null).get('/api/openapi.json')).body
})
after(() => server.stop())

/** Spectral copies a schema for each example of it, and ajv compiles the copies one by one: here equal ones share what is made of them. */
function compileOnce(): void {
  const { prototype } = tool('ajv/dist/core').default
  const { compile } = prototype
  const compiled = new WeakMap<object, Map<string, unknown>>()
  prototype.compile = function (this: { opts: { code: { optimize: number } } }, schema: object, meta?: boolean) {
    // What is made tells the same, and each runs only a few times.
    this.opts.code.optimize = 0
    const own = compiled.get(this) ?? new Map<string, unknown>()
    compiled.set(this, own)
    const text = JSON.stringify(schema)
    if (!own.has(text)) own.set(text, compile.call(this, schema, meta))
    return own.get(text)
  }
}

async function redocly(source: object): Promise<string[]> {
  const { createConfig, lintFromString } = tool('@redocly/openapi-core')
  const config = await createConfig(readFileSync(new URL('redocly.yaml', import.meta.url), 'utf8'))
  const found = await lintFromString({ source: JSON.stringify(source), absoluteRef: 'openapi.json', config })
  return found.map(
    (problem: { ruleId: string; message: string; location: { pointer?: string }[] }) =>
      `${problem.ruleId}: ${problem.message} at ${problem.location[0]?.pointer}`,
  )
}

async function spectral(source: object): Promise<string[]> {
  const { Spectral } = tool('@stoplight/spectral-core')
  const { oas } = tool('@stoplight/spectral-rulesets')
  const linter = new Spectral()
  linter.setRuleset({ extends: [[oas, 'all']], rules })
  const found: { code: string; message: string; path: string[] }[] = await linter.run(structuredClone(source))
  return found.map(({ code, message, path }) => `${code}: ${message} at ${path.join('/')}`)
}

test('Redocly finds nothing', async () => {
  assert.deepEqual(await redocly(document), [])
})

test('Spectral finds nothing', async () => {
  assert.deepEqual(await spectral(document), [])
})

test('both find what is wrong', async () => {
  // The two operations alone: to read all of it once more takes seconds.
  const paths = Object.entries((document as { paths: object }).paths).filter(([path]) =>
    ['/api/task/', '/api/task/{task_id}/'].includes(path),
  )
  const few = { ...document, paths: Object.fromEntries(paths), components: {} }
  const broken = JSON.parse(JSON.stringify(few).replace('"operationId":"listTasks"', '"operationId":"readTask"'))
  assert.ok((await redocly(broken)).some(line => line.startsWith('operation-operationId-unique')))
  assert.ok((await spectral(broken)).some(line => line.startsWith('operation-operationId-unique')))
})

test('RE2 takes every pattern', () => {
  const { RE2JS } = tool('re2js')
  const patterns = new Set<string>()
  JSON.stringify(document, (key, value) => {
    if (key === 'pattern' && typeof value === 'string') patterns.add(value)
    return value
  })
  assert.ok(patterns.size > 10)
  for (const pattern of patterns) assert.doesNotThrow(() => RE2JS.compile(pattern), pattern)
  for (const refused of ['^(?!\\.)x', '(?<=a)b', '(a)\\1', 'x{1,1001}', '\\u0041'])
    assert.throws(() => RE2JS.compile(refused), refused)
})
