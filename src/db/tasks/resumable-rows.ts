// Queries about resumable uploads: files that are uploaded in several requests before a task takes them over.

import { type RawBuilder, sql } from 'kysely'
import { NIL } from '#kit/ids.ts'
import type { JsonObject } from '#kit/json.ts'
import { type Db, json, type Queries, type Trx } from '../database.ts'

/** How long an upload may take, and how long it then waits for its task; told as `Upload-Expires`. */
const EXPIRY = '24 hours'

export interface ResumableRow {
  upload_id: string
  token_id: string
  length: number | null
  received: number
  place: JsonObject | null
  metadata: Record<string, string | null>
  sha256: string | null
  expires_at: Date
  /** By the clock of the database. */
  expired: boolean
}

type NewResumable = Pick<ResumableRow, 'upload_id' | 'token_id' | 'length' | 'metadata'>

const columns = sql`upload_id, token_id, length, received, place, metadata, sha256, expires_at, expires_at <= now() as expired`

/** Names the lock of an upload. A request holds it through a session of its process. */
const lockKey = (uploadId: string | RawBuilder<unknown>): RawBuilder<number> =>
  sql<number>`hashtextextended('upload ' || ${uploadId}::text, 0)`

/** Null if the token has `most` uploads already. Exact, however many requests come at once. */
export async function insertResumable(db: Db, row: NewResumable, most: number): Promise<ResumableRow | null> {
  return db.transaction().execute(async trx => {
    await sql`select pg_advisory_xact_lock(hashtextextended('uploads of ' || ${row.token_id}::text, 0))`.execute(trx)
    const { rows } = await sql<ResumableRow>`
      insert into resumable_uploads (upload_id, token_id, length, metadata, created_at, expires_at)
      select ${row.upload_id}::uuid, ${row.token_id}, ${row.length}::bigint, ${json(row.metadata)}::json, now(),
        date_trunc('milliseconds', now()) + ${EXPIRY}::interval
      where (
        select count(*) from (select from resumable_uploads where token_id = ${row.token_id} limit ${most}) open
      ) < ${most}
      returning ${columns}`.execute(trx)
    return rows[0] ?? null
  })
}

export async function findResumable(queries: Queries, uploadId: string): Promise<ResumableRow | undefined> {
  const { rows } = await sql<ResumableRow>`
    select ${columns} from resumable_uploads where upload_id = ${uploadId}::uuid`.execute(queries)
  return rows[0]
}

/** Moves the count of stored bytes on. False if it is not at `from` any more: somebody else went on with the upload, or it is gone. */
export async function noteReceived(
  db: Db,
  uploadId: string,
  from: number,
  to: number,
  place: JsonObject | null,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update resumable_uploads set received = ${to}::bigint, place = ${place && json(place)}::json
    where upload_id = ${uploadId}::uuid and received = ${from}::bigint and sha256 is null`.execute(db)
  return numAffectedRows === 1n
}

/** False if the length is known already. */
export async function declareLength(db: Db, uploadId: string, length: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update resumable_uploads set length = ${length}::bigint
    where upload_id = ${uploadId}::uuid and length is null and received <= ${length}::bigint`.execute(db)
  return numAffectedRows === 1n
}

export async function noteWhole(db: Db, uploadId: string, sha256: string): Promise<void> {
  await sql`update resumable_uploads set sha256 = ${sha256} where upload_id = ${uploadId}::uuid`.execute(db)
}

export async function askForResumable(db: Db, uploadId: string): Promise<void> {
  await sql`update resumable_uploads set asked_at = now() where upload_id = ${uploadId}::uuid`.execute(db)
}

/** Whether somebody asked for the upload in the last seconds. */
export async function isAskedFor(db: Db, uploadId: string): Promise<boolean> {
  const { rows } = await sql`
    select from resumable_uploads
    where upload_id = ${uploadId}::uuid and asked_at > now() - interval '10 seconds'`.execute(db)
  return rows.length > 0
}

/** Its time is over: no task takes it any more, and no request goes on with it. Undefined if it is gone already. */
export async function expireResumable(db: Db, uploadId: string): Promise<ResumableRow | undefined> {
  const { rows } = await sql<ResumableRow>`
    update resumable_uploads set expires_at = least(expires_at, date_trunc('milliseconds', now()))
    where upload_id = ${uploadId}::uuid returning ${columns}`.execute(db)
  return rows[0]
}

export async function deleteResumables(db: Db, uploadIds: readonly string[]): Promise<void> {
  if (uploadIds.length === 0) return
  await sql`delete from resumable_uploads where upload_id = any(${uploadIds}::uuid[])`.execute(db)
}

/** Where a sweep goes on: behind the last row that it has seen. Times are whole milliseconds, as JavaScript has them. */
export interface ExpiredAfter {
  expires_at: Date
  upload_id: string
}

/** Uploads past their time, oldest first. */
export async function expiredResumables(db: Db, after: ExpiredAfter | null, limit: number): Promise<ResumableRow[]> {
  const { rows } = await sql<ResumableRow>`
    select ${columns} from resumable_uploads
    where expires_at <= now()
      and (expires_at, upload_id) > (${after?.expires_at ?? new Date(0)}::timestamptz, ${after?.upload_id ?? NIL}::uuid)
    order by expires_at, upload_id limit ${limit}`.execute(db)
  return rows
}

/** Whether no request holds the upload. One that comes later finds that its time is over. */
export async function isIdle(db: Db, uploadId: string): Promise<boolean> {
  const { rows } = await sql<{ idle: boolean }>`
    select pg_try_advisory_xact_lock(${lockKey(uploadId)}) as idle`.execute(db)
  return rows[0]?.idle ?? false
}

/**
 * Makes whole uploads of a token ordinary ones, which the same transaction then gives an owner (`upload-rows.ts`). Returns those that
 * are no longer there: another task took them, or their time is over.
 */
export async function takeResumables(trx: Trx, tokenId: string, uploadIds: readonly string[]): Promise<string[]> {
  if (uploadIds.length === 0) return []
  const { rows } = await sql<{ blob: string }>`
    with mine as (
      select upload_id from resumable_uploads
      where upload_id = any(${uploadIds}::uuid[]) and token_id = ${tokenId} and sha256 is not null and expires_at > now()
      order by upload_id for update
    ), gone as (
      delete from resumable_uploads r using mine where r.upload_id = mine.upload_id returning r.upload_id
    )
    insert into uploads (blob, created_at) select upload_id::text, now() from gone returning blob`.execute(trx)
  const taken = new Set(rows.map(({ blob }) => blob))
  return uploadIds.filter(id => !taken.has(id))
}
