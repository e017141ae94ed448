// Makes and reads tokens. The token itself is shown once; only its digest is stored.
import type { Db, Queries, Trx } from '#db/database.ts'
import { recordChange } from '#db/nouns/audit-rows.ts'
import * as rows from '#db/nouns/token-rows.ts'
import type { Page, PageRequest } from '#db/page.ts'
import { transact } from '#db/transact.ts'
import type { Actor } from '#kit/actor.ts'
import { badField, Problem } from '#kit/errors.ts'
import { isId, newId } from '#kit/ids.ts'
import { newToken, tokenHash } from '#kit/secret/secrets.ts'
import type { Gate } from './gate.ts'
import { type Limits, requireWithin } from './limits.ts'
import { type Access, actorOf, OPERATOR, requireExperience, type Scope } from './scopes.ts'

interface TokenRequest {
  name: string
  scopes: Scope[]
  experiences: string[] | null
  expiresAt: Date | null
  limits: Limits | null
}

export async function createToken(
  db: Db,
  access: Access,
  request: TokenRequest,
  actor: Actor = actorOf(access),
): Promise<{ token: string; row: rows.TokenRow }> {
  if (request.experiences === null && access.experiences !== null)
    throw badField(
      'experiences',
      `your token is limited to experiences, so list some of them: ${access.experiences.join(', ')}`,
    )
  request.experiences?.forEach((id, index) => {
    requireExperience(access, id, `experiences[${index}]`)
  })
  requireEnd(access, request.expiresAt)
  requireWithin(access, request.limits)
  const token = newToken()
  const row: rows.TokenRow = {
    token_id: newId(),
    name: request.name,
    hash: tokenHash(token),
    scopes: request.scopes,
    experiences: request.experiences,
    expires_at: request.expiresAt,
    last_used_at: null,
    created_at: new Date(),
    limits: request.limits,
    made_by: access.tokenId === OPERATOR ? null : access.tokenId,
    person: null,
  }
  await transact(db, async trx => {
    await rows.insertToken(trx, row)
    await record(trx, actor, 'create', row)
  })
  return { token, row }
}

/** A token ends no later than the one that made it. */
function requireEnd({ expiresAt: last }: Access, expiresAt: Date | null): void {
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) throw badField('expires_at', 'must lie in the future')
  if (last !== null && (expiresAt === null || expiresAt.getTime() > last.getTime()))
    throw badField('expires_at', `must be ${last.toISOString()} at the latest, when your own token ends`)
}

export const listTokens = (db: Queries, access: Access, page: PageRequest): Promise<Page<rows.TokenRow>> =>
  rows.listTokens(db, access.experiences, page)

export async function readToken(db: Queries, access: Access, tokenId: string): Promise<rows.TokenRow> {
  const row = isId(tokenId) ? await rows.findToken(db, access.experiences, tokenId) : undefined
  if (!row) throw unknownToken(tokenId)
  return row
}

/** Deletes a token with all tokens that it made, at any depth. */
export async function deleteToken(
  db: Db,
  gate: Gate,
  access: Access,
  tokenId: string,
  actor: Actor = actorOf(access),
): Promise<void> {
  if (!isId(tokenId)) throw unknownToken(tokenId)
  await transact(db, async trx => {
    const made = await rows.tokensUnder(trx, tokenId)
    if (!(await rows.deleteToken(trx, access.experiences, tokenId))) throw unknownToken(tokenId)
    for (const row of made) await record(trx, actor, 'delete', row)
  })
  gate.forget()
}

/** The token itself is nowhere, so there is nothing to mask. */
function record(trx: Trx, actor: Actor, action: 'create' | 'delete', row: rows.TokenRow): Promise<void> {
  const { token_id, name, scopes, experiences, expires_at, limits, made_by } = row
  const told = { name, scopes, experiences, expires_at, limits, made_by }
  const sides = action === 'create' ? { before: null, after: told } : { before: told, after: null }
  return recordChange(trx, actor, { action, object: 'token', object_id: token_id, experience_id: null, ...sides })
}

const unknownToken = (tokenId: string): Problem => new Problem('not_found', `There is no token "${tokenId}".`)
