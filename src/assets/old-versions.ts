// Deletes the files of replaced and deleted assets once no task can need them.

import type { Db } from '#db/database.ts'
import { deleteVersions, lockReplacedVersions, sharedBlobs } from '#db/nouns/asset-rows.ts'
import { disownFiles } from '#db/tasks/upload-rows.ts'
import { failpoint } from '#kit/failpoint.ts'
import type { Deleted } from '#storage/delete-each.ts'

/**
 * Checks at most `limit` versions whose time was over before `before`. A task that is being accepted may still use a newer one. `remove` gets
 * the files that nobody owns any more.
 */
export async function sweepAssetVersions(
  db: Db,
  before: Date,
  limit: number,
  remove: (files: readonly string[]) => Promise<Deleted>,
): Promise<Deleted & { seen: number }> {
  const { seen, files } = await db.transaction().execute(async trx => {
    const replaced = await lockReplacedVersions(trx, before, limit)
    const unused = replaced.filter(({ needed }) => !needed)
    const shared = await sharedBlobs(trx, unused)
    const files = [...new Set(unused.map(({ blob }) => blob))].filter(blob => !shared.has(blob))
    await deleteVersions(
      trx,
      unused.map(({ version_id }) => version_id),
    )
    await disownFiles(trx, files)
    if (files.length > 0) failpoint('sweep_assets.before')
    return { seen: replaced.length, files }
  })
  if (files.length > 0) failpoint('sweep_assets.after')
  return { ...(await remove(files)), seen }
}
