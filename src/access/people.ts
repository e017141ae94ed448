// People who sign in with OpenID Connect: each stands among the tokens, with the rights of their role.
import { createHash, randomBytes } from 'node:crypto'
import type { Db } from '#db/database.ts'
import { recordChange } from '#db/nouns/audit-rows.ts'
import { endSessionsOfPerson } from '#db/nouns/session-rows.ts'
import { keepPerson } from '#db/nouns/token-rows.ts'
import { transact } from '#db/transact.ts'
import { newId } from '#kit/ids.ts'
import type { JsonObject } from '#kit/json.ts'
import { tokenHash } from '#kit/secret/secrets.ts'
import type { Settings } from '#kit/settings.ts'
import type { Gate } from './gate.ts'
import { claimValues, type Role, roleFor } from './roles.ts'
import { openSession } from './sessions.ts'
import { SignInProblem } from './sign-in-problem.ts'

const HOUR_MS = 3600_000
const MOST_NAME = 128

interface People {
  db: Db
  gate: Gate
  settings: Pick<Settings, 'oidcIssuer' | 'oidcClaim' | 'oidcSessionHours'>
  roles: readonly Role[]
  /** Where the person sits. */
  address: string
}

/** Opens a session with the rights of now; whoever has lost their role loses their sessions as well. */
export async function signInPerson(
  { db, gate, settings, roles, address }: People,
  claims: JsonObject,
): Promise<{ secret: string; expiresAt: Date; tokenId: string }> {
  const person = digestOf(String(settings.oidcIssuer), String(claims.sub))
  const role = roleFor(roles, claimValues(claims, settings.oidcClaim))
  if (!role) {
    await endSessionsOfPerson(db, person)
    gate.forget()
    throw new SignInProblem('no_role')
  }
  const row = await transact(db, async trx => {
    const { row, isNew } = await keepPerson(trx, {
      token_id: newId(),
      person,
      name: nameOf(claims),
      // Nobody knows what this is the digest of.
      hash: tokenHash(randomBytes(32).toString('base64url')),
      scopes: [role.scope],
      experiences: role.experiences,
      created_at: new Date(),
    })
    if (isNew) {
      const { token_id, name, scopes, experiences } = row
      const change = {
        action: 'create',
        object: 'token',
        object_id: token_id,
        experience_id: null,
        before: null,
      } as const
      await recordChange(
        trx,
        { kind: 'session', token_id, name, address },
        { ...change, after: { name, scopes, experiences } },
      )
    }
    return row
  })
  gate.forget()
  const session = await openSession(db, gate, row.token_id, settings.oidcSessionHours * HOUR_MS)
  return { ...session, tokenId: row.token_id }
}

const digestOf = (issuer: string, subject: string): string =>
  createHash('sha256').update(`${issuer}\n${subject}`).digest('hex')

/** As people know each other. Control characters and marks that turn text around have no place in a name. */
function nameOf(claims: JsonObject): string {
  const [name = 'somebody'] = [claims.name, claims.preferred_username, claims.email, claims.sub]
    .filter(each => typeof each === 'string')
    .map(each => each.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, ' ').trim())
    .filter(each => each !== '')
  return [...name].slice(0, MOST_NAME).join('').trim()
}
