// Work on the database that is simply done again when two got in each other's way. docs/design.md has the order of locks.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db, Trx } from './database.ts'

/** PostgreSQL had to break a tie: a deadlock, or two that can't be put in an order. */
const TIES = ['40P01', '40001']
/** A row that was just found, and is to be named by another, was deleted in between. */
const VANISHED = '23503'
const ATTEMPTS = 10
const LONGEST_MS = 500

interface Ties {
  /** The work looks for all that it names by itself, so that another try does without what vanished. */
  looksAgain?: boolean
}

export const transact = <T>(db: Db, work: (trx: Trx) => Promise<T>, ties?: Ties): Promise<T> =>
  untied(() => db.transaction().execute(work), ties)

/** `work` is one transaction or one statement: of a try that failed nothing is left. */
export async function untied<T>(work: () => Promise<T>, { looksAgain = false }: Ties = {}): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const code = (error as { code?: string }).code ?? ''
      const isTie = TIES.includes(code) || (looksAgain && code === VANISHED)
      if (attempt === ATTEMPTS || !isTie) throw error
      // By chance, so that the same two do not meet again.
      await sleep(Math.random() * Math.min(10 * 2 ** attempt, LONGEST_MS))
    }
  }
}
