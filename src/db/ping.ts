// Whether the database answers at all.
import { sql } from 'kysely'
import type { Queries } from './database.ts'

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
