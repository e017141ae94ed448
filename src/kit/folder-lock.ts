// The data folder, and one Keepsake in it: a lock of the operating system, so it is gone with its process however that ends.
import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CannotStart } from './cannot-start.ts'

const BUSY = 5

/** Made for the owner alone; a folder that is there already keeps its mode. */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new CannotStart(
      `KEEPSAKE_DATA: the folder ${folder} cannot be used (${(error as NodeJS.ErrnoException).code})`,
    )
  }
}

/** Held until the process ends. Node has no file locks of its own; SQLite's are the system's, on Linux and macOS. */
export function lockFolder(folder: string): void {
  const pidFile = join(folder, 'keepsake.pid')
  const file = new DatabaseSync(join(folder, 'keepsake.lock'), { timeout: 0 })
  try {
    file.exec('begin exclusive')
  } catch (error) {
    file.close()
    if ((error as { errcode?: number }).errcode !== BUSY) throw error
    throw new CannotStart(`Another Keepsake (pid ${holder(pidFile)}) runs on this data folder (KEEPSAKE_DATA)`)
  }
  held.push(file) // Collected as garbage, it would let go of the lock.
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 })
}

const held: DatabaseSync[] = []

function holder(pidFile: string): string {
  try {
    return readFileSync(pidFile, 'utf8').trim() || 'unknown'
  } catch {
    return 'unknown'
  }
}
