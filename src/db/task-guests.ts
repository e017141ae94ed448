// Whom a task was for.
import type { Db, Trx } from './database.ts'
import { findTask, type WholeTask, withChains } from './tasks.ts'

export async function keepGuests(trx: Trx, taskId: string, profileIds: readonly string[]): Promise<void> {
  if (profileIds.length === 0) return
  await trx
    .insertInto('task_guests')
    .values(profileIds.map(profile_id => ({ profile_id, task_id: taskId })))
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

/** Every task and task group that was made for a person and is still on record. */
export async function tasksOf(db: Db, profileId: string): Promise<WholeTask[]> {
  const ids = await db.selectFrom('task_guests').select('task_id').where('profile_id', '=', profileId).execute()
  const tasks = await Promise.all(ids.map(({ task_id }) => findTask(db, task_id)))
  return withChains(
    db,
    tasks.filter(task => task !== undefined),
  )
}
