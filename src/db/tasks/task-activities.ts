// Writes activities: never two for the same task, entry and profile.
import { sql } from 'kysely'
import { newId } from '#kit/ids.ts'
import type { JsonObject } from '#kit/json.ts'
import { json, type Trx } from '../database.ts'
import { isAmong, type KeyedLookup, keyed, type Lookup } from '../nouns/profiles-lookup.ts'

export interface NewActivity {
  task_id: string
  chain_id: string
  entry: number
  experience_id: string
  activity_type: string
  flow_id: string
  payload: JsonObject
}

/** Inserts the activities that do not exist yet; those that do tell of the delivery as it is now. Returns all ids, in the order given. */
export async function insertActivities(
  trx: Trx,
  activities: readonly (NewActivity & { owner_id: string })[],
): Promise<string[]> {
  if (activities.length === 0) return []
  const rows = activities.map(activity => ({ ...activity, activity_id: newId(), created_at: new Date() }))
  // As JSON: of as many as may have waited for one guest no statement could take the parameters.
  const { rows: made } = await sql<{ activity_id: string; chain_id: string; entry: number; owner_id: string }>`
    insert into activities
      (activity_id, task_id, chain_id, entry, owner_id, experience_id, activity_type, flow_id, payload, created_at, retracted_at)
    select v.*, e.retracted_at
    from json_to_recordset(${json(rows)}::json) as v
      (activity_id uuid, task_id uuid, chain_id uuid, entry int, owner_id uuid, experience_id text, activity_type text,
        flow_id uuid, payload json, created_at timestamptz)
      left join entries e on e.chain_id = v.chain_id and e.index = v.entry
    on conflict (chain_id, entry, owner_id) do update set payload = excluded.payload, retracted_at = excluded.retracted_at
    returning activity_id, chain_id, entry, owner_id`.execute(trx)
  const ids = new Map(made.map(row => [oneOf(row), row.activity_id]))
  return activities.map(activity => ids.get(oneOf(activity)) as string)
}

const oneOf = ({ chain_id, entry, owner_id }: { chain_id: string; entry: number; owner_id: string }): string =>
  `${chain_id}/${entry}/${owner_id}`

export async function insertWaitingActivities(
  trx: Trx,
  lookups: readonly (NewActivity & KeyedLookup)[],
): Promise<void> {
  if (lookups.length === 0) return
  const rows = lookups.map(({ kind, key, ...activity }) => {
    const { task_id, chain_id, entry } = activity
    return { kind, key, task_id, chain_id, entry, activity }
  })
  await sql`
    insert into lookups (kind, key, task_id, chain_id, entry, activity)
    select distinct on (chain_id, entry, kind, key) *
    from json_to_recordset(${json(rows)}::json) as v (kind text, key text, task_id uuid, chain_id uuid, entry int, activity json)
    on conflict (chain_id, entry, kind, key) do update set activity = excluded.activity`.execute(trx)
}

/** For a chain that names other guests now: those that are no longer named get no activity of it and are no guests of it. */
export async function forgetLookups(trx: Trx, chainId: string, named: readonly Lookup[]): Promise<void> {
  const others = sql`l.chain_id = ${chainId} and not ${isAmong('l', named.map(keyed))}`
  await sql`delete from lookups l where ${others}`.execute(trx)
  await sql`delete from waiting_guests l where ${others}`.execute(trx)
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
  const waitsFor = isAmong('l', lookups)
  // Lock the tasks before their lookups: the order of locks everywhere.
  const { rows: tasks } = await sql<{ task_id: string }>`
    select t.task_id from tasks t join profiles p on p.profile_id = ${ownerId} and coalesce(p.experience_id, t.experience_id) = t.experience_id
    where t.task_id in (
      select task_id from lookups l where ${waitsFor} union select task_id from waiting_guests l where ${waitsFor})
    order by t.task_id for key share of t`.execute(trx)
  if (tasks.length === 0) return 0
  const found = sql`${waitsFor} and l.task_id = any(${tasks.map(({ task_id }) => task_id)}::uuid[])`
  const { rows: waiting } = await sql<{
    activity: object
  }>`delete from lookups l where ${found} returning activity`.execute(trx)
  await sql`delete from waiting_guests l where ${found}`.execute(trx)
  await sql`
    insert into task_guests (profile_id, task_id) select ${ownerId}::uuid, unnest(${tasks.map(({ task_id }) => task_id)}::uuid[])
    on conflict do nothing`.execute(trx)
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
  return activities.size
}
