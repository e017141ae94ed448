// Deletes resumable uploads that are past their time, with all that the store has of them.
import type { Db } from '#db/database.ts'
import { deleteResumables, type ExpiredAfter, expiredResumables, isIdle } from '#db/tasks/resumable-rows.ts'
import { failpoint } from '#kit/failpoint.ts'
import type { Blobs } from '#storage/blobs.ts'

interface Swept {
  gone: number
  seen: number
  /** Where the next batch begins. */
  last: ExpiredAfter | null
  reason: string | null
}

/** After this many failures the store counts as away. */
const MOST_FAILURES = 10

/** At most `limit` of them. One that a request still appends to is left for a later sweep. */
export async function sweepResumables(
  db: Db,
  blobs: Pick<Blobs, 'growing'>,
  after: ExpiredAfter | null,
  limit: number,
  signal?: AbortSignal,
): Promise<Swept> {
  const rows = await expiredResumables(db, after, limit)
  const gone: string[] = []
  let failures = 0
  let reason: string | null = null
  for (const { upload_id, received, place } of rows) {
    if (failures >= MOST_FAILURES || signal?.aborted) break
    if (!(await isIdle(db, upload_id))) continue
    try {
      await blobs.growing.discard(upload_id, { bytes: received, place }, signal)
      gone.push(upload_id)
    } catch (error) {
      failures++
      reason = (error as Error).message
    }
  }
  if (gone.length > 0) failpoint('sweep_uploads.before')
  await deleteResumables(db, gone)
  if (gone.length > 0) failpoint('sweep_uploads.after')
  return { gone: gone.length, seen: rows.length, last: rows.at(-1) ?? null, reason }
}
