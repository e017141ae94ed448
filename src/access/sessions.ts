// Console sessions: opened with a token or a one-time code, kept as a random secret in a cookie.
import { randomBytes } from 'node:crypto'
import type { Queries } from '#db/database.ts'
import { deleteSession, insertCode, insertSession, takeCode } from '#db/nouns/session-rows.ts'
import { Problem } from '#kit/errors.ts'
import { tokenHash } from '#kit/secret/secrets.ts'
import type { Gate } from './gate.ts'
import { type Access, OPERATOR, operatorAccess } from './scopes.ts'

const SESSION_MS = 14 * 24 * 3600_000
const CODE_MS = 15 * 60_000

interface Session {
  /** Stored only in the cookie. */
  secret: string
  access: Access
  expiresAt: Date
}

export type Credential = { token: string } | { code: string }

export async function signIn(db: Queries, gate: Gate, credential: Credential): Promise<Session> {
  const access = 'token' in credential ? await gate.bearer(credential.token) : await redeem(db, credential.code)
  if (!access)
    throw new Problem(
      'unauthorized',
      'token' in credential
        ? 'That token is not valid. Use the one printed at the first start, or one made under Tokens.'
        : 'That code is not valid: it works once, for 15 minutes.',
    )
  const tokenId = access.tokenId === OPERATOR ? null : access.tokenId
  return { access, ...(await openSession(db, gate, tokenId, SESSION_MS)) }
}

/** A session that stands for a token; null: for the operator. */
export async function openSession(
  db: Queries,
  gate: Gate,
  tokenId: string | null,
  lastsMs: number,
): Promise<Omit<Session, 'access'>> {
  const secret = randomBytes(32).toString('base64url')
  const now = new Date()
  const expiresAt = new Date(now.getTime() + lastsMs)
  await insertSession(db, {
    hash: gate.sessionHash(secret),
    token_id: tokenId,
    expires_at: expiresAt,
    created_at: now,
  })
  return { secret, expiresAt }
}

export async function signOut(db: Queries, gate: Gate, secret: string): Promise<void> {
  await deleteSession(db, gate.sessionHash(secret))
  gate.forget()
}

/** A code that signs in as the operator, once, within 15 minutes: for the link printed at the start. */
export async function issueCode(db: Queries): Promise<string> {
  const code = randomBytes(24).toString('base64url')
  await insertCode(db, tokenHash(code), new Date(Date.now() + CODE_MS))
  return code
}

async function redeem(db: Queries, code: string): Promise<Access | null> {
  return (await takeCode(db, tokenHash(code), new Date())) ? operatorAccess : null
}
