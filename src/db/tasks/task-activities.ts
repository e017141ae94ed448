// Writes activities: never two for the same task, entry and profile.
import { sql } from 'kysely'
import { newId } from '#kit/ids.ts'
import type { JsonObject } from '#kit/json.ts'
import { json, type Trx } from '../database.ts'
import { type KeyedLookup, keyed, type Lookup } from '../nouns/profiles-lookup.ts'
import { insertTaskGuests } from './task-guests.ts'

export interface NewActivity {
  task_id: string
  chain_id: string
  entry: number
  experience_id: string
  activity_type: string
  flow_id: string
  payload: JsonObject
}

/** Inserts the activities that do not exist yet. Returns all ids, in the order given. */
export async function insertActivities(
  trx: Trx,
  activities: readonly (NewActivity & { owner_id: string })[],
): Promise<string[]> {
  if (activities.length === 0) return []
  const rows = activities.map(activity => ({
    ...activity,
    activity_id: newId(),
    payload: json(activity.payload),
    created_at: new Date(),
  }))
  const made = await trx
    .insertInto('activities')
    .values(rows)
    .onConflict(conflict =>
      conflict
        .columns(['chain_id', 'entry', 'owner_id'])
        // One that was taken back and is delivered again tells of the new delivery.
        .doUpdateSet({
          payload: sql<string>`case when activities.retracted_at is null then activities.payload else excluded.payload end`,
          retracted_at: null,
        }),
    )
    .returning(['activity_id', 'chain_id', 'entry', 'owner_id'])
    .execute()
  return activities.map(
    ({ chain_id, entry, owner_id }) =>
      made.find(row => row.chain_id === chain_id && row.entry === entry && row.owner_id === owner_id)
        ?.activity_id as string,
  )
}

export async function insertWaitingActivities(
  trx: Trx,
  lookups: readonly (NewActivity & KeyedLookup)[],
): Promise<void> {
  if (lookups.length === 0) return
  await trx
    .insertInto('lookups')
    .values(
      lookups.map(({ kind, key, ...activity }) => ({
        kind,
        key,
        task_id: activity.task_id,
        chain_id: activity.chain_id,
        entry: activity.entry,
        activity: json(activity),
      })),
    )
    .onConflict(conflict => conflict.columns(['chain_id', 'entry', 'kind', 'key']).doNothing())
    .execute()
}

/** For a chain that names other guests now: those that are no longer named get no activity of it and are no guests of it. */
export async function forgetLookups(trx: Trx, chainId: string, named: readonly Lookup[]): Promise<void> {
  const others = sql`chain_id = ${chainId} and (kind, key) not in (
    select kind, key from json_to_recordset(${json(named.map(keyed))}::json) as v (kind text, key text))`
  await sql`delete from lookups where ${others}`.execute(trx)
  await sql`delete from waiting_guests where ${others}`.execute(trx)
}

/**
 * Makes who brings one of these values a guest of the tasks that name it, and gives them the activities that wait for it. If the guest's profile belongs to an experience, only tasks of that
 * experience count. The caller has locked the values.
 */
export async function claimWaitingActivities(
  trx: Trx,
  ownerId: string,
  lookups: readonly KeyedLookup[],
): Promise<number> {
  if (lookups.length === 0) return 0
  const values = sql`(select kind, key from json_to_recordset(${json(lookups)}::json) as v (kind text, key text))`
  // Lock the tasks before their lookups: the order of locks everywhere.
  const { rows: tasks } = await sql<{ task_id: string }>`
    select t.task_id from tasks t join profiles p on p.profile_id = ${ownerId} and coalesce(p.experience_id, t.experience_id) = t.experience_id
    where t.task_id in (
      select task_id from lookups where (kind, key) in ${values} union select task_id from waiting_guests where (kind, key) in ${values})
    order by t.task_id for key share of t`.execute(trx)
  if (tasks.length === 0) return 0
  const found = sql`(kind, key) in ${values} and task_id = any(${tasks.map(({ task_id }) => task_id)}::uuid[])`
  const { rows: waiting } = await sql<{
    activity: object
  }>`delete from lookups where ${found} returning activity`.execute(trx)
  await sql`delete from waiting_guests where ${found}`.execute(trx)
  for (const { task_id } of tasks) await insertTaskGuests(trx, task_id, [ownerId])
  // The same entry may wait for one guest under several values.
  const activities = new Map(
    (waiting as { activity: NewActivity }[]).map(({ activity }) => [
      `${activity.chain_id}/${activity.entry}`,
      activity,
    ]),
  )
  await insertActivities(
    trx,
    [...activities.values()].map(activity => ({ ...activity, owner_id: ownerId })),
  )
  // What was taken back while nobody was known by that value.
  await sql`
    update activities a set retracted_at = e.retracted_at from entries e
    where a.owner_id = ${ownerId} and a.chain_id = any(${[...activities.values()].map(({ chain_id }) => chain_id)}::uuid[])
      and e.chain_id = a.chain_id and e.index = a.entry and e.retracted_at is not null`.execute(trx)
  return activities.size
}
