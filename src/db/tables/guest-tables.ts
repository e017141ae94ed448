// The tables of the guest's side as TypeScript types: keepsakes, consent, printers.
import type { ColumnType, Generated } from 'kysely'
import type { Consent } from '#kit/guest/consent.ts'
import type { WallState } from '#kit/guest/wall-state.ts'

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
  }
  consent_waits: { task_id: string; kind: string; key: string }
  keepsake_lookups: { keepsake_id: string; position: number; kind: LookupKind; key: string; value: string }
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
}
