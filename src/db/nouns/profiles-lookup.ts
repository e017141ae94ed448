// Finds guests by their lookup values.
import { sql } from 'kysely'
import type { Consent } from '#kit/guest/consent.ts'
import { isId } from '#kit/ids.ts'
import type { JsonObject } from '#kit/json.ts'
import type { Queries, Trx } from '../database.ts'
import type { LookupKind } from '../tables.ts'

export interface Lookup {
  kind: LookupKind
  value: string
}

export interface FoundProfile {
  profile_id: string
  experience_id: string | null
  attributes: JsonObject
  consent: Consent | null
  email: string[]
  qr_code: string[]
  rfid: string[]
}

/** The form in which values are compared: emails ignore case. */
export const lookupKey = ({ kind, value }: Lookup): string =>
  kind === 'email' || kind === 'profile_id' ? value.trim().toLowerCase() : value

export interface KeyedLookup {
  kind: LookupKind
  key: string
}

/** A lookup as rows are found by it. */
export const keyed = (lookup: Lookup): KeyedLookup => ({ kind: lookup.kind, key: lookupKey(lookup) })

/** The same text for all spellings of one value. */
export const lookupName = (lookup: Lookup): string => `${lookup.kind} ${lookupKey(lookup)}`

/** The profile for each lookup, in order, or null: a profile of the experience first, else one of no experience, who is a guest of all. */
export async function findProfiles(
  queries: Queries,
  lookups: readonly Lookup[],
  experienceId: string,
): Promise<(FoundProfile | null)[]> {
  if (lookups.length === 0) return []
  const wanted = lookups.map((lookup, position) => {
    const key = lookupKey(lookup)
    // As a UUID, so that PostgreSQL uses the index on profiles.
    return { position, kind: lookup.kind, key, id: lookup.kind === 'profile_id' && isId(key) ? key : null }
  })
  const { rows } = await sql<FoundProfile & { position: number }>`
    with wanted as (
      select * from json_to_recordset(${JSON.stringify(wanted)}::json) as w (position int, kind text, key text, id uuid)
    )
    select w.position, p.*, v.*
    from wanted w
    cross join lateral (
      select p.profile_id, p.experience_id, p.attributes, p.consent from profile_lookups l join profiles p using (profile_id)
      where l.kind = w.kind and l.key = w.key and (l.experience_id = ${experienceId} or l.experience_id is null)
      union all
      select p.profile_id, p.experience_id, p.attributes, p.consent from profiles p
      where p.profile_id = w.id and p.erased_at is null and (p.experience_id = ${experienceId} or p.experience_id is null)
      union all
      select p.profile_id, p.experience_id, p.attributes, p.consent from profile_aliases a join profiles p on p.profile_id = a.kept_id
      where a.profile_id = w.id and p.erased_at is null and (p.experience_id = ${experienceId} or p.experience_id is null)
      order by experience_id nulls last limit 1
    ) p
    cross join lateral (
      select coalesce(array_agg(l.value order by l.position) filter (where l.kind = 'email'), '{}') as email,
        coalesce(array_agg(l.value order by l.position) filter (where l.kind = 'qr_code'), '{}') as qr_code,
        coalesce(array_agg(l.value order by l.position) filter (where l.kind = 'rfid'), '{}') as rfid
      from profile_lookups l where l.profile_id = p.profile_id
    ) v`.execute(queries)
  return lookups.map((_lookup, position) => rows.find(row => row.position === position) ?? null)
}

/**
 * Locks lookup values until the transaction ends. Whoever finishes a task with lookups takes the lock, and whoever creates, changes or
 * deletes a profile with one of them. So one of the two sees the other, and no activity is lost between them. These are the first locks of
 * a transaction, all in one call. Only profile ids, which sort first, may be locked by an earlier call.
 */
export async function lockLookups(trx: Trx, lookups: readonly Lookup[]): Promise<void> {
  const named = (lookup: Lookup): string => `${lookup.kind}:${lookupKey(lookup)}`
  const [ids, others] = [true, false].map(isId =>
    [...new Set(lookups.filter(({ kind }) => (kind === 'profile_id') === isId).map(named))].sort(),
  ) as [string[], string[]]
  const keys = [...ids, ...others]
  if (keys.length === 0) return
  await sql`select pg_advisory_xact_lock(hashtextextended(key, 1)) from unnest(${keys}::text[]) as key`.execute(trx)
}

/** Nobody deletes these profiles until the transaction ends. */
export async function lockProfiles(trx: Trx, profileIds: readonly string[]): Promise<void> {
  if (profileIds.length === 0) return
  await sql`select from profiles where profile_id = any(${[...profileIds]}::uuid[]) order by profile_id for key share`.execute(
    trx,
  )
}
