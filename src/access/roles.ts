// Which rights a person gets: by the first role of the settings that their claims name.
import type { JsonObject } from '#kit/json.ts'
import { isObject, own } from '#kit/json.ts'
import { BadSetting } from '#kit/settings.ts'
import { type Scope, scopes } from './scopes.ts'

export interface Role {
  /** What the claim must hold; `*`: anybody who can sign in. */
  value: string
  scope: Scope
  /** Null: all experiences. */
  experiences: string[] | null
}

const ANYBODY = '*'

const SETTING = 'KEEPSAKE_OIDC_ROLES'
const MOST_ROLES = 64
const MOST_EXPERIENCES = 100
const MOST_LENGTH = 256

const shape = `like {"crew": {"scope": "tasks", "experiences": ["expo-2026"]}, "admins": {"scope": "admin"}}`

/** Throws what is wrong with the setting. The order is that of the text: the first role that fits counts. */
export function parseRoles(text: string | null): Role[] {
  if (text === null) throw new BadSetting(`${SETTING} must be set where KEEPSAKE_OIDC_ISSUER is: ${shape}`)
  const roles = Object.entries(objectIn(text)).map(([value, given]) => roleOf(value, given))
  if (roles.length === 0 || roles.length > MOST_ROLES)
    throw new BadSetting(`${SETTING} must have 1 to ${MOST_ROLES} roles`)
  return roles
}

function objectIn(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value as JsonObject
  } catch {
    // Said below.
  }
  throw new BadSetting(`${SETTING} must be a JSON object, ${shape}`)
}

function roleOf(value: string, given: unknown): Role {
  const bad = (why: string): BadSetting =>
    new BadSetting(`${SETTING}: the role "${value.slice(0, MOST_LENGTH)}" ${why}`)
  if (value === '' || value.length > MOST_LENGTH) throw bad(`must have a name of 1 to ${MOST_LENGTH} characters`)
  if (!isObject(given)) throw bad(`must be an object, ${shape}`)
  const unknown = Object.keys(given).find(key => key !== 'scope' && key !== 'experiences')
  if (unknown !== undefined) throw bad(`has "${unknown}"; there are scope and experiences`)
  const scope = own(given, 'scope')
  if (!scopes.includes(scope as Scope)) throw bad(`must have a scope, one of ${scopes.join(', ')}`)
  const experiences = own(given, 'experiences') ?? null
  if (experiences === null) return { value, scope: scope as Scope, experiences }
  const isList =
    Array.isArray(experiences) &&
    experiences.length > 0 &&
    experiences.length <= MOST_EXPERIENCES &&
    experiences.every(id => typeof id === 'string' && id !== '' && id.length <= 128)
  if (!isList) throw bad(`must have 1 to ${MOST_EXPERIENCES} experiences, or none of the word for all`)
  return { value, scope: scope as Scope, experiences: experiences as string[] }
}

/** What the claim holds: a text, or a list of texts. `path`: names with dots between, from the outside in, or one name with dots. */
export function claimValues(claims: JsonObject, path: string): string[] {
  const whole = own(claims, path)
  const found =
    whole ??
    path.split('.').reduce<unknown>((inside, name) => (isObject(inside) ? own(inside, name) : undefined), claims)
  const values = Array.isArray(found) ? found : [found]
  return values.filter((value): value is string => typeof value === 'string').slice(0, 1_000)
}

/** Null: none fits. */
export const roleFor = (roles: readonly Role[], values: readonly string[]): Role | null =>
  roles.find(({ value }) => value === ANYBODY || values.includes(value)) ?? null
