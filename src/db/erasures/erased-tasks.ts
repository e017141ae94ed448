// Queries about the tasks and keepsakes that an erasure takes: whose they are, marking them, deleting all rows of them.

import { sql } from 'kysely'
import { NIL } from '#kit/ids.ts'
import type { JsonObject } from '#kit/json.ts'
import { json, type Queries, type Trx } from '../database.ts'
import { notifyChange } from '../notify.ts'
import { isAmong, keyed, type Lookup } from '../nouns/profiles-lookup.ts'
import { isSeen, type Visible } from '../visible.ts'

/** A task that may be the person's, with whom it names. */
export interface Candidate {
  task_id: string
  experience_id: string
  keepsake_id: string | null
  ended_at: Date | null
  guests: string[]
  extras: JsonObject[]
}

const valuesOf = (lookups: readonly Lookup[]): string => json(lookups.map(keyed))

/** Ids of tasks that have found the person, and of open ones that name a value of theirs: guests are found when a task ends. */
export async function tasksNaming(
  queries: Queries,
  visible: Visible,
  profileId: string,
  lookups: readonly Lookup[],
): Promise<string[]> {
  const { rows } = await sql<{ task_id: string }>`
    select t.task_id from task_guests g join tasks t using (task_id)
    where g.profile_id = ${profileId} and ${isSeen(visible, 't.experience_id')}`.execute(queries)
  return [...new Set([...rows.map(row => row.task_id), ...(await openNaming(queries, visible, lookups))])]
}

/** Open tasks that one statement looks at. */
const OPEN_AT_ONCE = 500

async function openNaming(queries: Queries, visible: Visible, lookups: readonly Lookup[]): Promise<string[]> {
  const naming: string[] = []
  for (let after = NIL; ; ) {
    const { rows } = await sql<{ task_id: string; names: boolean }>`
      with open as materialized (
        select task_id, experience_id from tasks where status in ('Waiting', 'Running') and task_id > ${after} order by task_id limit ${OPEN_AT_ONCE}
      )
      select o.task_id, ${isSeen(visible, 'o.experience_id')} and exists (
        select from json_to_recordset(${valuesOf(lookups)}::json) as v (kind text, key text)
        join lateral (select c.extras from chains c where c.task_id = o.task_id offset 0) c on true
        cross join lateral json_array_elements_text(
          case json_typeof(c.extras -> v.kind) when 'array' then c.extras -> v.kind else json_build_array(c.extras -> v.kind) end) x
        where lower(trim(x)) = lower(v.key) or lookup_same(v.kind, x) = lookup_same(v.kind, v.key)) as names
      from open o order by o.task_id`.execute(queries)
    naming.push(...rows.filter(({ names }) => names).map(({ task_id }) => task_id))
    const last = rows.at(-1)
    if (!last || rows.length < OPEN_AT_ONCE) return naming
    after = last.task_id
  }
}

/** Ids of keepsakes that belong to one of these values, in experiences where the person may be found. */
export async function keepsakesOf(
  queries: Queries,
  visible: Visible,
  experienceId: string | null,
  lookups: readonly Lookup[],
): Promise<string[]> {
  const { rows } = await sql<{ keepsake_id: string }>`
    select distinct k.keepsake_id from keepsake_lookups l join keepsakes k using (keepsake_id)
    where ${isAmong('l', lookups.map(keyed))}
      and k.experience_id = coalesce(${experienceId}, k.experience_id) and ${isSeen(visible, 'k.experience_id')}`.execute(
    queries,
  )
  return rows.map(row => row.keepsake_id)
}

export interface HeldKeepsake {
  keepsake_id: string
  lookups: Lookup[]
}

/** Locks keepsakes: no task takes one of them until the transaction ends. Those that are erased already are left out. */
export async function lockKeepsakes(trx: Trx, ids: readonly string[]): Promise<HeldKeepsake[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<HeldKeepsake>`
    select k.keepsake_id, coalesce((select json_agg(json_build_object('kind', l.kind, 'value', l.value)) from keepsake_lookups l where l.keepsake_id = k.keepsake_id), '[]') as lookups
    from keepsakes k where k.keepsake_id = any(${[...ids]}::uuid[]) and k.erased_at is null order by k.keepsake_id for no key update`.execute(
    trx,
  )
  return rows
}

