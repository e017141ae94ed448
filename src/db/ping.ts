// Whether the database answers at all, and what time it is there.
import { type RawBuilder, sql } from 'kysely'
import type { Queries } from './database.ts'

/** What time it is there: what it has noted is compared with this, never with our own clock. */
export async function databaseTime(db: Queries): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db)
  return rows[0]?.now ?? new Date(0)
}

/** A time of our own clock as the database's: machines differ, and only how long it is until then counts. */
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
