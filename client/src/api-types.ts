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
  /** When the delivery was taken back: what `souvenir_data` names is gone from its target. Null: it was not. */
  retracted_at: string | null
  /** When it was created. */
  created_at: string
}

/** When it is there, an activity is created after the task finishes. `experience_id` may be left out of a shared configuration alone: it is that of the task then. */
export interface ActivityConfig {
  /** The experience it belongs to; made by itself at the first use of the id. */
  experience_id?: string
  /** The type of the activity. */
  activity_type: string
  /** Merged into the payload of the activity. */
  payload: {
    /** What the activity is about. */
    object_id: string
    [field: string]: unknown
  }
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

export interface ActivityList {
  /** Newest first. */
  items: Activity[]
  /** Where the next page begins; null at the end. */
  next_cursor: string | null
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
  /** Options of which at least one must be set, here or by the extras of a task; none: empty. */
  one_of: string[]
  /** Options that extras can’t give, since they say where a secret is sent. */
  fixed_options: string[]
  /** Options that hold the name of an asset; inside a task group `NAME_override` replaces it. */
  asset_parameters: ({
    name: string
    accepts: ('image' | 'video' | 'audio' | 'file')[]
    /** Whether the option holds a list of names. */
    list: boolean
  })[]
}

export interface AdapterList {
  /** By name. */
  items: Adapter[]
  /** There is one page. */
  next_cursor: null
}

export interface Applied {
  changes: ({
    kind: 'experience' | 'asset' | 'configuration'
    name: string
    change: 'made' | 'changed' | 'unchanged' | 'deleted'
    /** What it was, credentials masked. */
    before: Record<string, unknown> | null
    /** What it is now, credentials masked. */
    after: Record<string, unknown> | null
  })[]
}

export interface ApprovalInput {
  /** The numbers of the files that are meant; left out: all that are ready. */
  numbers?: number[]
}

export interface Asset {
  name: string
  /** The experience it belongs to. Null: it is shared by all experiences. */
  experience_id: string | null
  mime: string
  /** A token that is limited to experiences does not see it of a shared one. */
  bytes?: number
  /** Hex digest of the bytes. A token that is limited to experiences does not see it of a shared one. */
  sha256?: string
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

export interface AssetFileParts {
  /** The name of the asset. */
  name?: string
  /** The experience it belongs to. Empty or `null` shares it with every experience. */
  experience_id?: string
  /** The file: a picture, a video, a sound, a font, a look-up table, a template, or any other. */
  file: string
}

export interface AssetFilters {
  /** The experience it belongs to; made by itself at the first use of the id. */
  experience_id?: string
  /** Only those that are shared by all experiences. */
  shared?: 'true'
}

export interface AssetList {
  /** Newest first. */
  items: Asset[]
  /** Where the next page begins; null at the end. */
  next_cursor: string | null
}

export interface AssetParts {
  /** The name of the asset. */
  name: string
  /** The experience it belongs to. Empty or `null` shares it with every experience. */
  experience_id: string
  /** The file: a picture, a video, a sound, a font, a look-up table, a template, or any other. */
  file: string
}

export interface AssetVersion {
  /** Counts from 1. */
  version: number
  /** Whether the asset is like this now. */
  is_current: boolean
  /** How it came to be. */
  change: 'made' | 'changed' | 'restored'
  /** The version it was restored from. */
  restored_from: number | null
  changed_by: ChangedBy | null
  /** When it came to be. */
  created_at: string
  /** What is known of the file. */
  asset: {
    name: string
    /** The experience it belongs to. Null: it is shared by all experiences. */
    experience_id: string | null
    mime: string
    /** A token that is limited to experiences does not see it of a shared one. */
    bytes?: number
    /** Hex digest of the bytes. A token that is limited to experiences does not see it of a shared one. */
    sha256?: string
    width: number | null
    height: number | null
    /** Seconds. */
    duration: number | null
  }
}

export interface AssetVersionList {
  /** Newest first. */
  items: AssetVersion[]
  /** Where the next page begins; null at the end. */
  next_cursor: string | null
}

/** Credentials and default options of `audio_convert`. */
export interface AudioConvertAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: AudioConvertDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: AudioConvertDefaults
  }
}

/** Converts sound to another format; of a video it takes the sound. */
export type AudioConvertConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'audio_convert'
  adapter_config?: AudioConvertAdapterConfig
}

/** Options of `audio_convert`. Converts sound to another format; of a video it takes the sound. */
export interface AudioConvertDefaults {
  /** `m4a` holds AAC, `ogg` holds Opus, `wav` is not compressed. */
  format?: 'mp3' | 'm4a' | 'ogg' | 'wav'
  /** Bits per second; plays no part with `wav`. */
  bitrate?: '64k' | '96k' | '128k' | '160k' | '192k' | '256k' | '320k'
}

/** Credentials and default options of `audio_normalize`. */
export interface AudioNormalizeAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: AudioNormalizeDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: AudioNormalizeDefaults
  }
}

/** Brings sound to a loudness, alone or in a video, whose picture is copied. */
export type AudioNormalizeConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'audio_normalize'
  adapter_config?: AudioNormalizeAdapterConfig
}

/** Options of `audio_normalize`. Brings sound to a loudness, alone or in a video, whose picture is copied. */
export interface AudioNormalizeDefaults {
  /** Loudness of the whole in LUFS (EBU R128); -14 to -16 is usual on the web, -23 in broadcasting. */
  loudness?: number
}

export interface AuditEvent {
  /** The id of the event. */
  event_id: string
  /** What was done. */
  action: 'create' | 'update' | 'delete' | 'restore' | 'undelete' | 'rotate_secret' | 'cancel' | 'retry' | 'retract' | 'resend' | 'reissue' | 'approve' | 'hide'
  /** On what kind of thing. */
  object: 'configuration' | 'asset' | 'profile' | 'experience' | 'token' | 'task' | 'taskgroup' | 'callback' | 'keepsake' | 'wall_key'
  /** Its name or id. */
  object_id: string
  /** The experience it belongs to. */
  experience_id: string | null
  /** Who did it, and from where. */
  actor: {
    /** With a token, in the console, on the machine itself, or with the code of a keepsake. */
    kind: 'token' | 'session' | 'command_line' | 'guest'
    /** The token that was used; null: the operator’s own, or the command line. */
    token_id: string | null
    /** The name of the token, or the command. */
    name: string
    /** Where the request came from. */
    address: string | null
  }
  /** What it was, secrets masked; null if it was not there. A very long field is replaced by its length. */
  before: Record<string, unknown> | null
  /** What it is since then, likewise; null if it is gone. */
  after: Record<string, unknown> | null
  /** When it was done. */
  created_at: string
}

export interface AuditEventFilters {
  /** Changes of this kind of thing. */
  object?: 'configuration' | 'asset' | 'profile' | 'experience' | 'token' | 'task' | 'taskgroup' | 'callback' | 'keepsake' | 'wall_key'
  /** Changes of the thing with this name or id. */
  object_id?: string
  /** Changes of this kind. */
  action?: 'create' | 'update' | 'delete' | 'restore' | 'undelete' | 'rotate_secret' | 'cancel' | 'retry' | 'retract' | 'resend' | 'reissue' | 'approve' | 'hide'
  /** Changes by tokens or commands of this name. */
  actor?: string
  /** Changes by this token. */
  token_id?: string
  /** Changes in this experience. */
  experience_id?: string
  /** Changes at this time or later. */
  created_after?: string
  /** Changes before this time. */
  created_before?: string
}

export interface AuditEventList {
  /** Newest first. */
  items: AuditEvent[]
  /** Where the next page begins; null at the end. */
  next_cursor: string | null
}

/** Credentials and default options of `azure_blob_upload`. */
export interface AzureBlobUploadAdapterConfig {
  auth?: AzureBlobUploadAuth
  defaults?: AzureBlobUploadDefaults
  /** The nested shape. */
  adapter_config?: {
    auth?: AzureBlobUploadAuth
    defaults?: AzureBlobUploadDefaults
  }
}

/** Credentials of `azure_blob_upload`. */
export interface AzureBlobUploadAuth {
  /** Name of the storage account. */
  account_name?: string
  /** Key of the account (base64). */
  account_key?: string
  /** A SAS token that may create, read and delete blobs, in place of the key. */
  sas_token?: string
}

/** Puts the file into a container of Azure Blob Storage. */
export type AzureBlobUploadConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'azure_blob_upload'
  adapter_config?: AzureBlobUploadAdapterConfig
}

/** Options of `azure_blob_upload`. Puts the file into a container of Azure Blob Storage. */
export interface AzureBlobUploadDefaults {
  /** Container to put the file into. */
  container_name?: string
  /** Address of the blob service. `null`: https://ACCOUNT.blob.core.windows.net. */
  service_url?: string | null
  /** Whether anyone who has the URL may read the file. */
  public?: boolean
  /** Whether browsers save the file instead of showing it. */
  force_download?: boolean
  /** The Cache-Control header the file is served with. */
  cache_control?: string
  /** Put before the name as it is; end it with `/` for a folder. May hold placeholders. */
  file_prefix?: string
  /** Name of the delivered file. It must be the same on every attempt, so that a repeated one overwrites itself. */
  file_name?: string
  /** How often the delivery is tried before the entry fails. Refusals fail at once; waiting for a quota does not count. */
  delivery_attempts?: number
  /** Seconds before the second attempt; doubled for each further one, up to an hour. */
  delivery_backoff?: number
}

/** What `azure_blob_upload` answers. */
export interface AzureBlobUploadResult {
  /** The container. */
  container_name: string
  /** The name of the file there, with its prefix. */
  file_key: string
  /** Where the file is. */
  url: string
  /** The activities that were created; there once the task has ended. */
  activity?: string[]
}

export interface Callback {
  /** The id of the callback: its `webhook-id`. */
  callback_id: string
  /** The task or task group that ended. */
  task_id: string
  /** The configuration of the task, or those of the group; none once its record is gone. */
  configurations: string[]
  /** What the request named its guest by; null if it named none, or its record is gone. */
  guest: string | null
  url: string
  status: CallbackStatus
  /** What is posted, the same at every attempt. */
  body: TaskCallback | TaskGroupCallback
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
  status?: CallbackStatus
  /** The experience it belongs to; made by itself at the first use of the id. */
  experience_id?: string
  /** Those made at this time or later. */
  created_after?: string
  /** Those made before this time. */
  created_before?: string
}

export interface CallbackList {
  /** Newest first. */
  items: Callback[]
  /** Where the next page begins; null at the end. */
  next_cursor: string | null
}

/** Waiting for its next attempt, delivered, or given up after the last. */
export type CallbackStatus = 'Waiting' | 'Delivered' | 'GivenUp'

/** Other configurations, in order. */
export interface ChainedConfigurationInput {
  /** The name of the configuration. */
  configuration_name: string
  /** The experience it belongs to; made by itself at the first use of the id. Null shares it with every experience, which needs a token that is not limited to experiences. */
  experience_id: string | null
  /** Receives the callback: HTTPS. */
  webhook_url?: string | null
  /** Of a shared configuration: the options that extras may change, and the asset parameters that they may fill. None unless listed. */
  overridable?: string[]
  /** One word, or a list of those that are all needed. It is shown as a list. */
  needs_consent?: 'share' | 'wall' | 'marketing' | ('share' | 'wall' | 'marketing')[] | null
  /** `skip` leaves it out and hands its file on; `wait` waits while nothing is said, and leaves it out at a no or after 24 hours. */
  without_consent?: 'skip' | 'wait' | null
  /** Not taken over. */
  kind?: 'transformer' | 'destination' | 'chain'
  /** Not taken over. */
  created_at?: string
  /** Not taken over. */
  updated_at?: string
  /** The configurations of a chain, single or chained, of the same experience. */
  call_chain: ([string, number | null])[]
}

export interface ChangedBy {
  /** With a token, in the console, or on the machine itself. */
  kind: 'token' | 'session' | 'command_line' | 'guest'
  /** The token that was used; null: the operator’s own, or the command line. */
  token_id: string | null
  /** The name of the token, or the command. */
  name: string
}

/** Posted by the check before an event; nothing has ended. */
export interface CheckCallback {
  type: 'keepsake.check'
  /** The configuration that was checked. */
  configuration: string
}

export interface CheckLine {
  /** Whether this is as it should be. */
  ok: boolean
  /** What was looked at. */
  what: string
  /** What was found, as a sentence. */
  detail: string
  /** The option that must come with the extras of every task. */
  needs?: {
    configuration: string
    option: string
  }
}

export interface CheckLines {
  lines: CheckLine[]
}

export interface Configuration {
  configuration_name: string
  /** The experience it belongs to. Null: it is shared by all experiences. */
  experience_id: string | null
  kind: 'transformer' | 'destination' | 'chain'
  /** Of a single configuration. */
  adapter_name?: string
  /** Of a single configuration. A token that is limited to experiences does not see it of a shared one. */
  adapter_config?: {
    /** Credentials; come back with every value as "********". Writing that back keeps the stored value. */
    auth: Record<string, unknown>
    /** Default options; what they may be is the `defaults_schema` of the adapter. */
    defaults: Record<string, unknown>
  }
  activity_config?: ActivityConfig
  /** The configurations of a chain, single or chained, of the same experience. */
  call_chain?: ([string, number | null])[]
  webhook_url?: string
  /** Of a shared configuration: the options that extras may change, and the asset parameters that they may fill. None unless listed. */
  overridable?: string[]
  /** What guests must have agreed to before it runs for them. Of a chain: each of its entries needs it. */
  needs_consent?: ('share' | 'wall' | 'marketing')[]
  /** `skip` leaves it out and hands its file on; `wait` waits while nothing is said, and leaves it out at a no or after 24 hours. */
  without_consent?: 'skip' | 'wait'
  /** When it was made. */
  created_at: string
  /** When it last changed. */
  updated_at: string
}

export interface ConfigurationFilters {
  /** The experience it belongs to; made by itself at the first use of the id. */
  experience_id?: string
  /** Only those that are shared by all experiences. */
  shared?: 'true'
  /** Those with this adapter. */
  adapter_name?: string
  /** Those of this kind. */
  kind?: 'transformer' | 'destination' | 'chain'
}

/** Has either `adapter_name` (a single configuration) or `call_chain` (a chain). */
export type ConfigurationInput = SingleConfigurationInput | ChainedConfigurationInput

