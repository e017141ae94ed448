// Uploads: each is noted before it is stored, so that one whose request or worker died is found and deleted.
import type { Db } from '#db/database.ts'
import {
  condemnOldUploads,
  condemnUploads,
  forgetCondemned,
  refreshUploads,
  rememberUpload,
} from '#db/tasks/upload-rows.ts'
import { Problem } from '#kit/errors.ts'
import { failpoint } from '#kit/failpoint.ts'
import type { Blobs, PutOptions, StoredWithHead } from '#storage/blobs.ts'
import { type Deleted, deleteEach } from '#storage/delete-each.ts'

export interface Uploads {
  /** Like `Blobs.put`. The blob stays only if a transaction takes it over (`db/tasks/upload-rows.ts`). */
  put(source: AsyncIterable<Uint8Array>, options?: Omit<PutOptions, 'announce'>): Promise<StoredWithHead>
  /** Keeps blobs from the sweeper until it is disposed of: a request may take hours. `blobs` is called again each time. */
  hold(blobs: () => readonly string[]): Disposable
  /** Deletes those of the blobs that no row owns. Safe when the caller does not know whether its transaction committed. */
  drop(blobs: readonly string[]): Promise<void>
}

/** Well below the age at which the sweeper takes an upload for dead. */
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
      // The next refresh makes up for a failed one.
      const timer = setInterval(() => void refresh().catch(() => {}), REFRESH_MS).unref()
      return { [Symbol.dispose]: () => clearInterval(timer) }
    },
    async drop(ids) {
      const { reason } = await removeFiles(db, blobs, ids)
      if (reason !== null) throw new Problem('unavailable', reason)
    },
  }
}

/** Deletes at most `limit` uploads from before `before` that have no owner. */
export async function sweepUploads(
  db: Db,
  blobs: Blobs,
  before: Date,
  limit: number,
  signal?: AbortSignal,
): Promise<Deleted> {
  const deleted = await deleteEach(blobs, await condemnOldUploads(db, before, limit), signal)
  if (deleted.gone.length > 0) failpoint('sweep_uploads.before')
  await forgetCondemned(db, deleted.gone)
  // Reset their age, so that they do not keep others waiting.
  if (deleted.left.length > 0 && !signal?.aborted) await refreshUploads(db, deleted.left)
  if (deleted.gone.length > 0) failpoint('sweep_uploads.after')
  return deleted
}

/**
 * Deletes those of the files that no row owns. No lock is held over the file store: marked first and forgotten last, they are found again after
 * an interruption.
 */
export async function removeFiles(
  db: Db,
  blobs: Blobs,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<Deleted> {
  const deleted = await deleteEach(blobs, await condemnUploads(db, ids), signal)
  await forgetCondemned(db, deleted.gone)
  return deleted
}
