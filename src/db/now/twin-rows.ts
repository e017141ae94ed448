// What two things share that should be one's alone, since more spellings of it are the same: nobody joins them but a person.
import { sql } from 'kysely'
import { nameForm } from '#kit/text.ts'
import type { Queries } from '../database.ts'
import type { LookupKind } from '../tables.ts'
import { isSeen, type Visible } from '../visible.ts'

export interface SharedLookup {
  experience_id: string | null
  kind: Exclude<LookupKind, 'profile_id'>
  profiles: { profile_id: string; value: string }[]
}

const MOST = 20

export interface TwinNames {
  noun: 'configuration' | 'asset'
  /** They look the same and differ in their bytes. */
  names: string[]
}

/** Names from before new ones were kept in one form. */
export async function twinNames(db: Queries): Promise<TwinNames[]> {
  const { rows } = await sql<{ noun: TwinNames['noun']; name: string }>`
    select 'configuration' as noun, configuration_name as name from configurations where octet_length(configuration_name) > length(configuration_name)
    union all select 'asset', name from assets where octet_length(name) > length(name) order by noun, name`.execute(db)
  const alike = Map.groupBy(rows, ({ noun, name }) => `${noun} ${nameForm(name)}`)
  return [...alike.values()].flatMap(([first, ...others]) =>
    first && others.length > 0 ? [{ noun: first.noun, names: [first, ...others].map(({ name }) => name) }] : [],
  )
}

/** False of a database that an earlier version left and that was not brought up to date yet. */
export async function knowsTwins(db: Queries): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`select to_regclass('lookup_twins') is not null as there`.execute(db)
  return rows[0]?.there ?? false
}

/** Values that several profiles of an experience have in different spellings, from before these were the same. */
export async function sharedLookups(db: Queries, visible: Visible, most = MOST): Promise<SharedLookup[]> {
  const { rows } = await sql<SharedLookup>`
    select l.experience_id, l.kind, json_agg(json_build_object('profile_id', l.profile_id, 'value', l.value) order by l.profile_id) as profiles
    from lookup_twins join profile_lookups l using (profile_id)
    where lookup_is_shared(l.profile_id, l.experience_id, l.kind, l.key) and ${isSeen(visible, 'l.experience_id')}
    group by l.experience_id, l.kind, lookup_same(l.kind, l.key) order by min(l.profile_id::text) limit ${most}`.execute(
    db,
  )
  return rows
}
