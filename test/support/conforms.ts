// Holds answers against the published OpenAPI document, with a validator that is not our own.
import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { withAnswers } from './answers.ts'

interface Described {
  content?: Record<string, { schema?: object }>
  headers?: Record<string, { $ref?: string; schema?: object }>
}
interface Operation {
  operationId: string
  responses: Record<string, Described>
}
export interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { headers: Record<string, { schema?: object }> }
}

export interface Exchange {
  method: string
  path: string
  status: number
  headers: Headers
  /** Parsed where it is JSON; undefined where it was not read. */
  body: unknown
}

/** Throws if the document knows the route and not this answer; answers the name of the operation. */
export type Conforms = (exchange: Exchange) => string | null

/** Headers that a program acts on: whichever is sent must be described. */
const TELLING = [
  'accept-ranges',
  'content-disposition',
  'content-range',
  'etag',
  'location',
  'retry-after',
  'set-cookie',
  'www-authenticate',
  'x-request-id',
]

export function newConforms(published: Document): Conforms {
  const document = withAnswers(published)
  // That its schemas are valid themselves is looked at once, in test/http/openapi.test.ts, and takes longer than all else here.
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    allErrors: true,
    validateSchema: false,
    meta: false,
  })
  ajv.addSchema({ $id: 'api', components: closed(document.components) })
  const compiled = new Map<object, ValidateFunction>()
  const paths = Object.keys(document.paths).map(path => ({
    path,
    pattern: new RegExp(
      `^${path
        .replaceAll('.', '\\.')
        .replace(/\{\w+\}/g, '[^/]+')
        .replace(/\/$/, '')}/?$`,
    ),
  }))

  function check(schema: object, value: unknown, what: string): void {
    let validate = compiled.get(schema)
    if (!validate) {
      validate = ajv.compile(closed(pointed(schema)) as object)
      compiled.set(schema, validate)
    }
    assert.ok(validate(value), `${what}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`)
  }

  const headersOf = new Map<Described, Map<string, { schema?: object } | undefined>>()
  function knownHeaders(described: Described): Map<string, { schema?: object } | undefined> {
    const known = headersOf.get(described)
    if (known) return known
    const made = new Map(
      Object.entries(described.headers ?? {}).map(([name, header]) => [
        name.toLowerCase(),
        header.$ref ? document.components.headers[header.$ref.split('/').at(-1) ?? ''] : header,
      ]),
    )
    headersOf.set(described, made)
    return made
  }

  function checkHeaders(described: Described, headers: Headers, what: string): void {
    const known = knownHeaders(described)
    for (const name of TELLING) if (headers.has(name)) assert.ok(known.has(name), `${what} sent ${name}, not described`)
    for (const [name, header] of known) {
      const sent = headers.get(name)
      const schema = header?.schema as { type?: string } | undefined
      if (sent !== null && schema) check(schema, schema.type === 'integer' ? Number(sent) : sent, `${what} ${name}`)
    }
    assert.ok(headers.has('x-request-id'), `${what} has no x-request-id`)
  }

  return ({ method, path, status, headers, body }) => {
    const plain = path.split('?', 1)[0] ?? ''
    // The one without parameters wins, as in the server.
    const found = paths
      .filter(({ pattern }) => pattern.test(plain))
      .sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0]
    const operation = found && document.paths[found.path]?.[method.toLowerCase()]
    if (!operation) return null
    const what = `${method} ${path} ${status}`
    const described = operation.responses[status]
    assert.ok(described, `${method} ${path} answered ${status}, which the document does not know`)
    checkHeaders(described, headers, what)
    const type = (headers.get('content-type') ?? '').split(';', 1)[0] ?? ''
    const { content } = described
    if (type === '' || !content) {
      assert.equal(type !== '' && body !== '', content !== undefined, `${what} with or without a body`)
      return operation.operationId
    }
    const media = content[type] ?? content['*/*']
    assert.ok(media, `${what} came as ${type}, described are ${Object.keys(content).join(', ')}`)
    // An answer to HEAD has the headers of a body and none itself.
    if (method === 'HEAD') return operation.operationId
    if (media.schema && /[/+]json$/.test(type) && content[type]) check(media.schema, body, what)
    return operation.operationId
  }
}

/** Fields that the document doesn't name are allowed to clients, but here they are mistakes. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== 'object' || node === null) return node
  const inner = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]))
  return inner.type === 'object' && inner.properties && inner.additionalProperties === undefined
    ? { ...inner, additionalProperties: false }
    : inner
}

const pointed = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/')) as object
