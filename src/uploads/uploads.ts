// Files on their way in: noted before they can be seen, so that one whose request or worker died is found and removed.
import type { Db, Trx } from '#db/database.ts'
import { forgetUploads, lockOldUploads, lockUploads, refreshUploads, rememberUpload } from '#db/tasks/upload-rows.ts'
import { failpoint } from '#kit/failpoint.ts'
import type { Blobs, Kept, PutOptions } from '#storage/blobs.ts'
import { type Deleted, deleteEach } from '#storage/delete-each.ts'

export interface Uploads {
  /** As `Blobs.put`; the blob stays only if a transaction takes it over (`db/uploads.ts`). */
  put(source: AsyncIterable<Uint8Array>, options?: Omit<PutOptions, 'announce'>): Promise<Kept>
  /** Keeps them from the sweeper until it is disposed of: the rest of a request may take hours. Asked for anew each time. */
  hold(blobs: () => readonly string[]): Disposable
  /** Removes those of the blobs that nobody has taken over, even if it can't be known whether somebody did. */
  drop(blobs: readonly string[]): Promise<void>
}

/** Well below the time after which the sweeper takes an upload for dead. */
const REFRESH_MS = 10 * 60_000

export function newUploads(db: Db, blobs: Blobs): Uploads {
  const announce = (blob: string): Promise<void> => rememberUpload(db, blob)
  return {
    put: (source, options) => blobs.put(source, { ...options, announce }),
    hold(held) {
      const refresh = async (): Promise<void> => {
        const ids = held()
        if (ids.length > 0) await refreshUploads(db, ids)
      }
      // One that fails is made up for by the next.
      const timer = setInterval(() => void refresh().catch(() => {}), REFRESH_MS).unref()
      return { [Symbol.dispose]: () => clearInterval(timer) }
    },
    drop: ids => db.transaction().execute(async trx => remove(trx, blobs, await lockUploads(trx, ids))),
  }
}

/** Removes uploads that were begun before `before` and have no owner yet, `limit` at most. */
export async function sweepUploads(db: Db, blobs: Blobs, before: Date, limit: number): Promise<Deleted> {
  const swept = await db.transaction().execute(async trx => {
    const deleted = await deleteEach(blobs, await lockOldUploads(trx, before, limit))
    await forgetUploads(trx, deleted.gone)
    // As young as new ones, so that they keep no others waiting.
    if (deleted.left.length > 0) await refreshUploads(trx, deleted.left)
    if (deleted.gone.length > 0) failpoint('sweep_uploads.before')
    return deleted
  })
  if (swept.gone.length > 0) failpoint('sweep_uploads.after')
  return swept
}

/** The files go first: if this is interrupted, the notes still lead to what is left. */
async function remove(trx: Trx, blobs: Blobs, ids: readonly string[]): Promise<void> {
  for (const blob of ids) await blobs.delete(blob)
  await forgetUploads(trx, ids)
}
