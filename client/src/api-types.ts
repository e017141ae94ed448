// Types of what the service takes and answers. Made from the OpenAPI document of the service. Write it anew with: KEEPSAKE_WRITE_DOCS=1 node --test test/clients/types.test.ts

export interface Activity {
  /** The id of the activity. */
  activity_id: string
  /** The profile it belongs to. */
  owner_id: string
  experience_id: string
  activity_type: string
  /** One for each request: all activities of one task or task group share it. */
  flow_id: string
  /** `souvenir_data` with the result of the processing, `object_id`, `vcc_config_name`, `chain_id`, `task_id`, and what `activity_config.payload` brought. */
  payload: Record<string, unknown>
  /** When it was created. */
  created_at: string
}

export interface ActivityFilters {
  /** Those of this profile. */
  owner_id?: string
  /** The experience it belongs to; made by itself at the first use of the id. */
  experience_id?: string
  /** Those of this type. */
  activity_type?: string
  /** Those of this task or task group. */
  task_id?: string
}

export interface Adapter {
  adapter_name: string
  kind: 'transformer' | 'destination'
  summary: string
  /** What it takes. */
  accepts: ('image' | 'video' | 'audio' | 'file')[]
  /** What it makes; `same` is whatever came in. */
  makes: 'image' | 'video' | 'audio' | 'file' | 'same'
  /** JSON Schema of `adapter_config.defaults`. */
  defaults_schema: Record<string, unknown>
  /** JSON Schema of `adapter_config.auth`. */
  auth_schema: Record<string, unknown>
  /** Options that hold the name of an asset; inside a task group `NAME_override` replaces it. */
  asset_parameters: ({
    name: string
    accepts: ('image' | 'video' | 'audio' | 'file')[]
    /** Whether the option holds a list of names. */
    list: boolean
  })[]
}

export interface Asset {
  name: string
  experience_id: string
  mime: string
  bytes: number
  /** Hex digest of the bytes. */
  sha256: string
  width: number | null
  height: number | null
  /** Seconds. */
  duration: number | null
  /** The configurations that name it. */
  used_by: string[]
  /** When it was made. */
  created_at: string
  /** When its file was last replaced. */
  updated_at: string
}

export interface AssetFilters {
  /** The experience it belongs to; made by itself at the first use of the id. */
  experience_id?: string
}

export interface Callback {
  /** The id of the callback: its `webhook-id`. */
  callback_id: string
  /** The task or task group that ended. */
  task_id: string
  url: string
  /** Waiting for its next attempt, delivered, or given up after the last. */
  status: 'Waiting' | 'Delivered' | 'GivenUp'
  /** What is posted, the same at every attempt. */
  body: Record<string, unknown>
  /** Oldest first. */
  attempts: ({
    /** When it was tried. */
    at: string
    /** What the receiver answered. */
    status_code: number | null
    /** Why there was no answer, or no good one. */
    error: string | null
    duration_ms: number
  })[]
  /** When it is tried again. */
  next_attempt_at: string | null
  /** When the task ended. */
  created_at: string
  /** When it last changed. */
  updated_at: string
}

export interface CallbackFilters {
  /** Those of this task or task group. */
  task_id?: string
  /** Waiting for its next attempt, delivered, or given up after the last. */
  status?: 'Waiting' | 'Delivered' | 'GivenUp'
  /** The experience it belongs to; made by itself at the first use of the id. */
  experience_id?: string
}

export interface Configuration {
  configuration_name: string
  experience_id: string
  kind: 'transformer' | 'destination' | 'chain'
  /** Of a single configuration. */
  adapter_name?: string
  /** Of a single configuration. */
  adapter_config?: {
    /** Credentials; come back with every value as "********". Writing that back keeps the stored value. */
    auth: Record<string, unknown>
    /** Default options; what they may be is the `defaults_schema` of the adapter. */
    defaults: Record<string, unknown>
  }
  /** When it is there, an activity is created after the task finishes. */
  activity_config?: {
    /** The experience it belongs to; made by itself at the first use of the id. */
    experience_id: string
    /** The type of the activity. */
    activity_type: string
    /** Merged into the payload of the activity. */
    payload: {
      /** What the activity is about. */
      object_id: string
      [field: string]: unknown
    }
  }
  /** The configurations of a chain, single or chained, of the same experience. */
  call_chain?: ([string, number | null])[]
  webhook_url?: string
  /** When it was made. */
  created_at: string
  /** When it last changed. */
  updated_at: string
}

