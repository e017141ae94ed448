// /api/adapter/: the installed adapters, with the schemas of their options.
import Type from 'typebox'
import { type Adapter as Declared, isDestination } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import { isObject, type JsonObject } from '#kit/json.ts'
import { Adapter } from '../contract/adapter-shapes.ts'
import type { Resource } from '../route/route.ts'

const tags = ['Adapters']

export const adapters: Resource = (app, services) => {
  app.get(
    '/api/adapter/',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        summary: 'List adapters',
        description: 'All of them, by name.',
        response: { 200: Type.Object({ items: Type.Array(Adapter), next_cursor: Type.Null() }) },
      },
    },
    async () => ({
      items: [...services.adapters.values()].sort((a, b) => (a.name < b.name ? -1 : 1)).map(shown),
      next_cursor: null,
    }),
  )
  app.get(
    '/api/adapter/:adapter_name/',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        summary: 'Read an adapter',
        params: Type.Object({ adapter_name: Type.String({ description: 'The name of the adapter.' }) }),
        response: { 200: Adapter },
      },
    },
    async request => {
      const adapter = services.adapters.get(request.params.adapter_name)
      if (!adapter) throw new Problem('not_found', `There is no adapter "${request.params.adapter_name}".`)
      return shown(adapter)
    },
  )
}

const noAuth = Type.Object({}, { additionalProperties: false })

/** `required` lists only properties without a default, because the others may be left out. Internal keywords are removed. */
function served(schema: unknown): unknown {
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

const shown = (adapter: Declared): Adapter => ({
  adapter_name: adapter.name,
  kind: isDestination(adapter) ? 'destination' : 'transformer',
  summary: adapter.summary,
  accepts: [...adapter.accepts],
  makes: adapter.makes,
  defaults_schema: served(adapter.options) as JsonObject,
  auth_schema: served(adapter.auth ?? noAuth) as JsonObject,
  asset_parameters: (adapter.assets ?? []).map(({ name, accepts, list = false }) => ({
    name,
    accepts: [...accepts],
    list,
  })),
})
