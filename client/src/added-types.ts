// Types of what a service newer than this client's types may answer. Fields that are not named here are there all the same.
import type { Asset, Configuration, ExperiencePatch, Profile, Task, TaskGroup } from './api-types.ts'

/** The first finds of one kind. */
export interface Found<T> {
  items: T[]
  /** Whether there are more than these. */
  more: boolean
}

export interface SearchResults {
  profiles: Found<Profile>
  tasks: Found<Task>
  taskgroups: Found<TaskGroup>
  configurations: Found<Configuration>
  assets: Found<Asset>
}

/** One change that was made through the API or the console. */
export interface AuditEvent {
  created_at: string
  [field: string]: unknown
}

export type AuditFilters = Record<string, string | number | boolean | undefined>

/** What a configuration or an asset was. */
export interface Version {
  version: number
  created_at: string
  [field: string]: unknown
}

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

export interface ExperienceInput extends ExperiencePatch {
  experience_id: string
}
