// Makes the published document of what Fastify collected: named components, portable patterns, headers, webhooks.

import type { Adapters } from '#engine/adapter.ts'
import { isObject } from '#kit/json.ts'
import { withAdapters } from './openapi-adapters.ts'
import { OPTIONAL_BODY } from './openapi-errors.ts'
import { webhooks } from './openapi-webhooks.ts'
import { type Node, plainTree } from './portable-schema.ts'

/** Every answer has it: `hooks/headers.ts`. */
const requestId = {
  'X-Request-Id': {
    description: 'Leads to the lines of the log about this request.',
    schema: { type: 'string', format: 'uuid' },
  },
}

export function published<T extends object>(document: T, adapters: Adapters): T {
  const { paths, components, ...rest } = JSON.parse(JSON.stringify(document)) as Node
  const { schemas, visit } = newComponents()
  const { headers, named } = newHeaders()
  const { responses, shared } = newAnswers()
  const described = visit(
    eachOperation(paths as Node, operation => shared(withOwnRules(withOwnName(operation), named))),
  )
  const events = visit(JSON.parse(JSON.stringify(webhooks)))
  return {
    ...rest,
    components: {
      ...(components as Node),
      responses: visit(responses),
      schemas: withAdapters(schemas, adapters),
      headers: visit(headers),
    },
    paths: described,
    webhooks: events,
  } as T
}

function eachOperation(paths: Node, change: (operation: Node) => Node): Node {
  return mapped(paths, methods => mapped(methods as Node, operation => change(operation as Node)))
}

const mapped = (node: Node, change: (value: unknown, key: string) => unknown): Node =>
  Object.fromEntries(Object.entries(node).map(([key, value]) => [key, change(value, key)]))

/** The library puts `-head` behind the name of a HEAD. */
const withOwnName = ({ operationId, ...operation }: Node): Node => ({
  ...(operationId === undefined ? {} : { operationId: String(operationId).replace(/-head$/, '') }),
  ...operation,
})

/** What the schemas of a route can't say. */
function withOwnRules({ [OPTIONAL_BODY]: optional, ...operation }: Node, named: (headers: Node) => Node): Node {
  const body = operation.requestBody as Node | undefined
  const withHeaders = (response: Node): Node => ({
    ...response,
    headers: named({ ...(response.headers as Node | undefined), ...requestId }),
  })
  return {
    ...operation,
    ...(body && optional ? { requestBody: { ...body, required: false } } : {}),
    responses: mapped(operation.responses as Node, response => withHeaders(response as Node)),
  }
}

/** The first header of each name becomes a component, to which all that are like it refer. */
function newHeaders(): { headers: Node; named(headers: Node): Node } {
  const headers: Node = {}
  return {
    headers,
    named: given =>
      mapped(given, (header, name) => {
        headers[name] ??= header
        return JSON.stringify(headers[name]) === JSON.stringify(header)
          ? { $ref: `#/components/headers/${name}` }
          : header
      }),
  }
}

/** Problems that several operations answer in the same words are described once, under the names of their codes. */
function newAnswers(): { responses: Node; shared(operation: Node): Node } {
  const responses: Node = {}
  const refer = (response: Node): Node => {
    const codes = [...String(response.description).matchAll(/`(\w+)`:/g)].map(([, code]) => code)
    const isProblem = isObject(response.content) && 'application/problem+json' in response.content
    if (!isProblem || codes.length === 0) return response
    const name = codes.join('.')
    responses[name] ??= response
    return JSON.stringify(responses[name]) === JSON.stringify(response)
      ? { $ref: `#/components/responses/${name}` }
      : response
  }
  return {
    responses,
    shared: operation => ({
      ...operation,
      responses: mapped(operation.responses as Node, response => refer(response as Node)),
    }),
  }
}

/** Schemas with a title become components, so that generated clients get named types. */
function newComponents(): { schemas: Node; visit(node: unknown): unknown } {
  const schemas: Node = {}
  const texts = new Map<string, string>()

  function named(schema: Node): Node {
    const { title } = schema
    if (typeof title !== 'string' || schema.type === undefined) return schema
    // Parameters carry the description beside their schema.
    const { description, ...rules } = schema
    const text = JSON.stringify(rules)
    if (texts.has(title) && texts.get(title) !== text) throw new Error(`Two schemas have the title ${title}.`)
    texts.set(title, text)
    if (description !== undefined || !(title in schemas)) schemas[title] = schema
    return { $ref: `#/components/schemas/${title}` }
  }

  return { schemas, visit: node => plainTree(node, named) }
}
