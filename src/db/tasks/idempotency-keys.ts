// Idempotency keys: who sent one first, what it was sent with, and which task came of it.
import { sql } from 'kysely'
import { Problem } from '#kit/errors.ts'
import type { Db, Trx } from '../database.ts'

interface KeyRow {
  fingerprint: string
  task_id: string | null
  created_at: Date
}

/** While a request is being received its key is refreshed; one that fell silent belongs to a dead process. */
export const KEY_SILENCE_SECONDS = 30

/** Null: the key is now the caller's. Else whose it is already. */
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
  // This request was taken for dead, and another with the same key has got ahead of it.
  if (numUpdatedRows === 0n)
    throw new Problem('idempotency_in_progress', 'Another request with this Idempotency-Key was faster.', {
      retryAfterSeconds: 1,
    })
}

/** The request came to nothing: the key may be used again. */
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
