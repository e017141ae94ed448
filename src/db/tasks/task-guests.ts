// The guests that a task was for.
import { sql } from 'kysely'
import type { Unnamed } from '#kit/guest/unnamed.ts'
import { json, type Queries, type Trx } from '../database.ts'
import { among, keyed, type Lookup, spellings } from '../nouns/profiles-lookup.ts'
import type { ChainInput, LookupKind } from '../tables.ts'
import { isSeen, type Visible } from '../visible.ts'
import { foldedName } from './insert-task.ts'

export async function insertTaskGuests(trx: Trx, taskId: string, profileIds: readonly string[]): Promise<void> {
  if (profileIds.length === 0) return
  await trx
    .insertInto('task_guests')
    .values(profileIds.map(profile_id => ({ profile_id, task_id: taskId })))
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

/** A guest that the task no longer names. */
export async function deleteTaskGuests(trx: Trx, taskId: string, profileIds: readonly string[]): Promise<void> {
  if (profileIds.length === 0) return
  await trx.deleteFrom('task_guests').where('task_id', '=', taskId).where('profile_id', 'in', profileIds).execute()
}

/** Who brings one of these values later becomes a guest of the task. */
export async function insertWaitingGuests(
  trx: Trx,
  { task_id, chain_id }: { task_id: string; chain_id: string },
  lookups: readonly Lookup[],
): Promise<void> {
  // No profile is ever given an id that somebody made up.
  const rows = lookups
    .filter(({ kind }) => kind !== 'profile_id')
    .map(lookup => ({ task_id, chain_id, ...keyed(lookup) }))
  if (rows.length === 0) return
  await trx
    .insertInto('waiting_guests')
    .values(rows)
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

/**
 * Removes what a person is known by from the tasks that the caller sees: from the extras, from the names of files that were sent, and from
 * warnings that quote it. `own` has the ids that lead to them too. Returns the tasks, locked.
 */
export async function forgetGuest(
  trx: Trx,
  visible: Visible,
  profileId: string,
  own: readonly Lookup[],
  unnamed: Unnamed,
): Promise<string[]> {
  const isAnyOf = among(own)
  const isOwn = (kind: string, sent: unknown): boolean => {
    if (typeof sent !== 'string' && typeof sent !== 'number') return false
    const value = String(sent)
    return [kind as LookupKind, 'profile_id' as const].some(each => isAnyOf({ kind: each, value }))
  }
  const tasks = await trx
    .selectFrom('tasks')
    .select(['task_id', 'warnings'])
    .where('task_id', 'in', guestsTasks(trx, visible, profileId))
    .orderBy('task_id')
    .forNoKeyUpdate()
    .execute()
  const ids = tasks.map(({ task_id }) => task_id)
  for (const { chain_id, extras, input } of await trx
    .selectFrom('chains')
    .select(['chain_id', 'extras', 'input'])
    .where('task_id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute()) {
    const left = Object.entries(extras).flatMap(([kind, value]) => {
      if (!Array.isArray(value)) return isOwn(kind, value) ? [] : [[kind, value]]
      const others = value.filter(one => !isOwn(kind, one))
      return others.length > 0 || value.length === 0 ? [[kind, others]] : []
    })
    const kept = json(Object.fromEntries(left))
    await trx
      .updateTable('chains')
      .set({ extras: kept, ...withoutName(input, unnamed) })
      .where('chain_id', '=', chain_id)
      .execute()
  }
  for (const { task_id, warnings } of tasks) {
    // A warning quotes the value as it was sent, perhaps in another case or with other separators.
    const quotes = own.flatMap(spellings).map(value => `"${value.toLowerCase()}"`)
    const kept = warnings.filter(sentence => !quotes.some(quote => sentence.toLowerCase().includes(quote)))
    if (kept.length < warnings.length)
      await trx
        .updateTable('tasks')
        .set({ warnings: json(kept) })
        .where('task_id', '=', task_id)
        .execute()
  }
  return ids
}

/** The name of the file, as it is shown and as the search has it. */
function withoutName(input: ChainInput, unnamed: Unnamed) {
  if (!('file' in input) || input.file_name === undefined) return {}
  const named = json({ ...input, file_name: unnamed(input.file_name) })
  return { input: named, file_name: foldedName(sql`${named}::json`) }
}

/** Also those that they were taken off later, and of which they keep an activity. */
const guestsTasks = (queries: Queries, visible: Visible, profileId: string) =>
  queries
    .selectFrom('tasks')
    .select('task_id')
    .where('task_id', 'in', eb =>
      eb
        .selectFrom('task_guests')
        .select('task_id')
        .where('profile_id', '=', profileId)
        .union(eb.selectFrom('activities').select('task_id').where('owner_id', '=', profileId)),
    )
    .where(isSeen(visible))
