// Queries about tokens.
import { type Selectable, sql } from 'kysely'
import { Problem } from '#kit/errors.ts'
import { json, type Queries, type Trx, violatedConstraint } from '../database.ts'
import { newestFirst, type Page, type PageRequest } from '../page.ts'
import type { Tables } from '../tables.ts'
import type { Visible } from '../visible.ts'

export type TokenRow = Selectable<Tables['tokens']>

export async function insertToken(db: Queries, { limits, ...row }: TokenRow): Promise<void> {
  try {
    await db
      .insertInto('tokens')
      .values({ ...row, limits: limits && json(limits) })
      .execute()
  } catch (error) {
    if (violatedConstraint(error) === 'tokens_made_by_fkey') throw deletedToken()
    throw error
  }
}

/** A deleted token stays cached for some seconds and is let in meanwhile. */
const deletedToken = (): Problem => new Problem('unauthorized', 'Your token has just been deleted.')

/**
 * How many tasks of the token wait, counted up to `most`. Locks the token until the transaction ends, so each of several requests at the
 * same time counts the tasks that the one before added.
 */
export async function lockAndCountWaiting(trx: Trx, tokenId: string, most: number): Promise<number> {
  const { rows } = await sql`select from tokens where token_id = ${tokenId} for no key update`.execute(trx)
  if (rows.length === 0) throw deletedToken()
  return countWaitingOf(trx, tokenId, most)
}

export async function countWaitingOf(db: Queries, tokenId: string, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select from tasks where token_id = ${tokenId} and status = 'Waiting' limit ${most}) waiting`.execute(db)
  return rows[0]?.count ?? 0
}

export const findTokenByHash = (db: Queries, hash: Buffer): Promise<TokenRow | undefined> =>
  db.selectFrom('tokens').selectAll().where('hash', '=', hash).executeTakeFirst()

/** A caller limited to experiences sees only tokens limited to a subset of them. */
const within = (visible: Visible) => (visible === null ? sql`true` : sql`t.experiences <@ ${[...visible]}::text[]`)

export const listTokens = (db: Queries, visible: Visible, page: PageRequest): Promise<Page<TokenRow>> =>
  newestFirst(db, 'tokens', { page, and: [within(visible)] })

export const findToken = (db: Queries, visible: Visible, tokenId: string): Promise<TokenRow | undefined> =>
  db
    .selectFrom('tokens as t')
    .selectAll()
    .where('token_id', '=', tokenId)
    .where(sql<boolean>`${within(visible)}`)
    .executeTakeFirst()

/** The token and all that it made, at any depth, which go with it. */
export async function tokensUnder(trx: Trx, tokenId: string): Promise<TokenRow[]> {
  const { rows } = await sql<TokenRow>`
    with recursive made as (
      select token_id from tokens where token_id = ${tokenId}
      union
      select t.token_id from made join tokens t on t.made_by = made.token_id
    ) select t.* from made join tokens t using (token_id)`.execute(trx)
  return rows
}

export async function deleteToken(db: Queries, visible: Visible, tokenId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('tokens as t')
    .where('token_id', '=', tokenId)
    .where(sql<boolean>`${within(visible)}`)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Writes nothing if the last use is newer than `unlessAfter`, so of many processes one writes. */
export async function markUsed(db: Queries, tokenId: string, at: Date, unlessAfter: Date): Promise<void> {
  await db
    .updateTable('tokens')
    .set({ last_used_at: at })
    .where('token_id', '=', tokenId)
    .where(eb => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', unlessAfter)]))
    .execute()
}

type Person = Pick<TokenRow, 'token_id' | 'name' | 'hash' | 'scopes' | 'experiences' | 'created_at'> & {
  person: string
}

/** Makes the row of a person, or brings its name and rights up to date. */
export async function keepPerson(trx: Trx, row: Person): Promise<{ row: TokenRow; isNew: boolean }> {
  const kept = await trx
    .insertInto('tokens')
    .values({ ...row, expires_at: null, last_used_at: null, limits: null, made_by: null })
    .onConflict(conflict =>
      conflict
        .column('person')
        .where('person', 'is not', null)
        .doUpdateSet({ name: row.name, scopes: row.scopes, experiences: row.experiences }),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
  return { row: kept, isNew: kept.token_id === row.token_id }
}
