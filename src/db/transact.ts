// Transactions that are simply run again when PostgreSQL had to break a tie between two of them.
import type { Db, Trx } from './database.ts'

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