export interface ConfigurationList {
  /** Newest first. */
  items: Configuration[]
  /** Where the next page begins; null at the end. */
  next_cursor: string | null
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
  /** What `overridable` shall be, whole or in part; null removes it. */
  overridable?: unknown
  /** What `needs_consent` shall be, whole or in part; null removes it. */
  needs_consent?: unknown
  /** What `without_consent` shall be, whole or in part; null removes it. */
  without_consent?: unknown
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
  /** The experience it belongs to; made by itself at the first use of the id. Null shares it with every experience, which needs a token that is not limited to experiences. */
  experience_id: string | null
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
  /** When it is there, an activity is created after the task finishes. `experience_id` may be left out of a shared configuration alone: it is that of the task then. */
  activity_config?: ActivityConfig | null
  /** The configurations of a chain, single or chained, of the same experience. */
  call_chain?: ([string, number | null])[]
  /** Receives the callback: HTTPS. */
  webhook_url?: string | null
  /** Of a shared configuration: the options that extras may change, and the asset parameters that they may fill. None unless listed. */
  overridable?: string[]
  /** One word, or a list of those that are all needed. It is shown as a list. */
  needs_consent?: 'share' | 'wall' | 'marketing' | ('share' | 'wall' | 'marketing')[] | null
  /** `skip` leaves it out and hands its file on; `wait` waits while nothing is said, and leaves it out at a no or after 24 hours. */
  without_consent?: 'skip' | 'wait' | null
  /** Not taken over. */
  kind?: 'transformer' | 'destination' | 'chain'
  /** Not taken over. */
  created_at?: string
  /** Not taken over. */
  updated_at?: string
}

export interface ConfigurationVersion {
  /** Counts from 1. */
  version: number
  /** Whether the configuration is like this now. */
  is_current: boolean
  /** How it came to be. */
  change: 'made' | 'changed' | 'restored'
  /** The version it was restored from. */
  restored_from: number | null
  changed_by: ChangedBy | null
  /** When it came to be. */
  created_at: string
  /** The whole configuration as it was, credentials masked. */
  configuration: {
    configuration_name: string
    /** The experience it belongs to. Null: it is shared by all experiences. */
    experience_id: string | null
    kind: 'transformer' | 'destination' | 'chain'
    /** Of a single configuration. */
    adapter_name?: string
    /** Of a single configuration. A token that is limited to experiences does not see it of a shared one. */
    adapter_config?: {
      /** Credentials; come back with every value as "********". Writing that back keeps the stored value. */
      auth: Record<string, unknown>
      /** Default options; what they may be is the `defaults_schema` of the adapter. */
      defaults: Record<string, unknown>
    }
    activity_config?: ActivityConfig
    /** The configurations of a chain, single or chained, of the same experience. */
    call_chain?: ([string, number | null])[]
    webhook_url?: string
    /** Of a shared configuration: the options that extras may change, and the asset parameters that they may fill. None unless listed. */
    overridable?: string[]
    /** What guests must have agreed to before it runs for them. Of a chain: each of its entries needs it. */
    needs_consent?: ('share' | 'wall' | 'marketing')[]
    /** `skip` leaves it out and hands its file on; `wait` waits while nothing is said, and leaves it out at a no or after 24 hours. */
    without_consent?: 'skip' | 'wait'
  }
}

export interface ConfigurationVersionList {
  /** Newest first. */
  items: ConfigurationVersion[]
  /** Where the next page begins; null at the end. */
  next_cursor: string | null
}

export interface ConsentInput {
  /** Whether it may be passed on: posted, or shown to others than the guest. Null takes the word back. */
  share?: boolean | null
  /** Whether it may be shown on the wall of the event. Null takes the word back. */
  wall?: boolean | null
  /** Whether the guest may be written to, and the picture used to advertise. Null takes the word back. */
  marketing?: boolean | null
}

/** Credentials and default options of `email_send`. */
export interface EmailSendAdapterConfig {
  auth?: EmailSendAuth
  defaults?: EmailSendDefaults
  /** The nested shape. */
  adapter_config?: {
    auth?: EmailSendAuth
    defaults?: EmailSendDefaults
  }
}

/** Credentials of `email_send`. */
export interface EmailSendAuth {
  /** Name of the SMTP server. */
  host?: string
  /** Port of the server; left out: 465 with `secure`, else 587. */
  port?: number
  /** TLS from the first byte, as on port 465. Otherwise the connection is encrypted by STARTTLS. */
  secure?: boolean
  /** User name. */
  username?: string
  /** Password. */
  password?: string
  /** Address that the message comes from, as `Name <address>` or the address alone. */
  from?: string
}

/** Sends the file, or a link to it, by email. */
export type EmailSendConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'email_send'
  adapter_config?: EmailSendAdapterConfig
}

/** Options of `email_send`. Sends the file, or a link to it, by email. */
export interface EmailSendDefaults {
  /** Addresses to send to, separated by commas. What a placeholder stands for is one address; with a task come 10 at most, unless the configuration names more. */
  to?: string
  /** Subject of the message. */
  subject?: string
  /** Body as plain text. */
  text?: string
  /** Body as HTML, shown in place of the text where it can be. What placeholders stand for is escaped. */
  html?: string
  /** What is sent as HTML without `html`: `card` shows the picture, the text and a button to the link or the page of the guest; `none` sends the text alone. */
  design?: 'card' | 'none'
  /** Heading of the card; left out: the subject. */
  title?: string
  /** Text on the button of the card. */
  button?: string
  /** Colour of the button of the card. */
  color?: string
  /** `file` attaches the file, `link` puts the address of `link` below the text. */
  attach?: 'file' | 'link'
  /** Address of the file, for `attach` = `link` and for files that are too large to attach. May be a placeholder, like {{guest_url}}. */
  link?: string
  /** Name of the attached file. */
  file_name?: string
  /** Largest file to attach, in bytes; most servers refuse messages above 25 MB. */
  max_attach_bytes?: number
  /** How often the delivery is tried before the entry fails. Refusals fail at once; waiting for a quota does not count. */
  delivery_attempts?: number
  /** Seconds before the second attempt; doubled for each further one, up to an hour. */
  delivery_backoff?: number
}

/** What `email_send` answers. */
export interface EmailSendResult {
  /** The Message-ID of the mail. */
  message_id: string
  /** The addresses that the server took. */
  to: string[]
  /** The activities that were created; there once the task has ended. */
  activity?: string[]
}

/** `Failed` when a configuration ended with an error, or it was cancelled. */
export type Ending = 'Succeeded' | 'Failed'

export interface Entry {
  index: number
  /** The single configuration. */
  configuration: string
  adapter_name: string
  /** The entry whose output it takes; null: the uploaded file. */
  input_idx: number | null
  status: EntryStatus
  progress: number
  /** While it runs, by the pace so far; null where that can’t be told. */
  seconds_left: number | null
  /** When it began to run. */
  started_at: string | null
  /** When it ended. */
  ended_at: string | null
  /** When it is tried again. */
  retry_at: string | null
  /** What an adapter answered. */
  result: Result | null
  /** When the delivery was taken back: what `result` names is gone from its target. Null: it was not. */
  retracted_at: string | null
  error: EntryError | null
  /** What to look at, a sentence each. */
  warnings: string[]
  /** The file that it handed on. */
  output: Output | null
  /** `decisions`, `command`, `versions`, `timings`; `seen` where faces were looked for: the size of each picture, and `left`, `top`, `width`, `height` and `score` of its faces in its pixels. */
  explanation: Record<string, unknown> | null
}

export interface EntryError {
  /** Stable; see the list of errors. */
  code: string
  /** What went wrong, as a sentence. */
  message: string
}

/** Where it stands; `Skipped` when what it waited for failed. */
export type EntryStatus = 'Waiting' | 'Running' | 'Succeeded' | 'Failed' | 'Cancelled' | 'Skipped'

export interface ErasedDelivery {
  /** A `delivery` lies at a target, a `callback` with its receiver; a `task` stays as a whole; of an `activity` the record of its task is gone. */
  what: 'delivery' | 'callback' | 'task' | 'activity'
  /** The task or task group it belonged to. */
  task_id: string
  /** Of a delivery: its entry, counted over the whole request. */
  index?: number
  /** The configuration that made it. */
  configuration?: string
  /** Of a delivery: its adapter. */
  adapter_name?: string
  /** Of a callback: the host that got it. */
  receiver?: string
  /** When this was found or done. */
  at: string
}

export interface Erasure {
  /** The id of the erasure: `GET /api/erasure/{erasure_id}/` is its receipt. */
  erasure_id: string
  /** `Running`: records are still being deleted. `Pending`: a target could not be reached yet. */
  status: 'Running' | 'Pending' | 'Done'
  counts: ErasureCounts
  /** Deliveries that are gone from their targets. */
  removed: ErasedDelivery[]
  /** What can’t be taken back, and why. */
  kept: KeptAfterErasure[]
  /** What is still to be taken back: its target did not answer. */
  pending: PendingErasure[]
  /** Tasks that stay because they name other guests too. */
  shared: string[]
}

/** What was deleted. */
export interface ErasureCounts {
  /** Profiles. */
  profiles: number
  /** Pages of guests. */
  pages: number
  /** Tasks and task groups. */
  tasks: number
  /** Stored files: inputs, outputs, what lay between. */
  files: number
  /** Activities. */
  activities: number
  /** Callbacks with their bodies. */
  callbacks: number
  /** Idempotency keys. */
  idempotency_keys: number
}

export interface ErasureKey {
  /** The first 16 digits of the SHA-256 of the key. */
  key_id: string
  algorithm: 'Ed25519'
  /** The public key as PEM. */
  public_key: string
}

export interface ErasureReceipt {
  /** JSON as text: `erasure_id`, `asked_by`, `status`, `asked_at`, `made_at`, `counts`, `removed`, `kept`, `pending`, `shared` and `backups`. It names no person. */
  receipt: string
  /** Ed25519 over exactly the bytes of `receipt`, in base64. */
  signature: string
  /** Which key signed it. */
  key_id: string
}

/** Stable; see the list of errors. */
export type ErrorCode = 'bad_request' | 'bad_json' | 'bad_multipart' | 'bad_cursor' | 'bad_extras' | 'bad_options' | 'bad_chain' | 'bad_group' | 'over_limit' | 'unknown_configuration' | 'unknown_adapter' | 'unknown_asset' | 'secret_needed' | 'blocked_url' | 'unauthorized' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'in_use' | 'name_taken' | 'lookup_taken' | 'wrong_state' | 'idempotency_conflict' | 'idempotency_in_progress' | 'gone' | 'changed_meanwhile' | 'wrong_tus_version' | 'too_large' | 'wrong_content_type' | 'bad_range' | 'upload_busy' | 'token_limit' | 'too_many_requests' | 'internal' | 'full' | 'unavailable' | 'unsupported_format' | 'corrupt_input' | 'too_many_pixels' | 'too_many_frames' | 'too_long' | 'time_limit' | 'memory_limit' | 'output_too_large' | 'people_unclear' | 'policy_blocked' | 'option_missing' | 'asset_missing' | 'tool_missing' | 'media_failed' | 'worker_died' | 'cancelled' | 'needs_consent' | 'no_consent' | 'download_failed' | 'destination_refused' | 'destination_unreachable' | 'destination_quota' | 'outcome_unknown'

export interface Experience {
  experience_id: string
  name: string | null
  /** Tasks of the experience that run at once; null: no limit. */
  max_running: number | null
  /** Days the files of finished tasks are kept; null: as KEEPSAKE_KEEP_FILES_DAYS says. */
  retention_days: number | null
  /** Where it takes place: a time zone of the IANA database, like Europe/Berlin. */
  time_zone: string | null
  /** When it begins. */
  starts_at: string | null
  /** When it ends, after it begins. */
  ends_at: string | null
  /** Put away: over, and left out where only current ones are asked for. */
  archived: boolean
  guest_page: GuestPage
  /** Signs the callbacks; shown to `admin` tokens only. */
  webhook_secret?: string
  /** Headers that callbacks carry, by origin, every value masked; shown to `admin` tokens only. */
  webhook_headers?: {
    /** Scheme, host and port of the webhook. They are sent to exactly this origin. */
    origin: string
    /** By name, 1 to 20. In answers every value is `********`. */
    headers: Record<string, string>
  }[]
  /** When it was made, or its id first used. */
  created_at: string
  /** When its settings last changed. */
  updated_at: string
}

export interface ExperienceFilters {
  /** `true`: those that are archived; `false`: the others. */
  archived?: 'true' | 'false'
}

export interface ExperienceInput {
  /** The id of the experience. */
  experience_id: string
  /** A name for people. */
  name?: string | null
  /** Tasks of the experience that run at once; null: no limit. */
  max_running?: number | null
  /** Days the files of finished tasks are kept; null: as KEEPSAKE_KEEP_FILES_DAYS says. */
  retention_days?: number | null
  /** Where it takes place: a time zone of the IANA database, like Europe/Berlin. */
  time_zone?: string | null
  /** When it begins. */
  starts_at?: string | null
  /** When it ends, after it begins. */
  ends_at?: string | null
  /** Put away: over, and left out where only current ones are asked for. */
  archived?: boolean
  /** The pages of guests. What is left out is as before; null: as if none had been set. */
  guest_page?: GuestPagePatch | null
}

export interface ExperienceList {
  /** Newest first. */
  items: Experience[]
  /** Where the next page begins; null at the end. */
  next_cursor: string | null
}

export interface ExperiencePatch {
  /** A name for people. */
  name?: string | null
  /** Tasks of the experience that run at once; null: no limit. */
  max_running?: number | null
  /** Days the files of finished tasks are kept; null: as KEEPSAKE_KEEP_FILES_DAYS says. */
  retention_days?: number | null
  /** Where it takes place: a time zone of the IANA database, like Europe/Berlin. */
  time_zone?: string | null
  /** When it begins. */
  starts_at?: string | null
  /** When it ends, after it begins. */
  ends_at?: string | null
  /** Put away: over, and left out where only current ones are asked for. */
  archived?: boolean
  /** The pages of guests. What is left out is as before; null: as if none had been set. */
  guest_page?: GuestPagePatch | null
  /** Headers of your own for callbacks, by origin; for `admin` tokens only. The list replaces the list. `********` keeps the stored value of the same origin and name; for another origin the values must be given again. */
  webhook_headers?: {
    /** Scheme, host and port of the webhook. They are sent to exactly this origin. */
    origin: string
    /** By name, 1 to 20. In answers every value is `********`. */
    headers: Record<string, string>
  }[] | null
}

/** A configuration of a group that failed or was not run. */
export interface FailedConfiguration {
  error: true
  /** What went wrong, as a sentence; at most 1,000 characters. */
  result: string
  /** The listed configuration. */
  configuration: string
}

/** An entry that ended with an error. */
export interface FailedEntry {
  /** What went wrong, as a sentence; at most 1,000 characters. */
  result: string
  error: true
  /** The single configuration: a text here, unlike where it succeeded. */
  configuration: string
  /** The run of the chain. */
  chain_id: string
  /** The entry whose output it took; null: the uploaded file. */
  input_idx: number | null
}

/** What went wrong. */
export interface FailureError {
  /** Stable; see the list of errors. */
  code: string
  message: string
}

export interface Font {
  /** What `font` takes, alone or with a weight and a style behind it: `Inter`, `Inter Bold`, `Inter SemiBold Italic`. */
  family: string
  /** Whether it comes with the service, and so is on every machine of it. */
  shipped: boolean
}

