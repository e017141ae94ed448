// The tables of the guest's side as TypeScript types: keepsakes, consent, printers, erasures.
import type { ColumnType, Generated } from 'kysely'
import type { Actor } from '#kit/actor.ts'
import type { Consent } from '#kit/guest/consent.ts'
import type { WallState } from '#kit/guest/wall-state.ts'
import type { Json } from './history-tables.ts'

/** Null: nothing was said. Written as JSON text. */
export type SaidConsent = ColumnType<Consent | null, string | null | undefined, string | null>

export type LookupKind = 'email' | 'qr_code' | 'rfid' | 'profile_id'

export interface GuestTables {
  keepsakes: {
    keepsake_id: string
    experience_id: string
    code_hash: Buffer
    /** Sealed. */
    code: Buffer
    used_at: Date
    created_at: Date
    consent: SaidConsent
    /** Of the codes that only open its page; null until one is handed out. */
    share_hash: Buffer | null
    visit_hash: Buffer | null
    wall_state: Generated<WallState>
    /** Its page says that it is gone. */
    erased_at: Generated<Date | null>
  }
  consent_waits: { task_id: string; kind: string; key: string }
  keepsake_lookups: { keepsake_id: string; position: number; kind: LookupKind; key: string; value: string }
  /** Ids of profiles that were merged into another. */
  profile_aliases: { profile_id: string; kept_id: string; created_at: Generated<Date> }
  renditions: { source: string; side: number; task_id: string; blob: string; mime: string }
  visit_tries: { keepsake_id: string; tried_at: Date[] }
  keepsake_files: {
    keepsake_id: string
    number: number
    chain_id: string
    experience_id: string
    accepted_at: Generated<Date>
    wall_state: Generated<WallState>
  }
  wall_keys: { key_id: string; experience_id: string; key_hash: Buffer; name: string | null; created_at: Date }
  printers: {
    printer: string
    roll: Generated<number>
    used: Generated<number>
    is_empty: Generated<boolean>
    taken_at: Date | null
    changed_at: Date
  }
  prints: { marker: string; printer: string; roll: number; copies: number }
  erasures: {
    erasure_id: string
    receipt_hash: Buffer | null
    profile_id: string | null
    keepsake_id: string | null
    /** Null: all experiences. */
    covers: string[] | null
    /** Null: only tokens that are not limited. */
    seen_by: string[] | null
    takes_shared: boolean
    actor: Json<Actor | null>
    status: ErasureStatus
    counts: Json<ErasureCounts>
    receipt: string
    signature: string
    key_id: string
    next_at: Date | null
    leased_by: string | null
    leased_until: Date | null
    created_at: Date
    updated_at: Date
    done_at: Date | null
  }
  erasure_lines: {
    erasure_id: string
    what: 'delivery' | 'callback' | 'task' | 'activity'
    task_id: string
    index: number
    configuration: string | null
    adapter_name: string | null
    receiver: string | null
    state: 'removed' | 'kept' | 'pending'
    code: string | null
    reason: string | null
    /** Sealed. */
    sealed: Buffer | null
    tries: Generated<number>
    next_at: Date | null
    created_at: Date
    updated_at: Date
  }
}

/** Running: records are still there. Pending: only what lies at targets that could not be reached. */
type ErasureStatus = 'Running' | 'Pending' | 'Done'

export const erasedKinds = [
  'profiles',
  'pages',
  'tasks',
  'files',
  'activities',
  'callbacks',
  'idempotency_keys',
] as const
export type ErasureCounts = Record<(typeof erasedKinds)[number], number>
