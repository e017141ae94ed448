// Queries about deleted configurations and assets that can still be undeleted.
import { type Selectable, sql } from 'kysely'
import { nameForms } from '#kit/text.ts'
import type { Queries, Trx } from '../database.ts'
import type { DeletedNoun, Tables } from '../tables.ts'
import { isSeen, type Visible } from '../visible.ts'

type Deletion = Selectable<Tables['deletions']>

/** How long what was deleted can be undeleted. */
export const KEEP_DAYS = 30

/** Of the same name in the same experience only the latest can be undeleted; those before it are gone. */
export async function insertDeletion(trx: Trx, deletion: Omit<Deletion, 'deleted_at'>): Promise<void> {
  const { noun, name, experience_id } = deletion
  const { rows: earlier } = await sql<{ history: string }>`
    select history from deletions where noun = ${noun} and name = ${name} and experience_id is not distinct from ${experience_id}
    for update`.execute(trx)
  await forget(
    trx,
    noun,
    earlier.map(({ history }) => history),
  )
  await trx
    .insertInto('deletions')
    .values({ ...deletion, deleted_at: sql<Date>`now()` })
    .execute()
}

/** The latest one that the caller may see and whose time is not over. */
export const findDeletion = (
  db: Queries,
  visible: Visible,
  noun: DeletedNoun,
  name: string,
): Promise<Deletion | undefined> =>
  db
    .selectFrom('deletions')
    .selectAll()
    .where('noun', '=', noun)
    .where('name', 'in', nameForms(name))
    .where('deleted_at', '>', sql<Date>`now() - ${KEEP_DAYS} * interval '1 day'`)
    .where(isSeen(visible))
    .orderBy('deleted_at', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Takes the note away. False if somebody else was faster. */
export async function takeDeletion(trx: Trx, history: string): Promise<boolean> {
  const { numDeletedRows } = await trx.deleteFrom('deletions').where('history', '=', history).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Makes some deletions final whose time is over. Returns how many. */
export async function forgetOldDeletions(trx: Trx, limit: number): Promise<number> {
  const { rows } = await sql<Pick<Deletion, 'history' | 'noun'>>`
    select history, noun from deletions where deleted_at < now() - ${KEEP_DAYS} * interval '1 day'
    order by deleted_at limit ${limit} for update skip locked`.execute(trx)
  for (const noun of ['configuration', 'asset'] as const)
    await forget(
      trx,
      noun,
      rows.filter(row => row.noun === noun).map(({ history }) => history),
    )
  return rows.length
}

/** Files of assets go with the next sweep, unless a task needs them. */
async function forget(trx: Trx, noun: DeletedNoun, histories: readonly string[]): Promise<void> {
  if (histories.length === 0) return
  if (noun === 'configuration')
    await trx.deleteFrom('configuration_versions').where('history', 'in', histories).execute()
  else
    await trx
      .updateTable('asset_versions')
      .set({ history: null, sweep_at: sql<Date>`least(sweep_at, now())` })
      .where('history', 'in', histories)
      .execute()
  await trx.deleteFrom('deletions').where('history', 'in', histories).execute()
}
