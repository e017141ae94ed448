// Makes the types of the TypeScript client from the OpenAPI document of the service.

export interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema | boolean
  prefixItems?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
}

interface Operation {
  parameters?: { name: string; in: string; description?: string; required?: boolean; schema: Schema }[]
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>
}

export interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** The named schemas, and the filters of each list under the name of what it lists. */
export function schemasOf({ paths, components }: Document): [name: string, schema: Schema][] {
  const filters = Object.values(paths).flatMap(({ get }) => {
    const query = get?.parameters?.filter(each => each.in === 'query') ?? []
    const answered = get?.responses['200']?.content?.['application/json']?.schema
    const page = answered?.$ref ? components.schemas[nameOf(answered.$ref)] : answered
    const items = page?.properties?.items?.items
    const item = typeof items === 'object' ? items.$ref : undefined
    if (!item || !query.some(({ name }) => name === 'cursor')) return []
    const own = query.filter(({ name }) => name !== 'cursor' && name !== 'limit')
    const properties = Object.fromEntries(
      own.map(({ name, schema, description }) => [name, { ...schema, ...(description ? { description } : {}) }]),
    )
    return own.length === 0 ? [] : [[`${nameOf(item)}Filters`, { type: 'object', properties }] as [string, Schema]]
  })
  return [...Object.entries(components.schemas), ...filters].sort(([a], [b]) => (a < b ? -1 : 1))
}

export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)
export const alternatives = (schema: Schema): Schema[] | undefined => schema.anyOf ?? schema.oneOf

export const banner =
  'Made from the OpenAPI document of the service. Write it anew with: KEEPSAKE_WRITE_DOCS=1 node --test test/clients/types.test.ts'

export function typescriptOf(document: Document): string {
  const types = schemasOf(document).map(([name, schema]) => {
    const about = comment(schema.description, '')
    if (schema.properties) return `${about}export interface ${name} ${block(schema, '')}\n`
    return `${about}export type ${name} = ${tsOf(schema, '')}\n`
  })
  return `// Types of what the service takes and answers. ${banner}\n\n${types.join('\n')}`
}

const comment = (text: string | undefined, indent: string): string =>
  text ? `${indent}/** ${text.replace(/\s+/g, ' ').replaceAll('*/', '* /')} */\n` : ''

function block(schema: Schema, indent: string): string {
  const inner = `${indent}  `
  const lines = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const mark = schema.required?.includes(name) ? '' : '?'
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`
    return `${comment(property.description, inner)}${inner}${key}${mark}: ${tsOf(property, inner)}\n`
  })
  if (schema.additionalProperties === true) lines.push(`${inner}[field: string]: unknown\n`)
  return `{\n${lines.join('')}${indent}}`
}

function tsOf(schema: Schema, indent: string): string {
  if (schema.$ref) return nameOf(schema.$ref)
  const literals = schema.enum ?? ('const' in schema ? [schema.const] : undefined)
  if (literals)
    return literals.map(value => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value))).join(' | ')
  const several = alternatives(schema)
  if (several) return [...new Set(several.map(each => tsOf(each, indent)))].join(' | ')
  if (schema.allOf) return schema.allOf.map(each => tsOf(each, indent)).join(' & ')
  if (Array.isArray(schema.type)) return schema.type.map(type => tsOf({ ...schema, type }, indent)).join(' | ')
  if (schema.prefixItems) return `[${schema.prefixItems.map(each => tsOf(each, indent)).join(', ')}]`
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'integer':
    case 'number':
      return 'number'
    case 'array': {
      const item = typeof schema.items === 'object' ? tsOf(schema.items, indent) : 'unknown'
      return /[|&\s]/.test(item) && !/^[{[][^|&]*[}\]]$/.test(item) ? `(${item})[]` : `${item}[]`
    }
    case 'object':
      if (schema.properties) return block(schema, indent)
      return `Record<string, ${typeof schema.additionalProperties === 'object' ? tsOf(schema.additionalProperties, indent) : 'unknown'}>`
    default:
      return 'unknown'
  }
}
