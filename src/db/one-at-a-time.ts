// Work that only one process of the whole deployment may do at a time.
import { sql } from 'kysely'
import type { Db } from './database.ts'

/** `key` names the work; the others wait. The lock belongs to a connection held for the while, so it goes with the process that has it. */
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

/** The same, but while another does it the work is left to that one: then the answer is null. */
export function unlessAnother<T>(db: Db, key: number, work: () => Promise<T>): Promise<T | null> {
  return db.connection().execute(async connection => {
    const { rows } = await sql<{ got: boolean }>`select pg_try_advisory_lock(${key}) as got`.execute(connection)
    if (!rows[0]?.got) return null
    try {
      return await work()
    } finally {
      await sql`select pg_advisory_unlock(${key})`.execute(connection)
    }
  })
}
