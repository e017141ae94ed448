// Every operation of the published OpenAPI document as requests that can be sent: no route is listed by hand.
import assert from 'node:assert/strict'
import type { Scope } from '#access/scopes.ts'

// biome-ignore lint/suspicious/noExplicitAny: the document is read as it comes
type Any = any

export interface Operation {
  method: string
  /** With parameters in braces. */
  path: string
  /** What a token needs; null for open routes. */
  scope: Scope | null
  parameters: string[]
  /** Query parameters that take any text or an id. */
  filters: string[]
  hasCursor: boolean
  /** Bodies that are worth sending, each made from the examples of the document. */
  bodies: Body[]
}

export type Body = { json: Any } | { form: Record<string, string | Blob> } | null

/** The experience in all examples of the document. */
export const EXPERIENCE = 'expo-2026'

export const named = ({ method, path }: Operation): string => `${method} ${path}`

export async function operationsOf(url: string): Promise<Operation[]> {
  const document = (await (await fetch(`${url}/api/openapi.json`)).json()) as Any
  return Object.entries<Any>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Any>(methods).map(([method, operation]): Operation => {
      const { parameters = [], requestBody, description = '', security = [] } = operation
      const scope = /scope `(\w+)`/.exec(description)?.[1] ?? null
      assert.equal(scope !== null, security.length > 0, `${method} ${path} says which scope it needs`)
      const query = parameters.filter((one: Any) => one.in === 'query')
      return {
        method: method.toUpperCase(),
        path,
        scope: scope as Scope | null,
        parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string),
        filters: query
          .filter(
            ({ schema, name }: Any) => schema.type === 'string' && schema.format !== 'date-time' && name !== 'cursor',
          )
          .map(({ name }: Any) => name),
        hasCursor: query.some(({ name }: Any) => name === 'cursor'),
        bodies: requestBody ? bodiesOf(requestBody.content, document) : [null],
      }
    }),
  )
}

function bodiesOf(content: Any, document: Any): Body[] {
  const json = content['application/json']
  if (json) {
    const given = [
      ...(json.example ? [json.example] : []),
      ...Object.values<Any>(json.examples ?? {}).map(({ value }) => value),
    ]
    const own = deref(json.schema, document).properties?.experience_id ? { experience_id: EXPERIENCE } : {}
    return [{}, ...given].map(value => ({ json: { ...own, ...value } }))
  }
  const multipart = content['multipart/form-data']
  // Bytes of an upload, which have tests of their own.
  if (!multipart) return [null]
  const { properties = {}, required = [] } = deref(multipart.schema, document)
  const part = ([name, schema]: [string, Any]): [string, string | Blob] => [
    name,
    schema.contentMediaType ? new Blob(['no picture']) : (schema.examples?.[0] ?? name),
  ]
  const form = (names: (name: string) => boolean): Body => ({
    form: Object.fromEntries(
      Object.entries<Any>(properties)
        .filter(([name]) => names(name))
        .map(part),
    ),
  })
  return [form(name => required.includes(name)), form(name => !/_(url|upload)$/.test(name))]
}

const deref = (schema: Any, document: Any): Any =>
  schema?.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : (schema ?? {})

/** The body with every text in it replaced in turn, by the value as it is and as it may stand in JSON. */
export function* mutations(body: Body, value: string): Generator<Body> {
  if (body === null) return
  if ('form' in body) {
    for (const [name, part] of Object.entries(body.form)) {
      if (part instanceof Blob) continue
      const extras = { email: [value], profile_id: value, rfid: value, file_name: value, overlay_file_name: value }
      const inside = name.endsWith('extras') ? [JSON.stringify(extras)] : []
      for (const text of [value, JSON.stringify([value]), ...inside]) yield { form: { ...body.form, [name]: text } }
    }
    return
  }
  for (const path of textsIn(body.json)) yield { json: withText(body.json, path, value) }
}

function textsIn(node: Any, path: string[] = []): string[][] {
  if (typeof node === 'string') return [path]
  if (node === null || typeof node !== 'object') return []
  return Object.entries(node).flatMap(([key, inner]) => textsIn(inner, [...path, key]))
}

function withText(node: Any, [key, ...rest]: string[], value: string): Any {
  if (key === undefined) return value
  const copy = Array.isArray(node) ? [...node] : { ...node }
  copy[key] = withText(node[key], rest, value)
  return copy
}
