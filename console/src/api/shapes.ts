// What the service answers, taken from its own contract, so that the two can't drift apart.
import type { Activity as ActivityAnswer } from '#http/contract/activity-shapes.ts'
import type { Adapter as AdapterAnswer, Font } from '#http/contract/adapter-shapes.ts'
import type { Asset as AssetAnswer } from '#http/contract/asset-shapes.ts'
import type { Callback as CallbackAnswer } from '#http/contract/callback-shapes.ts'
import type { Configuration as ConfigurationAnswer } from '#http/contract/configuration-shapes.ts'
import type { Experience as ExperienceAnswer } from '#http/contract/experience-shapes.ts'
import type { Profile as ProfileAnswer } from '#http/contract/profile-shapes.ts'
import type { Problem } from '#http/contract/shapes.ts'
import type {
  Entry as EntryAnswer,
  Task as TaskAnswer,
  TaskGroup as TaskGroupAnswer,
} from '#http/contract/task-shapes.ts'

export type { CheckLine } from '#http/contract/configuration-shapes.ts'
export type { Stats, Trouble, Window } from '#http/contract/stats-shapes.ts'
export type { NewToken, Session, SignIn, Token } from '#http/contract/token-shapes.ts'

export type FieldError = NonNullable<Problem['errors']>[number]

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** Where the contract says "anything", it came as JSON. */
type AsJson<T> = unknown extends T ? Json : T extends object ? { [K in keyof T]: AsJson<T[K]> } : T

export interface List<Item> {
  items: Item[]
  next_cursor: string | null
}

export type Task = AsJson<TaskAnswer>
export type TaskGroup = AsJson<TaskGroupAnswer>
export type GroupMember = TaskGroup['tasks'][number]
export type Asset = AsJson<AssetAnswer>
export type Profile = AsJson<ProfileAnswer>
export type Activity = AsJson<ActivityAnswer>
export type Callback = AsJson<CallbackAnswer>
export type Experience = AsJson<ExperienceAnswer>

/** What an entry tells of its work; the contract leaves it open. */
/** A picture in which faces were looked for, and their boxes in its pixels. */
export interface SeenPicture {
  width: number
  height: number
  faces: { left: number; top: number; width: number; height: number; score: number }[]
}

export interface Explanation {
  seen?: SeenPicture[]
  decisions?: string[]
  command?: string | string[] | null
  versions?: JsonObject
  timings?: JsonObject
}

export type Entry = AsJson<EntryAnswer>
export type Output = NonNullable<Entry['output']>

export interface JsonSchema {
  type?: string | string[]
  title?: string
  description?: string
  const?: Json
  enum?: Json[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  default?: Json
  examples?: Json[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  additionalProperties?: boolean | JsonSchema
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  format?: string
}

export type { Font }

export type Adapter = Omit<AsJson<AdapterAnswer>, 'defaults_schema' | 'auth_schema'> & {
  defaults_schema: JsonSchema
  auth_schema: JsonSchema
}

type StoredConfiguration = AsJson<ConfigurationAnswer>
export type CallChain = NonNullable<StoredConfiguration['call_chain']>
export type ActivityConfig = NonNullable<StoredConfiguration['activity_config']>

/** A configuration as it is stored, or as it is being written: then what the service adds is not there yet. */
export type Configuration = Pick<StoredConfiguration, 'configuration_name' | 'experience_id'> & {
  [K in
    | 'kind'
    | 'created_at'
    | 'updated_at'
    | 'overridable'
    | 'needs_consent'
    | 'without_consent']?: StoredConfiguration[K]
} & {
  [K in 'adapter_name' | 'activity_config' | 'call_chain' | 'webhook_url']?: StoredConfiguration[K] | null
} & { adapter_config?: Partial<NonNullable<StoredConfiguration['adapter_config']>> | null }