export interface FontList {
  /** By name. */
  items: Font[]
  /** There is one page. */
  next_cursor: null
}

/** Credentials and default options of `gcs_upload`. */
export interface GcsUploadAdapterConfig {
  auth?: GcsUploadAuth
  defaults?: GcsUploadDefaults
  /** The nested shape. */
  adapter_config?: {
    auth?: GcsUploadAuth
    defaults?: GcsUploadDefaults
  }
}

/** Credentials of `gcs_upload`. */
export interface GcsUploadAuth {
  /** Address of the service account, `client_email` of its key file. */
  client_email?: string
  /** Key of the service account in PEM form, `private_key` of its key file. */
  private_key?: string
  /** Where tokens are given out, `token_uri` of the key file. */
  token_uri?: string
  /** `type` of the key file; not used. */
  type?: string
  /** `project_id` of the key file; not used. */
  project_id?: string
  /** `private_key_id` of the key file; not used. */
  private_key_id?: string
  /** `client_id` of the key file; not used. */
  client_id?: string
  /** `auth_uri` of the key file; not used. */
  auth_uri?: string
  /** `auth_provider_x509_cert_url` of the key file; not used. */
  auth_provider_x509_cert_url?: string
  /** `client_x509_cert_url` of the key file; not used. */
  client_x509_cert_url?: string
  /** `universe_domain` of the key file; not used. */
  universe_domain?: string
}

/** Puts the file into a bucket of Google Cloud Storage. */
export type GcsUploadConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'gcs_upload'
  adapter_config?: GcsUploadAdapterConfig
}

/** Options of `gcs_upload`. Puts the file into a bucket of Google Cloud Storage. */
export interface GcsUploadDefaults {
  /** Bucket to put the file into. */
  bucket_name?: string
  /** Whether anyone who has the URL may read the file. */
  public?: boolean
  /** Whether browsers save the file instead of showing it. */
  force_download?: boolean
  /** The Cache-Control header the file is served with. */
  cache_control?: string
  /** Put before the name as it is; end it with `/` for a folder. May hold placeholders. */
  file_prefix?: string
  /** Name of the delivered file. It must be the same on every attempt, so that a repeated one overwrites itself. */
  file_name?: string
  /** Address of the service. */
  api_base_url?: string
  /** How often the delivery is tried before the entry fails. Refusals fail at once; waiting for a quota does not count. */
  delivery_attempts?: number
  /** Seconds before the second attempt; doubled for each further one, up to an hour. */
  delivery_backoff?: number
}

/** What `gcs_upload` answers. */
export interface GcsUploadResult {
  /** The bucket. */
  bucket_name: string
  /** The name of the file there, with its prefix. */
  file_key: string
  /** Where the file is. */
  url: string
  /** The activities that were created; there once the task has ended. */
  activity?: string[]
}

/** One configuration of a task group. */
export interface GroupMember {
  index: number
  configuration: string
  /** The run of this configuration. */
  chain_id: string
  status: TaskStatus
  /** As they were sent. */
  extras: Record<string, unknown>
  /** The files that came with the request in place of assets, by asset parameter. */
  files: {
  }
  /** The file that was sent in or downloaded; null before that, and where it is another’s output. */
  input: {
    /** As it was sent; null if it had none. */
    file_name: string | null
    /** Told by the content. */
    mime: string
    bytes: number
    /** Of its bytes, as hex. */
    sha256: string
  } | null
  entries: Entry[]
}

export interface GuestErasure {
  /** The receipt, for whoever has this address. It is told again, with the 410, to whoever has the same code. */
  receipt_url: string
  /** The id of the erasure: `GET /api/erasure/{erasure_id}/` is its receipt. */
  erasure_id: string
  /** `Running`: records are still being deleted. `Pending`: a target could not be reached yet. */
  status: 'Running' | 'Pending' | 'Done'
  counts: ErasureCounts
  /** Deliveries that are gone from their targets. */
  removed: ErasedDelivery[]
  /** What can’t be taken back, and why. */
  kept: KeptAfterErasure[]
  /** What is still to be taken back: its target did not answer. */
  pending: PendingErasure[]
  /** Tasks that stay because they name other guests too. */
  shared: string[]
}

/** The pages of guests. */
export interface GuestPage {
  /** Whether guests have pages. Every task then gets a link. */
  enabled: boolean
  /** Stands above the picture; null: the name of the experience. */
  title: string | null
  /** Stands below the title. */
  text: string | null
  /** An asset that is a picture. */
  logo_file_name: string | null
  /** Of buttons and links. */
  color: string | null
  /** Of the words on the page. */
  language: 'en' | 'de' | 'fr' | 'es' | 'ar'
  /** Days after which a page is gone; null: as long as the files of the experience are kept. */
  expires_days: number | null
  /** Whether guests can save the file. */
  download: boolean
  /** Whether the page offers to share it. */
  share: boolean
  /** Whether guests can take a keepsake back. */
  erase: boolean
  /** Whether somebody must approve what the wall shows. */
  approval: 'required' | 'none'
  /** Where the QR code in the corner of the wall leads to; null: there is none. */
  wall_url: string | null
  /** Stands beside the QR code of the wall. */
  wall_text: string | null
  /** `required`: only what guests agreed to is on the wall. `not_refused`: also that of which nobody said anything. A no always keeps it off. */
  wall_consent: 'not_refused' | 'required'
}

/** The pages of guests. What is left out is as before; null: as if none had been set. */
export interface GuestPagePatch {
  /** Whether guests have pages. Every task then gets a link. */
  enabled?: boolean
  /** Stands above the picture; null: the name of the experience. */
  title?: string | null
  /** Stands below the title. */
  text?: string | null
  /** An asset that is a picture. */
  logo_file_name?: string | null
  /** Of buttons and links. */
  color?: string | null
  /** Of the words on the page. */
  language?: 'en' | 'de' | 'fr' | 'es' | 'ar'
  /** Days after which a page is gone; null: as long as the files of the experience are kept. */
  expires_days?: number | null
  /** Whether guests can save the file. */
  download?: boolean
  /** Whether the page offers to share it. */
  share?: boolean
  /** Whether guests can take a keepsake back. */
  erase?: boolean
  /** Whether somebody must approve what the wall shows. */
  approval?: 'required' | 'none'
  /** Where the QR code in the corner of the wall leads to; null: there is none. */
  wall_url?: string | null
  /** Stands beside the QR code of the wall. */
  wall_text?: string | null
  /** `required`: only what guests agreed to is on the wall. `not_refused`: also that of which nobody said anything. A no always keeps it off. */
  wall_consent?: 'not_refused' | 'required'
}

export interface Health {
  status: 'ok'
}

/** Credentials and default options of `http_post`. */
export interface HttpPostAdapterConfig {
  auth?: HttpPostAuth
  defaults?: HttpPostDefaults
  /** The nested shape. */
  adapter_config?: {
    auth?: HttpPostAuth
    defaults?: HttpPostDefaults
  }
}

/** Credentials of `http_post`. */
export interface HttpPostAuth {
  /** Token sent as `Authorization: Bearer …`. */
  bearer?: string
  /** Name for basic authentication, in place of a token. */
  username?: string
  /** Password for basic authentication. */
  password?: string
}

/** Sends the file to a web address, as a form or as the bare body. */
export type HttpPostConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'http_post'
  adapter_config?: HttpPostAdapterConfig
}

/** Options of `http_post`. Sends the file to a web address, as a form or as the bare body. */
export interface HttpPostDefaults {
  /** Address that takes the file. */
  url?: string
  /** Method of the request. */
  method?: 'POST' | 'PUT' | 'PATCH'
  /** Further headers of the request. */
  headers?: Record<string, unknown>
  /** Name of the form field that holds the file. Empty: no form, the file is the body. */
  field?: string
  /** Further fields of the form. */
  fields?: Record<string, string>
  /** Statuses that mean the file was taken, as a comma list of numbers or of classes such as `2xx`. */
  expect?: string
  /** Whether the receiver knows requests of the same `Idempotency-Key` again. Then an attempt whose answer was lost is sent again; otherwise it ends as `outcome_unknown`. */
  idempotent?: boolean
  /** How often the delivery is tried before the entry fails. Refusals fail at once; waiting for a quota does not count. */
  delivery_attempts?: number
  /** Seconds before the second attempt; doubled for each further one, up to an hour. */
  delivery_backoff?: number
}

/** What `http_post` answers. */
export interface HttpPostResult {
  /** The status that the receiver answered. */
  status_code: number
  /** What it answered: JSON as it is, other text as text, null where there was none. */
  response: unknown
  /** The activities that were created; there once the task has ended. */
  activity?: string[]
}

export interface Keepsake {
  /** The id of the keepsake. */
  keepsake_id: string
  experience_id: string
  /** The page of the guest. Null: it has none, or the token lacks the scope `tasks`; whoever has the link can do all that the guest can. */
  url: string | null
  /** What the guest is known by, besides what tasks name in their extras. */
  lookups: {
    email?: string[]
    qr_code?: string[]
    rfid?: string[]
    profile_id?: string[]
  }
  /** What the guest agreed to (true) or refused (false). Null: nothing was said. */
  consent: {
    /** Whether it may be passed on: posted, or shown to others than the guest. */
    share?: boolean
    /** Whether it may be shown on the wall of the event. */
    wall?: boolean
    /** Whether the guest may be written to, and the picture used to advertise. */
    marketing?: boolean
  } | null
  /** When the page is gone, unless a further task takes the keepsake. */
  expires_at: string
  /** The newest first. */
  files: ({
    /** Its place in the address `/k/CODE/file/NUMBER`. */
    number: number
    state: 'being made' | 'ready' | 'failed'
    mime: string | null
    /** `waiting`: nobody approved it yet. `approved`: it may be on the wall. `hidden`: it is not on the wall, whatever the settings are. */
    wall: 'waiting' | 'approved' | 'hidden'
  })[]
  wall: OnWall
  /** When it was reserved. */
  created_at: string
}

export interface KeepsakeInput {
  /** The experience it belongs to; made by itself at the first use of the id. */
  experience_id: string
  /** What the guest is known by, as in the extras of a task: each a value or a list. */
  lookups?: KeepsakeLookups | null
}

/** What the guest is known by, as in the extras of a task: each a value or a list. */
export interface KeepsakeLookups {
  /** E-mail addresses, compared without regard to case. */
  email?: string | number | (string | number)[] | null
  /** QR codes. */
  qr_code?: string | number | (string | number)[] | null
  /** RFID tags. */
  rfid?: string | number | (string | number)[] | null
  /** Ids of profiles. */
  profile_id?: string | number | (string | number)[] | null
}

/** `lookups` replace those that are stored; `consent` is merged, null removes. */
export interface KeepsakePatch {
  /** What the guest is known by, as in the extras of a task: each a value or a list. */
  lookups?: KeepsakeLookups | null
  consent?: ConsentInput | null
}

export interface KeepsakeWall {
  /** The id of the keepsake. */
  keepsake_id: string
  wall: OnWall
}

export interface KeptAfterErasure {
  /** A `delivery` lies at a target, a `callback` with its receiver; a `task` stays as a whole; of an `activity` the record of its task is gone. */
  what: 'delivery' | 'callback' | 'task' | 'activity'
  /** The task or task group it belonged to. */
  task_id: string
  /** Of a delivery: its entry, counted over the whole request. */
  index?: number
  /** The configuration that made it. */
  configuration?: string
  /** Of a delivery: its adapter. */
  adapter_name?: string
  /** Of a callback: the host that got it. */
  receiver?: string
  /** When this was found or done. */
  at: string
  /** Why: `shared`, `lasting`, `sent`, `unknown`, `no_record`, `no_configuration`, `no_adapter`, `given_up`, or the error of the target. */
  code: string
  /** The same as a sentence. */
  reason: string
}

export interface ListedKeepsake {
  /** The id of the keepsake. */
  keepsake_id: string
  experience_id: string
  wall: OnWall
  /** Whether somebody is named in its `lookups`, or a task found a guest for it. */
  has_guest: boolean
  /** The newest ten, the newest first. */
  files: ({
    /** Its place in `/api/keepsake/ID/file/NUMBER/`. */
    number: number
    state: 'being made' | 'ready' | 'failed'
    mime: string | null
    width: number | null
    height: number | null
    /** `waiting`: nobody approved it yet. `approved`: it may be on the wall. `hidden`: it is not on the wall, whatever the settings are. */
    wall: 'waiting' | 'approved' | 'hidden'
  })[]
  /** When it was reserved. */
  created_at: string
}

export interface ListedKeepsakeFilters {
  /** The experience it belongs to; made by itself at the first use of the id. */
  experience_id?: string
  /** `waiting`: nobody approved it yet. `approved`: it may be on the wall. `hidden`: it is not on the wall, whatever the settings are. */
  wall?: 'waiting' | 'approved' | 'hidden'
  /** Those of this guest: a task found the guest for them, or their `lookups` name a value of the guest. */
  profile_id?: string
}

export interface ListedKeepsakeList {
  /** Newest first. */
  items: ListedKeepsake[]
  /** Where the next page begins; null at the end. */
  next_cursor: string | null
}

/** Credentials and default options of `local_file`. */
export interface LocalFileAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: LocalFileDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: LocalFileDefaults
  }
}

/** Puts the file into a folder of this machine. */
export type LocalFileConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'local_file'
  adapter_config?: LocalFileAdapterConfig
}

/** Options of `local_file`. Puts the file into a folder of this machine. */
export interface LocalFileDefaults {
  /** Folder below the root (`KEEPSAKE_LOCAL_ROOT`) to put the file into; made when it is missing. Empty: the root itself. */
  folder?: string
  /** Put before the name as it is; end it with `/` for a folder. May hold placeholders. */
  file_prefix?: string
  /** Name of the delivered file. It must be the same on every attempt, so that a repeated one overwrites itself. */
  file_name?: string
  /** How often the delivery is tried before the entry fails. Refusals fail at once; waiting for a quota does not count. */
  delivery_attempts?: number
  /** Seconds before the second attempt; doubled for each further one, up to an hour. */
  delivery_backoff?: number
}

/** What `local_file` answers. */
export interface LocalFileResult {
  /** The folder below the root. */
  folder: string
  /** The name of the file there, with its prefix. */
  file_key: string
  /** The activities that were created; there once the task has ended. */
  activity?: string[]
}

/** They are worked on. */
export interface Many {
  /** How many the filter found. */
  count: number
}

export interface ManyTasks {
  status?: TaskStatus
  /** Those of this configuration. */
  configuration?: string
  /** The experience it belongs to; made by itself at the first use of the id. */
  experience_id?: string
  /** Those that ended and were made for this guest. */
  profile_id?: string
  /** Those with an entry that ended with this error. */
  error_code?: string
  /** Those accepted at this time or later. */
  created_after?: string
  /** Those accepted before this time. */
  created_before?: string
  /** Those of these ids. */
  ids?: string[]
  /** Only counts what would be worked on. */
  dry_run?: boolean
}

