// Queries about tokens.
import { type Selectable, sql } from 'kysely'
import type { Queries } from './database.ts'
import { newestFirst, type Page, type PageRequest } from './page.ts'
import type { Tables } from './tables.ts'
import type { Visible } from './visible.ts'

export type TokenRow = Selectable<Tables['tokens']>

export async function insertToken(db: Queries, row: TokenRow): Promise<void> {
  await db.insertInto('tokens').values(row).execute()
}

export const findTokenByHash = (db: Queries, hash: Buffer): Promise<TokenRow | undefined> =>
  db.selectFrom('tokens').selectAll().where('hash', '=', hash).executeTakeFirst()

/** A caller limited to experiences sees the tokens that are limited to some of the same. */
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

export async function deleteToken(db: Queries, visible: Visible, tokenId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('tokens as t')
    .where('token_id', '=', tokenId)
    .where(sql<boolean>`${within(visible)}`)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Writes nothing when the last use is newer than `unlessAfter`, so that many processes write once. */
export async function markUsed(db: Queries, tokenId: string, at: Date, unlessAfter: Date): Promise<void> {
  await db
    .updateTable('tokens')
    .set({ last_used_at: at })
    .where('token_id', '=', tokenId)
    .where(eb => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', unlessAfter)]))
    .execute()
}
