// Queries about profiles and their lookup values.
import { type Selectable, sql } from 'kysely'
import { newId } from '#kit/ids.ts'
import type { JsonObject } from '#kit/json.ts'
import { json, type Queries, type Trx } from '../database.ts'
import { newestFirst, type Page, type PageRequest } from '../page.ts'
import type { Tables } from '../tables.ts'
import { isSeen, isUnseen, type Visible } from '../visible.ts'
import { isSame, keyed, type Lookup, leads, lookupKey } from './profiles-lookup.ts'

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
    return [
      sql`t.profile_id in (
        select l.profile_id from profile_lookups l, (select ${kind}::text as kind, ${key}::text as key) w where ${leads('l', 'w')})`,
    ]
  })
  const { experience_id } = filters
  const { items, next_cursor } = await newestFirst(db, 'profiles', { page, visible, where: { experience_id }, and })
  return { items: await withLookups(db, items), next_cursor }
}

export async function findProfile(db: Queries, visible: Visible, profileId: string): Promise<ProfileRow | undefined> {
  const query = db.selectFrom('profiles').selectAll().where('profile_id', '=', profileId).where(isSeen(visible))
  const row = await query.executeTakeFirst()
  return row && (await withLookups(db, [row]))[0]
}

/** Those of these ids that there are. */
export async function readProfilesOf(db: Queries, ids: readonly string[]): Promise<ProfileRow[]> {
  if (ids.length === 0) return []
  return withLookups(db, await db.selectFrom('profiles').selectAll().where('profile_id', 'in', ids).execute())
}

/** Locks the profile: nobody else changes or deletes it until the transaction ends. */
export async function lockProfile(trx: Trx, visible: Visible, profileId: string): Promise<ProfileRow | undefined> {
  const query = trx
    .selectFrom('profiles')
    .select('profile_id')
    .where('profile_id', '=', profileId)
    .where(isSeen(visible))
  const locked = await query.forUpdate().executeTakeFirst()
  return locked && findProfile(trx, visible, profileId)
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
  { attributes, consent, ...row }: Omit<Row, 'attributes' | 'erased_at' | 'revision'> & { attributes: JsonObject },
): Promise<void> {
  await trx
    .insertInto('profiles')
    .values({ ...row, attributes: json(attributes), consent: consent && json(consent), revision: newId() })
    .execute()
}

export async function updateProfile(
  trx: Trx,
  profileId: string,
  { experience_id, attributes, consent }: Pick<Row, 'experience_id' | 'consent'> & { attributes: JsonObject },
): Promise<void> {
  await trx
    .updateTable('profiles')
    .set({
      experience_id,
      attributes: json(attributes),
      consent: consent && json(consent),
      revision: newId(),
      updated_at: new Date(),
      erased_at: null,
    })
    .where('profile_id', '=', profileId)
    .execute()
}

export async function setLookups(
  trx: Trx,
  { profile_id, experience_id }: Pick<Row, 'profile_id' | 'experience_id'>,
  kinds: readonly ProfileLookup[],
  lookups: readonly Lookup[],
): Promise<void> {
  if (kinds.length > 0)
    await trx.deleteFrom('profile_lookups').where('profile_id', '=', profile_id).where('kind', 'in', kinds).execute()
  if (lookups.length === 0) return
  const rows = lookups.map((lookup, position) => ({
    ...lookup,
    key: lookupKey(lookup),
    position,
    profile_id,
    experience_id,
  }))
  // Sorted, so that two requests with the same values wait for each other instead of deadlocking.
  rows.sort((a, b) => (`${a.kind} ${a.key}` < `${b.kind} ${b.key}` ? -1 : 1))
  await trx.insertInto('profile_lookups').values(rows).execute()
}

/**
 * Lookups that another profile of the same experience has. Profiles of no experience are compared with each other. A value that the profile
 * has in just that spelling stays its own.
 */
export async function takenLookups(
  db: Queries,
  { profile_id, experience_id }: Pick<Row, 'profile_id' | 'experience_id'>,
  lookups: readonly Lookup[],
): Promise<Lookup[]> {
  if (lookups.length === 0) return []
  const { rows } = await sql<{ at: number }>`
    select w.at from json_to_recordset(${json(lookups.map((lookup, at) => ({ ...keyed(lookup), at })))}::json) as w (at int, kind text, key text)
    where exists (
      select from profile_lookups l where ${isSame('l', 'w')} and l.profile_id <> ${profile_id} and l.experience_id is not distinct from ${experience_id}
        and (l.key = w.key or not exists (
          select from profile_lookups own where own.profile_id = ${profile_id} and own.kind = w.kind and own.key = w.key
            and own.experience_id is not distinct from l.experience_id)))`.execute(db)
  return lookups.filter((_lookup, at) => rows.some(row => row.at === at))
}

/** Whether the person has activities or tasks where the caller may not see. */
export async function isKnownElsewhere(trx: Trx, visible: Visible, profileId: string): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`
    select exists (select from activities where owner_id = ${profileId} and ${isUnseen(visible)})
      or exists (select from task_guests join tasks using (task_id) where profile_id = ${profileId} and ${isUnseen(visible)})
      as known`.execute(trx)
  return rows[0]?.known ?? false
}

/** Deletes all that is known of the person, and the activities and task links that the caller sees. The others keep an empty owner. */
export async function emptyProfile(trx: Trx, visible: Visible, profileId: string): Promise<void> {
  const now = new Date()
  await trx.deleteFrom('profile_lookups').where('profile_id', '=', profileId).execute()
  await trx.deleteFrom('activities').where('owner_id', '=', profileId).where(isSeen(visible)).execute()
  const seen = trx.selectFrom('tasks').select('task_id').where(isSeen(visible))
  await trx.deleteFrom('task_guests').where('profile_id', '=', profileId).where('task_id', 'in', seen).execute()
  await trx
    .updateTable('profiles')
    .set({
      experience_id: null,
      attributes: json({}),
      consent: null,
      revision: newId(),
      updated_at: now,
      erased_at: now,
    })
    .where('profile_id', '=', profileId)
    .execute()
}

/** Its activities and lookup values are deleted with it. */
export async function deleteProfile(trx: Trx, profileId: string): Promise<void> {
  await trx.deleteFrom('profiles').where('profile_id', '=', profileId).execute()
}
