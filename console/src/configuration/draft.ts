// A configuration while it is being edited.
import type { Adapter, Configuration, JsonObject } from '../api/shapes.ts'

export const emptySingle = (experience: string, adapter?: Adapter): Configuration => ({
  configuration_name: '',
  experience_id: experience,
  ...startOf(adapter),
})

/** What a new configuration of an adapter begins with: where something is cut off, faces are kept. */
export const startOf = (adapter: Adapter | undefined) => ({
  adapter_name: adapter?.adapter_name ?? '',
  adapter_config: { auth: {}, defaults: keepsFaces(adapter) ? { gravity: 'faces' } : {} },
})

const keepsFaces = (adapter: Adapter | undefined): boolean =>
  adapter?.defaults_schema.properties?.gravity?.enum?.includes('faces') ?? false

export const emptyChain = (experience: string): Configuration => ({
  configuration_name: '',
  experience_id: experience,
  call_chain: [],
})

export const defaultsOf = (draft: Configuration): JsonObject => draft.adapter_config?.defaults ?? {}
export const authOf = (draft: Configuration): JsonObject => draft.adapter_config?.auth ?? {}

export const withDefaults = (draft: Configuration, defaults: JsonObject): Configuration => ({
  ...draft,
  adapter_config: { ...draft.adapter_config, defaults },
})
export const withAuth = (draft: Configuration, auth: JsonObject): Configuration => ({
  ...draft,
  adapter_config: { ...draft.adapter_config, auth },
})

/** Options that differ from what is stored. A removed one cannot be told by extras, so it waits for the save. */
export function unsavedOptions(draft: Configuration, stored: Configuration | undefined): JsonObject {
  const before = stored ? defaultsOf(stored) : {}
  return Object.fromEntries(
    Object.entries(defaultsOf(draft)).filter(([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value)),
  )
}
