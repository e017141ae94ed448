// Whom a task was for.
import { type Db, json, type Trx } from './database.ts'
import { lookupKey } from './profiles-lookup.ts'
import { findTask, type WholeTask, withChains } from './tasks.ts'

export async function keepGuests(trx: Trx, taskId: string, profileIds: readonly string[]): Promise<void> {
  if (profileIds.length === 0) return
  await trx
    .insertInto('task_guests')
    .values(profileIds.map(profile_id => ({ profile_id, task_id: taskId })))
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

/** Takes out of the tasks of a person what they were known by: of the extras, and of the sentences that name it. */
export async function forgetGuest(trx: Trx, profileId: string): Promise<void> {
  const own = await trx.selectFrom('profile_lookups').selectAll().where('profile_id', '=', profileId).execute()
  const isOwn = (kind: string, value: unknown): boolean =>
    typeof value === 'string' &&
    (value === profileId ||
      own.some(lookup => lookup.kind === kind && lookup.key === lookupKey({ kind: lookup.kind, value })))
  const tasks = trx.selectFrom('task_guests').select('task_id').where('profile_id', '=', profileId)
  for (const { chain_id, extras } of await trx
    .selectFrom('chains')
    .select(['chain_id', 'extras'])
    .where('task_id', 'in', tasks)
    .execute()) {
    const left = Object.entries(extras).flatMap(([kind, value]) => {
      if (!Array.isArray(value)) return isOwn(kind, value) ? [] : [[kind, value]]
      const others = value.filter(one => !isOwn(kind, one))
      return others.length > 0 || value.length === 0 ? [[kind, others]] : []
    })
    const kept = json(Object.fromEntries(left))
    await trx.updateTable('chains').set({ extras: kept }).where('chain_id', '=', chain_id).execute()
  }
  for (const { task_id, warnings } of await trx
    .selectFrom('tasks')
    .select(['task_id', 'warnings'])
    .where('task_id', 'in', tasks)
    .execute()) {
    // As it was sent, which may be in another case.
    const kept = warnings.filter(
      sentence => !own.some(({ value }) => sentence.toLowerCase().includes(`"${value.toLowerCase()}"`)),
    )
    if (kept.length < warnings.length)
      await trx
        .updateTable('tasks')
        .set({ warnings: json(kept) })
        .where('task_id', '=', task_id)
        .execute()
  }
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