export interface ConfigurationFilters {
  /** The experience it belongs to; made by itself at the first use of the id. */
  experience_id?: string
  /** Those with this adapter. */
  adapter_name?: string
  /** Those of this kind. */
  kind?: 'transformer' | 'destination' | 'chain'
}

/** Has either `adapter_name` (a single configuration) or `call_chain` (a chain). */
export interface ConfigurationInput {
  /** The name of the configuration. */
  configuration_name: string
  /** The experience it belongs to; made by itself at the first use of the id. */
  experience_id: string
  /** The adapter of a single configuration. */
  adapter_name?: string
  /** Credentials and default options of the adapter. */
  adapter_config?: {
    /** Credentials; come back with every value as "********". Writing that back keeps the stored value. */
    auth?: Record<string, unknown>
    /** Default options; what they may be is the `defaults_schema` of the adapter. */
    defaults?: Record<string, unknown>
    /** The nested shape; stored and returned as the plain one. */
    adapter_config?: {
      /** Credentials; come back with every value as "********". Writing that back keeps the stored value. */
      auth?: Record<string, unknown>
      /** Default options; what they may be is the `defaults_schema` of the adapter. */
      defaults?: Record<string, unknown>
    }
  }
  /** When it is there, an activity is created after the task finishes. */
  activity_config?: {
    /** The experience it belongs to; made by itself at the first use of the id. */
    experience_id: string
    /** The type of the activity. */
    activity_type: string
    /** Merged into the payload of the activity. */
    payload: {
      /** What the activity is about. */
      object_id: string
      [field: string]: unknown
    }
  } | null
  /** The configurations of a chain, single or chained, of the same experience. */
  call_chain?: ([string, number | null])[]
  /** Receives the callback: HTTPS. */
  webhook_url?: string | null
  /** Not taken over. */
  kind?: 'transformer' | 'destination' | 'chain'
  /** Not taken over. */
  created_at?: string
  /** Not taken over. */
  updated_at?: string
}

/** A JSON merge patch (RFC 7396): objects are merged, null removes, everything else replaces. */
export interface ConfigurationPatch {
  /** What `configuration_name` shall be, whole or in part; null removes it. */
  configuration_name?: unknown
  /** What `experience_id` shall be, whole or in part; null removes it. */
  experience_id?: unknown
  /** What `adapter_name` shall be, whole or in part; null removes it. */
  adapter_name?: unknown
  /** What `adapter_config` shall be, whole or in part; null removes it. */
  adapter_config?: unknown
  /** What `activity_config` shall be, whole or in part; null removes it. */
  activity_config?: unknown
  /** What `call_chain` shall be, whole or in part; null removes it. */
  call_chain?: unknown
  /** What `webhook_url` shall be, whole or in part; null removes it. */
  webhook_url?: unknown
  /** What `kind` shall be, whole or in part; null removes it. */
  kind?: unknown
  /** What `created_at` shall be, whole or in part; null removes it. */
  created_at?: unknown
  /** What `updated_at` shall be, whole or in part; null removes it. */
  updated_at?: unknown
}

/** Has either `adapter_name` (a single configuration) or `call_chain` (a chain). */
export interface ConfigurationReplacement {
  /** The name of the configuration. */
  configuration_name?: string
  /** The experience it belongs to; made by itself at the first use of the id. */
  experience_id: string
  /** The adapter of a single configuration. */
  adapter_name?: string
  /** Credentials and default options of the adapter. */
  adapter_config?: {
    /** Credentials; come back with every value as "********". Writing that back keeps the stored value. */
    auth?: Record<string, unknown>
    /** Default options; what they may be is the `defaults_schema` of the adapter. */
    defaults?: Record<string, unknown>
    /** The nested shape; stored and returned as the plain one. */
    adapter_config?: {
      /** Credentials; come back with every value as "********". Writing that back keeps the stored value. */
      auth?: Record<string, unknown>
      /** Default options; what they may be is the `defaults_schema` of the adapter. */
      defaults?: Record<string, unknown>
    }
  }
  /** When it is there, an activity is created after the task finishes. */
  activity_config?: {
    /** The experience it belongs to; made by itself at the first use of the id. */
    experience_id: string
    /** The type of the activity. */
    activity_type: string
    /** Merged into the payload of the activity. */
    payload: {
      /** What the activity is about. */
      object_id: string
      [field: string]: unknown
    }
  } | null
  /** The configurations of a chain, single or chained, of the same experience. */
  call_chain?: ([string, number | null])[]
  /** Receives the callback: HTTPS. */
  webhook_url?: string | null
  /** Not taken over. */
  kind?: 'transformer' | 'destination' | 'chain'
  /** Not taken over. */
  created_at?: string
  /** Not taken over. */
  updated_at?: string
}

