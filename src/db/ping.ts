// Asks whether the database takes writes, and what time it has.
import { type RawBuilder, sql } from 'kysely'
import { newId } from '#kit/ids.ts'
import type { Db, Queries } from './database.ts'

/** The database's own time. Times that it stored are compared with this, never with our clock. */
export async function databaseTime(db: Queries): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db)
  return rows[0]?.now ?? new Date(0)
}

/** Converts a time of our clock to the database's: the clocks differ, so only the distance from now counts. */
export const atOurs = (time: Date): RawBuilder<Date> =>
  sql<Date>`now() + ${time.getTime() - Date.now()}::float8 * interval '1 millisecond'`

const underWay = new WeakMap<Db, Promise<boolean>>()

/** Whether the database takes a write, and says so in time. One that is full, or only to be read, answers questions all the same. */
export async function takesWrites(db: Db, withinMs: number): Promise<boolean> {
  // Anybody may ask as often as they like: all share one attempt.
  const asked = underWay.get(db) ?? write(db).finally(() => underWay.delete(db))
  underWay.set(db, asked)
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<boolean>(resolve => {
    timer = setTimeout(() => {
      underWay.delete(db)
      resolve(false)
    }, withinMs)
  })
  try {
    return await Promise.race([asked, tooLate])
  } finally {
    clearTimeout(timer)
  }
}

/** A quarter of a page, so that a full disk is noticed soon: small rows find room for long in the pages that are there. */
const BODY = JSON.stringify('x'.repeat(1_900))

/** Writes a row into the table that each task needs first, and takes it back. */
async function write(db: Db): Promise<boolean> {
  try {
    const trx = await db.startTransaction().execute()
    try {
      await sql`insert into snapshots (snapshot_id, body, used_at) values (${newId()}, ${BODY}::json, now())`.execute(
        trx,
      )
    } finally {
      await trx.rollback().execute()
    }
    return true
  } catch {
    return false
  }
}
