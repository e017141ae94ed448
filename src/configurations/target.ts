// Where the secrets of a configuration are sent: changed only by whoever gives them anew, and by no extras.
import type { Adapter } from '#engine/adapter.ts'
import { type FieldError, Problem } from '#kit/errors.ts'
import { isObject, type Json, type JsonObject, stableJson } from '#kit/json.ts'
import { MASK } from '#kit/mask.ts'
import { withDefaults } from '#kit/schema.ts'

/** A single configuration with its credentials unsealed. */
export interface Aimed {
  adapter_name: string
  defaults: JsonObject
  auth: JsonObject
}

const CONFIG = 'adapter_config'
const AUTH = 'auth.'

/** The options that decide where the credentials go. `targetIf` depends on the other options. */
const targetOptions = ({ target = [], targetIf }: Adapter, options: JsonObject): string[] => [
  ...target.filter(name => !name.startsWith(AUTH)),
  ...(targetIf?.(options) ?? []),
]

/** Options that extras can never give, since they say where a secret is sent. */
export const fixedOptions = ({ target = [], onlySigns }: Adapter): string[] =>
  onlySigns ? [] : target.filter(name => !name.startsWith(AUTH))

/**
 * Refuses a new target that keeps any stored part of `auth`, user names included: the new target would learn it. `written` is the `auth`
 * of the request, with its masks.
 */
export function checkTarget(
  known: ReadonlyMap<string, Adapter>,
  before: Aimed,
  after: Aimed,
  written: JsonObject,
): void {
  const adapter = known.get(after.adapter_name)
  const kept = Object.keys(written).filter(part => holdsMask(written[part] as Json))
  if (kept.length === 0) return
  const changed = changedTarget(adapter, before, after)
  if (changed.length === 0) return
  const places = changed.map(name => `${CONFIG}.${name}`.replace(`${CONFIG}.adapter_name`, 'adapter_name'))
  const secrets = kept.map(part => `${CONFIG}.auth.${part}`)
  const errors = [
    ...places.map(field => ({
      field,
      message: `says where ${listed(kept)} is sent, so that must be given anew with it`,
    })),
    ...secrets.map(field => ({
      field,
      message: `must be given anew, not as "${MASK}": ${places.join(' and ')} changes where it is sent`,
    })),
  ]
  throw new Problem(
    'secret_needed',
    `${listed(places)} would send stored credentials elsewhere. Give ${listed(secrets)} anew, not as "${MASK}", to show that you know them.`,
    { errors },
  )
}

const listed = (names: readonly string[]): string => names.join(', ')

function holdsMask(value: Json): boolean {
  if (Array.isArray(value)) return value.some(holdsMask)
  if (isObject(value)) return Object.values(value as JsonObject).some(holdsMask)
  return value === MASK
}

/** The options that differ, as `defaults.NAME` or `auth.NAME`. A value that equals the schema's default is no difference. */
function changedTarget(adapter: Adapter | undefined, before: Aimed, after: Aimed): string[] {
  if (!adapter || before.adapter_name !== after.adapter_name) return ['adapter_name']
  const whole = ({ defaults, auth }: Aimed) => ({
    defaults: withDefaults(adapter.options, defaults),
    auth: adapter.auth ? withDefaults(adapter.auth, auth) : auth,
  })
  const [was, is] = [whole(before), whole(after)]
  const also = [was, is].flatMap(({ defaults, auth }) =>
    adapter.onlySigns?.(auth) ? [] : (adapter.targetIf?.(defaults) ?? []),
  )
  const names = new Set([...(adapter.target ?? Object.keys(adapter.options.properties)), ...also])
  return [...names].flatMap(name => {
    const group = name.startsWith(AUTH) ? 'auth' : 'defaults'
    const key = group === 'auth' ? name.slice(AUTH.length) : name
    return stableJson(was[group][key] ?? null) === stableJson(is[group][key] ?? null) ? [] : [`${group}.${key}`]
  })
}

/** What a task would run with: the defaults, and the credentials, opened only on demand. */
export interface Running {
  defaults: JsonObject
  auth(): JsonObject
}

/** Errors for extras that would change the target. */
export function targetErrors(
  adapter: Adapter,
  { defaults, auth }: Running,
  extras: JsonObject,
  path: string,
): FieldError[] {
  const changed = targetOptions(adapter, { ...defaults, ...extras }).filter(key => Object.hasOwn(extras, key))
  if (changed.length === 0 || adapter.onlySigns?.(auth())) return []
  return changed.map(key => ({
    field: `${path}.${key}`,
    message: `says where a secret of ${adapter.name} is sent and can’t be overridden by extras`,
  }))
}

/** A placeholder must not decide the host: its value comes from extras or from a guest. */
export const placeholderErrors = (
  adapter: Adapter,
  options: JsonObject,
  path: string,
  auth: JsonObject = {},
): FieldError[] =>
  targetOptions(adapter, options)
    .filter(key => adapter.target?.includes(key) || !adapter.onlySigns?.(auth))
    .filter(key => leadsByPlaceholder(options[key]))
    .map(key => ({
      field: `${path}.${key}`,
      message: `says where a secret of ${adapter.name} is sent, so it may hold placeholders only in the path of a URL`,
    }))

function leadsByPlaceholder(value: Json | undefined): boolean {
  if (typeof value !== 'string' || !value.includes('{{')) return false
  const [host = '{'] = /^https?:\/\/[^/?#\\]*[/?#]/i.exec(value) ?? []
  return host.includes('{')
}
