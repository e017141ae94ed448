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
import { disownFiles } from '#db/tasks/upload-rows.ts'
import { failpoint } from '#kit/failpoint.ts'
import type { Blobs } from '#storage/blobs.ts'
import { sweepWorkFolders } from '#storage/work-folders.ts'
import type { TaskServices } from '#tasks/task-services.ts'
import { sweepResumables } from '#uploads/sweep-resumable.ts'
import { removeFiles, sweepUploads } from '#uploads/uploads.ts'

const HOUR_MS = 3_600_000
/** Most rows that one statement or transaction handles. */
const BATCH = 500
/** Files are deleted one by one. */
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

interface SweepOptions {
  /** Uploads without an owner, and replaced assets, count as dead when they are older: an hour ago by default. */
  before?: Date
  /** Aborted: what is being deleted is left, and the next sweep goes on with it. */
  signal?: AbortSignal
}

/** Sweeps what all workers share; one of them does it. A part that fails does not stop the others. */
export async function sweep(
  { db, blobs, settings, log }: SweepServices,
  { before, signal = new AbortController().signal }: SweepOptions = {},
): Promise<Swept> {
  const uploadsBefore = before ?? new Date((await databaseTime(db)).getTime() - HOUR_MS)
  const swept: Swept = { files: 0, records: 0, uploads: 0, versions: 0 }
  /** Why files could not be deleted. */
  const reasons: string[] = []
  async function part(what: string, work: (inBatches: Batches) => Promise<void>): Promise<void> {
    if (!signal.aborted)
      await work(batchesUntil(signal)).catch(error => log.error({ err: error }, `sweeping ${what} failed`))
  }

  await part('files', async inBatches => {
    swept.files = await sweepFiles({ db, blobs, settings, signal }, inBatches, reasons)
  })
  await part('records', async inBatches => {
    swept.records = await inBatches(() => deleteOldRecords(db, settings.keepRecordsDays, BATCH))
    await inBatches(() => deleteLeftCallbacks(db, BATCH))
  })
  await part('uploads', async inBatches => {
    await inBatches(async () => {
      const { gone, left, reason } = await sweepUploads(db, blobs, uploadsBefore, FILE_BATCH, signal)
      swept.uploads += gone.length
      if (reason) reasons.push(reason)
      return gone.length > 0 ? gone.length + left.length : 0
    }, FILE_BATCH)
  })
  await part('resumable uploads', async inBatches => {
    let after: Parameters<typeof sweepResumables>[2] = null
    await inBatches(async () => {
      const { gone, seen, last, reason } = await sweepResumables(db, blobs, after, FILE_BATCH, signal)
      after = last
      swept.uploads += gone
      if (reason) reasons.push(reason)
      return reason && gone === 0 ? 0 : seen
    }, FILE_BATCH)
  })
  await part('versions', async inBatches => {
    await inBatches(() => forgetOldVersions(db, settings.keepVersionsDays, BATCH))
    await inBatches(() => db.transaction().execute(trx => forgetOldDeletions(trx, FILE_BATCH)), FILE_BATCH)
  })
  await part('assets', async inBatches => {
    await inBatches(async () => {
      const { gone, seen, reason } = await sweepAssetVersions(db, uploadsBefore, FILE_BATCH, files =>
        removeFiles(db, blobs, files, signal),
      )
      swept.versions += gone.length
      if (reason) reasons.push(reason)
      return reason && gone.length === 0 ? 0 : seen
    }, FILE_BATCH)
  })
  await part('notes', async inBatches => {
    await inBatches(() => forgetOldKeys(db, BATCH))
    await inBatches(() => forgetUnusedSnapshots(db, BATCH))
    await inBatches(() => forgetOldUse(db, BATCH))
    await inBatches(() => forgetOldAudit(db, settings.keepAuditDays, BATCH))
    await inBatches(() => forgetOldMinutes(db, BATCH))
    await inBatches(() => forgetOldKeepsakes(db, settings, BATCH))
    await forgetOldTurns(db)
  })
  if (reasons.length > 0 && !signal.aborted)
    log.warn({ reason: reasons[0] }, 'some files could not be deleted; they are tried again')
  if (Object.values(swept).some(count => count > 0)) log.info(swept, 'swept')
  return swept
}

/** Sweeps what only this machine has. */
export async function sweepFolders(
  { blobs, settings, log }: Omit<SweepServices, 'db'>,
  signal?: AbortSignal,
): Promise<number> {
  const folders = (await sweepWorkFolders(settings.data)) + (await blobs.sweep(signal))
  if (folders > 0) log.info({ folders }, 'swept')
  return folders
}

/** Repeats `work` while it finds a full batch. Returns the total. */
type Batches = (work: () => Promise<number>, size?: number) => Promise<number>

const batchesUntil =
  (signal: AbortSignal): Batches =>
  async (work, size = BATCH) => {
    let sum = 0
    for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch++) {
      const found = await work()
      sum += found
      if (found < size) break
    }
    return sum
  }

async function sweepFiles(
  { db, blobs, settings, signal }: Pick<SweepServices, 'db' | 'blobs' | 'settings'> & { signal: AbortSignal },
  inBatches: Batches,
  reasons: string[],
): Promise<number> {
  let files = 0
  let after = ''
  let failures = 0
  for (;;) {
    const experiences = await experiencesAfter(db, after, BATCH)
    await inBatches(async () => {
      const past = { experiences, keepDays: settings.keepFilesDays, limit: FILE_BATCH }
      const tasks = await filesPastRetention(db, past)
      for (const taskId of tasks) {
        if (signal.aborted) return 0
        const { gone, reason } = await deleteFiles(db, blobs, taskId, signal)
        files += gone
        if (reason === null) continue
        failures++
        reasons.push(reason)
        if (failures >= MOST_FAILURES) return 0
      }
      return tasks.length
    }, FILE_BATCH)
    const last = experiences.at(-1)
    const isEnd = last === undefined || experiences.length < BATCH
    if (isEnd || failures >= MOST_FAILURES || signal.aborted) return files
    after = last
  }
}

async function deleteFiles(
  db: Db,
  blobs: Blobs,
  taskId: string,
  signal: AbortSignal,
): Promise<{ gone: number; reason: string | null }> {
  const files = await db.transaction().execute(async trx => {
    const files = await lockFiles(trx, taskId)
    await disownFiles(trx, files)
    await markFilesDeleted(trx, taskId)
    failpoint('sweep_files.before')
    return files
  })
  failpoint('sweep_files.after')
  const { gone, reason } = await removeFiles(db, blobs, files, signal)
  return { gone: gone.length, reason }
}
