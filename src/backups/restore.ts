// keepsake restore: brings a backup into an empty place, and that up to date.
import { createReadStream } from 'node:fs'
import { copyFile, mkdir, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createGunzip } from 'node:zlib'
import { fill, refuseUsed } from '#db/copies/fill.ts'
import { knownMigrations, migrate } from '#db/migrate.ts'
import { CannotStart } from '#kit/cannot-start.ts'
import { isId } from '#kit/ids.ts'
import { shardedPath } from '#storage/blob.ts'
import { diskBlobs } from '#storage/disk-blobs.ts'
import { filesFolder, keyFile, type Manifest, readManifest, rowsFile } from './manifest.ts'

interface RestoreTarget {
  databaseUrl: string
  /** The folder of the store; null where files are kept elsewhere. */
  files: string | null
  /** Where each key is to lie; one that the settings give is not among them. */
  keys: Record<string, string>
}

/** Everything is looked at before anything is written. */
export async function restore(folder: string, target: RestoreTarget): Promise<Manifest> {
  const manifest = await readManifest(folder)
  await refuseLater(manifest)
  await refuseUsed(target.databaseUrl)
  if (manifest.files && target.files === null)
    throw new CannotStart(
      'The backup holds files, and KEEPSAKE_BLOBS names a store elsewhere; restore them into a folder',
    )
  const files = manifest.files && target.files !== null ? await filesIn(folder, manifest.files.count) : []
  // Also where it holds nothing: a store that was used before is not made again by a start.
  if (target.files !== null) await diskBlobs(target.files)
  for (const name of manifest.keys) await placeKey(keyFile(folder, name), target.keys[name])
  for (const blob of files)
    await place(join(filesFolder(folder), shardedPath(blob)), join(target.files ?? '', shardedPath(blob)))
  await migrate(target.databaseUrl, manifest.migrations)
  const counts = await fill(target.databaseUrl, {
    ...manifest,
    read: ({ name }) => createReadStream(rowsFile(folder, name)).pipe(createGunzip()),
  })
  const wrong = manifest.tables.find(({ name, rows }) => counts[name] !== rows)
  if (wrong) throw new Error(`${wrong.name} has ${counts[wrong.name]} rows and not ${wrong.rows}`)
  await migrate(target.databaseUrl)
  return manifest
}

async function refuseLater({ migrations, version }: Manifest): Promise<void> {
  const known = await knownMigrations()
  const later = migrations.find(name => !known.includes(name))
  if (later !== undefined)
    throw new CannotStart(
      `The backup was made by a later Keepsake (${version}, migration ${later}); restore it with that one`,
    )
}

async function filesIn(folder: string, count: number): Promise<string[]> {
  const found: string[] = []
  for (const shard of await readdir(filesFolder(folder)).catch(() => []))
    for (const name of await readdir(join(filesFolder(folder), shard))) if (isId(name)) found.push(name)
  if (found.length < count) throw new CannotStart(`The backup is damaged: it has ${found.length} of ${count} files`)
  return found
}

async function place(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  await copyFile(from, to)
}

/** A key that is there already is another one, and what it sealed would be lost. */
async function placeKey(from: string, to: string | undefined): Promise<void> {
  if (to === undefined) return
  if (await stat(to).catch(() => null))
    throw new CannotStart(`There is a key already (${to}); a backup is restored into an empty data folder`)
  await place(from, to)
}
