// Shows the schema of an adapter's options as callers see it.
import { isObject } from '#kit/json.ts'

/** `required` lists only properties without a default, because the others may be left out. Internal keywords are removed. */
export function served(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(served)
  if (!isObject(schema)) return schema
  const { required, properties, expects: _words, names: _names, placeholders: _place, role: _role, ...rest } = schema
  const plain = eachServed(rest)
  if (!isObject(properties)) return required === undefined ? plain : { ...plain, required }
  const needed = (Array.isArray(required) ? required : []).filter(name => {
    const property = properties[name]
    return !(isObject(property) && 'default' in property)
  })
  return { ...plain, properties: eachServed(properties), ...(needed.length > 0 ? { required: needed } : {}) }
}

const eachServed = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, served(value)]))
