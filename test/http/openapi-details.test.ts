// The OpenAPI document as generators of clients read it: names, headers, files, patterns, options, webhooks.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { adapterList } from '#adapters/index.ts'
import { destinationAdapter } from '#engine/adapter.ts'
import { withAnswers } from '../support/answers.ts'
import { newClient } from '../support/client.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

// biome-ignore lint/suspicious/noExplicitAny: the document is read as it comes
type Any = any

const foreign = (name: string, options: object) =>
  destinationAdapter({
    name,
    summary: 'Brings it elsewhere.',
    accepts: ['file'],
    makes: 'same',
    options: options as Any,
    deliver: async () => ({}),
  })
const adapters = new Map([
  ...adapterList({ localRoot: null }),
  [
    'acme.fax-it',
    foreign('acme.fax-it', { type: 'object', properties: { number: { type: 'string', pattern: '^(?=0)\\d+$' } } }),
  ],
  [
    'acme_fax.it',
    foreign('acme_fax.it', { type: 'object', properties: { to: { $ref: '#/$defs/to' } }, $defs: { to: {} } }),
  ],
] as const)

let server: TestServer
let document: Any

before(async () => {
  server = await startTestServer({ adapters })
  document = (await newClient(server, null).get('/api/openapi.json')).body
})
after(() => server.stop())

const operations = (): Any[] =>
  Object.entries<Any>(withAnswers(document).paths).flatMap(([path, methods]) =>
    Object.entries<Any>(methods).map(([method, operation]) => ({ ...operation, method, path })),
  )
const operation = (id: string): Any => operations().find(({ operationId }) => operationId === id) ?? assert.fail(id)
const deref = (node: Any): Any =>
  node?.$ref
    ? deref(
        node.$ref
          .slice(2)
          .split('/')
          .reduce((at: Any, key: string) => at[key], document),
      )
    : node
const multipart = (id: string): Any => deref(operation(id).requestBody.content['multipart/form-data'].schema)

function* schemas(node: Any): Generator<Any> {
  if (typeof node !== 'object' || node === null) return
  if (!Array.isArray(node)) yield node
  for (const inner of Object.values(node)) yield* schemas(inner)
}

test('every operation has a name of its own that a person would choose', () => {
  const webhooks = Object.values<Any>(document.webhooks).map(({ post }) => post)
  const names = [...operations(), ...webhooks].map(({ operationId }) => operationId)
  for (const name of names) assert.match(name ?? '', /^[a-z]+([A-Z][a-z0-9]*)+$/)
  assert.deepEqual(names.toSorted(), [...new Set(names)].sort())
  for (const { method, path, operationId } of operations()) {
    const own = {
      get: /^(read|list|download|follow|search)/,
      put: /^replace/,
      patch: /^(update|append)/,
      delete: /^delete/,
    }
    assert.match(operationId, own[method as 'get'] ?? /^[a-z]/, `${method} ${path}`)
    if (method === 'get' && operation(operationId).parameters?.some((one: Any) => one.name === 'cursor'))
      assert.match(operationId, /^list[A-Z]\w+(s|es)$/)
  }
})

test('every answer is described, with the headers that come with it', () => {
  for (const { operationId, responses } of operations())
    for (const [status, { description, headers }] of Object.entries<Any>(responses)) {
      assert.ok(description && description !== 'Default Response', `${operationId} ${status}`)
      assert.ok(deref(headers['X-Request-Id']), `${operationId} ${status}`)
      for (const header of Object.values<Any>(headers)) assert.ok(deref(header).schema && deref(header).description)
    }
  const named = (id: string, status: number) => Object.keys(operation(id).responses[status].headers)
  for (const id of ['createTask', 'createTaskGroup']) assert.ok(named(id, 202).includes('Location'), id)
  for (const id of ['createAsset', 'createConfiguration', 'createProfile'])
    assert.ok(named(id, 201).includes('Location'), id)
  assert.ok(named('createTask', 409).includes('Retry-After'))
  assert.ok(named('createTask', 429).includes('Retry-After'))
  assert.ok(named('listTasks', 503).includes('Retry-After'))
  assert.ok(named('readReadiness', 503).includes('Retry-After'))
  assert.ok(named('listTasks', 401).includes('WWW-Authenticate'))
  assert.deepEqual(named('downloadAsset', 206).sort(), [
    'Accept-Ranges',
    'Content-Disposition',
    'Content-Range',
    'ETag',
    'X-Request-Id',
  ])
  assert.ok(named('downloadAsset', 416).includes('Content-Range'))
  assert.ok(named('createSession', 201).includes('Set-Cookie'))
})

