// Files on their way in: noted before they can be seen, so that one whose request or worker died is found and removed.
import type { Db, Trx } from '#db/database.ts'
import { forgetUploads, lockOldUploads, lockUploads, refreshUploads, rememberUpload } from '#db/uploads.ts'
import { failpoint } from '#kit/failpoint.ts'
import type { Blobs, Kept, PutOptions } from '#storage/blobs.ts'

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

const BATCH = 100

/** Removes the uploads that were begun before `before` and have no owner yet; answers how many. */
export async function sweepUploads(db: Db, blobs: Blobs, before: Date): Promise<number> {
  let swept = 0
  for (;;) {
    const found = await db.transaction().execute(async trx => {
      const old = await lockOldUploads(trx, before, BATCH)
      await remove(trx, blobs, old)
      if (old.length > 0) failpoint('sweep_uploads.before')
      return old.length
    })
    if (found > 0) failpoint('sweep_uploads.after')
    swept += found
    if (found < BATCH) return swept
  }
}

/** The files go first: if this is interrupted, the notes still lead to what is left. */
async function remove(trx: Trx, blobs: Blobs, ids: readonly string[]): Promise<void> {
  for (const blob of ids) await blobs.delete(blob)
  await forgetUploads(trx, ids)
}
