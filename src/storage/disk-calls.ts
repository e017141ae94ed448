// File system calls that need care: durable folders, complete writes, and errors that a person can use.
import { closeSync, fsync, openSync, writev } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { hasCode, placeProblem } from '#kit/process/machine-problem.ts'

export { hasCode }

/** Turns errors of the disk into a Problem. Errors of the source pass unchanged. */
export const diskProblem = (error: unknown): unknown => placeProblem(error, 'The file store')

/** Creates a folder that survives a power cut; its parents too. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncPath(dirname(made))
}

export const syncFile = promisify(fsync)
const writeOnce = promisify(writev)

/**
 * Runs `work` on an open file. Only calls that may really wait for the disk use the thread pool: for opening and closing on a local
 * disk, its hops cost more than the calls themselves.
 */
export async function withFile(path: string, flags: string, work: (file: number) => Promise<void>): Promise<void> {
  const file = openSync(path, flags, 0o600)
  try {
    await work(file)
  } finally {
    closeSync(file)
  }
}

/** Writes all chunks, from the byte `at` on, or after what was written before. */
export async function writeAll(file: number, chunks: readonly Buffer[], at?: number): Promise<void> {
  let { bytesWritten } = await writeOnce(file, chunks, at)
  let written = bytesWritten
  // A disk that is nearly full, or a signal, may cut a write short without an error.
  for (let left = rest(chunks, bytesWritten); left.length > 0; left = rest([left], bytesWritten)) {
    ;({ bytesWritten } = await writeOnce(file, [left], at === undefined ? undefined : at + written))
    written += bytesWritten
    if (bytesWritten === 0) throw Object.assign(new Error('nothing could be written'), { code: 'ENOSPC' })
  }
}

function rest(chunks: readonly Buffer[], written: number): Buffer {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  return written === bytes ? Buffer.alloc(0) : Buffer.concat(chunks).subarray(written)
}

/** Syncs a file, or the names in a folder. */
export const syncPath = (path: string): Promise<void> => withFile(path, 'r', syncFile)