/** Credentials and default options of `message_send`. */
export interface MessageSendAdapterConfig {
  auth?: MessageSendAuth
  defaults?: MessageSendDefaults
  /** The nested shape. */
  adapter_config?: {
    auth?: MessageSendAuth
    defaults?: MessageSendDefaults
  }
}

/** Credentials of `message_send`. */
export interface MessageSendAuth {
  /** Account of Twilio. */
  account_sid?: string
  /** Token of that account. */
  auth_token?: string
  /** Token that the gateway gets as `Authorization: Bearer …`. */
  bearer?: string
}

/** Sends a text with a link by SMS or WhatsApp. */
export type MessageSendConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'message_send'
  adapter_config?: MessageSendAdapterConfig
}

/** Options of `message_send`. Sends a text with a link by SMS or WhatsApp. */
export interface MessageSendDefaults {
  /** `twilio`, or `http` for any other gateway that takes HTTP requests. */
  provider?: 'twilio' | 'http'
  /** What the message is sent by, with Twilio. */
  channel?: 'sms' | 'whatsapp'
  /** The phone number, with its country: `+4915112345678`. */
  to?: string
  /** The message, with the link to the file. */
  text?: string
  /** Number or name that Twilio sends from. */
  from?: string
  /** Messaging service of Twilio, in place of `from`. */
  messaging_service_sid?: string
  /** Where Twilio is. */
  api_base_url?: string
  /** Address of the gateway, for `http`. */
  url?: string
  /** Method of the request to the gateway. */
  method?: 'POST' | 'PUT'
  /** Further headers of the request to the gateway. */
  headers?: Record<string, unknown>
  /** Fields of the request to the gateway. `$to`, `$text` and `$marker` in a value stand for the number, the message and the marker of the delivery. */
  body?: Record<string, string>
  /** How the fields are sent to the gateway. */
  body_format?: 'json' | 'form'
  /** Whether the gateway knows requests of the same `Idempotency-Key` again. Then one whose answer was lost is sent again; otherwise it ends as `outcome_unknown`. */
  idempotent?: boolean
  /** Hours in which nothing is sent; messages wait until they end. May go over midnight. */
  quiet_hours?: {
    /** A time of day, as HH:MM. */
    from: string
    /** A time of day, as HH:MM. */
    to: string
  }
  /** Time zone of the quiet hours. Without it: that of the experience, or else UTC. */
  time_zone?: string
  /** How often the delivery is tried before the entry fails. Refusals fail at once; waiting for a quota does not count. */
  delivery_attempts?: number
  /** Seconds before the second attempt; doubled for each further one, up to an hour. */
  delivery_backoff?: number
}

/** What `message_send` answers. */
export interface MessageSendResult {
  /** The number. */
  to: string
  /** What the provider calls the message; empty where it does not say. */
  message_id: string
  /** What the provider says of it: `queued` as a rule, or the status of the answer. */
  status: string
  /** The activities that were created; there once the task has ended. */
  activity?: string[]
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
  /** True for a person who signs in with OpenID Connect: nobody has it as a token, and deleting it signs them out. */
  person: boolean
  /** The token that made it: when that is deleted, this one is as well. Null: the operator. */
  made_by: string | null
  /** When it was made. */
  created_at: string
  /** When it was last used, or made. */
  updated_at: string
  /** The token itself, shown this once. */
  token: string
}

export interface NewWallKey {
  /** The id of the key. */
  key_id: string
  experience_id: string
  name: string | null
  /** When it was made. */
  created_at: string
  /** Opens the wall. Only in this answer: it is stored as a digest. */
  key: string
  /** The wall, with the key. */
  url: string
}

/** Whether it may be on the wall of its experience. */
export interface OnWall {
  /** `waiting`: nobody approved it yet. `approved`: it may be on the wall. `hidden`: it is not on the wall, whatever the settings are. */
  state: 'waiting' | 'approved' | 'hidden'
  /** Whether a guest refused the wall: then it is not on it, whoever approves it. */
  refused: boolean
}

/** What any other adapter answers. */
export type OtherResult = Record<string, unknown>

/** The file that it handed on. */
export interface Output {
  mime: string
  width: number | null
  height: number | null
  duration: number | null
  /** Null where the entry melted into the next one: the file is made when it is asked for. */
  bytes: number | null
  sha256: string | null
}

export interface PendingErasure {
  /** A `delivery` lies at a target, a `callback` with its receiver; a `task` stays as a whole; of an `activity` the record of its task is gone. */
  what: 'delivery' | 'callback' | 'task' | 'activity'
  /** The task or task group it belonged to. */
  task_id: string
  /** Of a delivery: its entry, counted over the whole request. */
  index?: number
  /** The configuration that made it. */
  configuration?: string
  /** Of a delivery: its adapter. */
  adapter_name?: string
  /** Of a callback: the host that got it. */
  receiver?: string
  /** When this was found or done. */
  at: string
  /** Why: `shared`, `lasting`, `sent`, `unknown`, `no_record`, `no_configuration`, `no_adapter`, `given_up`, or the error of the target. */
  code: string
  /** The same as a sentence. */
  reason: string
  /** How often it was tried. */
  tries: number
  /** When it is tried again. */
  next_try_at: string
  /** How long it is tried. After that it is listed as kept. */
  until: string
}

/** Credentials and default options of `photo_add_overlay`. */
export interface PhotoAddOverlayAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: PhotoAddOverlayDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: PhotoAddOverlayDefaults
  }
}

/** Lays a frame or a logo over a picture. */
export type PhotoAddOverlayConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'photo_add_overlay'
  adapter_config?: PhotoAddOverlayAdapterConfig
}

/** Options of `photo_add_overlay`. Lays a frame or a logo over a picture. */
export interface PhotoAddOverlayDefaults {
  /** Asset that is laid over the picture: PNG, WebP, SVG or any other picture. */
  overlay_file_name?: string
  /** Asset for pictures that are higher than wide; left out, the other one is used. */
  overlay_portrait_file_name?: string
  /** `stretch` brings it to exactly the picture’s size, `contain` and `cover` keep its shape, `none` keeps its own size. */
  fit?: 'stretch' | 'contain' | 'cover' | 'none'
  /** Where it lies when it does not fill the picture. */
  position?: 'center' | 'top' | 'bottom' | 'left' | 'right' | 'top_left' | 'top_right' | 'bottom_left' | 'bottom_right'
  /** How strongly it is drawn: 1 is opaque, 0 invisible. */
  opacity?: number
  /** How its colours mix with what lies below; `over` simply covers it. */
  blend?: 'over' | 'multiply' | 'screen' | 'overlay' | 'darken' | 'lighten' | 'color_dodge' | 'color_burn' | 'hard_light' | 'soft_light' | 'difference' | 'exclusion' | 'add'
}

/** Credentials and default options of `photo_add_qr`. */
export interface PhotoAddQrAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: PhotoAddQrDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: PhotoAddQrDefaults
  }
}

/** Puts a QR code on a picture. */
export type PhotoAddQrConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'photo_add_qr'
  adapter_config?: PhotoAddQrAdapterConfig
}

/** Options of `photo_add_qr`. Puts a QR code on a picture. */
export interface PhotoAddQrDefaults {
  /** What a reader gets, usually a link; may hold {{placeholders}}. */
  data?: string
  /** Left edge, in pixels or "50%". Left out: near the right edge. */
  x?: number | string | null
  /** Top edge, in pixels or "50%". Left out: near the bottom edge. */
  y?: number | string | null
  /** Side of the square, in pixels or as a share of the picture’s shorter side. */
  size?: number | string
  /** Error correction: how much of it may be covered (L 7 %, M 15 %, Q 25 %, H 30 %). */
  ecc?: 'L' | 'M' | 'Q' | 'H'
  /** White margin in modules; readers want 4. */
  quiet?: number
}

/** Credentials and default options of `photo_add_text`. */
export interface PhotoAddTextAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: PhotoAddTextDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: PhotoAddTextDefaults
  }
}

/** Writes text on a picture, as large as its box allows. */
export type PhotoAddTextConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'photo_add_text'
  adapter_config?: PhotoAddTextAdapterConfig
}

/** Options of `photo_add_text`. Writes text on a picture, as large as its box allows. */
export interface PhotoAddTextDefaults {
  /** What is written; may hold {{placeholders}} and line breaks. */
  text?: string
  /** Left edge of the box, in pixels or "50%". */
  x?: number | string
  /** Top edge of the box, in pixels or "50%". */
  y?: number | string
  /** Width of the box, in pixels or "50%". */
  width?: number | string
  /** Height of the box, in pixels or "50%". */
  height?: number | string
  /** Font: `Inter` (shipped, with any weight: `Inter Bold`, `Inter Black Italic`) or a family that is installed (`/api/font/` lists them). */
  font?: string
  /** Largest letter size in pixels. Left out: as the box allows. */
  size_max?: number | null
  /** Smallest letter size in pixels; what still does not fit is cut off with an ellipsis. */
  size_min?: number
  /** Colour of the letters. */
  color?: string
  /** Where the lines stand in the box, across. */
  align?: 'left' | 'center' | 'right'
  /** Where the lines stand in the box, down. */
  valign?: 'top' | 'middle' | 'bottom'
  /** An outline around the letters. */
  stroke?: {
    /** Colour of the outline. */
    color?: string
    /** Width of the outline in pixels, half of it inside the letter. */
    width?: number
  } | null
  /** What happens to a text that is too long: `shrink` makes it smaller, `wrap` breaks it into lines (and makes it smaller if need be), `ellipsis` cuts it off. */
  overflow?: 'shrink' | 'wrap' | 'ellipsis'
  /** Asset with a font (.ttf, .otf), in place of `font`. */
  font_file_name?: string
}

/** Credentials and default options of `photo_blur_faces`. */
export interface PhotoBlurFacesAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: PhotoBlurFacesDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: PhotoBlurFacesDefaults
  }
}

/** Blurs the faces of bystanders and keeps those of the guests. */
export type PhotoBlurFacesConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'photo_blur_faces'
  adapter_config?: PhotoBlurFacesAdapterConfig
}

/** Options of `photo_blur_faces`. Blurs the faces of bystanders and keeps those of the guests. */
export interface PhotoBlurFacesDefaults {
  /** Whose faces stay clear: `largest` those about as large as the largest, a number that many of the largest, `guests` as many as the task has guests, `none` nobody’s. */
  keep?: 'largest' | 'guests' | 'none' | number
  /** How the other faces are made unclear. */
  method?: 'blur' | 'pixelate'
  /** How little is left of a face: 1 leaves one colour, more or less. */
  strength?: number
  /** How far around a face it reaches, in shares of the face. */
  margin?: number
}

/** Credentials and default options of `photo_chroma_key`. */
export interface PhotoChromaKeyAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: PhotoChromaKeyDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: PhotoChromaKeyDefaults
  }
}

/** Takes a green or blue screen out of a picture and puts a background in its place. */
export type PhotoChromaKeyConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'photo_chroma_key'
  adapter_config?: PhotoChromaKeyAdapterConfig
}

/** Options of `photo_chroma_key`. Takes a green or blue screen out of a picture and puts a background in its place. */
export interface PhotoChromaKeyDefaults {
  /** The colour of the screen. */
  key?: string
  /** How far a colour may be from the key and still be taken out. */
  tolerance?: number
  /** Over what further distance the edge fades. */
  softness?: number
  /** How much of the screen’s colour is taken out of skin and hair. */
  despill?: number
  /** How the background is brought to the picture’s size. */
  fit?: 'cover' | 'contain' | 'stretch'
  /** Asset behind the person. Left out, the screen becomes transparent. */
  background_file_name?: string
}

/** Credentials and default options of `photo_collage`. */
export interface PhotoCollageAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: PhotoCollageDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: PhotoCollageDefaults
  }
}

/** Puts several photos on one sheet: a strip, a grid or places of your own. */
export type PhotoCollageConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'photo_collage'
  adapter_config?: PhotoCollageAdapterConfig
}

/** Options of `photo_collage`. Puts several photos on one sheet: a strip, a grid or places of your own. */
export interface PhotoCollageDefaults {
  /** Three or four photos one below the other, two by two, or the places of `cells`. */
  layout?: 'strip3' | 'strip4' | 'grid2x2' | 'custom'
  /** Width of the sheet; left out: 600 for a strip, 1800 for a grid. */
  width?: number | null
  /** Height of the sheet; left out: 1800. */
  height?: number | null
  /** Pixels between the photos. */
  gap?: number
  /** Pixels around them. */
  margin?: number
  /** Colour of the sheet. */
  background?: string
  /** What of each photo is kept in its place; `attention` looks for skin and strong colours, `entropy` for detail, `faces` keeps as many faces whole as fit. */
  gravity?: 'center' | 'top' | 'bottom' | 'left' | 'right' | 'top_left' | 'top_right' | 'bottom_left' | 'bottom_right' | 'attention' | 'entropy' | 'faces'
  /** With `custom`: the places, in the order of the photos. */
  cells?: ({
    /** Left edge of the place: pixels or "50%" of the sheet. */
    x: number | string
    /** Top edge of the place: pixels or "50%" of the sheet. */
    y: number | string
    /** Width of the place: pixels or "50%" of the sheet. */
    width: number | string
    /** Height of the place: pixels or "50%" of the sheet. */
    height: number | string
  })[]
  /** Assets with the further photos; the input is the first. */
  photo_file_names?: string[]
  /** Asset that covers the sheet, below the photos. */
  background_file_name?: string
  /** Asset that is stretched over the sheet, above the photos. */
  overlay_file_name?: string
}

/** Credentials and default options of `photo_compositor`. */
export interface PhotoCompositorAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: PhotoCompositorDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: PhotoCompositorDefaults
  }
}

/** Draws a photo, pictures, text, QR codes and shapes on one canvas. */
export type PhotoCompositorConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'photo_compositor'
  adapter_config?: PhotoCompositorAdapterConfig
}

