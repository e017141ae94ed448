// Renders one operation of the reference as HTML: its fields, an example, and its responses.
import { escaped } from '#kit/text.ts'

interface Schema {
  $ref?: string
  type?: string
  title?: string
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  format?: string
  contentMediaType?: string
  default?: unknown
  minimum?: number
  maximum?: number
  maxLength?: number
  examples?: unknown[]
  additionalProperties?: boolean | Schema
}
export type Schemas = Record<string, Schema>

interface Media {
  schema: Schema
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

export interface Operation {
  operationId?: string
  tags?: string[]
  summary?: string
  description?: string
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, Answer>
}

export interface Answer {
  $ref?: string
  description?: string
  headers?: Record<string, unknown>
  content?: Record<string, { schema?: Schema }>
}

const prose = (text: string): string => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>')

export function operationHtml(path: string, method: string, operation: Operation, schemas: Schemas): string {
  const [type, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  return article(
    path,
    method,
    operation,
    schemas,
    `<h4>Example</h4><pre>${escaped(curl(path, method, type, body, schemas))}</pre>`,
  )
}

/** What the service itself sends: nobody calls it with curl. */
export const webhookHtml = (event: string, operation: Operation, schemas: Schemas): string =>
  article(`webhook ${event}`, 'POST', operation, schemas, '')

function article(heading: string, method: string, operation: Operation, schemas: Schemas, example: string): string {
  const { operationId = '', summary = '', description = '', parameters = [], requestBody } = operation
  const [type, body] = Object.entries(requestBody?.content ?? {})[0] ?? []
  return `<article id="${operationId}"><h3><span class="method">${method.toUpperCase()}</span> <code>${escaped(heading)}</code></h3>
<p><strong>${prose(summary)}.</strong> ${prose(description).replaceAll('\n\n', '<br>')}</p>
${parameters.length > 0 ? `<h4>Parameters</h4>${table(parameters.map(p => [`${p.name} (${p.in})`, p.schema, p.required === true, p.description]))}` : ''}
${body && type ? bodyHtml(type, resolved(body.schema, schemas), schemas) : ''}
${example}
<h4>Answers</h4>${answers(operation, schemas)}</article>`
}

const resolved = (schema: Schema, schemas: Schemas): Schema =>
  schema.$ref ? (schemas[schema.$ref.replace('#/components/schemas/', '')] ?? schema) : schema

function bodyHtml(type: string, schema: Schema, schemas: Schemas): string {
  return `<h4>Body <code>${escaped(type)}</code></h4>${schema.description ? `<p>${prose(schema.description)}</p>` : ''}${fields(schema, schemas)}`
}

/** Lists the fields of nested objects with dotted names, as far as they are known. */
function fields(schema: Schema, schemas: Schemas): string {
  const rows = rowsOf(schema, schemas, '')
  return rows.length > 0 ? table(rows) : ''
}

function rowsOf({ properties = {}, required = [] }: Schema, schemas: Schemas, prefix: string): Row[] {
  return Object.entries(properties).flatMap(([name, inner]): Row[] => {
    const object = (inner.anyOf ?? [inner]).find(each => each.properties)
    const row: Row = [prefix + name, inner, required.includes(name), resolved(inner, schemas).description]
    return [row, ...(object && !prefix.includes('.') ? rowsOf(object, schemas, `${prefix}${name}.`) : [])]
  })
}

type Row = [name: string, schema: Schema, required: boolean, description: string | undefined]

function table(rows: Row[]): string {
  const cells = rows.map(
    ([name, schema, required, description]) =>
      `<tr><td><code>${escaped(name)}</code>${required ? '' : ' <small>optional</small>'}</td><td>${escaped(kind(schema))}</td><td>${prose(description ?? schema.description ?? '')}</td></tr>`,
  )
  return `<table><tbody>${cells.join('\n')}</tbody></table>`
}

/** Describes a schema in a few words. */
function kind(schema: Schema): string {
  if (schema.$ref) return schema.$ref.replace('#/components/schemas/', '')
  if (schema.anyOf) return [...new Set(schema.anyOf.map(kind))].join(' or ')
  if (schema.enum) return schema.enum.map(value => JSON.stringify(value)).join(', ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.type === 'array') return schema.items ? `list of ${kind(schema.items)}` : 'list'
  const range =
    schema.minimum !== undefined || schema.maximum !== undefined
      ? ` ${schema.minimum ?? ''}–${schema.maximum ?? ''}`
      : ''
  const fallback = schema.default === undefined ? '' : `, ${JSON.stringify(schema.default)} by default`
  return `${schema.contentMediaType ? 'file' : (schema.format ?? schema.type ?? 'any')}${range}${fallback}`
}

function answers({ responses }: Operation, schemas: Schemas): string {
  const rows = Object.entries(responses).map(([status, { description = '', headers = {}, content = {} }]) => {
    const [type, { schema = undefined } = {}] = Object.entries(content)[0] ?? []
    const good = status.startsWith('2') && schema
    const whole = good ? resolved(schema, schemas) : undefined
    const more = whole?.properties
      ? `<details><summary>${escaped(kind(schema as Schema))}</summary>${fields(whole, schemas)}</details>`
      : ''
    const name = good && !more ? `<code>${escaped(type ?? '')}</code> ` : ''
    return `<tr><td>${status}</td><td>${name}${prose(description)}${sent(headers)}${more}</td></tr>`
  })
  return `<table><tbody>${rows.join('\n')}</tbody></table>`
}

/** The headers worth knowing; the one of every answer is told at the top. */
function sent(headers: Record<string, unknown>): string {
  const names = Object.keys(headers).filter(name => name !== 'X-Request-Id')
  return names.length > 0 ? ` <small>${names.map(name => `<code>${escaped(name)}</code>`).join(', ')}</small>` : ''
}

function curl(
  path: string,
  method: string,
  type: string | undefined,
  body: Media | undefined,
  schemas: Schemas,
): string {
  const place = path.replace(/\{(\w+)\}/g, (_whole, name: string) => name.toUpperCase())
  const lines = [`curl -X ${method.toUpperCase()} "$KEEPSAKE${place}"`, '  -H "Authorization: Bearer $TOKEN"']
  const schema = body && resolved(body.schema, schemas)
  if (type === 'multipart/form-data') lines.push(...parts(exampleOf(body as Media, schema), schema))
  else if (body) lines.push(`  --json ${quoted(JSON.stringify(exampleOf(body, schema)))}`)
  return lines.join(' \\\n')
}

/** Text is sent as it is: with -F a value that begins with @ or < would be read from a file. */
function parts(example: unknown, schema: Schema | undefined): string[] {
  return Object.entries(example as Record<string, unknown>).map(([name, value]) => {
    const { properties = {}, additionalProperties: others } = schema ?? {}
    const isFile = properties[name] ? isBytes(properties[name]) : typeof others === 'object' && name.endsWith('_data')
    const text = shown(value)
    return isFile ? `  -F ${quoted(`${name}=@${text}`)}` : `  --form-string ${quoted(`${name}=${text}`)}`
  })
}

const isBytes = ({ contentMediaType }: Schema): boolean => contentMediaType !== undefined

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const exampleOf = (body: Media, schema: Schema | undefined): unknown =>
  body.example ?? Object.values(body.examples ?? {})[0]?.value ?? schema?.examples?.[0] ?? {}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
