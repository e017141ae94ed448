// Idempotency keys: who sent one first, with which request, and which task it made.
import { sql } from 'kysely'
import { Problem } from '#kit/errors.ts'
import type { Db, Trx } from '../database.ts'

interface KeyRow {
  fingerprint: string
  task_id: string | null
  created_at: Date
}

/** A request refreshes its key while it is received. A key without refresh for this long belongs to a dead process. */
export const KEY_SILENCE_SECONDS = 30

/** Null: the caller now has the key. Otherwise the row of the request that has it. */
export async function takeKey(db: Db, token: string, key: string): Promise<KeyRow | null> {
  const { rows } = await sql<KeyRow & { taken: boolean }>`
    with taken as (
      insert into idempotency_keys as k (token, key, fingerprint, task_id, created_at) values (${token}, ${key}, '', null, now())
      on conflict (token, key) do update set fingerprint = '', task_id = null, created_at = now()
        where (k.task_id is null and k.created_at < now() - make_interval(secs => ${KEY_SILENCE_SECONDS}))
          or k.created_at < now() - interval '24 hours'
      returning 1
    )
    select fingerprint, task_id, created_at, false as taken from idempotency_keys
      where token = ${token} and key = ${key} and not exists (select from taken)`.execute(db)
  return rows[0] ?? null
}

export async function refreshKey(db: Db, token: string, key: string): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ created_at: sql`now()` })
    .where('token', '=', token)
    .where('key', '=', key)
    .where('task_id', 'is', null)
    .execute()
}

export async function keepKey(
  trx: Trx,
  token: string,
  key: string,
  fingerprint: string,
  taskId: string,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('idempotency_keys')
    .set({ fingerprint, task_id: taskId, created_at: sql`now()` })
    .where('token', '=', token)
    .where('key', '=', key)
    .where('task_id', 'is', null)
    .executeTakeFirst()
  // This request counted as dead, and another one with the same key was faster.
  if (numUpdatedRows === 0n)
    throw new Problem('idempotency_in_progress', 'Another request with this Idempotency-Key was faster.', {
      retryAfterSeconds: 1,
    })
}

/** Frees the key of a request that made no task. */
export async function releaseKey(db: Db, token: string, key: string): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('token', '=', token)
    .where('key', '=', key)
    .where('task_id', 'is', null)
    .execute()
}

export async function forgetOldKeys(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from idempotency_keys where (token, key) in (
      select token, key from idempotency_keys where created_at < now() - interval '24 hours' order by created_at limit ${limit})
      and created_at < now() - interval '24 hours'`.execute(db)
  return Number(numAffectedRows)
}
