// What a credential allows: its scope, and the experiences it sees.
import { requireVisible, type Visible } from '#db/visible.ts'
import type { Actor } from '#kit/actor.ts'
import { Problem } from '#kit/errors.ts'
import type { Limits } from './limits.ts'

export const scopes = ['read', 'tasks', 'write', 'admin'] as const
/** Each includes the ones before it. */
export type Scope = (typeof scopes)[number]

/** The tokenId of the operator's own admin token, which has no row. */
export const OPERATOR = 'operator'

export interface Access {
  tokenId: string
  /** Of the token, for people. */
  name: string
  scope: Scope
  /** Null: all experiences. Others do not exist for this caller. */
  experiences: Visible
  /** When the token ends; null: never. A session made with it may end earlier. */
  expiresAt: Date | null
  limits: Limits
}

export const operatorAccess: Access = Object.freeze({
  tokenId: OPERATOR,
  name: OPERATOR,
  scope: 'admin',
  experiences: null,
  expiresAt: null,
  limits: {},
})

export const actorOf = ({ tokenId, name }: Access, from: Partial<Pick<Actor, 'kind' | 'address'>> = {}): Actor => ({
  kind: 'token',
  token_id: tokenId === OPERATOR ? null : tokenId,
  name,
  address: null,
  ...from,
})

export const includes = (have: Scope, need: Scope): boolean => scopes.indexOf(have) >= scopes.indexOf(need)

export const highest = (list: readonly string[]): Scope => scopes.findLast(scope => list.includes(scope)) ?? 'read'

export function requireScope(access: Access, need: Scope): void {
  if (!includes(access.scope, need))
    throw new Problem('forbidden', `This needs a token with the scope "${need}"; yours has "${access.scope}".`)
}

/** For an experience named in a request. */
export const requireExperience = (access: Access, experienceId: string, field?: string): void =>
  requireVisible(access.experiences, experienceId, field)