/** Options of `photo_compositor`. Draws a photo, pictures, text, QR codes and shapes on one canvas. */
export interface PhotoCompositorDefaults {
  /** The canvas; left out, it is as large as the input. */
  canvas?: {
    /** Width in pixels. */
    width: number
    /** Height in pixels. */
    height: number
    /** What lies below all layers. */
    background?: string
  } | null
  /** What is painted, in this order. Left out: the photo alone, over the whole canvas. */
  layers?: ({
    /** What it shows: the input, an asset, text, a QR code or a plain shape. */
    type: 'photo' | 'image' | 'text' | 'qr' | 'shape'
    /** A name; `NAME_override` in a task group replaces what a `photo` or an `image` shows. */
    name?: string
    /** Where its anchor lies, across the canvas: pixels or "50%". */
    x?: number | string
    /** Where its anchor lies, down the canvas: pixels or "50%". */
    y?: number | string
    /** Width: pixels or a share of the canvas. */
    width?: number | string
    /** Height: pixels or a share of the canvas. */
    height?: number | string
    /** The point of the layer that lies at `x`, `y`. */
    anchor?: 'center' | 'top' | 'bottom' | 'left' | 'right' | 'top_left' | 'top_right' | 'bottom_left' | 'bottom_right'
    /** How a picture fills its box. */
    fit?: 'cover' | 'contain' | 'stretch'
    /** Of a `photo` that covers its box: what of it is kept; `attention` looks for skin and strong colours, `entropy` for detail, `faces` keeps as many faces whole as fit. */
    gravity?: 'center' | 'top' | 'bottom' | 'left' | 'right' | 'top_left' | 'top_right' | 'bottom_left' | 'bottom_right' | 'attention' | 'entropy' | 'faces'
    /** How strongly it is drawn: 1 is opaque, 0 invisible. */
    opacity?: number
    /** Degrees clockwise, about its middle. */
    rotate?: number
    /** How its colours mix with what lies below; `over` simply covers it. */
    blend?: 'over' | 'multiply' | 'screen' | 'overlay' | 'darken' | 'lighten' | 'color_dodge' | 'color_burn' | 'hard_light' | 'soft_light' | 'difference' | 'exclusion' | 'add'
    /** Radius of round corners: pixels, or a share of the shorter side ("50%" makes a circle). */
    radius?: number | string
    /** Of an `image`: the asset it shows. */
    asset?: string
    /** Of a `text`: what is written; may hold {{placeholders}} and line breaks. */
    text?: string
    /** Font: `Inter` (shipped, with any weight: `Inter Bold`, `Inter Black Italic`) or a family that is installed (`/api/font/` lists them). */
    font?: string
    /** Largest letter size in pixels. Left out: as the box allows. */
    size_max?: number | null
    /** Smallest letter size in pixels; what still does not fit is cut off with an ellipsis. */
    size_min?: number
    /** Colour of a `text` or a `shape`. */
    color?: string
    /** Where the lines stand in the box, across. */
    align?: 'left' | 'center' | 'right'
    /** Where the lines stand in the box, down. */
    valign?: 'top' | 'middle' | 'bottom'
    /** Outline of a `text` or a `shape`. */
    stroke?: {
      /** Colour of the outline. */
      color?: string
      /** Width of the outline in pixels. */
      width?: number
    } | null
    /** What happens to a text that is too long: `shrink` makes it smaller, `wrap` breaks it into lines (and makes it smaller if need be), `ellipsis` cuts it off. */
    overflow?: 'shrink' | 'wrap' | 'ellipsis'
    /** Of a `qr`: what a reader gets; may hold {{placeholders}}. */
    data?: string
    /** Of a `qr`: error correction. */
    ecc?: 'L' | 'M' | 'Q' | 'H'
    /** Of a `qr`: white margin in modules. */
    quiet?: number
    /** Of a `shape`: its form. */
    shape?: 'rectangle' | 'ellipse'
  })[]
  /** Values for placeholders; `additional_context` of the extras is merged over them. */
  context?: Record<string, unknown>
  /** What a placeholder without a value does: it stays empty, or the entry fails. */
  missing?: 'empty' | 'error'
  /** The format to write; left out, that of the input. */
  format?: 'jpeg' | 'png' | 'webp' | null
  /** Quality of a lossy format, 1 to 100. */
  quality?: number
  /** Asset below all layers, covering the canvas. */
  background_file_name?: string
  /** Asset above all layers, stretched over the canvas. */
  overlay_file_name?: string
  /** Asset with the font (.ttf, .otf) of all text layers. */
  font_file_name?: string
  /** Asset with `canvas` and `layers` as JSON; what is set here comes over it. */
  template_file_name?: string
  /** Assets of image layers by the layer’s name; they come over the layer’s own. */
  layer_assets?: Record<string, string>
}

/** Credentials and default options of `photo_convert`. */
export interface PhotoConvertAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: PhotoConvertDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: PhotoConvertDefaults
  }
}

/** Writes a picture in another format, at most so large. */
export type PhotoConvertConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'photo_convert'
  adapter_config?: PhotoConvertAdapterConfig
}

/** Options of `photo_convert`. Writes a picture in another format, at most so large. */
export interface PhotoConvertDefaults {
  /** The format to write. */
  format?: 'jpeg' | 'png' | 'webp' | 'avif'
  /** Quality of a lossy format, 1 to 100. */
  quality?: number
  /** Longest side in pixels; a larger picture is made smaller, a smaller one is left as it is. */
  max_side?: number | null
}

/** Credentials and default options of `photo_crop`. */
export interface PhotoCropAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: PhotoCropDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: PhotoCropDefaults
  }
}

/** Cuts a rectangle out of a picture. */
export type PhotoCropConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'photo_crop'
  adapter_config?: PhotoCropAdapterConfig
}

/** Options of `photo_crop`. Cuts a rectangle out of a picture. */
export interface PhotoCropDefaults {
  /** Left edge, in pixels or "50%". Left out, `gravity` decides. */
  x?: number | string | null
  /** Top edge, in pixels or "50%". Left out, `gravity` decides. */
  y?: number | string | null
  /** Width, in pixels or "50%". */
  width?: number | string | null
  /** Height, in pixels or "50%". */
  height?: number | string | null
  /** Shape as "4:5". Without width and height: the largest cut of that shape; with one of them: gives the other. */
  aspect?: string | null
  /** What is kept where `x` or `y` is left out; `attention` looks for skin and strong colours, `entropy` for detail, `faces` keeps as many faces whole as fit. */
  gravity?: 'center' | 'top' | 'bottom' | 'left' | 'right' | 'top_left' | 'top_right' | 'bottom_left' | 'bottom_right' | 'attention' | 'entropy' | 'faces'
}

/** Credentials and default options of `photo_cutout`. */
export interface PhotoCutoutAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: PhotoCutoutDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: PhotoCutoutDefaults
  }
}

/** Takes the background away from behind people, without a green screen, and puts another in its place. */
export type PhotoCutoutConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'photo_cutout'
  adapter_config?: PhotoCutoutAdapterConfig
}

/** Options of `photo_cutout`. Takes the background away from behind people, without a green screen, and puts another in its place. */
export interface PhotoCutoutDefaults {
  /** What is behind the people: the asset of `background_file_name` (nothing where none is named), `color`, a gradient from `color` to `color_to`, the old background blurred, or nothing. `mask` paints people white and the rest black, to look at what was found. */
  background?: 'asset' | 'color' | 'gradient' | 'blur' | 'transparent' | 'mask'
  /** Asset behind the people. Left out, the background becomes transparent. */
  background_file_name?: string
  /** How the asset is brought to its size. */
  fit?: 'cover' | 'contain' | 'stretch'
  /** Colour behind the people, and the one that a gradient begins with. */
  color?: string
  /** Colour that a gradient ends with. */
  color_to?: string
  /** Where a gradient leads: 180 is down, 90 to the right. */
  angle?: number
  /** How far the old background is blurred, in hundredths of the longer side. */
  blur?: number
  /** How soft the edge is: 0 cuts hard, 1 fades over all that is unsure. */
  softness?: number
  /** How much light of the new background falls on edges. */
  light_wrap?: number
  /** How dark a shadow the people throw; 0 is none. */
  shadow?: number
  /** How far to the right the shadow falls, in hundredths of the longer side. */
  shadow_x?: number
  /** How far down the shadow falls, in hundredths of the longer side. */
  shadow_y?: number
  /** Where no face is found, or one is not covered after a second look: `keep` leaves the picture as it is, `fail` fails the entry, `go_on` cuts out what there is. */
  on_doubt?: 'keep' | 'fail' | 'go_on'
}

/** Credentials and default options of `photo_filter`. */
export interface PhotoFilterAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: PhotoFilterDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: PhotoFilterDefaults
  }
}

/** Changes the look of a picture: colours, brightness, sharpness, a look-up table. */
export type PhotoFilterConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'photo_filter'
  adapter_config?: PhotoFilterAdapterConfig
}

/** Options of `photo_filter`. Changes the look of a picture: colours, brightness, sharpness, a look-up table. */
export interface PhotoFilterDefaults {
  /** A ready look; the other options come on top of it. */
  preset?: 'none' | 'bw' | 'sepia' | 'vintage' | 'vivid'
  /** 1 leaves it, 0 is black, 2 twice as bright. */
  brightness?: number
  /** 1 leaves it, 0 is plain grey. */
  contrast?: number
  /** 1 leaves it, 0 is without colour. */
  saturation?: number
  /** Radius of sharpening in pixels; 0 is off, about 1 suits a photo. */
  sharpen?: number
  /** Radius of the blur in pixels; 0 is off. */
  blur?: number
  /** Asset with a look-up table (.cube), applied after the colours above. */
  lut_file_name?: string
}

/** Credentials and default options of `photo_flip`. */
export interface PhotoFlipAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: PhotoFlipDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: PhotoFlipDefaults
  }
}

/** Mirrors a picture or turns it by 90, 180 or 270 degrees. */
export type PhotoFlipConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'photo_flip'
  adapter_config?: PhotoFlipAdapterConfig
}

/** Options of `photo_flip`. Mirrors a picture or turns it by 90, 180 or 270 degrees. */
export interface PhotoFlipDefaults {
  /** How to turn: `ROTATE_90`, `ROTATE_180` and `ROTATE_270` turn counter-clockwise, `FLIP_LEFT_RIGHT` and `FLIP_TOP_BOTTOM` mirror, `TRANSPOSE` and `TRANSVERSE` mirror at a diagonal. */
  method?: 'FLIP_LEFT_RIGHT' | 'FLIP_TOP_BOTTOM' | 'ROTATE_90' | 'ROTATE_180' | 'ROTATE_270' | 'TRANSPOSE' | 'TRANSVERSE'
}

/** Credentials and default options of `photo_pick`. */
export interface PhotoPickAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: PhotoPickDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: PhotoPickDefaults
  }
}

/** Picks the best photo of several: faces, open eyes, sharpness, exposure. */
export type PhotoPickConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'photo_pick'
  adapter_config?: PhotoPickAdapterConfig
}

/** Options of `photo_pick`. Picks the best photo of several: faces, open eyes, sharpness, exposure. */
export interface PhotoPickDefaults {
  /** Assets with the further photos; the input is the first. They come with a task as `photo_file_names_data`. */
  photo_file_names?: string[]
  /** What counts most: a bit of everything, that all faces are seen, or that it is sharp. */
  prefer?: 'balanced' | 'faces' | 'sharp'
}

/** Credentials and default options of `photo_resize`. */
export interface PhotoResizeAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: PhotoResizeDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: PhotoResizeDefaults
  }
}

/** Brings a picture to a size. */
export type PhotoResizeConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'photo_resize'
  adapter_config?: PhotoResizeAdapterConfig
}

/** Options of `photo_resize`. Brings a picture to a size. */
export interface PhotoResizeDefaults {
  /** Width in pixels; left out, it follows from the height and the picture’s own shape. */
  width?: number | null
  /** Height in pixels; left out, it follows from the width and the picture’s own shape. */
  height?: number | null
  /** `cover` fills the size and cuts off what is over, `contain` shows all of it on a background, `inside` shows all of it at most so large, `stretch` ignores its shape. */
  fit?: 'cover' | 'contain' | 'inside' | 'stretch'
  /** What `cover` keeps and where `contain` puts the picture; `attention` looks for skin and strong colours, `entropy` for detail, `faces` keeps as many faces whole as fit. */
  gravity?: 'center' | 'top' | 'bottom' | 'left' | 'right' | 'top_left' | 'top_right' | 'bottom_left' | 'bottom_right' | 'attention' | 'entropy' | 'faces'
  /** Whether a small picture is made larger. Otherwise `cover` keeps the shape asked for at the size there is. */
  enlarge?: boolean
  /** Colour around the picture with `contain`. */
  background?: string
}

/** Credentials and default options of `photo_to_video`. */
export interface PhotoToVideoAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: PhotoToVideoDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: PhotoToVideoDefaults
  }
}

/** Makes a video of a picture, with a slow movement and music if wanted. */
export type PhotoToVideoConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'photo_to_video'
  adapter_config?: PhotoToVideoAdapterConfig
}

/** Options of `photo_to_video`. Makes a video of a picture, with a slow movement and music if wanted. */
export interface PhotoToVideoDefaults {
  /** Seconds it lasts. */
  duration?: number
  /** How the view moves over the picture. */
  motion?: 'none' | 'zoom_in' | 'zoom_out' | 'pan'
  /** Frames per second. */
  fps?: number
  /** Width of the video; left out, it follows from the picture, at most 1920 pixels on the longer side. */
  width?: number | null
  /** Height of the video; left out, it follows from the picture. With both set the picture is cut to their shape. */
  height?: number | null
  /** Music under it; left out, it is silent. */
  audio_file_name?: string
}

export interface PictureParts {
  /** The file. */
  data: string
}

export interface PreviewParts {
  /** The file to try it with. */
  data: string
  /** As for a task. */
  extras?: string
  /** For which experience it runs. Needed where all of its configurations are shared. */
  experience_id?: string
}

/** Credentials and default options of `print_ipp`. */
export interface PrintIppAdapterConfig {
  auth?: PrintIppAuth
  defaults?: PrintIppDefaults
  /** The nested shape. */
  adapter_config?: {
    auth?: PrintIppAuth
    defaults?: PrintIppDefaults
  }
}

/** Credentials of `print_ipp`. */
export interface PrintIppAuth {
  /** User name, where the printer asks for one. */
  username?: string
  /** Password. */
  password?: string
}

/** Prints the picture on a printer of the network. */
export type PrintIppConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'print_ipp'
  adapter_config?: PrintIppAdapterConfig
}

/** Options of `print_ipp`. Prints the picture on a printer of the network. */
export interface PrintIppDefaults {
  /** Addresses of the printers, `ipps://` or `ipp://`. They take turns; one that cannot print is passed over. */
  printers?: string[]
  /** SHA-256 fingerprints of certificates that printers made for themselves. Such a printer is believed by its fingerprint alone. */
  certificates?: string[]
  /** Name of the medium (PWG 5101.1). Left out: the one that the printer has in. */
  media?: string
  /** Kind of the medium. */
  media_type?: string
  /** Tray that the medium is taken from. */
  media_source?: string
  /** Whether to print to the edges where the printer can; otherwise inside its margins. */
  borderless?: boolean
  /** `cover` fills the page and cuts off what is over, `contain` shows all of the picture. */
  fit?: 'cover' | 'contain'
  /** Colour beside the picture for `contain`. */
  background?: string
  /** Whether to turn the picture by 90° where it then fills the page better. */
  turn?: boolean
  /** Colour of the print. */
  color?: 'auto' | 'color' | 'monochrome'
  /** Quality of the print. */
  quality?: 'draft' | 'normal' | 'high'
  /** Pixels per inch of what is sent. */
  resolution?: number
  /** How often it is printed. */
  copies?: number
  /** Prints that a roll of a printer gives. When they are used up, deliveries wait until the roll is reported as changed. */
  prints_per_roll?: number
  /** Seconds between two looks at a printer that needs somebody, or still prints. */
  wait?: number
  /** Seconds after which a job that the printer works on without an end is given up. */
  job_seconds?: number
  /** How often the delivery is tried before the entry fails. Refusals fail at once; waiting for a quota does not count. */
  delivery_attempts?: number
  /** Seconds before the second attempt; doubled for each further one, up to an hour. */
  delivery_backoff?: number
}

