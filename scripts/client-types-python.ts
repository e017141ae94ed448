// Makes the types of the Python client from the OpenAPI document of the service.
import { alternatives, banner, type Document, nameOf, type Schema, schemasOf } from './client-types.ts'

const isNull = ({ type }: Schema): boolean => type === 'null'

export function pythonOf(document: Document): string {
  const classes: string[] = []
  const all = schemasOf(document)
  for (const [name, schema] of all) if (schema.properties) pythonClass(name, schema, classes)
  // Other names stand last, and what they mean in quotes: they may be named before they are there.
  const names = new Set(all.map(([name]) => name))
  for (const [name, schema] of all) {
    if (schema.properties) continue
    const type = pyOf(schema, name, classes)
    const late = names.has(type) ? type : type.replace(/\b[A-Z]\w+\b/g, word => (names.has(word) ? `"${word}"` : word))
    classes.push(`${name} = ${late}\n`)
  }
  const used = ['Any', 'Dict', 'List', 'Literal', 'Optional', 'Tuple', 'TypedDict', 'Union'].filter(word =>
    classes.some(text => new RegExp(`\\b${word}\\b`).test(text)),
  )
  return [
    `"""Types of what the service takes and answers. ${banner}"""`,
    'from __future__ import annotations',
    `from typing import ${used.join(', ')}`,
    ...classes.map(text => `\n${text.trimEnd()}`),
    '',
  ].join('\n\n')
}

/** What is not required stands in a class of its own: Python 3.9 knows no other way. */
function pythonClass(name: string, schema: Schema, classes: string[]): void {
  if (Object.keys(schema.properties ?? {}).some(field => !isPlain(field))) {
    pythonTable(name, schema, classes)
    return
  }
  const fields = Object.entries(schema.properties ?? {}).map(([field, property]) => ({
    line: `    ${field}: ${pyOf(property, name + camel(field), classes)}`,
    required: schema.required?.includes(field) ?? false,
  }))
  const linesOf = (required: boolean): string[] =>
    fields.filter(each => each.required === required).map(each => each.line)
  const [needed, others] = [linesOf(true), linesOf(false)]
  const about = schema.description ? `    """${schema.description.replace(/\s+/g, ' ').replaceAll('"', "'")}"""\n` : ''
  const body = (lines: string[]): string => `${about}${lines.join('\n') || '    pass'}\n`
  if (others.length === 0) classes.push(`class ${name}(TypedDict):\n${body(needed)}`)
  else if (needed.length === 0) classes.push(`class ${name}(TypedDict, total=False):\n${body(others)}`)
  else
    classes.push(
      `class _${name}(TypedDict):\n${needed.join('\n')}\n`,
      `class ${name}(_${name}, total=False):\n${body(others)}`,
    )
}

const KEYWORDS =
  'and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with yield'.split(
    ' ',
  )
const isPlain = (field: string): boolean => /^[A-Za-z_]\w*$/.test(field) && !KEYWORDS.includes(field)

/** A field that is a word of Python can't stand in a class; in this form nothing is required. */
function pythonTable(name: string, schema: Schema, classes: string[]): void {
  const fields = Object.entries(schema.properties ?? {}).map(
    ([field, property]) => `        "${field}": ${quoted(pyOf(property, name + camel(field), classes))},`,
  )
  classes.push(`${name} = TypedDict(\n    "${name}",\n    {\n${fields.join('\n')}\n    },\n    total=False,\n)\n`)
}

/** A type as text, which Python reads when it is needed. */
const quoted = (type: string): string => `"${type.replaceAll('"', "'")}"`

const camel = (text: string): string => text.replace(/(?:^|_)(\w)/g, (_all, letter: string) => letter.toUpperCase())

const literal = (value: unknown): string =>
  value === true ? 'True' : value === false ? 'False' : value === null ? 'None' : JSON.stringify(value)

function pyOf(schema: Schema, name: string, classes: string[]): string {
  if (schema.$ref) return nameOf(schema.$ref)
  const literals = schema.enum ?? ('const' in schema ? [schema.const] : undefined)
  // A literal of Python is no fraction.
  if (literals?.some(value => typeof value === 'number' && !Number.isInteger(value))) return 'float'
  if (literals) return `Literal[${literals.map(literal).join(', ')}]`
  const several = Array.isArray(schema.type) ? schema.type.map(type => ({ ...schema, type })) : alternatives(schema)
  if (several) {
    const kinds = [...new Set(several.filter(each => !isNull(each)).map(each => pyOf(each, name, classes)))]
    const union = kinds.length === 1 ? (kinds[0] ?? 'Any') : `Union[${kinds.join(', ')}]`
    return several.some(isNull) ? `Optional[${union}]` : union
  }
  if (schema.prefixItems) return `List[Any]`
  switch (schema.type) {
    case 'string':
      return 'str'
    case 'boolean':
      return 'bool'
    case 'integer':
      return 'int'
    case 'number':
      return 'float'
    case 'null':
      return 'None'
    case 'array':
      return `List[${typeof schema.items === 'object' ? pyOf(schema.items, name, classes) : 'Any'}]`
    case 'object':
      if (!schema.properties) return 'Dict[str, Any]'
      pythonClass(name, schema, classes)
      return name
    default:
      return 'Any'
  }
}
