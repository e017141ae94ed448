// Queries about console sessions and the one-time codes that open them.
import type { Queries } from '../database.ts'
import type { TokenRow } from './token-rows.ts'

interface SessionRow {
  expiresAt: Date
  /** Null: signed in as the operator. */
  token: TokenRow | null
}

export async function insertSession(
  db: Queries,
  row: { hash: Buffer; token_id: string | null; expires_at: Date; created_at: Date },
): Promise<void> {
  await db.deleteFrom('sessions').where('expires_at', '<', row.created_at).execute()
  await db.insertInto('sessions').values(row).execute()
}

export async function findSession(db: Queries, hash: Buffer): Promise<SessionRow | undefined> {
  const session = await db.selectFrom('sessions').selectAll().where('hash', '=', hash).executeTakeFirst()
  if (!session) return undefined
  if (session.token_id === null) return { expiresAt: session.expires_at, token: null }
  const token = await db.selectFrom('tokens').selectAll().where('token_id', '=', session.token_id).executeTakeFirst()
  return token && { expiresAt: session.expires_at, token }
}

export async function deleteSession(db: Queries, hash: Buffer): Promise<void> {
  await db.deleteFrom('sessions').where('hash', '=', hash).execute()
}

/** Of a person who signs in with OpenID Connect. */
export async function endSessionsOfPerson(db: Queries, person: string): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where('token_id', 'in', db.selectFrom('tokens').select('token_id').where('person', '=', person))
    .execute()
}

const CODE = 'sign-in code '

export async function insertCode(db: Queries, hash: Buffer, expiresAt: Date): Promise<void> {
  const expired = (await db.selectFrom('deployment').selectAll().where('key', 'like', `${CODE}%`).execute())
    .filter(({ value }) => Number(value.toString()) < Date.now())
    .map(({ key }) => key)
  if (expired.length > 0) await db.deleteFrom('deployment').where('key', 'in', expired).execute()
  await db
    .insertInto('deployment')
    .values({ key: CODE + hash.toString('hex'), value: Buffer.from(String(expiresAt.getTime())) })
    .execute()
}

/** True once for a code that has not expired: taking it removes it. */
export async function takeCode(db: Queries, hash: Buffer, now: Date): Promise<boolean> {
  const taken = await db
    .deleteFrom('deployment')
    .where('key', '=', CODE + hash.toString('hex'))
    .returning('value')
    .executeTakeFirst()
  return taken !== undefined && Number(taken.value.toString()) > now.getTime()
}