/** Locks tasks, those of these keepsakes among them, unless another erasure has them. */
export async function lockCandidates(
  trx: Trx,
  taskIds: readonly string[],
  keepsakeIds: readonly string[],
): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select t.task_id, t.experience_id, t.keepsake_id, t.ended_at,
      array(select g.profile_id from task_guests g where g.task_id = t.task_id) as guests,
      coalesce((select json_agg(c.extras order by c.index) from chains c where c.task_id = t.task_id), '[]') as extras
    from tasks t
    where t.task_id = any(array(select unnest(${[...taskIds]}::uuid[]) union select task_id from tasks where keepsake_id = any(${[...keepsakeIds]}::uuid[])))
      and t.erasing is null order by t.task_id for update of t`.execute(trx)
  return rows
}

/** The keepsakes of these tasks. */
export async function keepsakesOfTasks(queries: Queries, taskIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ keepsake_id: string }>`
    select distinct keepsake_id from tasks where task_id = any(${[...taskIds]}::uuid[]) and keepsake_id is not null`.execute(
    queries,
  )
  return rows.map(row => row.keepsake_id)
}

export async function markTasks(trx: Trx, erasureId: string, taskIds: readonly string[]): Promise<void> {
  await sql`
    update tasks set erasing = ${erasureId} where task_id = any(${[...taskIds]}::uuid[])`.execute(trx)
}

export async function markedTasks(db: Queries, erasureId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('tasks')
    .select('task_id')
    .where('erasing', '=', erasureId)
    .orderBy('task_id')
    .limit(limit)
    .execute()
  return rows.map(row => row.task_id)
}

/** From now on their pages say that they are gone, and no task takes them. */
export async function closeKeepsakes(trx: Trx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const all = sql`any(${[...ids]}::uuid[])`
  await sql`update keepsakes set erased_at = now(), consent = null where keepsake_id = ${all}`.execute(trx)
  await sql`delete from keepsake_lookups where keepsake_id = ${all}`.execute(trx)
  await sql`
    update audit_events set before = null, after = null where object_id = any(${[...ids]}::text[]) and object = 'keepsake'`.execute(
    trx,
  )
}

/** Of keepsakes that stay, because they are others' too. */
export async function forgetKeepsakeLookups(
  trx: Trx,
  ids: readonly string[],
  lookups: readonly Lookup[],
): Promise<void> {
  if (ids.length === 0) return
  await sql`
    delete from keepsake_lookups l where keepsake_id = any(${[...ids]}::uuid[]) and ${isAmong('l', lookups.map(keyed))}`.execute(
    trx,
  )
}

interface ErasedCallback {
  receiver: string
  /** Or is being sent at this moment. */
  was_sent: boolean
  job_id: string | null
}

/** Deletes all rows of a task that the caller has locked. */
export async function eraseTaskRows(
  trx: Trx,
  taskId: string,
): Promise<{ activities: number; idempotency_keys: number; callbacks: ErasedCallback[] }> {
  const counted = async (table: 'activities' | 'idempotency_keys'): Promise<number> =>
    Number((await trx.deleteFrom(table).where('task_id', '=', taskId).executeTakeFirst()).numDeletedRows)
  const activities = await counted('activities')
  const { rows: callbacks } = await sql<ErasedCallback & { callback_id: string }>`
    select callback_id, receiver, attempt_count > 0 or status <> 'Waiting' or worker_id is not null as was_sent, job_id
    from callbacks where task_id = ${taskId} order by callback_id for update`.execute(trx)
  await trx.deleteFrom('callbacks').where('task_id', '=', taskId).execute()
  const idempotency_keys = await counted('idempotency_keys')
  await sql`
    update audit_events set before = null, after = null
    where object_id = any(${[taskId, ...callbacks.map(each => each.callback_id)]}::text[]) and object in ('task', 'taskgroup', 'callback')`.execute(
    trx,
  )
  await trx.deleteFrom('tasks').where('task_id', '=', taskId).execute()
  await notifyChange(trx, taskId)
  return { activities, idempotency_keys, callbacks }
}

/** Tasks whose record is gone, but not what the person keeps of their deliveries. */
export async function deliveriesWithoutRecord(
  trx: Trx,
  visible: Visible,
  profileId: string,
): Promise<{ task_id: string; configuration: string | null }[]> {
  const { rows } = await sql<{ task_id: string; configuration: string | null }>`
    select distinct on (a.task_id) a.task_id, a.payload ->> 'vcc_config_name' as configuration from activities a
    where a.owner_id = ${profileId} and a.retracted_at is null and ${isSeen(visible, 'a.experience_id')}
      and a.payload #>> '{souvenir_data,adapter_response,success}' is null
      and not exists (select from tasks t where t.task_id = a.task_id) order by a.task_id`.execute(trx)
  return rows
}

/** How many activities of the person the caller sees. */
export async function countActivities(trx: Trx, visible: Visible, profileId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from activities where owner_id = ${profileId} and ${isSeen(visible)}`.execute(trx)
  return rows[0]?.count ?? 0
}
