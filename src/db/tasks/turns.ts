// Fair turns (start-time fair queueing): each share numbers its jobs upwards from the turn that is being served.
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

/** Stores the turn being served, so that a share that comes later starts from here. */
export async function serveTurn(db: Db, lane: string, turn: number): Promise<void> {
  await sql`
    insert into turns as t (lane, share, tag) values (${lane}, '', ${turn})
    on conflict (lane, share) do update set tag = greatest(t.tag, excluded.tag) where t.tag < excluded.tag`.execute(db)
}

/** A share behind the served turn starts from there anyway, so its row can go. */
export async function forgetOldTurns(db: Db): Promise<void> {
  await sql`
    delete from turns t using turns served
    where served.lane = t.lane and served.share = '' and t.share <> '' and t.tag <= served.tag`.execute(db)
}
