// Tells listeners that a task changed or shall be cancelled, with the transaction that did it.
import { sql } from 'kysely'
import type { Queries } from './database.ts'

/** Notified with a task id at every change of the task or an entry of it. */
export const CHANGE_CHANNEL = 'keepsake_changes'
/** Notified with a task id when a running task shall stop. */
export const CANCEL_CHANNEL = 'keepsake_cancel'

export const nextChange = sql<number>`nextval('changes')`

export async function notifyChange(queries: Queries, taskId: string): Promise<void> {
  await sql`select pg_notify(${CHANGE_CHANNEL}, ${taskId})`.execute(queries)
}

export async function notifyCancel(queries: Queries, taskId: string): Promise<void> {
  await sql`select pg_notify(${CANCEL_CHANNEL}, ${taskId})`.execute(queries)
}
