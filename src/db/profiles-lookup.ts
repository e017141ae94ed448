// Finds guests by what they are known by.
import { sql } from 'kysely'
import type { JsonObject } from '#kit/json.ts'
import type { Queries, Trx } from './database.ts'
import type { LookupKind } from './tables.ts'

export interface Lookup {
  kind: LookupKind
  value: string
}

export interface FoundProfile {
  profile_id: string
  attributes: JsonObject
  email: string[]
  qr_code: string[]
  rfid: string[]
}

/** A value as it is compared: emails without case. */
export const lookupKey = ({ kind, value }: Lookup): string =>
  kind === 'email' || kind === 'profile_id' ? value.trim().toLowerCase() : value

/** For each lookup, in order, the profile it finds (or null): one of that experience, or one of none, who is a guest of all. */
export async function findProfiles(
  queries: Queries,
  lookups: readonly Lookup[],
  experienceId: string,
): Promise<(FoundProfile | null)[]> {
  if (lookups.length === 0) return []
  const wanted = JSON.stringify(
    lookups.map((lookup, position) => ({ position, kind: lookup.kind, key: lookupKey(lookup) })),
  )
  const { rows } = await sql<FoundProfile & { position: number }>`
    with wanted as (
      select w.position, coalesce(l.profile_id, p.profile_id) as profile_id
      from json_to_recordset(${wanted}::json) as w (position int, kind text, key text)
      left join profile_lookups l on l.kind = w.kind and l.key = w.key
      left join profiles p on w.kind = 'profile_id' and p.profile_id::text = w.key
    )
    select w.position, p.profile_id, p.attributes,
      coalesce(array_agg(l.value order by l.position) filter (where l.kind = 'email'), '{}') as email,
      coalesce(array_agg(l.value order by l.position) filter (where l.kind = 'qr_code'), '{}') as qr_code,
      coalesce(array_agg(l.value order by l.position) filter (where l.kind = 'rfid'), '{}') as rfid
    from wanted w join profiles p using (profile_id) left join profile_lookups l using (profile_id)
    where p.experience_id is null or p.experience_id = ${experienceId}
    group by w.position, p.profile_id`.execute(queries)
  return lookups.map((_lookup, position) => rows.find(row => row.position === position) ?? null)
}

/**
 * Held to the end of the transaction by whoever finishes a task with lookups and by whoever gives a profile its values,
 * so that one of the two sees the other and no activity falls between them.
 */
export async function lockLookups(trx: Trx, lookups: readonly { kind: LookupKind; key: string }[]): Promise<void> {
  const keys = [...new Set(lookups.map(({ kind, key }) => `${kind}:${key}`))].sort()
  if (keys.length === 0) return
  await sql`select pg_advisory_xact_lock(hashtextextended(key, 1)) from unnest(${keys}::text[]) as key`.execute(trx)
}
