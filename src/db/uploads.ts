// Queries about uploads: blobs that are written but not yet owned by a row.
import { Problem } from '#kit/errors.ts'
import { failpoint } from '#kit/failpoint.ts'
import type { Queries, Trx } from './database.ts'

export async function rememberUpload(db: Queries, blob: string): Promise<void> {
  failpoint('note.before')
  await db
    .insertInto('uploads')
    .values({ blob, created_at: new Date() })
    // Noted already, and only the answer was lost.
    .onConflict(conflict => conflict.column('blob').doNothing())
    .execute()
  failpoint('note.after')
}

/** In the transaction that makes a row their owner: from its commit on they are kept. */
export async function forgetUploads(trx: Trx, blobs: readonly string[]): Promise<void> {
  if (blobs.length === 0) return
  const { numDeletedRows } = await trx.deleteFrom('uploads').where('blob', 'in', blobs).executeTakeFirstOrThrow()
  // The sweeper took it for dead and removes its file: whoever sent it must send it again.
  if (Number(numDeletedRows) !== new Set(blobs).size)
    throw new Problem('unavailable', 'The upload took so long that its file was removed. Send it again.', {
      retryAfterSeconds: 1,
    })
}

/** Those of the given blobs that nobody owns; locked, so that nobody becomes their owner meanwhile. */
export async function lockUploads(trx: Trx, blobs: readonly string[]): Promise<string[]> {
  if (blobs.length === 0) return []
  const rows = await trx.selectFrom('uploads').select('blob').where('blob', 'in', blobs).forUpdate().execute()
  return rows.map(({ blob }) => blob)
}

/** Uploads that have had no owner since then, the oldest first; locked as above. */
export async function lockOldUploads(trx: Trx, before: Date, limit: number): Promise<string[]> {
  const rows = await trx
    .selectFrom('uploads')
    .select('blob')
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  return rows.map(({ blob }) => blob)
}
