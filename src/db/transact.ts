// Repeats database work after a conflict with another transaction. docs/design.md has the order of locks.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db, Trx } from './database.ts'

/** A deadlock, or a serialization failure. */
const TIES = ['40P01', '40001']
/** A foreign key points to a row that was deleted after it was found. */
const VANISHED = '23503'
const ATTEMPTS = 10
const LONGEST_MS = 500

interface ConflictOptions {
  /** The work looks up everything it refers to again, so another try works without the deleted row. */
  rereads?: boolean
}

export async function transact<T>(
  db: Db,
  work: (trx: Trx) => Promise<T>,
  { rereads = false }: ConflictOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      const code = (error as { code?: string }).code ?? ''
      const isTie = TIES.includes(code) || (rereads && code === VANISHED)
      if (attempt === ATTEMPTS || !isTie) throw error
      // A random pause, so that the same two transactions do not meet again.
      await sleep(Math.random() * Math.min(10 * 2 ** attempt, LONGEST_MS))
    }
  }
}
