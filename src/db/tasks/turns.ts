// Fair turns (start-time fair queueing): each share's jobs are numbered from the turn now being served on.
import { sql } from 'kysely'
import type { Db, Queries } from '../database.ts'

export async function nextTurn(db: Queries, lane: string, share: string): Promise<number> {
  const { rows } = await sql<{ tag: number }>`
    insert into turns as t (lane, share, tag)
    values (${lane}, ${share}, coalesce((select tag from turns where lane = ${lane} and share = ''), 0) + 1)
    on conflict (lane, share) do update
      set tag = greatest(t.tag, coalesce((select tag from turns where lane = ${lane} and share = ''), 0)) + 1
    returning tag`.execute(db)
  return rows[0]?.tag as number
}

/** Remembers which turn is being served, so that a share which comes later starts from here. */
export async function serveTurn(db: Db, lane: string, turn: number): Promise<void> {
  await sql`
    insert into turns as t (lane, share, tag) values (${lane}, '', ${turn})
    on conflict (lane, share) do update set tag = greatest(t.tag, excluded.tag) where t.tag < excluded.tag`.execute(db)
}

/** A share that the served turn has overtaken is as good as new. */
export async function forgetOldTurns(db: Db): Promise<void> {
  await sql`
    delete from turns t using turns served
    where served.lane = t.lane and served.share = '' and t.share <> '' and t.tag <= served.tag`.execute(db)
}