export interface Entry {
  index: number
  /** The single configuration. */
  configuration: string
  adapter_name: string
  /** The entry whose output it takes; null: the uploaded file. */
  input_idx: number | null
  status: 'Waiting' | 'Running' | 'Succeeded' | 'Failed' | 'Cancelled' | 'Skipped'
  progress: number
  /** While it runs, by the pace so far; null where that can’t be told. */
  seconds_left: number | null
  /** When it began to run. */
  started_at: string | null
  /** When it ended. */
  ended_at: string | null
  /** When it is tried again. */
  retry_at: string | null
  /** As in the callback. */
  result: Record<string, unknown> | null
  error: {
    code: string
    message: string
  } | null
  /** What to look at, a sentence each. */
  warnings: string[]
  output: {
    mime: string
    width: number | null
    height: number | null
    duration: number | null
    /** Null where the entry melted into the next one: the file is made when it is asked for. */
    bytes: number | null
    sha256: string | null
  } | null
  /** `decisions`, `command`, `versions`, `timings`. */
  explanation: Record<string, unknown> | null
}

export interface Experience {
  experience_id: string
  name: string | null
  /** Tasks of the experience that run at once; null: no limit. */
  max_running: number | null
  /** Days the files of finished tasks are kept; null: as KEEPSAKE_KEEP_FILES_DAYS says. */
  retention_days: number | null
  /** Signs the callbacks; shown to `admin` tokens only. */
  webhook_secret?: string
  /** When its id was first used. */
  created_at: string
  /** When its settings last changed. */
  updated_at: string
}

export interface ExperiencePatch {
  /** A name for people. */
  name?: string | null
  /** Tasks of the experience that run at once; null: no limit. */
  max_running?: number | null
  /** Days the files of finished tasks are kept; null: as KEEPSAKE_KEEP_FILES_DAYS says. */
  retention_days?: number | null
}

export interface NewToken {
  /** The id of the token. */
  token_id: string
  name: string
  scopes: ('read' | 'tasks' | 'write' | 'admin')[]
  experiences: string[] | null
  /** From then on it is refused. */
  expires_at: string | null
  /** Exact to a minute. */
  last_used_at: string | null
  /** Over one of them: 429 `token_limit` with `Retry-After`. */
  limits: TokenLimits | null
  /** The token that made it: when that is deleted, this one is as well. Null: the operator. */
  made_by: string | null
  /** When it was made. */
  created_at: string
  /** When it was last used, or made. */
  updated_at: string
  /** The token itself, shown this once. */
  token: string
}

/** RFC 9457 problem details. */
export interface Problem {
  /** Leads to the description of the code. */
  type: string
  title: string
  status: number
  /** What was wrong and what is accepted. */
  detail: string
  /** Stable; see the list of errors. */
  code: 'bad_request' | 'bad_json' | 'bad_multipart' | 'bad_cursor' | 'bad_extras' | 'bad_options' | 'bad_chain' | 'bad_group' | 'over_limit' | 'unknown_configuration' | 'unknown_adapter' | 'unknown_asset' | 'secret_needed' | 'blocked_url' | 'unauthorized' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'in_use' | 'name_taken' | 'lookup_taken' | 'wrong_state' | 'idempotency_conflict' | 'idempotency_in_progress' | 'gone' | 'too_large' | 'wrong_content_type' | 'bad_range' | 'token_limit' | 'too_many_requests' | 'internal' | 'full' | 'unavailable' | 'unsupported_format' | 'corrupt_input' | 'too_many_pixels' | 'too_many_frames' | 'too_long' | 'time_limit' | 'memory_limit' | 'output_too_large' | 'policy_blocked' | 'option_missing' | 'asset_missing' | 'tool_missing' | 'media_failed' | 'worker_died' | 'cancelled' | 'download_failed' | 'destination_refused' | 'destination_unreachable' | 'destination_quota' | 'outcome_unknown'
  /** For bad input: each field that is wrong. */
  errors?: ({
    field: string
    /** For people; may change. */
    message: string
    /** `required`: it must be given; `unknown`: there is no such field; `wrong`: its value does not fit; `missing`: the options as a whole lack it. Left out where no rule of a schema or an adapter was broken. */
    kind?: 'required' | 'unknown' | 'wrong' | 'missing'
  })[]
  /** For a 500: leads to the log. */
  request_id?: string
}

