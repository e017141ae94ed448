// keepsake backup: copies the database as of one instant, the files and the keys into a folder, while the service runs.
import { constants, createWriteStream } from 'node:fs'
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type DatabaseSnapshot, type Table, withSnapshot } from '#db/copies/snapshot.ts'
import { CannotStart } from '#kit/cannot-start.ts'
import { isProblem } from '#kit/errors.ts'
import { sha256Of } from '#kit/file-facts.ts'
import { shardedPath } from '#storage/blob.ts'
import type { Blobs } from '#storage/blobs.ts'
import { FILE, filesFolder, keyFile, type Manifest, rowsFile } from './manifest.ts'

interface BackupSource {
  databaseUrl: string
  version: string
  /** Null: files are kept elsewhere. */
  blobs: Blobs | null
  /** Paths of the keys that lie in the data folder, by name. */
  keys: Record<string, string>
}

/** The folder must be new or empty. */
export async function backup(source: BackupSource, folder: string, now = new Date()): Promise<Manifest> {
  await emptyFolder(folder)
  return withSnapshot(source.databaseUrl, async snapshot => {
    const tables: Manifest['tables'] = []
    for (const table of snapshot.tables) tables.push(await copyRows(snapshot, table, folder))
    // Behind the rows: a file that is newer belongs to none of them, and a worker sweeps it. One that was deleted meanwhile was past its time.
    const files = source.blobs ? await copyFiles(source.blobs, folder) : null
    for (const [name, path] of Object.entries(source.keys)) await copyKey(path, keyFile(folder, name))
    const manifest: Manifest = {
      format: 1,
      version: source.version,
      made_at: now.toISOString(),
      migrations: snapshot.migrations,
      tables,
      counters: snapshot.counters,
      files,
      keys: Object.keys(source.keys),
    }
    await writeFile(join(folder, FILE), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true })
    return manifest
  })
}

async function emptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if ((await readdir(folder)).length > 0)
    throw new CannotStart(`${folder} is not empty; a backup is written into a new folder`)
}

async function copyRows(snapshot: DatabaseSnapshot, table: Table, folder: string): Promise<Manifest['tables'][number]> {
  const path = rowsFile(folder, table.name)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  let rows = 0
  // One row a line; a line break inside of a value is written as \n.
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) rows++
      done(null, chunk)
    },
  })
  const file = createWriteStream(path, { mode: 0o600, flush: true })
  await pipeline(snapshot.rows(table), counted, createGzip(), file)
  return { ...table, rows, sha256: await sha256Of(path) }
}

async function copyFiles(blobs: Blobs, folder: string): Promise<{ count: number; bytes: number }> {
  const total = { count: 0, bytes: 0 }
  await mkdir(filesFolder(folder), { recursive: true, mode: 0o700 })
  for await (const { blob, bytes } of blobs.list()) {
    const path = join(filesFolder(folder), shardedPath(blob))
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    try {
      // A file system that can shares the bytes.
      await copyFile(await blobs.local(blob, folder), path, constants.COPYFILE_FICLONE)
    } catch (error) {
      if (isProblem(error, 'gone') || (error as { code?: string }).code === 'ENOENT') continue
      throw error
    }
    total.count++
    total.bytes += bytes
  }
  return total
}

async function copyKey(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  await copyFile(from, to)
}
