// Types of configurations whose adapters the document does not know.

declare const own: unique symbol
/** The name of an adapter that does not ship with the service; `ownAdapter` makes one. */
export type OwnAdapter = string & { readonly [own]: true }

/** A configuration of an adapter that does not ship with the service: only the service knows its options. */
export interface OwnConfiguration {
  configuration_name?: string
  experience_id: string
  adapter_name: OwnAdapter
  adapter_config?: { auth?: Record<string, unknown>; defaults?: Record<string, unknown> }
  [field: string]: unknown
}
