// /api/adapter/ and /api/font/: the installed adapters, with the schemas of their options, and the fonts of their texts.
import Type from 'typebox'
import { fixedOptions } from '#configurations/target.ts'
import { type Adapter as Declared, isDestination } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'
import { Adapter, AdapterList, FontList } from '../contract/adapter-shapes.ts'
import { answer } from '../contract/answers.ts'
import { served } from '../contract/served-schema.ts'
import type { Resource } from '../route/route.ts'

const tags = ['Adapters']

export const adapters: Resource = (app, services) => {
  app.get(
    '/api/adapter/',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'listAdapters',
        summary: 'List adapters',
        description: 'All of them, by name.',
        response: { 200: answer('All adapters.', AdapterList) },
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
        operationId: 'readAdapter',
        summary: 'Read an adapter',
        params: Type.Object({ adapter_name: Type.String({ description: 'The name of the adapter.' }) }),
        response: { 200: answer('The adapter.', Adapter) },
      },
    },
    async request => {
      const adapter = services.adapters.get(request.params.adapter_name)
      if (!adapter) throw new Problem('not_found', `There is no adapter "${request.params.adapter_name}".`)
      return shown(adapter)
    },
  )
  app.get(
    '/api/font/',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'listFonts',
        summary: 'List fonts',
        description:
          'The fonts that texts of adapters can be set in, beside those that are uploaded as assets: Inter, which is shipped, and what is installed on the machine of the API. Workers on other machines draw with the fonts of those.',
        response: { 200: answer('All fonts.', FontList) },
      },
    },
    async () => ({
      items: (await services.fonts()).map(family => ({ family, shipped: family === 'Inter' })),
      next_cursor: null,
    }),
  )
}

const noAuth = Type.Object({}, { additionalProperties: false })

const shown = (adapter: Declared): Adapter => ({
  adapter_name: adapter.name,
  kind: isDestination(adapter) ? 'destination' : 'transformer',
  summary: adapter.summary,
  accepts: [...adapter.accepts],
  makes: adapter.makes,
  defaults_schema: served(adapter.options) as JsonObject,
  auth_schema: served(adapter.auth ?? noAuth) as JsonObject,
  one_of: [...(adapter.oneOf ?? [])],
  fixed_options: fixedOptions(adapter),
  asset_parameters: (adapter.assets ?? []).map(({ name, accepts, list = false }) => ({
    name,
    accepts: [...accepts],
    list,
  })),
})
