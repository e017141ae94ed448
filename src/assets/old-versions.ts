// Removes the files of replaced and deleted assets once no task can need them any more.

import type { Db } from '#db/database.ts'
import { deleteVersions, laterVersions, lockReplacedVersions } from '#db/nouns/asset-rows.ts'
import { failpoint } from '#kit/failpoint.ts'
import type { Blobs } from '#storage/blobs.ts'
import { type Deleted, deleteEach } from '#storage/delete-each.ts'

/** `before`: a task that is being accepted right now may still name what was replaced a moment ago. Looks at `limit` at most. */
export async function sweepAssetVersions(
  db: Db,
  blobs: Blobs,
  before: Date,
  limit: number,
): Promise<Deleted & { seen: number }> {
  const swept = await db.transaction().execute(async trx => {
    const replaced = await lockReplacedVersions(trx, before, limit)
    const unused = replaced.filter(({ needed }) => !needed)
    // The files go first: if this is interrupted, the rows still lead to what is left.
    const deleted = await deleteEach(
      blobs,
      unused.map(({ blob }) => blob),
    )
    const isGone = new Set(deleted.gone)
    const ids = (gone: boolean): string[] =>
      unused.filter(({ blob }) => isGone.has(blob) === gone).map(({ version_id }) => version_id)
    await deleteVersions(trx, ids(true))
    await laterVersions(trx, ids(false))
    if (deleted.gone.length > 0) failpoint('sweep_assets.before')
    return { ...deleted, seen: replaced.length }
  })
  if (swept.gone.length > 0) failpoint('sweep_assets.after')
  return swept
}
