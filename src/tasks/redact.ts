// Cuts credentials out of what a destination said before anybody else reads it.
import { Problem } from '#kit/errors.ts'
import type { Json, JsonObject } from '#kit/json.ts'

const SHORTEST = 4

export function redact(error: unknown, auth: JsonObject): unknown {
  if (!(error instanceof Problem)) return error
  const secrets = texts(auth).filter(text => text.length >= SHORTEST)
  const clean = secrets.reduce((message, secret) => message.replaceAll(secret, '********'), error.message)
  if (clean === error.message) return error
  const extra = error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }
  return new Problem(error.code, clean, extra)
}

function texts(value: Json): string[] {
  if (typeof value === 'string') return [value]
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(texts) : []
}
