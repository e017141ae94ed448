// The OpenAPI document: valid, complete, and true.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { withAnswers } from '../support/answers.ts'
import { newClient } from '../support/client.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

interface Described {
  description?: string
  content?: Record<string, { schema?: object }>
  headers?: Record<string, { schema?: object }>
}
interface Operation {
  summary?: string
  description?: string
  security?: object[]
  responses: Record<string, Described>
  requestBody?: { content: Record<string, unknown> }
  parameters?: { name: string; in: string; description?: string }[]
}
interface Document {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object>; headers: Record<string, { schema?: object }> }
}

let server: TestServer
let document: Document

before(async () => {
  server = await startTestServer()
  document = (await newClient(server, null).get('/api/openapi.json')).body
})
after(() => server.stop())

const operations = () =>
  Object.entries(withAnswers(document).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      operation,
    })),
  )

test('an independent validator finds the document valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate({ ...structuredClone(document) })
  assert.ok(valid, JSON.stringify(errors, null, 1))
  assert.equal(document.openapi, '3.1.0')
})

test('every schema of an answer is a valid schema', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  const valid = (schema: object, what: string) => {
    assert.ok(ajv.validateSchema(schema), `${what}: ${ajv.errorsText(ajv.errors)}`)
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) valid(schema, name)
  for (const [name, { schema = {} }] of Object.entries(document.components.headers)) valid(schema, name)
  for (const { name, operation } of operations())
    for (const { content = {}, headers = {} } of Object.values(operation.responses))
      for (const { schema = {} } of [...Object.values(content), ...Object.values(headers)]) valid(schema, name)
})

test('every operation has a summary, a scope and its errors', () => {
  for (const { name, path, operation } of operations()) {
    assert.ok(operation.summary, name)
    assert.match(operation.description ?? '', /Needs a token|Open: needs no credential/, name)
    assert.ok(operation.responses['500']?.content?.['application/problem+json'], name)
    if (operation.security?.length) assert.ok(operation.responses['401'] && operation.responses['403'], name)
    if (path.includes('{')) assert.ok(operation.responses['404'], name)
    if (operation.requestBody) assert.ok(operation.responses['400'] && operation.responses['415'], name)
    for (const parameter of operation.parameters ?? []) assert.ok(parameter.description, `${name} ${parameter.name}`)
    for (const [status, answer] of Object.entries(operation.responses))
      assert.ok(answer.description, `${name} ${status}`)
  }
})

test('every operation says what it answers when all goes well', () => {
  for (const { name, operation } of operations()) {
    const good = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'))
    assert.ok(good.length > 0, `${name} has no 2xx answer`)
    // The answers of tus are headers alone.
    for (const [status, { content }] of good)
      assert.equal(
        Object.keys(content ?? {}).length > 0,
        status !== '204' && !name.includes(' /api/upload/'),
        `${name} ${status}`,
      )
  }
})

test('files, pictures and events are declared with their types, ranges and revalidation', () => {
  const named = new Map(operations().map(({ name, operation }) => [name, operation]))
  const types = (name: string, status = '200') => Object.keys(named.get(name)?.responses[status]?.content ?? {})
  const files = [
    'GET /api/asset/{name}/file/',
    'GET /api/task/{task_id}/input/',
    'GET /api/task/{task_id}/output/{index}/',
    'GET /api/taskgroup/{task_id}/input/{index}/',
    'GET /api/taskgroup/{task_id}/output/{index}/',
    'GET /api/taskgroup/{task_id}/output/{index}/{entry}/',
  ]
  for (const name of files) {
    for (const status of ['200', '206']) assert.ok(types(name, status).includes('application/octet-stream'), name)
    assert.ok(named.get(name)?.responses['304'] && named.get(name)?.responses['416'], name)
    assert.ok(headersOf(named.get(name)).includes('Range'), name)
  }
  for (const kind of ['task', 'taskgroup']) {
    assert.deepEqual(types(`GET /api/${kind}/events/`), ['text/event-stream'])
    assert.deepEqual(types(`GET /api/${kind}/{task_id}/events/`), ['text/event-stream'])
    assert.deepEqual(headersOf(named.get(`GET /api/${kind}/{task_id}/events/`)), ['Last-Event-ID'])
    assert.deepEqual(headersOf(named.get(`POST /api/${kind}/`)), ['Idempotency-Key'])
  }
  assert.deepEqual(types('GET /api/task/{task_id}/thumbnail/{entry}/'), ['image/jpeg'])
  assert.deepEqual(types('GET /api/taskgroup/{task_id}/thumbnail/{index}/{entry}/'), ['image/jpeg'])
  assert.ok(types('POST /api/configuration/{configuration_name}/preview/').includes('application/octet-stream'))
})

const headersOf = (operation?: Operation): string[] =>
  (operation?.parameters ?? []).filter(each => each.in === 'header').map(({ name }) => name)

test('every served route is described', () => {
  const described = operations().map(({ name }) => name)
  const served = server.routes.filter(
    ({ schema, method, config }) => !schema?.hide && (method !== 'HEAD' || config?.swagger?.exposeHeadRoute),
  )
  const names = served.map(({ method, url }) => `${method} ${url.replace(/:(\w+)/g, '{$1}')}`)
  assert.deepEqual(described.sort(), names.sort())
})

test('what can change tells when it did', () => {
  for (const name of ['Asset', 'Callback', 'Configuration', 'Experience', 'Profile', 'Task', 'TaskGroup', 'Token']) {
    const { properties } = document.components.schemas[name] as { properties: object }
    for (const time of ['created_at', 'updated_at']) assert.ok(time in properties, `${name} ${time}`)
  }
})

test('resources are components under their names', () => {
  for (const name of [
    'Adapter',
    'Asset',
    'Configuration',
    'Experience',
    'Profile',
    'Token',
    'Problem',
    'Callback',
    'Activity',
  ])
    assert.ok(document.components.schemas[name], name)
})
