// Counts what a token has used of its limits per minute or day, over all processes.
import { type RawBuilder, sql } from 'kysely'
import type { Queries } from '../database.ts'
import type { TokenUse } from '../tables.ts'

export interface Allowance {
  tokenId: string
  what: TokenUse
  most: number
  /** Length of the window. It starts with the first use. */
  windowSeconds: number
}

interface Taken {
  granted: boolean
  /** Start of the window; null if nothing was used yet. */
  since: Date | null
  /** Seconds until the window ends. */
  waitSeconds: number
}

const isOver = (windowSeconds: number): RawBuilder<boolean> =>
  sql`u.since <= now() - make_interval(secs => ${windowSeconds})`

/** Takes the whole amount or nothing. */
export async function takeUse(db: Queries, allowance: Allowance, amount: number): Promise<Taken> {
  const { tokenId, what, most, windowSeconds } = allowance
  const over = isOver(windowSeconds)
  const { rows } = await sql<Taken>`
    with taken as (
      insert into token_use as u (token_id, what, since, amount)
      select ${tokenId}, ${what}, date_trunc('milliseconds', now()), ${amount}::bigint where ${amount}::bigint <= ${most}::bigint
      on conflict (token_id, what) do update set
        since = case when ${over} then excluded.since else u.since end,
        amount = case when ${over} then excluded.amount else u.amount + excluded.amount end
      where ${over} or u.amount + excluded.amount <= ${most}::bigint
      returning since
    )
    select true as granted, since, 0::float8 as "waitSeconds" from taken
    union all
    select false, u.since, ${untilEnd(windowSeconds)} from token_use u
      where u.token_id = ${tokenId} and u.what = ${what} and not exists (select from taken)`.execute(db)
  return rows[0] ?? { granted: false, since: null, waitSeconds: windowSeconds }
}

const untilEnd = (windowSeconds: number): RawBuilder<number> =>
  sql`extract(epoch from u.since - now())::float8 + ${windowSeconds}::float8`

/** What is left in the window, and how long the window still lasts. */
export async function leftOfUse(db: Queries, allowance: Allowance): Promise<{ left: number; waitSeconds: number }> {
  const { tokenId, what, most, windowSeconds } = allowance
  const { rows } = await sql<{ amount: number; waitSeconds: number }>`
    select u.amount, ${untilEnd(windowSeconds)} as "waitSeconds" from token_use u
    where u.token_id = ${tokenId} and u.what = ${what} and not ${isOver(windowSeconds)}`.execute(db)
  const [used] = rows
  return { left: most - (used?.amount ?? 0), waitSeconds: used?.waitSeconds ?? windowSeconds }
}

/** Returns an amount that was taken and not needed, unless a new window has begun since. */
export async function giveBackUse(db: Queries, allowance: Allowance, since: Date, amount: number): Promise<void> {
  await sql`
    update token_use set amount = amount - ${amount}::bigint
    where token_id = ${allowance.tokenId} and what = ${allowance.what} and since = ${since}`.execute(db)
}

export async function forgetOldUse(db: Queries, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from token_use where (token_id, what) in (
      select token_id, what from token_use where since < now() - interval '2 days' order by since limit ${limit})
      and since < now() - interval '2 days'`.execute(db)
  return Number(numAffectedRows)
}
