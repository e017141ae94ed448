// keepsake backup and keepsake restore: what they copy by the settings, and what they leave to the tools of others.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { backup as makeBackup } from '#backups/backup.ts'
import { restore as restoreBackup } from '#backups/restore.ts'
import { migrate } from '#db/migrate.ts'
import { BadCommand } from '#kit/cannot-start.ts'
import type { Settings } from '#kit/settings.ts'
import { version } from '#kit/telemetry/own-version.ts'
import { withDatabase } from '#postgres/with-database.ts'
import { newBlobs, storeFolder } from '#storage/blobs.ts'

type Print = (line: string) => void
type Place = (path: string) => string

const folderIn = ([folder, ...more]: readonly string[]): string => {
  if (folder === undefined || more.length > 0) throw new BadCommand('Give one folder')
  return folder
}

/** Those that the settings give are not ours to copy. */
function keysOf({ data, secretKeys, adminToken }: Settings): Record<string, string> {
  const names = [...(secretKeys === null ? ['secret-key'] : []), ...(adminToken === null ? ['admin-token'] : [])]
  return Object.fromEntries(names.map(name => [name, join(data, name)]))
}

export async function backup(settings: Settings, given: readonly string[], print: Print, at: Place): Promise<void> {
  const folder = at(folderIn(given))
  const files = storeFolder(settings.blobs, settings.data)
  const keys = Object.fromEntries(Object.entries(keysOf(settings)).filter(([, path]) => existsSync(path)))
  const made = await withDatabase(settings, async databaseUrl => {
    await migrate(databaseUrl)
    const nobody = { accessKey: null, secretKey: null, sessionToken: null }
    const blobs = files === null ? null : await newBlobs(settings.blobs, settings.data, nobody, false)
    return makeBackup({ databaseUrl, version: version(), blobs, keys }, folder)
  })
  const rows = made.tables.reduce((sum, table) => sum + table.rows, 0)
  print(`${rows} rows of ${made.tables.length} tables`)
  print(
    made.files
      ? `${made.files.count} files, ${made.files.bytes} bytes`
      : 'no files: they lie in S3; copy the bucket with its own tools, after this',
  )
  if (settings.secretKeys !== null)
    print('no secret key: it is set as KEEPSAKE_SECRET_KEY; keep it apart from the backup')
  print(`done: ${folder}`)
}

export async function restore(settings: Settings, given: readonly string[], print: Print, at: Place): Promise<void> {
  const folder = at(folderIn(given))
  const files = storeFolder(settings.blobs, settings.data)
  const made = await withDatabase(settings, databaseUrl =>
    restoreBackup(folder, { databaseUrl, files, keys: keysOf(settings) }),
  )
  print(`done: the backup of ${made.made_at} by Keepsake ${made.version} is in place`)
  if (made.files === null) print('its files lie in S3: KEEPSAKE_BLOBS must name a bucket that has them')
  if (!made.keys.includes('secret-key')) print('KEEPSAKE_SECRET_KEY must be the one that was set when it was made')
}
