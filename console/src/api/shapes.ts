// What the service answers, as the console reads it. Unknown fields are ignored, so the service may grow.

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

export interface List<Item> {
  items: Item[]
  next_cursor: string | null
}

export type TaskStatus = 'Waiting' | 'Running' | 'Succeeded' | 'Failed' | 'Cancelled'
export type EntryStatus = TaskStatus | 'Skipped'
export type CallbackStatus = 'Waiting' | 'Delivered' | 'GivenUp'

export interface Output {
  mime: string
  width: number | null
  height: number | null
  duration: number | null
  /** Null where neighbouring entries were melted into one: there was no file in between. */
  bytes: number | null
  sha256: string | null
}

export interface Explanation {
  decisions?: string[]
  command?: string | string[] | null
  versions?: JsonObject
  timings?: JsonObject
}

export interface Entry {
  index: number
  configuration: string
  adapter_name: string
  input_idx: number | null
  status: EntryStatus
  progress: number
  started_at: string | null
  ended_at: string | null
  retry_at: string | null
  result: JsonObject | null
  error: { code: string; message: string } | null
  warnings: string[]
  output: Output | null
  explanation: Explanation | null
}

export interface Task {
  task_id: string
  chain_id: string
  flow_id: string
  configuration: string
  experience_id: string
  status: TaskStatus
  extras: JsonObject
  webhook_url: string | null
  warnings: string[]
  created_at: string
  started_at: string | null
  ended_at: string | null
  entries: Entry[]
}

export interface GroupMember {
  index: number
  configuration: string
  chain_id: string
  status: TaskStatus
  extras?: JsonObject
  entries: Entry[]
}

export interface TaskGroup {
  task_id: string
  flow_id: string
  status: TaskStatus
  configuration_names: string[]
  experience_id: string
  webhook_url: string | null
  warnings: string[]
  created_at: string
  started_at: string | null
  ended_at: string | null
  tasks: GroupMember[]
}

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

export interface Adapter {
  adapter_name: string
  kind: 'transformer' | 'destination'
  summary: string
  accepts: string[]
  makes: string
  defaults_schema: JsonSchema
  auth_schema: JsonSchema
  asset_parameters: { name: string; accepts: string[]; list?: boolean }[]
}

export type CallChain = [string, number | null][]

export interface ActivityConfig {
  experience_id: string
  activity_type: string
  payload: JsonObject
}

export interface Configuration {
  configuration_name: string
  experience_id: string
  kind?: 'transformer' | 'destination' | 'chain'
  adapter_name?: string | null
  adapter_config?: { auth?: JsonObject; defaults?: JsonObject } | null
  activity_config?: ActivityConfig | null
  call_chain?: CallChain | null
  webhook_url?: string | null
  created_at?: string
  updated_at?: string
}

export interface Asset {
  name: string
  experience_id: string
  mime: string
  bytes: number
  sha256: string
  width: number | null
  height: number | null
  duration: number | null
  created_at: string
  updated_at: string
  used_by?: string[]
}

export interface Profile {
  profile_id: string
  email: string[]
  qr_code: string[]
  rfid: string[]
  experience_id: string | null
  attributes: JsonObject
  created_at: string
  updated_at: string
}

export interface Activity {
  activity_id: string
  owner_id: string
  experience_id: string
  activity_type: string
  flow_id: string
  payload: JsonObject
  created_at: string
}

export interface Callback {
  callback_id: string
  task_id: string
  url: string
  status: CallbackStatus
  body: Json
  attempts: { at: string; status_code: number | null; error: string | null; duration_ms: number }[]
  next_attempt_at: string | null
  created_at: string
  updated_at: string
}

export interface Experience {
  experience_id: string
  name: string | null
  max_running: number | null
  retention_days: number | null
  webhook_secret?: string
  created_at: string
  updated_at: string
}

export interface Token {
  token_id: string
  name: string
  scopes: string[]
  experiences: string[] | null
  expires_at: string | null
  last_used_at?: string | null
  created_at: string
  token?: string
}

export interface CheckLine {
  ok: boolean
  what: string
  detail: string
}

export type Window = 'hour' | 'day' | 'week'

export interface Stats {
  window: Window
  tasks_per_minute: number
  success_rate: number | null
  latency_ms: { p50: number | null; p95: number | null }
  waiting: Record<string, number>
  running: number
  workers: {
    worker_id: string
    host: string
    started_at: string
    doing: { task_id: string; lane: string; since: string }[]
  }[]
  disk: { free_bytes: number; total_bytes: number } | null
  failing: {
    destinations: { configuration: string; failed: number; last_error: string | null }[]
    receivers: { receiver: string; waiting: number; last_error: string | null }[]
  }
  points: { at: string; succeeded: number; failed: number; p50_ms: number | null; p95_ms: number | null }[]
}
