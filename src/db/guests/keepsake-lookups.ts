// Queries about what the guest of a keepsake is known by.
import { sql } from 'kysely'
import type { Consent } from '#kit/guest/consent.ts'
import { isId } from '#kit/ids.ts'
import { json, type Queries, type Trx } from '../database.ts'
import { isAmong, keyed, type Lookup, lookupKey, lookupName } from '../nouns/profiles-lookup.ts'
import { isSeen, type Visible } from '../visible.ts'
import { keptId } from './profile-aliases.ts'

export async function listKeepsakeLookups(db: Queries, keepsakeId: string): Promise<Lookup[]> {
  return db
    .selectFrom('keepsake_lookups')
    .select(['kind', 'value'])
    .where('keepsake_id', '=', keepsakeId)
    .orderBy('position')
    .execute()
}

/** Until the transaction ends the guest of the keepsake stays the same. A task that ends takes it before the lookups of its guests. */
export async function keepGuestOf(trx: Trx, keepsakeId: string): Promise<Lookup[]> {
  await sql`select from keepsakes where keepsake_id = ${keepsakeId} for share`.execute(trx)
  return listKeepsakeLookups(trx, keepsakeId)
}

/** A profile that was merged into another is named by the one that is there. */
async function byKeptIds(trx: Trx, lookups: readonly Lookup[]): Promise<Lookup[]> {
  const named = new Map<string, Lookup>()
  for (const lookup of lookups) {
    const isProfile = lookup.kind === 'profile_id' && isId(lookupKey(lookup))
    const value = isProfile ? await keptId(trx, lookupKey(lookup)) : lookup.value
    const kept = value === lookupKey(lookup) ? lookup : { ...lookup, value }
    if (!named.has(lookupName(kept))) named.set(lookupName(kept), kept)
  }
  return [...named.values()]
}

/** For whoever changes the guest. */
export async function holdKeepsake(trx: Trx, keepsakeId: string): Promise<void> {
  await sql`select from keepsakes where keepsake_id = ${keepsakeId} for no key update`.execute(trx)
}

export async function replaceKeepsakeLookups(trx: Trx, keepsakeId: string, lookups: readonly Lookup[]): Promise<void> {
  await trx.deleteFrom('keepsake_lookups').where('keepsake_id', '=', keepsakeId).execute()
  if (lookups.length === 0) return
  const named = await byKeptIds(trx, lookups)
  await trx
    .insertInto('keepsake_lookups')
    .values(named.map((lookup, position) => ({ keepsake_id: keepsakeId, position, key: lookupKey(lookup), ...lookup })))
    .execute()
}

export async function setKeepsakeConsent(trx: Trx, keepsakeId: string, consent: Consent | null): Promise<void> {
  await trx
    .updateTable('keepsakes')
    .set({ consent: consent && json(consent) })
    .where('keepsake_id', '=', keepsakeId)
    .execute()
}

/** More of a keepsake are not looked at. */
const MOST_TASKS = 1_000

/** Tasks of the keepsake that have ended, the newest: those that run find the guest by themselves. */
export async function endedTasksOf(trx: Trx, keepsakeId: string): Promise<string[]> {
  const rows = await trx
    .selectFrom('tasks')
    .select('task_id')
    .where('keepsake_id', '=', keepsakeId)
    .where('ended_at', 'is not', null)
    .orderBy('task_id', 'desc')
    .limit(MOST_TASKS)
    .execute()
  return rows.map(({ task_id }) => task_id)
}

/** Keepsakes of the experience (null: of all) that the caller sees are known by these values no longer, and no task waits for the word of who had them. */
export async function forgetKeepsakeGuest(
  trx: Trx,
  visible: Visible,
  experienceId: string | null,
  lookups: readonly Lookup[],
): Promise<void> {
  const own = lookups.map(keyed)
  await sql`
    delete from keepsake_lookups l using keepsakes k
    where k.keepsake_id = l.keepsake_id and ${isAmong('l', own)} and k.experience_id = coalesce(${experienceId}, k.experience_id) and ${isSeen(visible, 'k.experience_id')}`.execute(
    trx,
  )
  await sql`
    delete from consent_waits w using tasks t
    where t.task_id = w.task_id and ${isAmong('w', own)} and t.experience_id = coalesce(${experienceId}, t.experience_id) and ${isSeen(visible, 't.experience_id')}`.execute(
    trx,
  )
}
