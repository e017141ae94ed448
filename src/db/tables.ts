// The tables as TypeScript types; migrations/ defines them.
import type { ColumnType, Generated } from 'kysely'
import type { FileFacts, Medium } from '#kit/file-facts.ts'
import type { Purpose, WithoutConsent } from '#kit/guest/consent.ts'
import type { GuestPage } from '#kit/guest/guest-page.ts'
import type { JsonObject } from '#kit/json.ts'
import type { GuestTables, LookupKind, SaidConsent } from './tables/guest-tables.ts'
import type {
  ActivityConfig,
  ChangedBy,
  ConfigurationColumns,
  HistoryTables,
  Json,
  VersionChange,
} from './tables/history-tables.ts'

export type { LookupKind } from './tables/guest-tables.ts'
export type {
  ActivityConfig,
  AuditAction,
  AuditObject,
  ChainEntry,
  ChangedBy,
  ConfigurationKind,
  DeletedNoun,
  VersionChange,
} from './tables/history-tables.ts'

/** What a worker says of itself: what it can run, and what it lacks. */
export interface Able {
  /** Names of adapters, and of what else work may need. */
  has: string[]
  /** Why it cannot run the others that it knows, by name. */
  lacks: Record<string, string>
  /** What it cannot do, a sentence each. */
  off: string[]
}

export interface Tables extends HistoryTables, GuestTables {
  deployment: { key: string; value: Buffer }
  experiences: {
    experience_id: string
    name: string | null
    max_running: number | null
    retention_days: number | null
    time_zone: Generated<string | null>
    starts_at: Generated<Date | null>
    ends_at: Generated<Date | null>
    archived: Generated<boolean>
    webhook_secret: Buffer
    old_webhook_secret: Buffer | null
    old_webhook_secret_until: Date | null
    revision: Generated<string>
    webhook_headers: Generated<Buffer | null>
    guest_page: Json<GuestPage | null>
    created_at: Date
    updated_at: Date
  }
  tokens: {
    token_id: string
    name: string
    hash: Buffer
    scopes: string[]
    experiences: string[] | null
    expires_at: Date | null
    last_used_at: Date | null
    created_at: Date
    limits: Json<TokenLimits | null>
    made_by: string | null
    /** Digest of issuer and subject of a person; null: a token that somebody has. */
    person: Generated<string | null>
  }
  token_use: { token_id: string; what: TokenUse; since: Date; amount: number }
  sessions: { hash: Buffer; token_id: string | null; expires_at: Date; created_at: Date }
  configurations: ConfigurationColumns & {
    /** Another one at every change. */
    revision: Generated<string>
    /** Of all versions of this configuration, and of no other that has its name before or after it. */
    history: Generated<string>
    version: Generated<number>
    created_at: Date
    updated_at: Date
  }
  chain_members: { chain: string; member: string }
  asset_versions: {
    version_id: string
    name: string
    blob: string
    mime: string
    medium: Medium
    ext: string
    bytes: number
    sha256: string
    width: number | null
    height: number | null
    duration: number | null
    frames: number | null
    created_at: Date
    replaced_at: Date | null
    history: Generated<string | null>
    version: Generated<number | null>
    experience_id: Generated<string | null>
    change: Generated<VersionChange | null>
    restored_from: Generated<number | null>
    changed_by: ColumnType<ChangedBy | null, string | null | undefined, string | null>
    sweep_at: Generated<Date | null>
  }
  asset_pins: { blob: string; task_id: string }
  assets: {
    name: string
    /** Null: shared by all experiences. */
    experience_id: string | null
    version_id: string
    history: Generated<string>
    created_at: Date
    updated_at: Date
  }
  asset_uses: { configuration_name: string; asset: string }
  profiles: {
    profile_id: string
    experience_id: string | null
    attributes: Json<JsonObject>
    created_at: Date
    updated_at: Date
    erased_at: Generated<Date | null>
    revision: Generated<string>
    consent: SaidConsent
  }
  profile_lookups: {
    kind: LookupKind
    key: string
    value: string
    position: number
    profile_id: string
    /** Always equal to the profile's. */
    experience_id: string | null
  }
  snapshots: { snapshot_id: string; body: Json<Snapshot>; used_at: Date }
  tasks: {
    task_id: string
    flow_id: string
    is_group: boolean
    configuration: string
    experience_id: string
    /** What a guest opens with a code; null: the guest has no page. */
    keepsake_id: string | null
    /** A token limited to experiences made it or ran it again. */
    limited: Generated<boolean>
    status: TaskStatus
    lane: TaskLane
    run: Generated<number>
    claim: string | null
    rescues: Generated<number>
    worker_id: string | null
    job_id: string | null
    webhook_url: string | null
    warnings: Json<string[]>
    cancel_requested: Generated<boolean>
    spent_seconds: Generated<number>
    change: Generated<number>
    created_at: Date
    started_at: Date | null
    ended_at: Date | null
    files_deleted_at: Date | null
    token_id: string | null
    on_failure: Generated<OnFailure>
    consent: SaidConsent
    /** The erasure that takes it away. */
    erasing: Generated<string | null>
    /** The span that it was accepted in; null: it is not traced. */
    traceparent: Generated<string | null>
  }
  chains: {
    chain_id: string
    task_id: string
    index: number
    configuration: string
    snapshot_id: string
    status: TaskStatus
    extras: Json<JsonObject>
    input: Json<ChainInput>
    assets: Json<Record<string, StoredFile>>
    files: ColumnType<ChainFiles, string | undefined, string>
    group_created_at: Date | null
    group_experience_id: string | null
    /** Folded, for the search. */
    file_name: Generated<string | null>
    file_is_group: Generated<boolean | null>
    file_experience_id: Generated<string | null>
  }
  task_errors: { task_id: string; code: string; is_group: boolean; experience_id: string; created_at: Date }
  entries: {
    chain_id: string
    index: number
    configuration: string
    adapter_name: string
    input_idx: number | null
    status: EntryStatus
    progress: Generated<number>
    attempts: Generated<number>
    cut_off: Generated<number>
    deaths: Generated<number>
    started_at: Date | null
    ended_at: Date | null
    retry_at: Date | null
    /** When it first waited for its guests to agree, in this run. */
    asks_since: Generated<Date | null>
    generation: Generated<number>
    retracted_at: Generated<Date | null>
    result: Json<JsonObject | null>
    error: Json<StoredError | null>
    warnings: Json<string[]>
    output: Json<EntryOutput | null>
    explanation: Json<JsonObject | null>
    checkpoint: Json<JsonObject | null>
    place_values: Json<JsonObject | null>
    change: Generated<number>
  }
  lookups: {
    task_id: string
    chain_id: string
    entry: number
    kind: LookupKind
    key: string
    activity: Json<JsonObject>
  }
  waiting_guests: { task_id: string; chain_id: string; kind: LookupKind; key: string }
  activities: {
    activity_id: string
    task_id: string
    chain_id: string
    entry: number
    owner_id: string
    experience_id: string
    activity_type: string
    flow_id: string
    payload: Json<JsonObject>
    retracted_at: Generated<Date | null>
    created_at: Date
  }
  callbacks: {
    callback_id: string
    task_id: string
    run: number
    experience_id: string
    url: string
    receiver: string
    body: string
    status: CallbackStatus
    event: Generated<CallbackEvent>
    attempt_count: Generated<number>
    next_attempt_at: Date | null
    job_id: string | null
    worker_id: string | null
    task_gone: Generated<boolean>
    created_at: Date
    updated_at: Date
  }
  callback_attempts: {
    callback_id: string
    at: Date
    status_code: number | null
    error: string | null
    duration_ms: number
  }
  idempotency_keys: { key: string; token: string; fingerprint: string; task_id: string | null; created_at: Date }
  workers: {
    worker_id: string
    lock: number
    host: string
    mark: string | null
    doing: Json<object>
    able: ColumnType<Able | null, string | undefined, string>
    started_at: Date
    seen_at: Date
  }
  turns: { lane: string; share: string; tag: number }
  /** `going_since`: its file is being deleted, so nobody can own it any more. */
  uploads: { blob: string; created_at: Date; going_since: Generated<Date | null> }
  resumable_uploads: {
    upload_id: string
    token_id: string
    length: number | null
    received: Generated<number>
    place: Json<JsonObject | null>
    metadata: Json<Record<string, string | null>>
    sha256: string | null
    asked_at: Date | null
    created_at: Date
    expires_at: Date
  }
  local_places: { place: Buffer; experience_id: string }
  task_guests: { profile_id: string; task_id: string }
  minutes: {
    width: number
    minute: Date
    experience_id: string
    succeeded: number
    failed: number
    latency: Json<Record<string, number>>
  }
}

