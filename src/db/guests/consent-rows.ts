// Queries about consent: what was said about a keepsake, and which tasks wait for somebody's word.
import { sql } from 'kysely'
import type { Consent } from '#kit/guest/consent.ts'
import { json, type Queries, type Trx } from '../database.ts'
import { isSame } from '../nouns/profiles-lookup.ts'
import type { TaskRow } from '../tasks/task-rows.ts'

/** Whose word is waited for: a lookup value as it is compared, or a keepsake by its id. */
export interface Waiter {
  kind: string
  key: string
}

export async function readKeepsakeConsent(db: Queries, keepsakeId: string): Promise<Consent | null> {
  const row = await db
    .selectFrom('keepsakes')
    .select('consent')
    .where('keepsake_id', '=', keepsakeId)
    .executeTakeFirst()
  return row?.consent ?? null
}

export async function noteConsentWaits(db: Queries, taskId: string, waiters: readonly Waiter[]): Promise<void> {
  if (waiters.length === 0) return
  await db
    .insertInto('consent_waits')
    .values(waiters.map(({ kind, key }) => ({ task_id: taskId, kind, key })))
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

/** More are not woken at once; the others look by themselves after a while. */
const MOST_WOKEN = 500

/**
 * Makes the entries due that wait for one of these, and returns their tasks, locked. A task that a worker holds is passed over: it
 * looks again by itself.
 */
export async function dueForConsent(trx: Trx, waiters: readonly Waiter[]): Promise<TaskRow[]> {
  if (waiters.length === 0) return []
  const { rows } = await sql<TaskRow>`
    select t.* from tasks t
    where t.worker_id is null and t.job_id is not null and t.status in ('Waiting', 'Running') and t.task_id in (
      select w.task_id from consent_waits w
      join json_to_recordset(${json(waiters)}::json) as v (kind text, key text) on ${isSame('w', 'v')})
    order by t.task_id limit ${MOST_WOKEN} for update skip locked`.execute(trx)
  const ids = rows.map(({ task_id }) => task_id)
  if (ids.length === 0) return []
  await sql`
    update entries e set retry_at = now() from chains c
    where c.chain_id = e.chain_id and c.task_id = any(${ids}::uuid[]) and e.error ->> 'code' = 'needs_consent' and e.retry_at > now()`.execute(
    trx,
  )
  return rows
}
