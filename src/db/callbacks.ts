// Callbacks: frozen with the end of the run they tell of, then attempted until delivered or given up.
import { sql } from 'kysely'
import { newId } from '#kit/ids.ts'
import type { Db, Queries, Trx } from './database.ts'
import type { CallbackStatus } from './tables.ts'

export interface CallbackRow {
  callback_id: string
  task_id: string
  run: number
  experience_id: string
  url: string
  receiver: string
  body: string
  status: CallbackStatus
  attempt_count: number
  next_attempt_at: Date | null
  created_at: Date
  updated_at: Date
}

export type NewCallback = Pick<CallbackRow, 'task_id' | 'run' | 'experience_id' | 'url' | 'receiver' | 'body'>

export interface Attempt {
  at: Date
  status_code: number | null
  error: string | null
  duration_ms: number
}

export async function insertCallback(trx: Trx, callback: NewCallback): Promise<string> {
  const callback_id = newId()
  const now = new Date()
  await trx
    .insertInto('callbacks')
    .values({ ...callback, callback_id, status: 'Waiting', next_attempt_at: now, created_at: now, updated_at: now })
    .execute()
  return callback_id
}

/** Takes a due callback for one attempt; nobody else gets it before `seconds` are over. */
export async function claimCallback(db: Db, callbackId: string, seconds: number): Promise<CallbackRow | undefined> {
  return (
    db
      .updateTable('callbacks')
      .set({ next_attempt_at: sql<Date>`now() + make_interval(secs => ${seconds})` })
      .where('callback_id', '=', callbackId)
      .where('status', '=', 'Waiting')
      // Jobs are due by the database's clock and this is its clock too, but a job may be fetched a moment early.
      .where('next_attempt_at', '<=', sql<Date>`now() + interval '100 milliseconds'`)
      .returningAll()
      .executeTakeFirst()
  )
}

export async function recordAttempt(
  trx: Trx,
  callbackId: string,
  attempt: Attempt,
  status: CallbackStatus,
  nextAttemptAt: Date | null,
): Promise<void> {
  await trx
    .insertInto('callback_attempts')
    .values({ callback_id: callbackId, ...attempt })
    .execute()
  await trx
    .updateTable('callbacks')
    .set(eb => ({
      status,
      next_attempt_at: nextAttemptAt,
      attempt_count: eb('attempt_count', '+', 1),
      updated_at: new Date(),
    }))
    .where('callback_id', '=', callbackId)
    .execute()
}

/** Opens a callback again; answers undefined when it is already waiting. */
export async function reopenCallback(trx: Trx, callbackId: string): Promise<CallbackRow | undefined> {
  return trx
    .updateTable('callbacks')
    .set({ status: 'Waiting', attempt_count: 0, next_attempt_at: new Date(), updated_at: new Date() })
    .where('callback_id', '=', callbackId)
    .returningAll()
    .executeTakeFirst()
}

/** Callbacks that should have been attempted a while ago, so their job must be gone. */
export async function overdueCallbacks(db: Db, seconds: number): Promise<CallbackRow[]> {
  return db
    .selectFrom('callbacks')
    .selectAll()
    .where('status', '=', 'Waiting')
    .where('next_attempt_at', '<', sql<Date>`now() - make_interval(secs => ${seconds})`)
    .orderBy('next_attempt_at')
    .limit(500)
    .execute()
}

export async function findCallback(queries: Queries, callbackId: string): Promise<CallbackRow | undefined> {
  return queries.selectFrom('callbacks').selectAll().where('callback_id', '=', callbackId).executeTakeFirst()
}