/** What `print_ipp` answers. */
export interface PrintIppResult {
  /** The address of the printer. */
  printer: string
  /** The number that the printer gave the job. */
  job_id: number
  /** The name of the job there. */
  job_name: string
  /** The medium that it was printed on. */
  media: string
  /** How often it was printed. */
  copies: number
  /** The activities that were created; there once the task has ended. */
  activity?: string[]
}

/** RFC 9457 problem details. */
export interface Problem {
  /** Leads to the description of the code. */
  type: string
  title: string
  status: number
  /** What was wrong and what is accepted. */
  detail: string
  code: ErrorCode
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
  /** For a 410 of a keepsake: its receipt, for the code that it was taken back with. */
  receipt_url?: string
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
  /** What the guest agreed to (true) or refused (false). Null: nothing was said. */
  consent: {
    /** Whether it may be passed on: posted, or shown to others than the guest. */
    share?: boolean
    /** Whether it may be shown on the wall of the event. */
    wall?: boolean
    /** Whether the guest may be written to, and the picture used to advertise. */
    marketing?: boolean
  } | null
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
  consent?: ConsentInput | null
}

export interface ProfileList {
  /** Newest first. */
  items: Profile[]
  /** Where the next page begins; null at the end. */
  next_cursor: string | null
}

export interface ProfileMerge {
  /** The id of the other profile, which is gone afterwards. */
  profile_id: string
  /** True: everything is checked, the answer is what would be, and nothing is stored. */
  dry_run?: boolean
}

/** A list replaces the list; `attributes` and `consent` are merged, null removes one. */
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
  consent?: ConsentInput | null
}

export interface Readiness {
  status: 'ready' | 'not_ready'
  version: string
  /** What this machine or a worker can not do, a sentence each. */
  off: string[]
}

export interface Receipt {
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

export interface ReservedKeepsake {
  /** The id of the keepsake. */
  keepsake_id: string
  /** Opens the page; a task takes it as the part `keepsake`. Keep it as a secret. */
  code: string
  /** The page of the guest. */
  url: string
  /** The QR code of the page, as SVG. With `.png` in place of `.svg` as PNG. */
  qr_url: string
}

/** As its adapter answers: what a transformer made is its output, what a destination answers says where the file is. */
export type Result = AzureBlobUploadResult | EmailSendResult | GcsUploadResult | HttpPostResult | LocalFileResult | MessageSendResult | PrintIppResult | S3UploadResult | SftpUploadResult | YoutubeUploadResult | TransformerResult | OtherResult

/** Credentials and default options of `s3_upload`. */
export interface S3UploadAdapterConfig {
  auth?: S3UploadAuth
  defaults?: S3UploadDefaults
  /** The nested shape. */
  adapter_config?: {
    auth?: S3UploadAuth
    defaults?: S3UploadDefaults
  }
}

/** Credentials of `s3_upload`. */
export interface S3UploadAuth {
  /** Access key. */
  access_key?: string
  /** Secret key that belongs to it. */
  secret_key?: string
  /** Session token, for temporary keys. */
  session_token?: string
}

/** Puts the file into a bucket of Amazon S3 or any store that speaks its protocol. */
export type S3UploadConfigurationInput = SingleConfigurationFields & {
  adapter_name: 's3_upload'
  adapter_config?: S3UploadAdapterConfig
}

/** Options of `s3_upload`. Puts the file into a bucket of Amazon S3 or any store that speaks its protocol. */
export interface S3UploadDefaults {
  /** Bucket to put the file into. */
  bucket_name?: string
  /** Base URL of the store, without the bucket. */
  bucket_url?: string
  /** Whether anyone who has the URL may read the file. */
  public?: boolean
  /** Whether browsers save the file instead of showing it. */
  force_download?: boolean
  /** The Cache-Control header the file is served with. */
  cache_control?: string
  /** Put before the name as it is; end it with `/` for a folder. May hold placeholders. */
  file_prefix?: string
  /** Name of the delivered file. It must be the same on every attempt, so that a repeated one overwrites itself. */
  file_name?: string
  /** Region the bucket lies in. */
  region?: string
  /** Where the bucket stands in URLs: `path` is HOST/BUCKET/KEY, `virtual` is BUCKET.HOST/KEY. */
  url_style?: 'path' | 'virtual'
  /** Put before the key to make the URL in the result, for a CDN or an own domain in front of the bucket. */
  public_base_url?: string | null
  /** Seconds for which the URL in the result opens a private file; up to a week. `null`: the URL is not signed. */
  signed_url_ttl?: number | null
  /** `auto` asks for a public ACL where `public` is set and does without in a bucket that refuses ACLs; `acl` always sends one and insists on it; `none` never does. */
  acl_mode?: 'auto' | 'acl' | 'none'
  /** Metadata kept with the file (`x-amz-meta-…`), 2,048 bytes with all names at most. */
  metadata?: Record<string, string>
  /** How often the delivery is tried before the entry fails. Refusals fail at once; waiting for a quota does not count. */
  delivery_attempts?: number
  /** Seconds before the second attempt; doubled for each further one, up to an hour. */
  delivery_backoff?: number
}

/** What `s3_upload` answers. */
export interface S3UploadResult {
  /** The bucket. */
  bucket_name: string
  /** The name of the file there, with its prefix. */
  file_key: string
  /** Where the file is. */
  url: string
  /** The activities that were created; there once the task has ended. */
  activity?: string[]
}

/** At most 20 of each. */
export interface SearchResult {
  /** Guests, by any part of a look-up value or of a text in `attributes`. Newest first. */
  profiles: {
    items: Profile[]
    /** There are more, or may be: give more characters. */
    more: boolean
  }
  /** By the start of their id or of `input.file_name`. */
  tasks: {
    items: Task[]
    /** There are more, or may be: give more characters. */
    more: boolean
  }
  /** By the start of their id or of a file’s name, and by any part of the name of a configuration in them. */
  taskgroups: {
    items: TaskGroup[]
    /** There are more, or may be: give more characters. */
    more: boolean
  }
  /** By any part of the name. Newest first. */
  configurations: {
    items: Configuration[]
    /** There are more, or may be: give more characters. */
    more: boolean
  }
  /** By any part of the name. Newest first. */
  assets: {
    items: Asset[]
    /** There are more, or may be: give more characters. */
    more: boolean
  }
}

export interface Session {
  /** The name of the token, or of the person; `operator` for the operator’s own admin token. */
  name: string
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

/** Credentials and default options of `sftp_upload`. */
export interface SftpUploadAdapterConfig {
  auth?: SftpUploadAuth
  defaults?: SftpUploadDefaults
  /** The nested shape. */
  adapter_config?: {
    auth?: SftpUploadAuth
    defaults?: SftpUploadDefaults
  }
}

/** Credentials of `sftp_upload`. */
export interface SftpUploadAuth {
  /** User on the server. */
  username?: string
  /** Password of the user. */
  password?: string
  /** Private key of the user (OpenSSH or PEM), in place of the password. */
  private_key?: string
  /** Passphrase of the private key. */
  passphrase?: string
}

/** Puts the file onto a server by SFTP. */
export type SftpUploadConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'sftp_upload'
  adapter_config?: SftpUploadAdapterConfig
}

/** Options of `sftp_upload`. Puts the file onto a server by SFTP. */
export interface SftpUploadDefaults {
  /** Name or address of the server. */
  host?: string
  /** Port of the server. */
  port?: number
  /** Folder on the server, made when it is missing; without a leading `/` it begins in the user’s home. */
  path?: string
  /** Put before the name as it is; end it with `/` for a folder. May hold placeholders. */
  file_prefix?: string
  /** Name of the delivered file. It must be the same on every attempt, so that a repeated one overwrites itself. */
  file_name?: string
  /** Key of the server, as `SHA256:…` or as a line of known_hosts. Without it any server of that name is believed, with a warning. */
  host_key?: string
  /** How often the delivery is tried before the entry fails. Refusals fail at once; waiting for a quota does not count. */
  delivery_attempts?: number
  /** Seconds before the second attempt; doubled for each further one, up to an hour. */
  delivery_backoff?: number
}

/** What `sftp_upload` answers. */
export interface SftpUploadResult {
  /** The server. */
  host: string
  /** The path of the file there. */
  path: string
  /** The activities that were created; there once the task has ended. */
  activity?: string[]
}

/** How people sign in beside tokens; null: not at all. */
export interface SignIn {
  oidc: {
    /** The name of the provider, for people. */
    name: string
    /** Where a browser begins to sign in. */
    url: string
    /** Where a browser signs out of the provider too. */
    sign_out_url: string
  } | null
}

/** What every configuration of one adapter has. */
export interface SingleConfigurationFields {
  /** The name of the configuration. */
  configuration_name: string
  /** The experience it belongs to; made by itself at the first use of the id. Null shares it with every experience, which needs a token that is not limited to experiences. */
  experience_id: string | null
  /** When it is there, an activity is created after the task finishes. `experience_id` may be left out of a shared configuration alone: it is that of the task then. */
  activity_config?: ActivityConfig | null
  /** Receives the callback: HTTPS. */
  webhook_url?: string | null
  /** Of a shared configuration: the options that extras may change, and the asset parameters that they may fill. None unless listed. */
  overridable?: string[]
  /** One word, or a list of those that are all needed. It is shown as a list. */
  needs_consent?: 'share' | 'wall' | 'marketing' | ('share' | 'wall' | 'marketing')[] | null
  /** `skip` leaves it out and hands its file on; `wait` waits while nothing is said, and leaves it out at a no or after 24 hours. */
  without_consent?: 'skip' | 'wait' | null
  /** Not taken over. */
  kind?: 'transformer' | 'destination' | 'chain'
  /** Not taken over. */
  created_at?: string
  /** Not taken over. */
  updated_at?: string
}

/** One adapter with its options. The adapters are those of this deployment. */
export type SingleConfigurationInput = AudioConvertConfigurationInput | AudioNormalizeConfigurationInput | AzureBlobUploadConfigurationInput | EmailSendConfigurationInput | GcsUploadConfigurationInput | HttpPostConfigurationInput | LocalFileConfigurationInput | MessageSendConfigurationInput | PhotoAddOverlayConfigurationInput | PhotoAddQrConfigurationInput | PhotoAddTextConfigurationInput | PhotoBlurFacesConfigurationInput | PhotoChromaKeyConfigurationInput | PhotoCollageConfigurationInput | PhotoCompositorConfigurationInput | PhotoConvertConfigurationInput | PhotoCropConfigurationInput | PhotoCutoutConfigurationInput | PhotoFilterConfigurationInput | PhotoFlipConfigurationInput | PhotoPickConfigurationInput | PhotoResizeConfigurationInput | PhotoToVideoConfigurationInput | PrintIppConfigurationInput | S3UploadConfigurationInput | SftpUploadConfigurationInput | VideoAddAudioConfigurationInput | VideoAddOverlayConfigurationInput | VideoAddTextConfigurationInput | VideoBoomerangConfigurationInput | VideoChromaKeyConfigurationInput | VideoConvertConfigurationInput | VideoCutoutConfigurationInput | VideoFadeConfigurationInput | VideoFlipConfigurationInput | VideoJoinConfigurationInput | VideoResizeConfigurationInput | VideoSpeedConfigurationInput | VideoThumbnailConfigurationInput | VideoToGifConfigurationInput | VideoTrimConfigurationInput | YoutubeUploadConfigurationInput

export interface Stats {
  /** How far back; an hour unless told. */
  window: 'hour' | 'day' | 'week'
  tasks_per_minute: number
  /** What ended in the last full minute: the minute that is under way would look like a lull. */
  last_minute: {
    succeeded: number
    failed: number
  }
  /** Of the tasks that ended; 0 to 1. */
  success_rate: number | null
  /** From the request to the callback that arrived; without one, to the end of the task. */
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
  /** How far behind each lane is. */
  behind: ({
    lane: 'picture' | 'video' | 'transfer'
    waiting: number
    /** How long what comes now would wait, from measured times. */
    seconds: number
    /** Something waits for more than a minute, and nothing gets done. */
    stalled: boolean
  })[]
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

/** A configuration of a group that ended without an error. */
export interface SucceededConfiguration {
  error: false
  /** One for each step, in chain order. */
  result: Result[]
  /** The listed configuration. */
  configuration: string
}

/** An entry that ended without an error. */
export interface SucceededEntry {
  result: Result
  error: false
  configuration: {
    /** The single configuration. */
    name: string
    /** The run of the chain. */
    chain_id: string
    /** The entry whose output it took; null: the uploaded file. */
    input_idx: number | null
  }
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
  /** The keepsake that the file appears in; null: the guest has no page. */
  keepsake_id: string | null
  /** What the guest agreed to (true) or refused (false). Null: nothing was said. */
  consent: {
    /** Whether it may be passed on: posted, or shown to others than the guest. */
    share?: boolean
    /** Whether it may be shown on the wall of the event. */
    wall?: boolean
    /** Whether the guest may be written to, and the picture used to advertise. */
    marketing?: boolean
  } | null
  /** The page of the guest, where the experience has such pages. Only in this answer. */
  guest_url?: string
  /** The token that sent it, or that last ran it again; null: the operator’s own, or one that was deleted. */
  token_id: string | null
  status: TaskStatus
  /** As they were sent. */
  extras: Record<string, unknown>
  /** The file that was sent in or downloaded; null before that, and where it is another’s output. */
  input: {
    /** As it was sent; null if it had none. */
    file_name: string | null
    /** Told by the content. */
    mime: string
    bytes: number
    /** Of its bytes, as hex. */
    sha256: string
  } | null
  /** The files that came with the request in place of assets, by asset parameter. */
  files: {
  }
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

/** Posted when a task has ended. */
export interface TaskCallback {
  /** The task. */
  task_id: string
  /** The configuration that was triggered. */
  configuration: string
  status: Ending
  /** One for each entry that ran, in chain order; skipped ones are absent. */
  results: (SucceededEntry | FailedEntry)[]
}

/** An attempt that went wrong. */
export interface TaskFailure {
  /** In which run of the task: 1, and one more with every retry. */
  run: number
  /** Of the configuration in its group; 0 in a task. */
  position: number
  /** The entry. */
  index: number
  /** The single configuration of the entry. */
  configuration: string
  /** `Deferred`: it was to be tried again by itself. `Failed` and `Cancelled`: the entry ended so. */
  outcome: 'Deferred' | 'Failed' | 'Cancelled'
  /** How many attempts were made in this run until then. */
  attempt: number
  error: FailureError
  /** How often in a row. */
  times: number
  /** When it first happened. */
  first_at: string
  /** When it last happened. */
  last_at: string
}

export interface TaskFailureList {
  /** Newest first. */
  items: TaskFailure[]
  /** Where the next page begins; null at the end. */
  next_cursor: string | null
}

export interface TaskFilters {
  /** Where it stands. */
  status?: TaskStatus
  /** Those of this configuration. */
  configuration?: string
  /** The experience it belongs to; made by itself at the first use of the id. */
  experience_id?: string
  /** Those that ended and were made for this guest. */
  profile_id?: string
  /** Those with an entry that ended with this error. */
  error_code?: string
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
  status: TaskStatus
  configuration_names: string[]
  /** What happens after a configuration has failed. `stop`: none after it is run. `continue`: every one that takes nothing from a failed one, by `_input` or `_override`, still is. */
  on_failure: 'stop' | 'continue'
  experience_id: string
  /** The keepsake that the file appears in; null: the guest has no page. */
  keepsake_id: string | null
  /** What the guest agreed to (true) or refused (false). Null: nothing was said. */
  consent: {
    /** Whether it may be passed on: posted, or shown to others than the guest. */
    share?: boolean
    /** Whether it may be shown on the wall of the event. */
    wall?: boolean
    /** Whether the guest may be written to, and the picture used to advertise. */
    marketing?: boolean
  } | null
  /** The page of the guest, where the experience has such pages. Only in this answer. */
  guest_url?: string
  /** The token that sent it, or that last ran it again; null: the operator’s own, or one that was deleted. */
  token_id: string | null
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
  tasks: GroupMember[]
}

/** Posted when all configurations of a task group have ended. */
export interface TaskGroupCallback {
  status: Ending
  /** The task group. */
  task_id: string
  /** One for each listed configuration, in the order of `configuration_names`. */
  results: (SucceededConfiguration | FailedConfiguration)[]
}

export interface TaskGroupFilters {
  /** Where it stands. */
  status?: TaskStatus
  /** Those of this configuration. */
  configuration?: string
  /** The experience it belongs to; made by itself at the first use of the id. */
  experience_id?: string
  /** Those that ended and were made for this guest. */
  profile_id?: string
  /** Those with an entry that ended with this error. */
  error_code?: string
  /** Those accepted at this time or later. */
  created_after?: string
  /** Those accepted before this time. */
  created_before?: string
}

export interface TaskGroupList {
  /** Newest first. */
  items: TaskGroup[]
  /** Where the next page begins; null at the end. */
  next_cursor: string | null
}

export interface TaskGroupParts {
  /** A JSON array of names. */
  configuration_names: string
  /** Receives one combined callback. */
  webhook_url?: string
  /** What happens after a configuration has failed. `stop`: none after it is run. `continue`: every one that takes nothing from a failed one, by `_input` or `_override`, still is. */
  on_failure?: 'stop' | 'continue'
  /** For which experience it runs. Needed where all of its configurations are shared. */
  experience_id?: string
  /** The code of a keepsake that the guest has already: the file appears on its page. */
  keepsake?: string
  /** What the guest agreed to or refused, as a JSON object of `share`, `wall` and `marketing`. */
  consent?: string
}

/** For each NAME of the group `NAME_data` (a file), `NAME_data_url`, `NAME_data_upload` or `NAME_extras`. */
export interface TaskGroupRetryParts {
}

export interface TaskList {
  /** Newest first. */
  items: Task[]
  /** Where the next page begins; null at the end. */
  next_cursor: string | null
}

export interface TaskParts {
  /** A single or chained configuration. */
  configuration_name: string
  /** The file to process. */
  data?: string
  /** In place of `data`: an HTTPS URL that the service downloads. */
  data_url?: string
  /** In place of `data`: the id of a finished upload of `/api/upload/`. It is used up when the task is accepted. */
  data_upload?: string
  /** A JSON object: `email`, `qr_code`, `rfid`, `profile_id` find the guest; other keys override options of every entry that has them, and those in `per_configuration`, by the name of a configuration, of its entries alone. */
  extras?: string
  /** For which experience it runs. Needed where all of its configurations are shared. */
  experience_id?: string
  /** The code of a keepsake that the guest has already: the file appears on its page. */
  keepsake?: string
  /** What the guest agreed to or refused, as a JSON object of `share`, `wall` and `marketing`. */
  consent?: string
}

export interface TaskRetryParts {
  /** Takes the place of the file. */
  data?: string
  /** In place of `data`: an HTTPS URL that the service downloads. */
  data_url?: string
  /** In place of `data`: the id of a finished upload of `/api/upload/`. It is used up when the task is accepted. */
  data_upload?: string
  /** A JSON object: `email`, `qr_code`, `rfid`, `profile_id` find the guest; other keys override options of every entry that has them, and those in `per_configuration`, by the name of a configuration, of its entries alone. */
  extras?: string
}

/** Where it stands. */
export type TaskStatus = 'Waiting' | 'Running' | 'Succeeded' | 'Failed' | 'Cancelled'

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
  /** True for a person who signs in with OpenID Connect: nobody has it as a token, and deleting it signs them out. */
  person: boolean
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

export interface TokenList {
  /** Newest first. */
  items: Token[]
  /** Where the next page begins; null at the end. */
  next_cursor: string | null
}

/** What a transformer answers. */
export interface TransformerResult {
  success: boolean
}

/** `workers` and `disk` are null for a token that is limited to experiences. At most 20 causes of each kind. */
export interface Trouble {
  /** Tasks that failed within the last day, by cause: of the newest 300. */
  failed: ({
    /** The code of the error. */
    error_code: string
    configuration: string
    /** Whether these are task groups. */
    is_group: boolean
    count: number
    /** The newest reason, in words. */
    message: string | null
    /** When the oldest of them was made: for the filters of what works on many. */
    first_created_at: string
    /** When the newest of them failed. */
    last_at: string
    /** The newest of them, to look at. */
    task_id: string
  })[]
  /** Steps that fail in a row: the newest five entries of the adapter, of at least three tasks that ended within the last hour, all failed with the same code. The fault is then hardly the files’. */
  failing: ({
    adapter_name: string
    /** The code of the error. */
    error_code: string
    /** The newest reason, in words. */
    message: string | null
    /** When the first of the five failed. */
    first_at: string
    /** When the newest of them failed. */
    last_at: string
    /** The newest of them, to look at. */
    task_id: string
  })[]
  /** Entries that went wrong and are tried again, from the first attempt on: of 500 tasks at most. */
  retrying: ({
    /** The code of the error. */
    error_code: string
    configuration: string
    adapter_name: string
    /** Whether these are task groups. */
    is_group: boolean
    count: number
    /** The newest reason, in words. */
    message: string | null
    /** The next attempt; null: it is being made. */
    next_at: string | null
    /** The newest of them, to look at. */
    task_id: string
    /** The configurations that the tasks were made with. */
    chains: string[]
  })[]
  /** Callbacks of the last week that nobody sends any more: of the newest 500. */
  given_up: ({
    /** Host, and port if it has one of its own. */
    receiver: string
    count: number
    /** The newest reason, in words. */
    last_error: string | null
    status_code: number | null
    /** When the oldest of them was made: for the filters of what works on many. */
    first_created_at: string
    /** When the newest of them was given up. */
    last_at: string
  })[]
  /** Receivers of callbacks that are tried again. */
  receivers: ({
    /** Host, and port if it has one of its own. */
    receiver: string
    waiting: number
    /** The newest reason, in words. */
    last_error: string | null
    /** The next attempt; null: it is being made. */
    next_at: string | null
  })[]
  workers: {
    alive: {
      /** The id of the worker. */
      worker_id: string
      host: string
      /** What it lacks, a sentence each: a tool, room, or what another worker has. */
      off: string[]
    }[]
    silent: {
      /** The id of the worker. */
      worker_id: string
      host: string
      /** When it last gave a sign of life. */
      seen_at: string
    }[]
  } | null
  disk: {
    free_bytes: number
    total_bytes: number
    low: boolean
  } | null
  /** Tasks that wait for a worker; counted up to 10,000 a lane. */
  waiting: number
  /** Values that profiles of an experience have in different spellings, from before these were the same. Each is found by its own spelling alone, until they are merged or one is changed. */
  shared_lookups: ({
    experience_id: string | null
    kind: 'email' | 'qr_code' | 'rfid'
    profiles: {
      /** The id of the profile. */
      profile_id: string
      value: string
    }[]
  })[]
  /** Lanes in which nothing gets done although something waits. */
  stalled: ('picture' | 'video' | 'transfer')[]
}

/** Credentials and default options of `video_add_audio`. */
export interface VideoAddAudioAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: VideoAddAudioDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: VideoAddAudioDefaults
  }
}

/** Puts music or a voice under a video. The picture is never encoded anew when its frames do not change. */
export type VideoAddAudioConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'video_add_audio'
  adapter_config?: VideoAddAudioAdapterConfig
}

