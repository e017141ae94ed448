// Credentials of a configuration: sealed at rest, masked in responses, kept when the mask is written back.
import { type FieldError, Problem } from '#kit/errors.ts'
import { isObject, type Json, type JsonObject, own } from '#kit/json.ts'
import { MASK } from '#kit/mask.ts'
import { type SecretBox, sealedFor } from '#kit/secret/secrets.ts'

export const sealAuth = (box: SecretBox, configurationName: string, auth: JsonObject): Buffer | null =>
  Object.keys(auth).length === 0 ? null : box.seal(JSON.stringify(auth), sealedFor.configuration(configurationName))

export const openAuth = (box: SecretBox, configurationName: string, sealed: Buffer | null): JsonObject =>
  sealed === null ? {} : (JSON.parse(box.open(sealed, sealedFor.configuration(configurationName))) as JsonObject)

export function maskAuth(auth: JsonObject): JsonObject {
  return mask(auth) as JsonObject
}

function mask(value: Json): Json {
  if (Array.isArray(value)) return value.map(mask)
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mask(inner as Json)]))
  return value === null ? null : MASK
}

/** Replaces each mask in what was written by the stored value. */
export function unmaskAuth(written: JsonObject, stored: JsonObject): JsonObject {
  const errors: FieldError[] = []
  const unmask = (value: Json, old: Json | undefined, field: string): Json => {
    if (value === MASK) {
      if (old === undefined || isObject(old) || Array.isArray(old)) {
        errors.push({
          field,
          message: `"${MASK}" stands for the stored value, and there is none: give the value itself`,
        })
        return value
      }
      return old
    }
    if (Array.isArray(value))
      return value.map((item, index) => unmask(item, Array.isArray(old) ? old[index] : undefined, `${field}[${index}]`))
    if (isObject(value))
      return Object.fromEntries(
        Object.entries(value as JsonObject).map(([key, inner]) => [
          key,
          unmask(inner, isObject(old) ? own(old as JsonObject, key) : undefined, `${field}.${key}`),
        ]),
      )
    return value
  }
  const auth = unmask(written, stored, 'adapter_config.auth') as JsonObject
  const [first] = errors
  if (first) throw new Problem('bad_options', `${first.field}: ${first.message}.`, { errors })
  return auth
}