export interface Profile {
  /** The id of the profile. */
  profile_id: string
  email: string[]
  qr_code: string[]
  rfid: string[]
  experience_id: string | null
  /** Whatever else is known of the guest. */
  attributes: Record<string, unknown>
  /** When it was made. */
  created_at: string
  /** When it last changed. */
  updated_at: string
}

export interface ProfileFilters {
  /** Those with this address, compared without regard to case: one in each experience, and one of none. */
  email?: string
  /** Those with this QR code. */
  qr_code?: string
  /** Those with this tag. */
  rfid?: string
  /** The experience it belongs to; made by itself at the first use of the id. */
  experience_id?: string
}

export interface ProfileInput {
  /** One value or a list. Each belongs to one profile of an experience only, and to one of those without an experience. */
  email?: string | string[] | null
  /** One value or a list. Each belongs to one profile of an experience only, and to one of those without an experience. */
  qr_code?: string | string[] | null
  /** One value or a list. Each belongs to one profile of an experience only, and to one of those without an experience. */
  rfid?: string | string[] | null
  /** The experience it belongs to; made by itself at the first use of the id. */
  experience_id?: string | null
  /** Whatever else is known of the guest, free in form. */
  attributes?: Record<string, unknown>
}

/** A list replaces the list; `attributes` are merged, null removes one. */
export interface ProfilePatch {
  /** One value or a list. Each belongs to one profile of an experience only, and to one of those without an experience. */
  email?: string | string[] | null
  /** One value or a list. Each belongs to one profile of an experience only, and to one of those without an experience. */
  qr_code?: string | string[] | null
  /** One value or a list. Each belongs to one profile of an experience only, and to one of those without an experience. */
  rfid?: string | string[] | null
  /** The experience it belongs to; made by itself at the first use of the id. */
  experience_id?: string | null
  /** Whatever else is known of the guest, free in form. */
  attributes?: Record<string, unknown>
}

export interface Receipt {
  /** The person who was erased. */
  profile_id?: string
  /** What is not there any more. */
  removed: {
    /** The task or task group that delivered it. */
    task_id: string
    /** The destination. */
    configuration: string
    index: number
    /** What the delivery had answered. */
    result: Record<string, unknown>
  }[]
  /** What could not be taken back, and why. */
  kept: {
    /** The task or task group that delivered it. */
    task_id: string
    /** The destination. */
    configuration: string
    index: number
    /** What the delivery had answered. */
    result: Record<string, unknown>
    reason: string
  }[]
}

export interface Session {
  /** Each includes the ones before it: read, tasks, write, admin. */
  scope: 'read' | 'tasks' | 'write' | 'admin'
  experiences: string[] | null
  /** Null: the operator’s own admin token. */
  token_id: string | null
  /** When the session ends; null when a bearer token asks. */
  expires_at: string | null
}

/** Either a token or a code. */
export interface SessionInput {
  /** A token. */
  token?: string
  /** The one-time code printed at the start. */
  code?: string
}

export interface Stats {
  /** How far back; an hour unless told. */
  window: 'hour' | 'day' | 'week'
  tasks_per_minute: number
  /** Of the tasks that ended; 0 to 1. */
  success_rate: number | null
  /** From the request to the callback. */
  latency_ms: {
    p50: number | null
    p95: number | null
  }
  /** Each counted up to 10,000. */
  waiting: {
    picture: number
    video: number
    transfer: number
    callback: number
  }
  /** Counted up to 10,000. */
  running: number
  /** Null for a token that is limited to experiences. */
  workers: {
    /** The id of the worker. */
    worker_id: string
    host: string
    /** When it started. */
    started_at: string
    doing: {
      task_id: string
      lane: string
      since: string
    }[]
  }[] | null
  /** Null for a token that is limited to experiences. */
  disk: {
    free_bytes: number
    total_bytes: number
  } | null
  failing: {
    /** Of the last 300 tasks that failed, within the last hour. */
    destinations: ({
      configuration: string
      failed: number
      last_error: string | null
    })[]
    /** Of 100 receivers at most; up to 100 callbacks of each are counted. */
    receivers: ({
      receiver: string
      waiting: number
      last_error: string | null
    })[]
  }
  points: ({
    /** Where the point begins. */
    at: string
    succeeded: number
    failed: number
    p50_ms: number | null
    p95_ms: number | null
  })[]
}

