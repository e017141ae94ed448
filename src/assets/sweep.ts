// Removes the files of replaced and deleted assets once no task can need them any more.
import { deleteVersions, lockUnusedVersions } from '#db/assets.ts'
import type { Db } from '#db/database.ts'
import { failpoint } from '#kit/failpoint.ts'
import type { Blobs } from '#storage/blobs.ts'

const BATCH = 100

/** `before`: a task that is being accepted right now may still name what was replaced a moment ago. */
export async function sweepAssetVersions(db: Db, blobs: Blobs, before: Date): Promise<number> {
  let swept = 0
  for (;;) {
    const found = await db.transaction().execute(async trx => {
      const unused = await lockUnusedVersions(trx, before, BATCH)
      // The files go first: if this is interrupted, the rows still lead to what is left.
      for (const { blob } of unused) await blobs.delete(blob)
      await deleteVersions(
        trx,
        unused.map(({ version_id }) => version_id),
      )
      if (unused.length > 0) failpoint('sweep_assets.before')
      return unused.length
    })
    if (found > 0) failpoint('sweep_assets.after')
    swept += found
    if (found < BATCH) return swept
  }
}