type TokenLimits = Partial<Record<'requests_per_minute' | 'waiting_tasks' | 'upload_bytes_per_day' | 'streams', number>>
export type TokenUse = 'requests' | 'upload_bytes'
export type TaskStatus = 'Waiting' | 'Running' | 'Succeeded' | 'Failed' | 'Cancelled'
type EntryStatus = TaskStatus | 'Skipped'
/** Whether a group runs on after a configuration has failed. */
export type OnFailure = 'stop' | 'continue'
export type CallbackEvent = 'task' | 'taskgroup'
export type CallbackStatus = 'Waiting' | 'Delivered' | 'GivenUp'
export interface StoredError {
  code: string
  message: string
  /** How often the entry was interrupted with this code, while it is still tried again. */
  tries?: number
}

/** A file in the blob store and what is known about it. */
export interface StoredFile extends FileFacts {
  blob: string
  sha256: string
}

/** The output of an entry; without a blob if the entry melted into the next one and no file was made. */
export interface EntryOutput extends FileFacts {
  blob: string | null
  sha256: string | null
}

/** The lanes that tasks wait in. */
export type TaskLane = 'picture' | 'video' | 'transfer'

/** Files that came with the request in place of assets, by asset parameter. */
export type ChainFiles = Record<string, StoredFile[]>

/** Where a chain gets its file: an upload, a URL, or the output of an earlier chain. */
export type ChainInput = { file: StoredFile; file_name?: string } | { url: string } | { from: string }

/** One entry of an unfolded chain, as it was when the task was accepted. */
export interface SnapshotEntry {
  configuration: string
  adapter_name: string
  input_idx: number | null
  defaults: JsonObject
  /** Sealed, in base64. */
  auth: string | null
  activity_config: ActivityConfig | null
  /** Of a shared configuration: the options that extras may change. */
  overridable?: string[]
  /** What guests must have agreed to, those of the chains around it included; absent where nothing is needed. */
  consent?: { needs: Purpose[]; without: WithoutConsent }
}

export interface Snapshot {
  entries: SnapshotEntry[]
}
