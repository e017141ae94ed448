// Holds answers against the published OpenAPI document, with a validator that is not our own.
import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

interface Operation {
  responses: Record<string, { content?: Record<string, { schema?: object }> }>
}
export interface Document {
  paths: Record<string, Record<string, Operation>>
  components: object
}

export type Conforms = (method: string, path: string, status: number, type: string, body: unknown) => void

export function newConforms(document: Document): Conforms {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
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

  return (method, path, status, type, body) => {
    const plain = path.split('?', 1)[0] ?? ''
    // The one without parameters wins, as in the server.
    const found = paths
      .filter(({ pattern }) => pattern.test(plain))
      .sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0]
    const operation = found && document.paths[found.path]?.[method.toLowerCase()]
    if (!operation) return
    const answer = operation.responses[status]
    assert.ok(answer, `${method} ${path} answered ${status}, which the document does not know`)
    const { schema } = answer.content?.[type.split(';', 1)[0] ?? ''] ?? {}
    if (!schema) return
    let validate = compiled.get(schema)
    if (!validate) {
      validate = ajv.compile(closed(pointed(schema)) as object)
      compiled.set(schema, validate)
    }
    assert.ok(
      validate(body),
      `${method} ${path} ${status}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`,
    )
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
