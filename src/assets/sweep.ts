// Removes the files of replaced and deleted assets once no task can need them any more.
import { deleteVersions, lockUnusedVersions } from '#db/assets.ts'
import type { Db } from '#db/database.ts'
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
      return unused.length
    })
    swept += found
    if (found < BATCH) return swept
  }
}
