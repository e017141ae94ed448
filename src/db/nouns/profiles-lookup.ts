// Finds guests by what they are known by.
import { sql } from 'kysely'
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
  email: string[]
  qr_code: string[]
  rfid: string[]
}

/** A value as it is compared: emails without case. */
export const lookupKey = ({ kind, value }: Lookup): string =>
  kind === 'email' || kind === 'profile_id' ? value.trim().toLowerCase() : value

/** For each lookup, in order, the profile it finds (or null): one of that experience, else one of none, who is a guest of all. */
export async function findProfiles(
  queries: Queries,
  lookups: readonly Lookup[],
  experienceId: string,
): Promise<(FoundProfile | null)[]> {
  if (lookups.length === 0) return []
  const wanted = lookups.map((lookup, position) => {
    const key = lookupKey(lookup)
    // As a UUID, so that the index of the profiles is used.
    return { position, kind: lookup.kind, key, id: lookup.kind === 'profile_id' && isId(key) ? key : null }
  })
  const { rows } = await sql<FoundProfile & { position: number }>`
    with wanted as (
      select * from json_to_recordset(${JSON.stringify(wanted)}::json) as w (position int, kind text, key text, id uuid)
    )
    select w.position, p.*, v.*
    from wanted w
    cross join lateral (
      select p.profile_id, p.experience_id, p.attributes from profile_lookups l join profiles p using (profile_id)
      where l.kind = w.kind and l.key = w.key and (l.experience_id = ${experienceId} or l.experience_id is null)
      union all
      select p.profile_id, p.experience_id, p.attributes from profiles p
      where p.profile_id = w.id and p.erased_at is null and (p.experience_id = ${experienceId} or p.experience_id is null)
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
 * Held to the end of the transaction by whoever finishes a task with lookups and by whoever makes, changes or deletes a profile that has one of
 * them, so that one of the two sees the other and no activity falls between them. The first locks of a transaction, all of them in one
 * call; only the ids of profiles, which come first in their order, may be locked by a call before.
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

/** Nobody deletes these until the transaction ends. */
export async function keepProfiles(trx: Trx, profileIds: readonly string[]): Promise<void> {
  if (profileIds.length === 0) return
  await sql`select from profiles where profile_id = any(${[...profileIds]}::uuid[]) order by profile_id for key share`.execute(
    trx,
  )
}
