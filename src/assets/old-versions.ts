// Deletes the files of replaced and deleted assets once no task can need them.

import type { Db } from '#db/database.ts'
import { deleteVersions, laterVersions, lockReplacedVersions, sharedBlobs } from '#db/nouns/asset-rows.ts'
import { failpoint } from '#kit/failpoint.ts'
import type { Blobs } from '#storage/blobs.ts'
import { type Deleted, deleteEach } from '#storage/delete-each.ts'

/** Checks at most `limit` versions whose time was over before `before`. A task that is being accepted may still use a newer one. */
export async function sweepAssetVersions(
  db: Db,
  blobs: Blobs,
  before: Date,
  limit: number,
  signal?: AbortSignal,
): Promise<Deleted & { seen: number }> {
  const swept = await db.transaction().execute(async trx => {
    const replaced = await lockReplacedVersions(trx, before, limit)
    const unused = replaced.filter(({ needed }) => !needed)
    const shared = await sharedBlobs(trx, unused)
    // Files are deleted first: after an interruption the rows still point to those that are left.
    const deleted = await deleteEach(
      blobs,
      [...new Set(unused.map(({ blob }) => blob))].filter(blob => !shared.has(blob)),
      signal,
    )
    const isGone = new Set([...deleted.gone, ...shared])
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
