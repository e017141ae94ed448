// Deletes the record of a task and what belongs to it. Activities stay: they belong to the guest.
import { sql } from 'kysely'
import type { Trx } from '../database.ts'
import { notifyChange } from '../notify.ts'
import type { CallbackStatus } from '../tables.ts'

/** The states of the callbacks of a task, locked: none is sent again until the transaction ends. */
export async function lockCallbacksOf(trx: Trx, taskId: string): Promise<CallbackStatus[]> {
  const rows = await trx
    .selectFrom('callbacks')
    .select('status')
    .where('task_id', '=', taskId)
    .orderBy('callback_id')
    .forUpdate()
    .execute()
  return rows.map(({ status }) => status)
}

/** The files of the task are noted as uploads that nobody owns, in the same transaction. */
export async function deleteTaskRows(trx: Trx, taskId: string, blobs: readonly string[]): Promise<void> {
  await sql`
    insert into uploads (blob, created_at) select blob, now() from unnest(${[...blobs]}::text[]) blob on conflict (blob) do nothing`.execute(
    trx,
  )
  await trx.deleteFrom('callbacks').where('task_id', '=', taskId).execute()
  await trx.deleteFrom('tasks').where('task_id', '=', taskId).execute()
  await notifyChange(trx, taskId)
}
