// Reads the parts that requests of tasks and of task groups share: input, extras, consent, experience.

import Type from 'typebox'
import type { ChainInput } from '#db/tables.ts'
import { badField } from '#kit/errors.ts'
import { type Consent, type ConsentPatch, patchedConsent } from '#kit/guest/consent.ts'
import { isObject, type JsonObject } from '#kit/json.ts'
import { checkUrlField } from '#kit/net/outbound.ts'
import { schemaErrors } from '#kit/schema.ts'
import { inputFile } from '#tasks/entry/input-file.ts'
import type { Replacement } from '#tasks/steer/steer.ts'
import { ConsentInput } from '../contract/guests/consent-shapes.ts'
import { ExperienceId } from '../contract/shapes.ts'
import { parseJson } from '../wire/json-body.ts'
import type { Received } from '../wire/multipart.ts'
import type { InputSources } from './input-sources.ts'

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

/** For which experience the task is. Undefined: that of its configurations. */
export function readExperience({ fields }: Received): string | undefined {
  const experience_id = fields.get('experience_id')
  if (experience_id === undefined || experience_id === '') return undefined
  const [error] = schemaErrors(Type.Object({ experience_id: ExperienceId }), { experience_id })
  if (error) throw badField(error.field, error.message)
  return experience_id
}

/** What the guest agreed to, as it came with the request. */
export function readConsent({ fields }: Received): Consent | undefined {
  const text = fields.get('consent')
  if (text === undefined || text.trim() === '') return undefined
  const consent = parseJson(text, 'consent')
  if (!isObject(consent)) throw badField('consent', 'must be a JSON object, like {"share": true, "wall": false}')
  const [error] = schemaErrors(Type.Object({ consent: ConsentInput }), { consent })
  if (error) throw badField(error.field, error.message)
  return patchedConsent(null, consent as ConsentPatch) ?? undefined
}

/** The file, its URL or the upload that came before; undefined if the request has none of these parts. */
export async function readInput(
  received: Received,
  field: string,
  { outbound, uploaded }: InputSources,
): Promise<ChainInput | undefined> {
  const file = received.files.get(field)
  const url = received.fields.get(`${field}_url`)
  const upload = received.fields.get(`${field}_upload`)
  const given = inputParts(field).filter(part => received.files.has(part) || received.fields.has(part))
  if (given[1]) throw badField(given[1], `can't stand beside ${given[0]}; send one of the two`)
  const kept = file ?? (upload === undefined ? undefined : await uploaded.read(upload, `${field}_upload`))
  if (kept) return { file: await inputFile(kept), ...(kept.fileName === null ? {} : { file_name: kept.fileName }) }
  if (url === undefined) return undefined
  checkUrlField(outbound, `${field}_url`, url)
  return { url }
}

/** What a retry runs with in place of what was sent. */
export async function readReplacement(
  received: Received,
  field: string,
  extrasField: string,
  sources: InputSources,
): Promise<Replacement> {
  const input = await readInput(received, field, sources)
  return {
    extrasField,
    ...(input ? { input } : {}),
    ...(received.fields.has(extrasField) ? { extras: readExtras(received, extrasField) } : {}),
  }
}

/** The parts that a file may come by. */
export const inputParts = (field: string): string[] => [field, `${field}_url`, `${field}_upload`]

export function requiredField({ fields }: { fields: ReadonlyMap<string, string> }, field: string): string {
  const value = fields.get(field)
  if (value === undefined || value === '') throw badField(field, 'is required')
  return value
}
