// JSON typed by hand: read with a sentence that says what is wrong.

import type { Json, JsonObject } from '../api/shapes.ts'
import { t } from '../words/t.ts'

type Read<T> = { ok: true; value: T } | { ok: false; message: string }

export function readJson(text: string): Read<Json> {
  try {
    return { ok: true, value: JSON.parse(text) as Json }
  } catch (error) {
    return {
      ok: false,
      message: t('Not valid JSON: {value}', { value: error instanceof Error ? error.message : String(error) }),
    }
  }
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Nothing at all counts as an empty object. */
export function readObject(text: string): Read<JsonObject> {
  if (text.trim() === '') return { ok: true, value: {} }
  const read = readJson(text)
  if (!read.ok) return read
  return isObject(read.value)
    ? { ok: true, value: read.value }
    : { ok: false, message: t('This must be a JSON object: { "name": "value" }') }
}
