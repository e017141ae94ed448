// JSON merge patch (RFC 7396): objects are merged, null removes, everything else replaces.
import { isObject, type Json, type JsonObject } from './json.ts'

export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch
  const merged = new Map<string, Json>(isObject(target) ? Object.entries(target as JsonObject) : [])
  for (const [key, value] of Object.entries(patch as JsonObject)) {
    if (value === null) merged.delete(key)
    else merged.set(key, mergePatch(merged.get(key), value))
  }
  return Object.fromEntries(merged)
}
