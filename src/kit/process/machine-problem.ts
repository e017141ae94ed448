// Tells errors of file calls that say something of the machine from all others: such an error waits, and is no verdict on a file.
import { Problem } from '../errors.ts'

export const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))

const full = ['ENOSPC', 'EDQUOT', 'EFBIG']
const busy = ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']
const broken = ['EIO', 'EROFS', 'EACCES', 'EPERM', 'ENXIO', 'ESTALE', 'ENODEV']
/** The place itself is away. Of a file that others made the same words say that they made none. */
const away = ['ENOENT', 'ENOTDIR']

/** Turns errors of a disk into a Problem; all others pass unchanged. `place` begins its sentence. */
export function placeProblem(error: unknown, place: string): unknown {
  if (hasCode(error, ...away)) return refused(error, `${place} cannot be used now.`)
  return machineProblem(error, place)
}

/** The same, for a place that is there. */
export function machineProblem(error: unknown, place: string): unknown {
  if (hasCode(error, ...full)) return refused(error, `${place} is full.`)
  if (hasCode(error, ...busy)) return refused(error, `${place} has too many files open.`)
  if (hasCode(error, ...broken)) return refused(error, `${place} cannot be used now.`)
  return error
}

const refused = (cause: unknown, why: string): Problem =>
  new Problem('unavailable', why, { cause, retryAfterSeconds: 30 })
