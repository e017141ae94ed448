// Reads the parts of a task request: inputs, extras, and which part belongs to which configuration.
import Type from 'typebox'
import type { ChainInput } from '#db/tables.ts'
import { badField } from '#kit/errors.ts'
import { isObject, type JsonObject } from '#kit/json.ts'
import type { Outbound } from '#kit/net/outbound.ts'
import { inputFile } from '#tasks/accept/input-file.ts'
import { parseJson } from '../wire/json-body.ts'
import type { Received } from '../wire/multipart.ts'

/** For the reference; `takeIdempotencyKey` checks the header. */
export const idempotencyHeaders = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      description: 'The same request with the same key runs once in 24 hours.',
      minLength: 1,
      maxLength: 255,
      examples: ['booth-3-000417'],
    }),
  ),
})

export function readExtras(received: Received, field: string): JsonObject {
  const text = received.fields.get(field)
  if (text === undefined || text.trim() === '') return {}
  const extras = parseJson(text, field)
  if (!isObject(extras)) throw badField(field, 'must be a JSON object, like {"rfid": ["04A2…"]}', 'bad_extras')
  return extras as JsonObject
}

/** The uploaded file or its URL; undefined if the request has neither part. */
export async function readInput(
  received: Received,
  field: string,
  outbound: Outbound,
): Promise<ChainInput | undefined> {
  const file = received.files.get(field)
  const url = received.fields.get(`${field}_url`)
  if (file && url !== undefined) throw badField(`${field}_url`, `can't stand beside ${field}; send one of the two`)
  if (file) return { file: await inputFile(file), ...(file.fileName === null ? {} : { file_name: file.fileName }) }
  if (url === undefined) return undefined
  try {
    outbound.check(url)
  } catch (error) {
    throw badField(`${field}_url`, error instanceof Error ? error.message : 'is not accepted', 'blocked_url')
  }
  return { url }
}

export function requiredField({ fields }: { fields: ReadonlyMap<string, string> }, field: string): string {
  const value = fields.get(field)
  if (value === undefined || value === '') throw badField(field, 'is required')
  return value
}