test('files are files, also those that are named after a configuration', () => {
  const isFile = (part: Any) => part.format === 'binary' && part.contentMediaType === 'application/octet-stream'
  assert.ok(isFile(multipart('createTask').properties.data))
  assert.ok(isFile(multipart('retryTask').properties.data))
  assert.ok(isFile(multipart('createAsset').properties.file))
  assert.ok(isFile(multipart('replaceAsset').properties.file))
  assert.ok(isFile(multipart('previewConfiguration').properties.data))
  for (const id of ['createTaskGroup', 'retryTaskGroup'])
    assert.deepEqual(multipart(id).additionalProperties.anyOf.map(isFile), [true, false])
  for (const id of ['retryTask', 'retryTaskGroup']) assert.equal(operation(id).requestBody.required, false, id)
  assert.equal(operation('createTask').requestBody.required, true)
})

test('places in a list are integers', async () => {
  for (const id of ['downloadTaskOutput', 'downloadTaskGroupEntryOutput', 'downloadTaskGroupInput'])
    for (const { name, schema } of operation(id).parameters.filter((one: Any) => ['index', 'entry'].includes(one.name)))
      assert.deepEqual([schema.type, schema.minimum], ['integer', 0], `${id} ${name}`)
  const client = newClient(server)
  for (const index of ['x', '-1', '1.5', '99', 'length', '9'.repeat(20), '%00'])
    assert.ok([400, 404].includes((await client.get(`/api/task/${crypto.randomUUID()}/output/${index}/`)).status))
})

test('tuples end, enums have a type, and no keyword of our own is left', () => {
  for (const schema of schemas(document)) {
    if (schema.prefixItems) {
      assert.equal(schema.items, false)
      assert.deepEqual([schema.minItems, schema.maxItems], [schema.prefixItems.length, schema.prefixItems.length])
    }
    if (Array.isArray(schema.enum)) assert.ok(schema.type, JSON.stringify(schema))
    for (const own of ['expects', 'portable', 'placeholders', 'role', 'patternProperties', 'x-optional-body'])
      assert.ok(!(own in schema) || typeof schema[own] === 'object', own)
  }
})

test('the options of every adapter are typed, those of foreign ones too', () => {
  const { SingleConfigurationInput: single, ...components } = document.components.schemas
  assert.deepEqual(Object.keys(single.discriminator.mapping).sort(), [...adapters.keys()].sort())
  assert.equal(single.oneOf.length, adapters.size)
  for (const [name, pointer] of Object.entries<string>(single.discriminator.mapping)) {
    const own = deref({ $ref: pointer }).allOf[1].properties
    assert.deepEqual(own.adapter_name.enum, [name])
    const defaults = deref(deref(own.adapter_config).properties.defaults)
    const declared = Object.keys(adapters.get(name)?.options.properties ?? {})
    if (!name.startsWith('acme_')) assert.deepEqual(Object.keys(defaults.properties), declared)
    assert.equal(defaults.required, undefined)
  }
  assert.equal(components.AcmeFaxItDefaults.properties.number.pattern, undefined, 'a pattern that few engines take')
  assert.equal(components.AcmeFaxIt2Defaults.additionalProperties, true, 'it refers into itself')
  assert.ok(JSON.stringify(document).length < 500_000, 'the document stays small enough to be read')
})

test('results are typed by destination, and stay open for others', () => {
  const { Result, S3UploadResult, Entry } = document.components.schemas
  const names = Result.anyOf.map(({ $ref }: Any) => $ref.split('/').at(-1))
  for (const adapter of adapterList({ localRoot: null }).values())
    if ('deliver' in adapter) assert.ok(adapter.result, `${adapter.name} tells what it answers`)
  assert.deepEqual(names.slice(-2), ['TransformerResult', 'OtherResult'])
  assert.deepEqual(Object.keys(S3UploadResult.properties), ['bucket_name', 'file_key', 'url', 'activity'])
  assert.deepEqual(Entry.properties.result.anyOf, [{ $ref: '#/components/schemas/Result' }, { type: 'null' }])
})

test('webhooks have their bodies and the headers to check them by', () => {
  assert.deepEqual(Object.keys(document.webhooks), ['task', 'taskgroup', 'check'])
  for (const [event, { post }] of Object.entries<Any>(document.webhooks)) {
    const names = post.parameters.map(({ name }: Any) => name)
    assert.deepEqual(names, [
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
      'keepsake-experience',
      'keepsake-event',
    ])
    assert.deepEqual(post.parameters.at(-1).schema.enum, [event])
    assert.ok(deref(post.requestBody.content['application/json'].schema).properties)
  }
})
