// Transactions that are simply run again when PostgreSQL had to break a tie between two of them.
import type { Db, Trx } from './database.ts'

/**
 * Queries of one transaction that need not wait for one another: they are sent at once and run in any order. Waits for all
 * of them even if one fails, because nothing may use a transaction after its end.
 */
export async function together<T extends readonly (Promise<unknown> | null)[]>(
  queries: readonly [...T],
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(queries)
  return Promise.all(queries)
}

const TIES = ['40P01', '40001']
const ATTEMPTS = 5

export async function transact<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (attempt === ATTEMPTS || !TIES.includes((error as { code?: string }).code ?? '')) throw error
    }
  }
}
