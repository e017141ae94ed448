// Takes away what is past its time: files and records of finished tasks, dead uploads, old asset versions, stray folders.
import { sweepAssetVersions } from '#assets/sweep.ts'
import { forgetOldKeys } from '#db/idempotency.ts'
import { deleteOldRecords, filesPastRetention, lockFiles, markFilesDeleted } from '#db/retention.ts'
import { forgetUnusedSnapshots } from '#db/snapshots.ts'
import { forgetOldUse } from '#db/token-use.ts'
import { forgetOldTurns } from '#db/turns.ts'
import { failpoint } from '#kit/failpoint.ts'
import { sweepWorkFolders } from '#storage/work-folders.ts'
import type { TaskServices } from '#tasks/services.ts'
import { sweepUploads } from '#uploads/uploads.ts'

const HOUR_MS = 3_600_000

export interface Swept {
  files: number
  records: number
  uploads: number
  versions: number
  folders: number
}

/** Uploads that nobody owned, and assets that were replaced, before `uploadsBefore` are taken for dead. */
export async function sweep(
  { db, blobs, settings, log }: Pick<TaskServices, 'db' | 'blobs' | 'settings' | 'log'>,
  uploadsBefore = new Date(Date.now() - HOUR_MS),
): Promise<Swept> {
  const swept: Swept = { files: 0, records: 0, uploads: 0, versions: 0, folders: 0 }
  for (;;) {
    const tasks = await filesPastRetention(db, settings.keepFilesDays, 100)
    for (const taskId of tasks) {
      swept.files += await db.transaction().execute(async trx => {
        const own = await lockFiles(trx, taskId)
        // The files first: should this be interrupted, the next sweep finds the task again.
        for (const blob of own) await blobs.delete(blob)
        await markFilesDeleted(trx, taskId)
        failpoint('sweep_files.before')
        return own.length
      })
      failpoint('sweep_files.after')
    }
    if (tasks.length < 100) break
  }
  swept.records = await deleteOldRecords(db, settings.keepRecordsDays)
  swept.uploads = await sweepUploads(db, blobs, uploadsBefore)
  swept.versions = await sweepAssetVersions(db, blobs, uploadsBefore)
  swept.folders = (await sweepWorkFolders(settings.data)) + (await blobs.sweep())
  await forgetOldKeys(db)
  await forgetUnusedSnapshots(db)
  await forgetOldTurns(db)
  await forgetOldUse(db)
  if (Object.values(swept).some(count => count > 0)) log.info(swept, 'swept')
  return swept
}
