// Checks bearer tokens and console sessions, each by one indexed query, and caches the result briefly.
import { LRUCache } from 'lru-cache'
import type { Queries } from '#db/database.ts'
import { findSession } from '#db/nouns/session-rows.ts'
import { findTokenByHash, markUsed, type TokenRow } from '#db/nouns/token-rows.ts'
import type { Log } from '#kit/log.ts'
import { sameText, tokenHash } from '#kit/secret/secrets.ts'
import { type Access, highest, operatorAccess } from './scopes.ts'

/** Every process must refuse a deleted token within 5 s. */
const REMEMBER_MS = 3_000
const MAX_REMEMBERED = 10_000
const USE_EVERY_MS = 60_000

export interface Gate {
  /** The access of a bearer token; null if it is not valid. */
  bearer(token: string): Promise<Access | null>
  /** The access of a console session; null if it is not valid. */
  session(secret: string): Promise<Access | null>
  /** Whether this process admitted the token or session before. */
  knows(shown: { token: string } | { session: string }): boolean
  /** The stored form of a session's secret. */
  sessionHash(secret: string): Buffer
  /** Call it after a token or session is deleted in this process. */
  forget(): void
}

interface Grant {
  access: Access
  expiresAt: number
}

export function newGate(db: Queries, adminToken: string, log: Log): Gate {
  const remembered = new LRUCache<string, Promise<Grant | null>>({
    max: MAX_REMEMBERED,
    ttl: REMEMBER_MS,
    ttlResolution: 0,
    perf: { now: () => Date.now() },
  })
  /** By the same keys: the credentials that were valid. */
  const admitted = new LRUCache<string, true>({ max: MAX_REMEMBERED })
  const adminHash = tokenHash(adminToken)

  async function recall(key: string, look: () => Promise<Grant | null>): Promise<Access | null> {
    const now = Date.now()
    let known = remembered.get(key)
    if (!known) {
      known = look()
      remembered.set(key, known)
      known.then(
        grant => (grant ? admitted.set(key, true) : admitted.delete(key)),
        () => remembered.delete(key),
      )
    }
    const grant = await known
    return grant !== null && grant.expiresAt > now ? grant.access : null
  }

  function grantOf(token: TokenRow, sessionEnd = Number.POSITIVE_INFINITY): Grant {
    const now = Date.now()
    if (token.last_used_at === null || token.last_used_at.getTime() < now - USE_EVERY_MS)
      markUsed(db, token.token_id, new Date(now), new Date(now - USE_EVERY_MS)).catch(error =>
        log.warn({ err: error }, 'the last use of a token could not be noted'),
      )
    return {
      access: {
        tokenId: token.token_id,
        name: token.name,
        scope: highest(token.scopes),
        experiences: token.experiences,
        expiresAt: token.expires_at,
        limits: token.limits ?? {},
      },
      expiresAt: Math.min(sessionEnd, token.expires_at?.getTime() ?? Number.POSITIVE_INFINITY),
    }
  }

  // Includes the admin token, so that changing it signs everybody out.
  const sessionHash = (secret: string): Buffer => tokenHash(`session ${secret} ${adminHash.toString('hex')}`)

  const tokenKey = (hash: Buffer): string => `token ${hash.toString('hex')}`
  const sessionKey = (hash: Buffer): string => `session ${hash.toString('hex')}`

  return {
    sessionHash,
    knows: shown =>
      admitted.has('token' in shown ? tokenKey(tokenHash(shown.token)) : sessionKey(sessionHash(shown.session))),
    async bearer(token) {
      const hash = tokenHash(token)
      if (sameText(token, adminToken)) {
        admitted.set(tokenKey(hash), true)
        return operatorAccess
      }
      return recall(tokenKey(hash), async () => {
        const row = await findTokenByHash(db, hash)
        return row ? grantOf(row) : null
      })
    },
    session(secret) {
      const hash = sessionHash(secret)
      return recall(sessionKey(hash), async () => {
        const row = await findSession(db, hash)
        if (!row) return null
        const end = row.expiresAt.getTime()
        return row.token ? grantOf(row.token, end) : { access: operatorAccess, expiresAt: end }
      })
    },
    forget: () => remembered.clear(),
  }
}
