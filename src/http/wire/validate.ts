// Validates query and body by the contract's schemas. Only numbers in a query or a path are converted.
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { badField, badFields, Problem } from '#kit/errors.ts'
import { isObject, own } from '#kit/json.ts'
import { schemaErrors } from '#kit/schema.ts'
import { Input } from '../contract/shapes.ts'
import type { App } from '../route/route.ts'
import { checkText } from './json-body.ts'

export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  if (httpPart === 'body') return value => check(schema, value, 'The body is not valid')
  if (httpPart === 'querystring') return value => check(schema, withNumbers(schema, value), 'The query is not valid')
  if (httpPart === 'params') return value => withPathNumbers(schema, value)
  return value => ({ value })
}

function check(schema: TSchema, value: unknown, title: string): { value: unknown } | { error: Problem } {
  if (value === null) return { error: new Problem('bad_request', 'A JSON body is needed here.') }
  const errors = schemaErrors(schema, value)
  return errors.length > 0 ? { error: badFields(errors, title) } : { value }
}

/** Everything in a query is text; only what the schema calls an integer becomes a number. */
function withNumbers(schema: TSchema, value: unknown): unknown {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> }
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, text]) => [
      name,
      own(properties, name)?.type === 'integer' && typeof text === 'string' && /^-?\d{1,15}$/.test(text)
        ? Number(text)
        : text,
    ]),
  )
}

/** A place in a list that is no number names nothing, like one behind its end. */
function withPathNumbers(schema: TSchema, value: unknown): { value: unknown } | { error: Problem } {
  const params = withNumbers(schema, value) as Record<string, unknown>
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> }
  const wrong = Object.keys(params).find(
    name => own(properties, name)?.type === 'integer' && !Number.isInteger(params[name]),
  )
  return wrong === undefined
    ? { value: params }
    : { error: new Problem('not_found', `There is no such entry: "${wrong}" in the path is a number from 0 on.`) }
}

const NOTHING = Input({})

/** A route without a query schema takes no query. */
export function refuseUnknownQueries(app: App): void {
  app.addHook('onRoute', route => {
    if (route.url.startsWith('/api/') && !route.schema?.querystring)
      route.schema = { ...route.schema, querystring: NOTHING }
  })
}

/** Text that PostgreSQL cannot store cannot be looked up either. */
export async function refuseBadText(request: FastifyRequest): Promise<void> {
  checkText(request.params, '')
  checkQueryBytes(request.url)
  checkText(request.query, '')
}

/** The parser leaves bytes that are not UTF-8 as they were written, and they would be looked up as that text. */
function checkQueryBytes(url: string): void {
  const start = url.indexOf('?')
  if (start < 0) return
  for (const pair of url.slice(start + 1).split('&')) {
    const [name = ''] = pair.split('=', 1)
    if (!isUtf8(name)) throw badField('query', 'has a name with bytes that are not UTF-8, which is no text')
    if (!isUtf8(pair)) throw badField(name, 'holds bytes that are not UTF-8, which is no text')
  }
}

/** A `%` that begins no byte stands for itself. */
const isUtf8 = (text: string): boolean =>
  (text.match(/(?:%[0-9a-f]{2})+/gi) ?? []).every(bytes => {
    try {
      decodeURIComponent(bytes)
      return true
    } catch {
      return false
    }
  })
