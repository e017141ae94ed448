// Deletes what is past its time: files and records of finished tasks, dead uploads, old asset versions, stray folders.
import { sweepAssetVersions } from '#assets/old-versions.ts'
import type { Db } from '#db/database.ts'
import { forgetOldAudit } from '#db/nouns/audit-rows.ts'
import { forgetOldVersions } from '#db/nouns/configuration-versions.ts'
import { forgetOldDeletions } from '#db/nouns/deletion-rows.ts'
import { forgetOldKeepsakes } from '#db/nouns/keepsake-rows.ts'
import { forgetOldUse } from '#db/nouns/token-use.ts'
import { databaseTime } from '#db/ping.ts'
import { forgetOldKeys } from '#db/tasks/idempotency-keys.ts'
import { forgetOldMinutes } from '#db/tasks/minutes.ts'
import {
  deleteLeftCallbacks,
  deleteOldRecords,
  experiencesAfter,
  filesPastRetention,
  lockFiles,
  markFilesDeleted,
} from '#db/tasks/retention.ts'
import { forgetUnusedSnapshots } from '#db/tasks/snapshots.ts'
import { forgetOldTurns } from '#db/tasks/turns.ts'
import { failpoint } from '#kit/failpoint.ts'
import type { Blobs } from '#storage/blobs.ts'
import { deleteEach } from '#storage/delete-each.ts'
import { sweepWorkFolders } from '#storage/work-folders.ts'
import type { TaskServices } from '#tasks/task-services.ts'
import { sweepResumables } from '#uploads/sweep-resumable.ts'
import { sweepUploads } from '#uploads/uploads.ts'

const HOUR_MS = 3_600_000
/** Most rows that one statement or transaction handles. */
const BATCH = 500
/** Files are deleted one by one, and their rows stay locked meanwhile. */
const FILE_BATCH = 50
/** Most batches of each kind in one sweep; the next sweep does the rest. */
const MOST_BATCHES = 40
/** After this many tasks whose files could not be deleted, the store counts as away. */
const MOST_FAILURES = 50

type SweepServices = Pick<TaskServices, 'db' | 'blobs' | 'settings' | 'log'>

interface Swept {
  files: number
  records: number
  uploads: number
  versions: number
}

/**
 * Sweeps what all workers share; one of them does it. Uploads without an owner, and replaced assets, count as dead when they are older
 * than `before` (an hour ago by default). A part that fails does not stop the others.
 */
export async function sweep({ db, blobs, settings, log }: SweepServices, before?: Date): Promise<Swept> {
  const uploadsBefore = before ?? new Date((await databaseTime(db)).getTime() - HOUR_MS)
  const swept: Swept = { files: 0, records: 0, uploads: 0, versions: 0 }
  /** Why files could not be deleted. */
  const reasons: string[] = []
  const part = (what: string, work: () => Promise<void>): Promise<void> =>
    work().catch(error => log.error({ err: error }, `sweeping ${what} failed`))

  await part('files', async () => {
    swept.files = await sweepFiles(db, blobs, settings.keepFilesDays, reasons)
  })
  await part('records', async () => {
    swept.records = await inBatches(() => deleteOldRecords(db, settings.keepRecordsDays, BATCH))
    await inBatches(() => deleteLeftCallbacks(db, BATCH))
  })
  await part('uploads', async () => {
    await inBatches(async () => {
      const { gone, left, reason } = await sweepUploads(db, blobs, uploadsBefore, FILE_BATCH)
      swept.uploads += gone.length
      if (reason) reasons.push(reason)
      return gone.length > 0 ? gone.length + left.length : 0
    }, FILE_BATCH)
  })
  await part('resumable uploads', async () => {
    let after: Parameters<typeof sweepResumables>[2] = null
    await inBatches(async () => {
      const { gone, seen, last, reason } = await sweepResumables(db, blobs, after, FILE_BATCH)
      after = last
      swept.uploads += gone
      if (reason) reasons.push(reason)
      return reason && gone === 0 ? 0 : seen
    }, FILE_BATCH)
  })
  await part('versions', async () => {
    await inBatches(() => forgetOldVersions(db, settings.keepVersionsDays, BATCH))
    await inBatches(() => db.transaction().execute(trx => forgetOldDeletions(trx, FILE_BATCH)), FILE_BATCH)
  })
  await part('assets', async () => {
    await inBatches(async () => {
      const { gone, seen, reason } = await sweepAssetVersions(db, blobs, uploadsBefore, FILE_BATCH)
      swept.versions += gone.length
      if (reason) reasons.push(reason)
      return reason && gone.length === 0 ? 0 : seen
    }, FILE_BATCH)
  })
  await part('notes', async () => {
    await inBatches(() => forgetOldKeys(db, BATCH))
    await inBatches(() => forgetUnusedSnapshots(db, BATCH))
    await inBatches(() => forgetOldUse(db, BATCH))
    await inBatches(() => forgetOldAudit(db, settings.keepAuditDays, BATCH))
    await inBatches(() => forgetOldMinutes(db, BATCH))
    await inBatches(() => forgetOldKeepsakes(db, settings, BATCH))
    await forgetOldTurns(db)
  })
  if (reasons.length > 0) log.warn({ reason: reasons[0] }, 'some files could not be deleted; they are tried again')
  if (Object.values(swept).some(count => count > 0)) log.info(swept, 'swept')
  return swept
}

/** Sweeps what only this machine has. */
export async function sweepFolders({ blobs, settings, log }: Omit<SweepServices, 'db'>): Promise<number> {
  const folders = (await sweepWorkFolders(settings.data)) + (await blobs.sweep())
  if (folders > 0) log.info({ folders }, 'swept')
  return folders
}

/** Repeats `work` while it finds a full batch. Returns the total. */
async function inBatches(work: () => Promise<number>, size = BATCH): Promise<number> {
  let sum = 0
  for (let batch = 0; batch < MOST_BATCHES; batch++) {
    const found = await work()
    sum += found
    if (found < size) break
  }
  return sum
}

async function sweepFiles(db: Db, blobs: Blobs, keepDays: number, reasons: string[]): Promise<number> {
  let files = 0
  let after = ''
  const failed: string[] = []
  for (;;) {
    const experiences = await experiencesAfter(db, after, BATCH)
    await inBatches(async () => {
      const past = { experiences, keepDays, except: failed, limit: FILE_BATCH }
      const tasks = await filesPastRetention(db, past)
      for (const taskId of tasks) {
        const { gone, reason } = await deleteFiles(db, blobs, taskId)
        files += gone
        if (reason === null) continue
        failed.push(taskId)
        reasons.push(reason)
        if (failed.length >= MOST_FAILURES) return 0
      }
      return tasks.length
    }, FILE_BATCH)
    const last = experiences.at(-1)
    if (last === undefined || experiences.length < BATCH || failed.length >= MOST_FAILURES) return files
    after = last
  }
}

async function deleteFiles(db: Db, blobs: Blobs, taskId: string): Promise<{ gone: number; reason: string | null }> {
  const deleted = await db.transaction().execute(async trx => {
    // Files first: if this is interrupted, the next sweep finds the task again.
    const { gone, reason } = await deleteEach(blobs, await lockFiles(trx, taskId))
    if (reason === null) await markFilesDeleted(trx, taskId)
    failpoint('sweep_files.before')
    return { gone: gone.length, reason }
  })
  failpoint('sweep_files.after')
  return deleted
}
