// Work that only one process of the whole deployment may do at a time; the others wait for it.
import { sql } from 'kysely'
import type { Db } from './database.ts'

/** `key` names the work. The lock belongs to a connection held for the while, so it goes with the process that has it. */
export function oneAtATime<T>(db: Db, key: number, work: () => Promise<T>): Promise<T> {
  return db.connection().execute(async connection => {
    await sql`select pg_advisory_lock(${key})`.execute(connection)
    try {
      return await work()
    } finally {
      await sql`select pg_advisory_unlock(${key})`.execute(connection)
    }
  })
}
