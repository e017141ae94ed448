// What a deployment leaves behind when it has stopped and was swept once: it must be nothing that nobody owns.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '#db/database.ts'
import { newLog } from '#kit/log.ts'
import { loadSettings } from '#kit/settings.ts'
import { newBlobs } from '#storage/blobs.ts'
import { sweep, sweepFolders } from '../../src/worker/sweep.ts'

export interface Stopped {
  databaseUrl: string
  env: Record<string, string>
  /** The data folder of each of its machines. */
  folders: readonly string[]
  /** Where they keep their files. */
  blobs: string
  query<Row extends object>(sql: string): Promise<Row[]>
}

/** One sweep with a cut-off of now; then every thing that still lies about is told, sorted by what it is. */
export async function leftBehind({ databaseUrl, env, folders, blobs: place, query }: Stopped) {
  const log = newLog('silent', 'test')
  const { db, close } = openDatabase(databaseUrl, log, { max: 2 })
  try {
    const [first = ''] = folders
    const blobs = await newBlobs(`file:${place}`, first, { accessKey: null, secretKey: null, sessionToken: null })
    for (const data of folders) {
      const settings = { ...loadSettings(env, join(first, '.env')), data }
      await sweep({ db, blobs, settings, log }, { before: new Date(Date.now() + 1000) })
      await sweepFolders({ blobs, settings, log })
    }
    const rows = await query<{ blob: string }>(
      `select input #>> '{file,blob}' as blob from chains join tasks using (task_id) where input #>> '{file,blob}' is not null and files_deleted_at is null
       union select output ->> 'blob' from entries join chains using (chain_id) join tasks using (task_id) where output ->> 'blob' is not null and files_deleted_at is null
       union select f.value ->> 'blob' from chains c join tasks using (task_id), json_each(c.files) p, json_array_elements(p.value) f where files_deleted_at is null
       union select blob from renditions
       union select blob from asset_versions
       union select upload_id::text from resumable_uploads where sha256 is not null`,
    )
    const owned = new Set(rows.map(({ blob }) => blob))
    const kept = new Set<string>()
    for await (const { blob } of blobs.list()) kept.add(blob)
    return {
      'uploads without an owner': await query('select * from uploads'),
      'work folders': folders.flatMap(folder => listed(join(folder, 'work'))),
      'half files': listed(join(place, 'unfinished')),
      'resumable uploads': await query('select * from resumable_uploads'),
      'files that still grow': listed(join(place, 'growing')),
      'files without an owner': [...kept].filter(blob => !owned.has(blob)),
      'files that are owned but not there': [...owned].filter(blob => !kept.has(blob)),
      jobs: await query('select name, state, data from pgboss.job'),
      workers: await query('select worker_id from workers'),
    }
  } finally {
    await close()
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
