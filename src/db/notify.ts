// Notifies listeners of changes, cancels and new jobs, in the transaction that made them.
import { type RawBuilder, sql } from 'kysely'
import type { Queries } from './database.ts'

/** Notified with a task id at every change of the task or of one of its entries. */
export const CHANGE_CHANNEL = 'keepsake_changes'
/** Notified with a task id when a running task has to stop. */
export const CANCEL_CHANNEL = 'keepsake_cancel'

/** Notified by triggers with an experience's id when something may have left its walls; with nothing, for the walls of all. */
export const WALL_CHANNEL = 'keepsake_wall'

/** Notified with a lane's name when a job that may run at once was put into it. */
export const QUEUE_CHANNEL = 'keepsake_queue'

export const nextChange = sql<number>`nextval('changes')`

export async function notifyChange(queries: Queries, taskId: string): Promise<void> {
  await sql`select pg_notify(${CHANGE_CHANNEL}, ${taskId})`.execute(queries)
}

export async function notifyCancel(queries: Queries, taskId: string): Promise<void> {
  await sql`select pg_notify(${CANCEL_CHANNEL}, ${taskId})`.execute(queries)
}

/** Selected in the statement that inserts a job: wakes the workers on commit. */
export const queueNotified = (lane: string): RawBuilder<unknown> => sql`pg_notify(${QUEUE_CHANNEL}, ${lane})`

export async function notifyQueue(queries: Queries, lane: string): Promise<void> {
  await sql`select ${queueNotified(lane)}`.execute(queries)
}