export interface Task {
  /** The id of the task. */
  task_id: string
  /** The run of the chain. */
  chain_id: string
  /** Shared by all activities of the request. */
  flow_id: string
  /** The configuration that was triggered. */
  configuration: string
  experience_id: string
  /** Where it stands. */
  status: 'Waiting' | 'Running' | 'Succeeded' | 'Failed' | 'Cancelled'
  /** As they were sent. */
  extras: Record<string, unknown>
  webhook_url: string | null
  /** What to look at, a sentence each. */
  warnings: string[]
  /** When it was accepted. */
  created_at: string
  /** When it, or one of its entries, last began, ended or was queued. */
  updated_at: string
  /** When it began to run. */
  started_at: string | null
  /** When it ended. */
  ended_at: string | null
  /** In the order of the unfolded chain. */
  entries: Entry[]
}

export interface TaskFilters {
  /** Where it stands. */
  status?: 'Waiting' | 'Running' | 'Succeeded' | 'Failed' | 'Cancelled'
  /** Those of this configuration. */
  configuration?: string
  /** The experience it belongs to; made by itself at the first use of the id. */
  experience_id?: string
  /** Those that ended and were made for this guest. */
  profile_id?: string
  /** Those accepted at this time or later. */
  created_after?: string
  /** Those accepted before this time. */
  created_before?: string
}

export interface TaskGroup {
  /** The id of the task group. */
  task_id: string
  /** Shared by all activities of the request. */
  flow_id: string
  /** Where it stands. */
  status: 'Waiting' | 'Running' | 'Succeeded' | 'Failed' | 'Cancelled'
  configuration_names: string[]
  experience_id: string
  webhook_url: string | null
  /** What to look at, a sentence each. */
  warnings: string[]
  /** When it was accepted. */
  created_at: string
  /** When it, or one of its entries, last began, ended or was queued. */
  updated_at: string
  /** When it began to run. */
  started_at: string | null
  /** When it ended. */
  ended_at: string | null
  /** In the order of `configuration_names`. */
  tasks: ({
    index: number
    configuration: string
    /** The run of this configuration. */
    chain_id: string
    /** Where it stands. */
    status: 'Waiting' | 'Running' | 'Succeeded' | 'Failed' | 'Cancelled'
    /** As they were sent. */
    extras: Record<string, unknown>
    entries: Entry[]
  })[]
}

export interface TaskGroupFilters {
  /** Where it stands. */
  status?: 'Waiting' | 'Running' | 'Succeeded' | 'Failed' | 'Cancelled'
  /** Those of this configuration. */
  configuration?: string
  /** The experience it belongs to; made by itself at the first use of the id. */
  experience_id?: string
  /** Those that ended and were made for this guest. */
  profile_id?: string
  /** Those accepted at this time or later. */
  created_after?: string
  /** Those accepted before this time. */
  created_before?: string
}

export interface Token {
  /** The id of the token. */
  token_id: string
  name: string
  scopes: ('read' | 'tasks' | 'write' | 'admin')[]
  experiences: string[] | null
  /** From then on it is refused. */
  expires_at: string | null
  /** Exact to a minute. */
  last_used_at: string | null
  /** Over one of them: 429 `token_limit` with `Retry-After`. */
  limits: TokenLimits | null
  /** The token that made it: when that is deleted, this one is as well. Null: the operator. */
  made_by: string | null
  /** When it was made. */
  created_at: string
  /** When it was last used, or made. */
  updated_at: string
}

export interface TokenInput {
  /** What the token is for. */
  name: string
  scopes: ('read' | 'tasks' | 'write' | 'admin')[]
  /** Nothing but these is seen. */
  experiences?: string[] | null
  /** From then on the token is refused; null: never. No later than the end of the token that makes it. */
  expires_at?: string | null
  /** Over one of them: 429 `token_limit` with `Retry-After`. */
  limits?: TokenLimitsInput | null
}

/** Over one of them: 429 `token_limit` with `Retry-After`. */
export interface TokenLimits {
  /** Requests; a minute begins with the first one. */
  requests_per_minute?: number
  /** Tasks and task groups that wait to be begun. */
  waiting_tasks?: number
  /** Bytes of files, also of requests that are refused; a day begins with the first one. */
  upload_bytes_per_day?: number
  /** Event streams at once at each API; 20 unless told. */
  streams?: number
}

/** Over one of them: 429 `token_limit` with `Retry-After`. */
export interface TokenLimitsInput {
  /** Requests; a minute begins with the first one. */
  requests_per_minute?: number
  /** Tasks and task groups that wait to be begun. */
  waiting_tasks?: number
  /** Bytes of files, also of requests that are refused; a day begins with the first one. */
  upload_bytes_per_day?: number
  /** Event streams at once at each API; 20 unless told. */
  streams?: number
}
