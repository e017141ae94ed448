// The tables of what was before, as TypeScript types: versions, deletions, the audit.
import type { ColumnType, Generated } from 'kysely'
import type { Actor } from '#kit/actor.ts'
import type { Purpose, WithoutConsent } from '#kit/guest/consent.ts'
import type { JsonObject } from '#kit/json.ts'

/** Read as a value, written as JSON text. */
export type Json<T extends object | null> = ColumnType<T, string | Extract<T, null>, string | Extract<T, null>>

/** What a configuration says, today and in each of its versions. */
export interface ConfigurationColumns {
  configuration_name: string
  /** Null: shared by all experiences. */
  experience_id: string | null
  kind: ConfigurationKind
  adapter_name: string | null
  defaults: Json<JsonObject | null>
  auth: Buffer | null
  activity_config: Json<ActivityConfig | null>
  call_chain: Json<ChainEntry[] | null>
  webhook_url: string | null
  /** Of a shared one: the options that extras may change. */
  overridable: string[] | null
  /** What guests must have agreed to before it runs for them. */
  needs_consent: Generated<Purpose[]>
  without_consent: Generated<WithoutConsent>
}

export interface HistoryTables {
  task_failures: {
    failure_id: string
    task_id: string
    run: number
    chain_id: string
    index: number
    outcome: 'Deferred' | 'Failed' | 'Cancelled'
    attempt: number
    code: string
    message: string
    times: Generated<number>
    first_at: Generated<Date>
    last_at: Generated<Date>
  }
  configuration_versions: ConfigurationColumns & {
    history: string
    version: number
    change: VersionChange
    restored_from: number | null
    changed_by: Json<ChangedBy | null>
    created_at: Date
    replaced_at: Generated<Date | null>
  }
  deletions: {
    history: string
    noun: DeletedNoun
    name: string
    experience_id: string | null
    version: number
    made_at: Date
    deleted_at: Date
  }
  audit_events: {
    event_id: string
    action: AuditAction
    object: AuditObject
    object_id: string
    experience_id: string | null
    actor_kind: Actor['kind']
    token_id: string | null
    actor: string
    address: string | null
    before: Json<JsonObject | null>
    after: Json<JsonObject | null>
    created_at: Date
  }
}

export type ConfigurationKind = 'transformer' | 'destination' | 'chain'
export type ChainEntry = [configurationName: string, inputIndex: number | null]

export interface ActivityConfig {
  /** Left out of a shared configuration: that of the task. */
  experience_id?: string
  activity_type: string
  payload: JsonObject
}

/** How a version came to be. */
export type VersionChange = 'made' | 'changed' | 'restored'
export type ChangedBy = Omit<Actor, 'address'>
export type DeletedNoun = 'configuration' | 'asset'
export type AuditAction =
  | 'create'
  | 'reissue'
  | 'approve'
  | 'hide'
  | 'update'
  | 'delete'
  | 'restore'
  | 'undelete'
  | 'rotate_secret'
  | 'cancel'
  | 'retry'
  | 'retract'
  | 'resend'
export type AuditObject =
  | 'configuration'
  | 'asset'
  | 'profile'
  | 'experience'
  | 'token'
  | 'task'
  | 'taskgroup'
  | 'callback'
  | 'keepsake'
  | 'wall_key'