/** Options of `video_add_audio`. Puts music or a voice under a video. The picture is never encoded anew when its frames do not change. */
export interface VideoAddAudioDefaults {
  /** The sound: an audio asset, or a video whose sound is taken. */
  audio_file_name?: string
  /** `replace` takes the place of the video’s own sound, `mix` plays together with it. */
  mode?: 'replace' | 'mix'
  /** Volume of the added sound; 1 leaves it as it is, 0.5 halves it. */
  volume?: number
  /** Volume of the video’s own sound with `mix`. */
  original_volume?: number
  /** Second of the video at which the added sound begins. */
  start?: number
  /** Seconds left out at the beginning of the added sound. */
  trim_start?: number
  /** Seconds over which the added sound comes up. */
  fade_in?: number
  /** Seconds over which the added sound goes away at its end. */
  fade_out?: number
  /** Whether sound that is shorter than the video starts over. Otherwise silence follows. */
  loop?: boolean
  /** What decides the length. A video that is too short holds its last frame, one that is too long is cut off. */
  length?: 'video' | 'audio' | 'longest'
  /** With `mix`: the added sound steps back while the video’s own sound is heard. */
  duck?: boolean
  /** Loudness of the result in LUFS; -14 to -16 is usual on the web. Null leaves it as it comes. */
  loudness?: number | null
}

/** Credentials and default options of `video_add_overlay`. */
export interface VideoAddOverlayAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: VideoAddOverlayDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: VideoAddOverlayDefaults
  }
}

/** Lays a picture, an animation or a transparent video over a video; the video decides the length, its sound is copied. */
export type VideoAddOverlayConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'video_add_overlay'
  adapter_config?: VideoAddOverlayAdapterConfig
}

/** Options of `video_add_overlay`. Lays a picture, an animation or a transparent video over a video; the video decides the length, its sound is copied. */
export interface VideoAddOverlayDefaults {
  /** What is laid over the video: PNG, WebP, SVG, GIF, or a WebM or MOV with transparency. */
  overlay_file_name?: string
  /** What is laid over videos that are higher than wide; left out, the same as over all others. */
  overlay_portrait_file_name?: string
  /** `contain` makes it as large as the frame allows, `cover` fills the frame, `stretch` ignores its shape, `none` keeps its own size in pixels. */
  fit?: 'contain' | 'cover' | 'stretch' | 'none'
  /** Where it lies. */
  position?: 'center' | 'top' | 'bottom' | 'left' | 'right' | 'top_left' | 'top_right' | 'bottom_left' | 'bottom_right'
  /** Pixels to the right of that position. */
  x?: number
  /** Pixels below that position. */
  y?: number
  /** Size after fitting: 0.2 is a fifth. */
  scale?: number
  /** How strongly it is drawn: 1 is opaque, 0 invisible. */
  opacity?: number
  /** Second at which it appears. */
  start?: number
  /** Second at which it is gone; null keeps it to the end. */
  end?: number | null
  /** Seconds over which it comes and goes. */
  fade?: number
  /** Whether a moving overlay starts over; otherwise it is gone after its end. */
  loop?: boolean
  /** Whether the sound of a video overlay is heard too. */
  overlay_audio?: 'ignore' | 'mix'
}

/** Credentials and default options of `video_add_text`. */
export interface VideoAddTextAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: VideoAddTextDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: VideoAddTextDefaults
  }
}

/** Writes text on a video, for all of it or a while; frames without text are copied where the video allows it. */
export type VideoAddTextConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'video_add_text'
  adapter_config?: VideoAddTextAdapterConfig
}

/** Options of `video_add_text`. Writes text on a video, for all of it or a while; frames without text are copied where the video allows it. */
export interface VideoAddTextDefaults {
  /** What is written; may hold {{placeholders}} and line breaks. */
  text?: string
  /** Left edge of the box, in pixels or "50%". */
  x?: number | string
  /** Top edge of the box, in pixels or "50%". */
  y?: number | string
  /** Width of the box, in pixels or "50%". */
  width?: number | string
  /** Height of the box, in pixels or "50%". */
  height?: number | string
  /** Font: `Inter` (shipped, with any weight: `Inter Bold`, `Inter Black Italic`) or a family that is installed (`/api/font/` lists them). */
  font?: string
  /** Largest letter size in pixels. Left out: as the box allows. */
  size_max?: number | null
  /** Smallest letter size in pixels; what still does not fit is cut off with an ellipsis. */
  size_min?: number
  /** Colour of the letters. */
  color?: string
  /** Where the lines stand in the box, across. */
  align?: 'left' | 'center' | 'right'
  /** Where the lines stand in the box, down. */
  valign?: 'top' | 'middle' | 'bottom'
  /** An outline around the letters. */
  stroke?: {
    /** Colour of the outline. */
    color?: string
    /** Width of the outline in pixels, half of it inside the letter. */
    width?: number
  } | null
  /** What happens to a text that is too long: `shrink` makes it smaller, `wrap` breaks it into lines (and makes it smaller if need be), `ellipsis` cuts it off. */
  overflow?: 'shrink' | 'wrap' | 'ellipsis'
  /** Second at which it appears. */
  start?: number
  /** Second at which it is gone; null keeps it to the end. */
  end?: number | null
  /** Seconds over which it comes and goes. */
  fade?: number
  /** Asset with a font (.ttf, .otf), in place of `font`. */
  font_file_name?: string
}

/** Credentials and default options of `video_boomerang`. */
export interface VideoBoomerangAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: VideoBoomerangDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: VideoBoomerangDefaults
  }
}

/** Plays a moment forwards and backwards, over and over. */
export type VideoBoomerangConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'video_boomerang'
  adapter_config?: VideoBoomerangAdapterConfig
}

