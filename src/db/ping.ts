// Asks whether the database answers, and what time it has.
import { type RawBuilder, sql } from 'kysely'
import type { Queries } from './database.ts'

/** The database's own time. Times that it stored are compared with this, never with our clock. */
export async function databaseTime(db: Queries): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db)
  return rows[0]?.now ?? new Date(0)
}

/** Converts a time of our clock to the database's: the clocks differ, so only the distance from now counts. */
export const atOurs = (time: Date): RawBuilder<Date> =>
  sql<Date>`now() + ${time.getTime() - Date.now()}::float8 * interval '1 millisecond'`

export async function answers(db: Queries, withinMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<boolean>(resolve => {
    timer = setTimeout(() => resolve(false), withinMs)
  })
  const asked = sql`select 1`.execute(db).then(
    () => true,
    () => false,
  )
  try {
    return await Promise.race([asked, tooLate])
  } finally {
    clearTimeout(timer)
  }
}
