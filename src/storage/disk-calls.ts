// The few calls to the file system that need care: durable folders, and errors told as a person can use them.
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Problem } from '#kit/errors.ts'

export const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))

/** Makes what the disk is to blame for a Problem; errors of the source pass as they are. */
export function diskProblem(error: unknown): unknown {
  const refuse = (why: string) => new Problem('unavailable', why, { cause: error, retryAfterSeconds: 30 })
  if (hasCode(error, 'ENOSPC', 'EDQUOT', 'EFBIG')) return refuse('The file store is full.')
  if (hasCode(error, 'EMFILE', 'ENFILE', 'ENOMEM')) return refuse('The file store has too many files open.')
  if (hasCode(error, 'EIO', 'EROFS', 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'ENXIO', 'ESTALE', 'ENODEV'))
    return refuse('The file store cannot be used now.')
  return error
}

/** Makes a folder that is still there after a power cut; its parents too. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncPath(dirname(made))
}

/** Syncs a file, or the names in a folder. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
