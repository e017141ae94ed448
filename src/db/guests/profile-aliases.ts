// Queries about profiles that were merged into another.
import { sql } from 'kysely'
import type { Queries, Trx } from '../database.ts'
import { isUnseen, type Visible } from '../visible.ts'

/** The id that a profile goes by now. */
export async function keptId(db: Queries, profileId: string): Promise<string> {
  const row = await db
    .selectFrom('profile_aliases')
    .select('kept_id')
    .where('profile_id', '=', profileId)
    .executeTakeFirst()
  return row?.kept_id ?? profileId
}

/** Ids that lead to this profile besides its own. */
export async function aliasesOf(db: Queries, profileId: string): Promise<string[]> {
  const rows = await db.selectFrom('profile_aliases').select('profile_id').where('kept_id', '=', profileId).execute()
  return rows.map(row => row.profile_id)
}

/** An erasure of one of these is under way. */
export async function isBeingErased(trx: Trx, profileIds: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ erased: boolean }>`
    select exists (select from erasures where profile_id = any(${[...profileIds]}::uuid[])) as erased`.execute(trx)
  return rows[0]?.erased ?? false
}

/** A keepsake that the caller does not see is known by the id of this profile. */
export async function hasKeepsakeElsewhere(trx: Trx, visible: Visible, profileId: string): Promise<boolean> {
  if (visible === null) return false
  const { rows } = await sql<{ has: boolean }>`
    select exists (
      select from keepsake_lookups join keepsakes using (keepsake_id)
      where kind = 'profile_id' and key = ${profileId} and ${isUnseen(visible)}) as has`.execute(trx)
  return rows[0]?.has ?? false
}

/** Gives all that belongs to one profile to another, but its values and attributes. What both have is there once. */
export async function moveBelongings(trx: Trx, from: string, to: string): Promise<void> {
  await sql`
    update activities a set owner_id = ${to} where a.owner_id = ${from} and not exists (
      select from activities b where b.owner_id = ${to} and b.chain_id = a.chain_id and b.entry = a.entry)`.execute(trx)
  await sql`
    insert into task_guests (profile_id, task_id) select ${to}, task_id from task_guests where profile_id = ${from}
    on conflict do nothing`.execute(trx)
  await sql`
    delete from keepsake_lookups l where l.kind = 'profile_id' and l.key = ${from} and exists (
      select from keepsake_lookups o where o.keepsake_id = l.keepsake_id and o.kind = 'profile_id' and o.key = ${to})`.execute(
    trx,
  )
  await sql`
    update keepsake_lookups set key = ${to}, value = ${to} where kind = 'profile_id' and key = ${from}`.execute(trx)
  await trx.updateTable('profile_aliases').set({ kept_id: to }).where('kept_id', '=', from).execute()
  await trx.insertInto('profile_aliases').values({ profile_id: from, kept_id: to }).execute()
}