/** Options of `video_boomerang`. Plays a moment forwards and backwards, over and over. */
export interface VideoBoomerangDefaults {
  /** Second at which the moment begins. */
  start?: number
  /** Seconds the moment lasts in the input. */
  duration?: number
  /** How often it goes forth and back. */
  loops?: number
  /** How fast: 2 is twice as fast as it was. */
  speed?: number
  /** Music under it; left out, it is silent. */
  audio_file_name?: string
}

/** Credentials and default options of `video_chroma_key`. */
export interface VideoChromaKeyAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: VideoChromaKeyDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: VideoChromaKeyDefaults
  }
}

/** Puts a picture or a video in place of a green or blue wall. */
export type VideoChromaKeyConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'video_chroma_key'
  adapter_config?: VideoChromaKeyAdapterConfig
}

/** Options of `video_chroma_key`. Puts a picture or a video in place of a green or blue wall. */
export interface VideoChromaKeyDefaults {
  /** What is put behind: a picture or a video, which starts over when it is shorter. */
  background_file_name?: string
  /** The colour of the wall. */
  key?: string
  /** How far a colour may be from it and still be the wall. */
  tolerance?: number
  /** Over which further distance it becomes opaque. */
  softness?: number
  /** How strongly the wall’s light is taken off the edges. */
  despill?: number
  /** How the background fills the frame: `cover` cuts off what is over, `contain` leaves black bars, `stretch` ignores its shape. */
  fit?: 'cover' | 'contain' | 'stretch'
}

/** Credentials and default options of `video_convert`. */
export interface VideoConvertAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: VideoConvertDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: VideoConvertDefaults
  }
}

/** Converts a video to another format, size, rate or quality. */
export type VideoConvertConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'video_convert'
  adapter_config?: VideoConvertAdapterConfig
}

/** Options of `video_convert`. Converts a video to another format, size, rate or quality. */
export interface VideoConvertDefaults {
  /** `mp4` and `mov` hold H.264 and AAC, `webm` holds VP9 and Opus. */
  format?: 'mp4' | 'webm' | 'mov'
  /** Quality: less is better and larger; 18 is hardly told from the source, 28 is small. */
  crf?: number
  /** How long the encoder looks for savings; `medium` takes two and a half times as long for a tenth less. */
  preset?: 'ultrafast' | 'superfast' | 'veryfast' | 'faster' | 'fast' | 'medium'
  /** A higher video is scaled down to this (an odd height to one line less); null leaves the size alone. */
  max_height?: number | null
  /** Frames per second; null keeps them. */
  fps?: number | null
}

/** Credentials and default options of `video_cutout`. */
export interface VideoCutoutAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: VideoCutoutDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: VideoCutoutDefaults
  }
}

/** Takes the background away from behind people in a video, without a green screen, and puts another in its place (beta). */
export type VideoCutoutConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'video_cutout'
  adapter_config?: VideoCutoutAdapterConfig
}

/** Options of `video_cutout`. Takes the background away from behind people in a video, without a green screen, and puts another in its place (beta). */
export interface VideoCutoutDefaults {
  /** What is behind the people: the asset of `background_file_name` (`color` where none is named), `color`, a gradient from `color` to `color_to`, or the old background blurred. */
  background?: 'asset' | 'color' | 'gradient' | 'blur'
  /** Asset behind the people: a picture or a video, which starts over when it is shorter. Left out, `color` is. */
  background_file_name?: string
  /** How the asset is brought to its size. */
  fit?: 'cover' | 'contain' | 'stretch'
  /** Colour behind the people, and the one that a gradient begins with. */
  color?: string
  /** Colour that a gradient ends with. */
  color_to?: string
  /** Where a gradient leads: 180 is down, 90 to the right. */
  angle?: number
  /** How far the old background is blurred, in hundredths of the longer side. */
  blur?: number
  /** How soft the edge is: 0 cuts hard, 1 fades over all that is unsure. */
  softness?: number
  /** How much light of the new background falls on edges. */
  light_wrap?: number
  /** How dark a shadow the people throw; 0 is none. */
  shadow?: number
  /** How far to the right the shadow falls, in hundredths of the longer side. */
  shadow_x?: number
  /** How far down the shadow falls, in hundredths of the longer side. */
  shadow_y?: number
  /** Where no face is found, or one is not covered after a second look: `keep` leaves the video as it is, `fail` fails the entry, `go_on` cuts out what there is. */
  on_doubt?: 'keep' | 'fail' | 'go_on'
}

/** Credentials and default options of `video_fade`. */
export interface VideoFadeAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: VideoFadeDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: VideoFadeDefaults
  }
}

/** Fades a video in and out; frames outside of the fades are copied where the video allows it. */
export type VideoFadeConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'video_fade'
  adapter_config?: VideoFadeAdapterConfig
}

/** Options of `video_fade`. Fades a video in and out; frames outside of the fades are copied where the video allows it. */
export interface VideoFadeDefaults {
  /** Seconds over which the video comes out of the colour. */
  fade_in?: number
  /** Seconds over which it goes into the colour at its end. */
  fade_out?: number
  /** The colour. */
  color?: string
  /** Whether the sound fades too. */
  audio?: boolean
}

/** Credentials and default options of `video_flip`. */
export interface VideoFlipAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: VideoFlipDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: VideoFlipDefaults
  }
}

/** Turns or mirrors a video. */
export type VideoFlipConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'video_flip'
  adapter_config?: VideoFlipAdapterConfig
}

/** Options of `video_flip`. Turns or mirrors a video. */
export interface VideoFlipDefaults {
  /** How it is turned or mirrored; `ROTATE_*` counts against the clock. */
  method?: 'FLIP_LEFT_RIGHT' | 'FLIP_TOP_BOTTOM' | 'ROTATE_90' | 'ROTATE_180' | 'ROTATE_270' | 'TRANSPOSE' | 'TRANSVERSE'
}

/** Credentials and default options of `video_join`. */
export interface VideoJoinAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: VideoJoinDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: VideoJoinDefaults
  }
}

/** Joins an intro, the video, further clips and an outro, whatever their sizes, rates and sound. */
export type VideoJoinConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'video_join'
  adapter_config?: VideoJoinAdapterConfig
}

/** Options of `video_join`. Joins an intro, the video, further clips and an outro, whatever their sizes, rates and sound. */
export interface VideoJoinDefaults {
  /** What comes first: a video or a picture. */
  intro_file_name?: string
  /** What comes last: a video or a picture. */
  outro_file_name?: string
  /** Further clips, videos or pictures, in their order. */
  clip_file_names?: string[]
  /** The order of the parts; one that is left out is not shown. */
  order?: ('intro' | 'input' | 'clips' | 'outro')[]
  /** Width of the result; left out, it is the input’s or follows from the height. */
  width?: number | null
  /** Height of the result; left out, it is the input’s or follows from the width. */
  height?: number | null
  /** Frames per second of the result; left out, the input’s, rounded to a usual rate. */
  fps?: number | null
  /** `pad` shows all of it with bars in the background colour, `cover` fills the frame and cuts off what is over, `blur_pad` puts a blurred copy of it behind. */
  fit?: 'pad' | 'cover' | 'blur_pad'
  /** Colour of the bars with `pad`. */
  background?: string
  /** How one part goes over into the next. */
  transition?: 'none' | 'crossfade' | 'fade_to_black'
  /** Seconds a transition lasts. */
  transition_duration?: number
  /** Seconds a picture is shown. */
  still_duration?: number
  /** `keep` joins the sound too, with silence for parts that have none; `none` leaves it out. */
  audio?: 'keep' | 'none'
}

/** Credentials and default options of `video_resize`. */
export interface VideoResizeAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: VideoResizeDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: VideoResizeDefaults
  }
}

/** Brings a video to a size or a shape. */
export type VideoResizeConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'video_resize'
  adapter_config?: VideoResizeAdapterConfig
}

/** Options of `video_resize`. Brings a video to a size or a shape. */
export interface VideoResizeDefaults {
  /** Width in pixels; left out, it follows from the height. */
  width?: number | null
  /** Height in pixels; left out, it follows from the width. */
  height?: number | null
  /** A shape such as "9:16", in place of one or both sides: the video’s larger side stays. */
  aspect?: string | null
  /** `pad` shows all of it with bars in the background colour, `cover` fills the frame and cuts off what is over, `blur_pad` puts a blurred copy of it behind. */
  fit?: 'pad' | 'cover' | 'blur_pad'
  /** With `cover`: which part is kept; `attention` looks for skin and strong colours, `entropy` for detail, `faces` keeps as many faces whole as fit. */
  gravity?: 'center' | 'top' | 'bottom' | 'left' | 'right' | 'top_left' | 'top_right' | 'bottom_left' | 'bottom_right' | 'attention' | 'entropy' | 'faces'
  /** Colour of the bars with `pad`. */
  background?: string
}

/** Credentials and default options of `video_speed`. */
export interface VideoSpeedAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: VideoSpeedDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: VideoSpeedDefaults
  }
}

/** Plays a video slower or faster. */
export type VideoSpeedConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'video_speed'
  adapter_config?: VideoSpeedAdapterConfig
}

/** Options of `video_speed`. Plays a video slower or faster. */
export interface VideoSpeedDefaults {
  /** Speed: 0.5 takes twice as long, 2 half as long. */
  factor?: number
  /** `mute` leaves the sound out, `stretch` plays it at the new speed with its own pitch, `keep` plays it as it was, cut off or followed by silence. */
  audio?: 'keep' | 'mute' | 'stretch'
}

/** Credentials and default options of `video_thumbnail`. */
export interface VideoThumbnailAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: VideoThumbnailDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: VideoThumbnailDefaults
  }
}

/** Takes one frame of a video as a picture. */
export type VideoThumbnailConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'video_thumbnail'
  adapter_config?: VideoThumbnailAdapterConfig
}

/** Options of `video_thumbnail`. Takes one frame of a video as a picture. */
export interface VideoThumbnailDefaults {
  /** Second of the frame, or `best` for one that is typical of the first seconds and neither black nor blurred by a cut. */
  at?: 'best' | number
  /** Width in pixels; left out, it follows from the height or stays. */
  width?: number | null
  /** Height in pixels; left out, it follows from the width or stays. With both set the frame is cut to their shape. */
  height?: number | null
  /** Format of the picture. */
  format?: 'jpeg' | 'png'
}

/** Credentials and default options of `video_to_gif`. */
export interface VideoToGifAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: VideoToGifDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: VideoToGifDefaults
  }
}

/** Makes an animated GIF or WebP of a few seconds. */
export type VideoToGifConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'video_to_gif'
  adapter_config?: VideoToGifAdapterConfig
}

/** Options of `video_to_gif`. Makes an animated GIF or WebP of a few seconds. */
export interface VideoToGifDefaults {
  /** Second at which it begins. */
  start?: number
  /** Seconds it lasts. */
  duration?: number
  /** Frames per second. */
  fps?: number
  /** Width in pixels at most; the height follows. */
  width?: number
  /** `webp` is a third of the size and has all colours; `gif` is shown everywhere. */
  format?: 'gif' | 'webp'
  /** Bytes it may have; colours, rate and width are brought down until it fits. */
  max_bytes?: number
}

/** Credentials and default options of `video_trim`. */
export interface VideoTrimAdapterConfig {
  /** It takes no credentials. */
  auth?: Record<string, unknown>
  defaults?: VideoTrimDefaults
  /** The nested shape. */
  adapter_config?: {
    /** It takes no credentials. */
    auth?: Record<string, unknown>
    defaults?: VideoTrimDefaults
  }
}

/** Cuts a part out of a video; only the groups of pictures at the cuts are encoded anew. */
export type VideoTrimConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'video_trim'
  adapter_config?: VideoTrimAdapterConfig
}

/** Options of `video_trim`. Cuts a part out of a video; only the groups of pictures at the cuts are encoded anew. */
export interface VideoTrimDefaults {
  /** Second at which the part begins. */
  start?: number
  /** Second at which it ends; null goes to the end. */
  end?: number | null
  /** Seconds it lasts, in place of `end`. */
  duration?: number | null
  /** Whether it begins and ends at the very frame. Otherwise at the key frames around it, without encoding anything where the video allows that. */
  exact?: boolean
}

export interface WallKey {
  /** The id of the key. */
  key_id: string
  experience_id: string
  name: string | null
  /** When it was made. */
  created_at: string
}

export interface WallKeyInput {
  /** For people: which wall it is for. */
  name?: string | null
}

export interface WallKeyList {
  /** Newest first. */
  items: WallKey[]
  /** Where the next page begins; null at the end. */
  next_cursor: string | null
}

/** Of a `dry_run`: nothing was changed. */
export interface WouldBeMany {
  /** How many the filter found. */
  count: number
}

/** Credentials and default options of `youtube_upload`. */
export interface YoutubeUploadAdapterConfig {
  auth?: YoutubeUploadAuth
  defaults?: YoutubeUploadDefaults
  /** The nested shape. */
  adapter_config?: {
    auth?: YoutubeUploadAuth
    defaults?: YoutubeUploadDefaults
  }
}

/** Credentials of `youtube_upload`. */
export interface YoutubeUploadAuth {
  /** Id of the OAuth client. */
  client_id?: string
  /** Secret of the OAuth client. */
  client_secret?: string
  /** Refresh token of the channel’s account, with the scopes `youtube.upload` and `youtube`. */
  refresh_token?: string
}

/** Puts the video onto a YouTube channel. */
export type YoutubeUploadConfigurationInput = SingleConfigurationFields & {
  adapter_name: 'youtube_upload'
  adapter_config?: YoutubeUploadAdapterConfig
}

/** Options of `youtube_upload`. Puts the video onto a YouTube channel. */
export interface YoutubeUploadDefaults {
  /** Title of the video; cut at 100 characters. */
  title?: string
  /** Description of the video. */
  description?: string
  /** Keywords of the video. */
  tags?: string[]
  /** Number of the YouTube category; 22 is "People & Blogs". */
  category_id?: string
  /** Who may see the video. */
  privacy_status?: 'private' | 'unlisted' | 'public'
  /** Whether the video is made for children, as YouTube wants it declared. */
  made_for_kids?: boolean
  /** Whether subscribers of the channel are told. */
  notify_subscribers?: boolean
  /** Playlist to add the video to. */
  playlist_id?: string
  /** Time at which the video becomes public (ISO 8601); until then it is private. */
  publish_at?: string
  /** Asset shown in place of the video before it plays: a JPEG or PNG of at most 2 MB. */
  thumbnail_file_name?: string
  /** Address of the API. */
  api_base_url?: string
  /** How often the delivery is tried before the entry fails. Refusals fail at once; waiting for a quota does not count. */
  delivery_attempts?: number
  /** Seconds before the second attempt; doubled for each further one, up to an hour. */
  delivery_backoff?: number
}

/** What `youtube_upload` answers. */
export interface YoutubeUploadResult {
  /** The id of the video. */
  video_id: string
  /** Where the file is. */
  url: string
  /** As YouTube stored it. */
  privacy_status: string
  /** The activities that were created; there once the task has ended. */
  activity?: string[]
}
