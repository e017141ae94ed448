// Finds guests by their lookup values.
import { type RawBuilder, sql } from 'kysely'
import type { Consent } from '#kit/guest/consent.ts'
import { isId } from '#kit/ids.ts'
import type { JsonObject } from '#kit/json.ts'
import type { Queries, Trx } from '../database.ts'
import type { LookupKind } from '../tables.ts'

export interface Lookup {
  kind: LookupKind
  value: string
  /** Another profile has the same value in another spelling, so only this one counts. */
  exact?: boolean
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

/** The form in which values are kept: emails ignore case. */
export const lookupKey = ({ kind, value }: Lookup): string =>
  kind === 'email' || kind === 'profile_id' ? value.trim().toLowerCase() : value

const TAG = /^[0-9a-f]{2}([: -]?[0-9a-f]{2})*$/i

/** The digits of a tag's number; null where it is none. Readers part them by `:`, `-`, a blank or nothing. */
export const tagDigits = (value: string): string | null =>
  TAG.test(value) ? value.replace(/[: -]/g, '').toLowerCase() : null

/** The form in which values are compared, as the database has it in `lookup_same`. It is none that a tag's number can be written in. */
function sameKey(lookup: Lookup): string {
  const key = lookupKey(lookup)
  const digits = lookup.kind === 'rfid' && !lookup.exact ? tagDigits(key) : null
  return digits === null ? key : `0x${digits}`
}

export interface KeyedLookup {
  kind: LookupKind
  key: string
  exact?: boolean
}

/** A lookup as rows are found by it. */
export const keyed = ({ exact, ...lookup }: Lookup): KeyedLookup => ({
  kind: lookup.kind,
  key: lookupKey(lookup),
  ...(exact && { exact }),
})

/** The same text for all spellings of one value. */
export const lookupName = (lookup: Lookup): string => `${lookup.kind} ${sameKey(lookup)}`

/** The ways in which a value may be written elsewhere. */
export const spellings = (lookup: Lookup): string[] => {
  const digits = lookup.kind === 'rfid' && !lookup.exact ? tagDigits(lookup.value) : null
  const pairs = digits?.match(/../g) ?? []
  return [...new Set([lookup.value, ...(digits === null ? [] : ['', ':', '-', ' '].map(each => pairs.join(each)))])]
}

/** Whether a value is one of these. */
export function among(own: readonly Lookup[]): (lookup: Lookup) => boolean {
  const names = new Set(own.map(lookupName))
  return lookup => names.has(lookupName(lookup)) || names.has(lookupName({ ...lookup, exact: true }))
}

/** Condition on two tables with `kind` and `key`: both are spellings of one value. */
export const isSame = (one: string, other: string): RawBuilder<boolean> => {
  const [a, b] = [sql.raw(one), sql.raw(other)]
  return sql`${a}.kind = ${b}.kind and lookup_same(${a}.kind, ${a}.key) = lookup_same(${b}.kind, ${b}.key)`
}

/** Condition: the row of `profile_lookups` is found by the other one, or leads to it. */
export const leads = (row: string, other: string): RawBuilder<boolean> => {
  const [l, o] = [sql.raw(row), sql.raw(other)]
  return sql`${isSame(row, other)}
    and (${l}.key = ${o}.key or not lookup_is_shared(${l}.profile_id, ${l}.experience_id, ${l}.kind, ${l}.key))`
}

/** Condition on rows with `kind` and `key`: they are among these lookups. */
export function isAmong(row: string, lookups: readonly KeyedLookup[]): RawBuilder<boolean> {
  const l = sql.raw(row)
  const values = sql`json_to_recordset(${JSON.stringify(lookups)}::json) as v (kind text, key text, exact boolean)`
  const spelled = sql`(${l}.kind, lookup_same(${l}.kind, ${l}.key)) in (select kind, lookup_same(kind, key) from ${values})`
  if (!lookups.some(({ exact }) => exact)) return sql`${spelled}`
  return sql`${spelled} and not exists (select from ${values} where v.exact and ${isSame(row, 'v')} and v.key <> ${l}.key)`
}

/** The lookups of a profile, those marked that another profile of its experience has in another spelling. */
export async function ofProfile(queries: Queries, profileId: string, lookups: readonly Lookup[]): Promise<Lookup[]> {
  if (!lookups.some(({ kind, value }) => kind === 'rfid' && tagDigits(value) !== null)) return [...lookups]
  const { rows } = await sql<{ kind: string; key: string }>`
    select v.kind, v.key from profiles p, json_to_recordset(${JSON.stringify(lookups.map(keyed))}::json) as v (kind text, key text)
    where p.profile_id = ${profileId} and lookup_is_shared(p.profile_id, p.experience_id, v.kind, v.key)`.execute(
    queries,
  )
  return lookups.map(lookup => {
    const exact = rows.some(({ kind, key }) => kind === lookup.kind && key === lookupKey(lookup))
    return exact ? { ...lookup, exact } : lookup
  })
}

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
      where ${leads('l', 'w')} and (l.experience_id = ${experienceId} or l.experience_id is null)
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
  // Processes of 0.1 lock a value as it is written.
  const named = (lookup: Lookup): string[] => [
    `${lookup.kind}:${lookupKey(lookup)}`,
    `${lookup.kind}:${sameKey({ ...lookup, exact: false })}`,
  ]
  const [ids, others] = [true, false].map(isId =>
    [...new Set(lookups.filter(({ kind }) => (kind === 'profile_id') === isId).flatMap(named))].sort(),
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
