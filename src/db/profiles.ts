// Queries about profiles and the values they are known by.
import { type Selectable, sql } from 'kysely'
import type { JsonObject } from '#kit/json.ts'
import { json, type Queries, type Trx } from './database.ts'
import { newestFirst, type Page, type PageRequest } from './page.ts'
import { type Lookup, lookupKey } from './profiles-lookup.ts'
import type { Tables } from './tables.ts'
import { isVisible, type Visible } from './visible.ts'

export const profileLookups = ['email', 'qr_code', 'rfid'] as const
export type ProfileLookup = (typeof profileLookups)[number]

type Row = Selectable<Tables['profiles']>
export type ProfileRow = Row & Record<ProfileLookup, string[]>

export interface ProfileFilters extends Partial<Record<ProfileLookup, string | undefined>> {
  experience_id?: string | undefined
}

export async function listProfiles(
  db: Queries,
  visible: Visible,
  filters: ProfileFilters,
  page: PageRequest,
): Promise<Page<ProfileRow>> {
  const and = profileLookups.flatMap(kind => {
    const value = filters[kind]
    if (value === undefined) return []
    const key = lookupKey({ kind, value })
    return [sql`t.profile_id in (select profile_id from profile_lookups where kind = ${kind} and key = ${key})`]
  })
  const { experience_id } = filters
  const { items, next_cursor } = await newestFirst(db, 'profiles', { page, visible, where: { experience_id }, and })
  return { items: await withLookups(db, items), next_cursor }
}

export async function findProfile(db: Queries, visible: Visible, profileId: string): Promise<ProfileRow | undefined> {
  const row = await db.selectFrom('profiles').selectAll().where('profile_id', '=', profileId).executeTakeFirst()
  if (!row || !isVisible(visible, row.experience_id)) return undefined
  return (await withLookups(db, [row]))[0]
}

/** Nobody else changes or deletes it until the transaction ends. */
export async function lockProfile(trx: Trx, visible: Visible, profileId: string): Promise<ProfileRow | undefined> {
  await trx.selectFrom('profiles').select('profile_id').where('profile_id', '=', profileId).forUpdate().execute()
  return findProfile(trx, visible, profileId)
}

async function withLookups(db: Queries, rows: Row[]): Promise<ProfileRow[]> {
  if (rows.length === 0) return []
  const ids = rows.map(row => row.profile_id)
  const lookups = await db
    .selectFrom('profile_lookups')
    .select(['profile_id', 'kind', 'value'])
    .where('profile_id', 'in', ids)
    .orderBy('position')
    .execute()
  const values = (id: string, kind: ProfileLookup): string[] =>
    lookups.filter(lookup => lookup.profile_id === id && lookup.kind === kind).map(({ value }) => value)
  return rows.map(row => ({
    ...row,
    email: values(row.profile_id, 'email'),
    qr_code: values(row.profile_id, 'qr_code'),
    rfid: values(row.profile_id, 'rfid'),
  }))
}

export async function insertProfile(
  trx: Trx,
  { attributes, ...row }: Omit<Row, 'attributes'> & { attributes: JsonObject },
): Promise<void> {
  await trx
    .insertInto('profiles')
    .values({ ...row, attributes: json(attributes) })
    .execute()
}

export async function updateProfile(
  trx: Trx,
  profileId: string,
  { experience_id, attributes }: { experience_id: string | null; attributes: JsonObject },
): Promise<void> {
  await trx
    .updateTable('profiles')
    .set({ experience_id, attributes: json(attributes), updated_at: new Date() })
    .where('profile_id', '=', profileId)
    .execute()
}

export async function setLookups(
  trx: Trx,
  profileId: string,
  kinds: readonly ProfileLookup[],
  lookups: readonly Lookup[],
): Promise<void> {
  if (kinds.length > 0)
    await trx.deleteFrom('profile_lookups').where('profile_id', '=', profileId).where('kind', 'in', kinds).execute()
  if (lookups.length === 0) return
  const rows = lookups.map((lookup, position) => ({
    ...lookup,
    key: lookupKey(lookup),
    position,
    profile_id: profileId,
  }))
  // In one order for everybody, so that two requests with the same values wait for each other instead of in a circle.
  rows.sort((a, b) => (`${a.kind} ${a.key}` < `${b.kind} ${b.key}` ? -1 : 1))
  await trx.insertInto('profile_lookups').values(rows).execute()
}

/** Those of the lookups that another profile has. */
export async function takenLookups(db: Queries, profileId: string, lookups: readonly Lookup[]): Promise<Lookup[]> {
  if (lookups.length === 0) return []
  const rows = await db
    .selectFrom('profile_lookups')
    .select(['kind', 'key'])
    .where('profile_id', '!=', profileId)
    .where(eb =>
      eb.or(lookups.map(lookup => eb.and([eb('kind', '=', lookup.kind), eb('key', '=', lookupKey(lookup))]))),
    )
    .execute()
  return lookups.filter(lookup => rows.some(({ kind, key }) => kind === lookup.kind && key === lookupKey(lookup)))
}

/** Their activities and lookup values go with them. */
export async function deleteProfile(trx: Trx, profileId: string): Promise<void> {
  await trx.deleteFrom('profiles').where('profile_id', '=', profileId).execute()
}
